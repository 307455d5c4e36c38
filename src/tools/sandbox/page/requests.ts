import { type Html, html } from '../../html.ts';
import { shellText } from '../../shell.ts';
import { isProbe } from '../lines.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { RequestEntry } from '../state/log.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import {
  brief,
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
import { panesPage } from './lists.ts';

/** Method and path, without the beginning that all paths of the service share. */
export function requestName({ method, path, query }: RequestEntry): string {
  return `${method} ${path.replace('/api/v1/external', '')}${query}`;
}

/** False for what is refused in the course of things. */
export function isRefused(world: World, row: RequestEntry): boolean {
  return hasFailed(row) && !isProbe(row, (order) => world.store.ofOrder(order).length > 0);
}

function hasFailed({ status }: RequestEntry): boolean {
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

/** Amber for a creation of an order that exists, which the client then reads. Red where somebody must act. */
export function toneOf(world: World, row: RequestEntry): Tone {
  if (isTaken(row)) return 'warn';
  if (isRefused(world, row)) return 'bad';
  return hasFailed(row) ? 'off' : 'good';
}

function isTaken({ status, operation }: RequestEntry): boolean {
  return status === 409 && operation === 'invoices.create';
}

export function statusOf(world: World, row: RequestEntry): Html {
  return tag(row.status ?? 'No response', toneOf(world, row));
}

/** The list of requests with one of them beside it. */
export function requestsPage(
  world: World,
  incoming: IncomingRequest,
  chosen: RequestEntry | null,
): Promise<UnsentResponse> {
  return panesPage(world, incoming, {
    title: 'Requests',
    path: '/requests',
    rows: world.log.requests().reverse(),
    chosen,
    states: { All: () => true, Refused: (row) => isRefused(world, row) },
    texts: (row) => [requestName(row), row.code, row.why, row.id, row.request_body],
    hint: 'Path, order, code or body',
    none: nothing('No requests yet', html`The <a href="/">overview</a> shows how to connect.`),
    at: (row) => row.at,
    times: 'received',
    row: (row) => requestRow(world, row),
    headline: requestName,
    detail: (row, asTitle) => detail(world, row, asTitle),
  });
}

function requestRow(world: World, row: RequestEntry): { readonly look: string; readonly cells: Html } {
  const order = paymentOf(world, row)?.external_id;
  const what = html`${order !== undefined && html`<strong>${brief(order)}</strong> `}${row.fault && tag(`fault: ${row.fault}`, 'warn')} <bdi>${row.why ?? row.code}</bdi>`;
  return {
    look: 'request',
    cells: html`<span>${statusOf(world, row)}</span><span class="mono name">${requestName(row)}</span><span class="soft small">${time(row.at)}</span><span class="soft small what">${what}</span>`,
  };
}

/** One request as it came, what was answered, and what it made. */
function detail(world: World, row: RequestEntry, asTitle: (headline: Html) => Html): Html {
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
  const tone = row.fault !== null ? 'warn' : hasFailed(row) ? toneOf(world, row) : 'off';
  return html`<div class="title">${asTitle(html`<span class="mono">${requestName(row)}</span>`)}${statusOf(world, row)}<span class="grow"></span>
<div class="row">${payment && html`<a class="button" href="/payments/${payment.uuid}">Payment ${brief(payment.external_id)}</a>`}${copyButton(curl, 'Copy as curl', 'button')}</div></div>
<p class="soft small">${moment(row.at)} · ${milliseconds(row.duration_ms)} · ${row.operation ?? 'not part of the interface'} · <span class="mono">${row.id}</span></p>
${(row.why || row.fault) && html`<div class="box ${tone}"><h2>${row.code ?? (row.fault && `fault: ${row.fault}`)}</h2><p><bdi>${row.why}</bdi></p>${isTaken(row) && html`<p class="soft small">The client reads the invoice in this case.</p>`}</div>`}
<div class="messages"><div><h2>Request</h2><pre tabindex="0" dir="auto">${headerLines(row.headers)}</pre>${body('request-body', 'Body of the request', row.request_body)}</div>
<div><h2>Response</h2>${body('response-body', 'Body of the response', row.response_body)}</div></div>
<details><summary>As curl</summary><pre tabindex="0" dir="auto">${curl}</pre></details>`;
}
