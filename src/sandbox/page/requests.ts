import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { RequestEntry } from '../state/log.ts';
import type { World } from '../world.ts';
import {
  answerTag,
  card,
  facts,
  filters,
  idText,
  matches,
  moment,
  nothing,
  paged,
  searched,
  table,
  tag,
} from './elements.ts';
import { dashboardPage } from './frame.ts';
import { type Html, html, indented } from './html.ts';

const FILTERS = { '': 'API', refused: 'Refused', all: 'API and this dashboard' };

/** The log of requests, newest first, each refusal with its reason. */
export function requestsPage(world: World, exchange: Exchange): Answer {
  const show = exchange.url.searchParams.get('show') ?? '';
  const q = searched(exchange);
  const rows = world.log
    .requests()
    .reverse()
    .filter((row) => show === 'all' || row.operation !== 'page')
    .filter((row) => show !== 'refused' || isRefused(row))
    .filter((row) => matches(q, [row.path + row.query, row.method, row.code, row.why, row.id, row.request_body]));
  const { part, pager } = paged(exchange, rows);
  const empty =
    show === '' && q === ''
      ? nothing('No request yet', html`Send one with the values of <a href="/">Connect your backend</a>.`)
      : nothing('No request matches', 'The last 2,000 events are kept.');
  return dashboardPage(world, exchange, {
    title: 'Requests',
    content: html`${filters(exchange, 'Path, code, reason or body', 'show', FILTERS)}
<section class="card flush" id="rows" aria-label="Requests found" data-live>${requestTable(part, empty)}</section>${pager}`,
  });
}

function isRefused({ status }: RequestEntry): boolean {
  return status === null || status >= 400;
}

/** Method and path, without the beginning that all paths of the service share. */
export function requestName({ method, path, query }: RequestEntry): string {
  return `${method} ${path.replace('/api/v1/external', '')}${query}`;
}

/** Milliseconds as people read them. A clock that counts milliseconds cannot tell less than one. */
export function milliseconds(count: number): string {
  return count < 1 ? '< 1 ms' : `${count} ms`;
}

function requestTable(rows: readonly RequestEntry[], empty: Html): Html {
  const columns = [
    'Request',
    'Answer',
    { head: 'Why', as: 'wide' },
    { head: 'Duration', as: 'number' },
    { head: 'Time', as: 'number' },
  ] as const;
  return table(
    columns,
    rows.map((row) => [
      html`<a class="mono address" href="/requests/${row.id}" title="${requestName(row)}">${requestName(row)}</a>`,
      html`${answerTag(row.status)}${row.code !== null && html` <code>${row.code}</code>`}`,
      html`${row.fault !== null && html`${tag(`fault: ${row.fault}`, 'warn')} `}${row.why !== null && html`<bdi>${row.why}</bdi>`}`,
      html`${milliseconds(row.duration_ms)}`,
      moment(row.at),
    ]),
    empty,
  );
}

/** One request with its bodies. */
export function requestPage(world: World, exchange: Exchange, id: string): Answer | null {
  const row = world.log.requests().find((entry) => entry.id === id);
  if (row === undefined) return null;
  return dashboardPage(world, exchange, {
    title: `${row.method} ${row.path}`,
    heading: html`<span class="mono">${requestName(row)}</span> ${answerTag(row.status)}`,
    content: html`${row.why !== null && html`<p class="notice ${isRefused(row) ? 'bad' : 'off'}"><strong>Why:</strong> <bdi>${row.why}</bdi></p>`}
${card(
  'request',
  'Details',
  facts([
    ['Time', moment(row.at)],
    ['Duration', milliseconds(row.duration_ms)],
    ['Id', idText(row.id)],
    ['Operation', row.operation ?? 'not part of the interface'],
    ['Error code', row.code !== null && html`<code>${row.code}</code>`],
    ['Fault', row.fault],
  ]),
)}
${card('sent', 'Request body', body(row.request_body))}
${card('answered', 'Answer', body(row.response_body))}`,
  });
}

function body(text: string): Html {
  if (text === '') return html`<p class="soft">Empty, or not stored.</p>`;
  return html`<pre dir="auto">${indented(text)}</pre>${text.length >= 4_000 && html`<p class="soft small">The log keeps the first 4,000 characters.</p>`}`;
}
