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
  listing,
  milliseconds,
  moment,
  nothing,
  section,
  statusTag,
  tag,
  time,
} from './elements.ts';
import { dashboardPage } from './frame.ts';
import { type Html, html } from './html.ts';

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

export function requestsPage(world: World, incoming: IncomingRequest): UnsentResponse {
  const { rows, search, tabs, pager } = listing(incoming, world.log.requests().reverse(), {
    states: { All: () => true, Refused: isRefused },
    texts: (row) => [requestName(row), row.code, row.why, row.id, row.request_body],
    hint: 'Path, order, code or body',
    none: nothing('No requests yet', html`The <a href="/">overview</a> shows how to connect.`),
    show: (part) =>
      byDay(
        part,
        (row) => row.at,
        (row) =>
          html`<a class="row request" href="/requests/${row.id}"><span>${statusTag(row.status)}</span><span class="mono name">${requestName(row)}</span><span>${brief(paymentOf(world, row)?.external_id ?? null)}</span><span class="soft why">${row.fault && tag(`fault: ${row.fault}`, 'warn')} <bdi>${row.why ?? row.code}</bdi></span><span class="soft">${time(row.at)}</span></a>`,
      ),
  });
  return dashboardPage(world, incoming, {
    title: 'Requests',
    aside: search,
    content: html`${tabs}
<section class="card flush" id="rows" aria-label="Requests found" data-live>${rows}</section>${pager}`,
  });
}

/** One request as it came, what was answered, and what it made. */
export function requestPage(world: World, incoming: IncomingRequest, row: RequestEntry): UnsentResponse {
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
  return dashboardPage(world, incoming, {
    title: requestName(row),
    heading: html`<span class="mono">${requestName(row)}</span> ${statusTag(row.status)}`,
    aside: html`<div class="row">${payment && html`<a class="button" href="/payments/${payment.uuid}">Payment ${brief(payment.external_id)}</a>`}${copyButton(curl, 'Copy as curl', 'button')}</div>`,
    content: html`${(row.why || row.fault) && html`<div class="box ${isRefused(row) ? 'bad' : 'off'}"><h2>${row.code ?? (row.fault && `fault: ${row.fault}`)} <bdi>${row.why}</bdi></h2></div>`}
<p class="soft small">${moment(row.at)} · ${milliseconds(row.duration_ms)} · ${row.operation ?? 'not part of the interface'} · <span class="mono">${row.id}</span></p>
<div class="messages">${section('sent', 'Request', html`<pre tabindex="0" dir="auto">${headerLines(row.headers)}</pre>${body('request-body', 'Body of the request', row.request_body)}`)}
${section('answered', 'Response', body('response-body', 'Body of the response', row.response_body))}</div>
<details><summary>As curl</summary><pre tabindex="0" dir="auto">${curl}</pre></details>`,
  });
}
