import { type Html, html } from '../../html.ts';
import { shellText } from '../../shell.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { RequestEntry } from '../state/log.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import {
  brief,
  byDay,
  code,
  copyButton,
  headerLines,
  highlighted,
  milliseconds,
  moment,
  nothing,
  type Tone,
  tag,
  time,
} from './elements.ts';
import { dashboardPage } from './frame.ts';
import { crumbs, listing, panes, rowAddress } from './lists.ts';

/** Method and path, without the beginning that all paths of the service share. */
export function requestName({ method, path, query }: RequestEntry): string {
  return `${method} ${path.replace('/api/v1/external', '')}${query}`;
}

export function isRefused({ status }: RequestEntry): boolean {
  return status === null || status >= 400;
}

/** The payment that a request made or asked for, if there is one. */
export function paymentOf(
  { store }: World,
  { path, operation, request_body }: RequestEntry,
): InvoiceRecord | undefined {
  const ident = path.split('/')[5];
  try {
    if (ident !== undefined) return store.byIdent(decodeURIComponent(ident));
    if (operation !== 'invoices.create') return undefined;
    return store.byExternalId(String(Object(JSON.parse(request_body)).external_id));
  } catch {
    return undefined; // a stray percent sign, or no JSON
  }
}

/** Amber for a creation of an order that exists, which `createOrGet` then reads. Red for every other refusal. */
export function toneOf(row: RequestEntry): Tone {
  if (isTaken(row)) return 'warn';
  return isRefused(row) ? 'bad' : 'good';
}

function isTaken({ status, operation }: RequestEntry): boolean {
  return status === 409 && operation === 'invoices.create';
}

export function statusOf(row: RequestEntry): Html {
  return tag(row.status ?? 'No response', toneOf(row));
}

/** The list of requests with one of them beside it: the chosen one, or the first of the list on a wide screen. */
export function requestsPage(world: World, incoming: IncomingRequest, chosen: RequestEntry | null): UnsentResponse {
  const address = { ...incoming, url: new URL(`/requests${incoming.url.search}`, incoming.url) };
  const list = listing(address, world.log.requests().reverse(), {
    states: { All: () => true, Refused: isRefused },
    texts: (row) => [requestName(row), row.code, row.why, row.id, row.request_body],
    hint: 'Path, order, code or body',
    none: nothing('No requests yet', html`The <a href="/">overview</a> shows how to connect.`),
    show: (part) => requestRows(world, address, part, chosen ?? part[0] ?? null),
  });
  const shown = chosen ?? list.part[0] ?? null;
  return dashboardPage(world, incoming, {
    title: chosen === null ? 'Requests' : requestName(chosen),
    heading: null,
    isWide: true,
    content: panes({
      title: 'Requests',
      list,
      isChosen: chosen !== null,
      detail: shown && detail(world, shown, chosen !== null),
    }),
  });
}

function requestRows(
  world: World,
  list: IncomingRequest,
  rows: readonly RequestEntry[],
  shown: RequestEntry | null,
): Html {
  return byDay(
    rows,
    (row) => row.at,
    (row) => {
      const order = paymentOf(world, row)?.external_id;
      const what = html`${order !== undefined && html`<strong>${brief(order)}</strong> `}${row.fault && tag(`fault: ${row.fault}`, 'warn')} <bdi>${row.why ?? row.code}</bdi>`;
      return html`<a class="row request" href="${rowAddress(list, row.id)}" id="${row.id}"${row === shown && html` aria-current="true"`}><span>${statusOf(row)}</span><span class="mono name">${requestName(row)}</span><span class="soft small">${time(row.at)}</span><span class="soft small what">${what}</span></a>`;
    },
  );
}

/** One request as it came, what was answered, and what it made. */
function detail(world: World, row: RequestEntry, isChosen: boolean): Html {
  const payment = paymentOf(world, row);
  const cut = (text: string): Html | false =>
    text.length >= 4_000 && html`<p class="soft small">The log keeps the first 4,000 characters.</p>`;
  const body = (id: string, label: string, text: string): Html =>
    text === '' ? html`<p class="soft">Empty</p>` : html`${code(id, label, highlighted(text))}${cut(text)}`;
  const curl = [
    `curl -i -X ${row.method} ${shellText(`${world.url}${row.path}${row.query}`)}`,
    `-H "X-Api-Key: $MERCHANT_API_KEY"`,
    ...(row.request_body === ''
      ? []
      : [`-H 'Content-Type: application/json'`, `--data-raw ${shellText(row.request_body)}`]),
  ].join(' \\\n  ');
  const name = html`<span class="mono">${requestName(row)}</span>`;
  const tone = row.fault !== null ? 'warn' : isRefused(row) ? toneOf(row) : 'off';
  return html`${crumbs('/requests', 'Requests', requestName(row), 'narrow-only')}
<div class="title">${isChosen ? html`<h1>${name}</h1>` : html`<h2 class="h1">${name}</h2>`}${statusOf(row)}<span class="grow"></span>
<div class="row">${payment && html`<a class="button" href="/payments/${payment.uuid}">Payment ${brief(payment.external_id)}</a>`}${copyButton(curl, 'Copy as curl', 'button')}</div></div>
<p class="soft small">${moment(row.at)} · ${milliseconds(row.duration_ms)} · ${row.operation ?? 'not part of the interface'} · <span class="mono">${row.id}</span></p>
${(row.why || row.fault) && html`<div class="box ${tone}"><h2>${row.code ?? (row.fault && `fault: ${row.fault}`)}</h2><p><bdi>${row.why}</bdi></p>${isTaken(row) && html`<p class="soft small"><code>createOrGet</code> reads the invoice in this case.</p>`}</div>`}
<div class="messages"><div><h2>Request</h2><pre tabindex="0" dir="auto">${headerLines(row.headers)}</pre>${body('request-body', 'Body of the request', row.request_body)}</div>
<div><h2>Response</h2>${body('response-body', 'Body of the response', row.response_body)}</div></div>
<details><summary>As curl</summary><pre tabindex="0" dir="auto">${curl}</pre></details>`;
}
