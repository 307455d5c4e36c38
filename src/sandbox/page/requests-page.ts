import { DIALECTS, type Dialect } from '../dialects.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { RequestEntry } from '../state/log.ts';
import type { World } from '../world.ts';
import { dashboardPage } from './dashboard-frame.ts';
import { type Html, html, indented } from './parts/html.ts';
import { pager, rangeOf, table } from './parts/table.ts';
import { moment } from './parts/time.ts';

/** The log of requests, newest first, each refusal with its reason. */
export function requestsPage(world: World, exchange: Exchange): Answer {
  const show = exchange.url.searchParams.get('show') ?? 'api';
  const all = world.log.requests().reverse();
  const rows =
    show === 'refused'
      ? all.filter(isRefused)
      : show === 'api'
        ? all.filter(({ operation }) => operation !== 'page')
        : all;
  const link = (value: string, text: string): Html =>
    html`<a class="button" href="/requests?show=${value}"${show === value && html` aria-current="true"`}>${text}</a>`;
  return dashboardPage(
    exchange,
    'Requests',
    html`<h1>Requests</h1>
<p class="soft">The last 2,000 events are kept, bodies up to 4,000 characters. A dotted line marks what the interface of the service does not show.</p>
<div class="row">${link('api', 'To the API')}${link('refused', 'Refused')}${link('all', 'With buttons of these pages')}</div>
<section class="card" id="rows" aria-label="Requests found" data-live>${requestTable(rows.slice(...rangeOf(exchange)), 'No request yet.')}</section>
${pager(exchange, rows.length)}`,
  );
}

function isRefused({ status }: RequestEntry): boolean {
  return status === null || status >= 400;
}

/** The beginning of every path of the service, which the list omits. */
const API = '/api/v1/external';

const HEADS = ['Time', { silent: 'Request' }, 'Answer', 'Why'];

export function requestTable(rows: readonly RequestEntry[], empty: string): Html {
  return table(
    HEADS,
    rows.map((row) => [
      html`<span class="num">${row.at.slice(11, 19)}</span>`,
      html`<a class="mono any" href="/requests/${row.id}">${row.method} ${row.path.replace(API, '')}${row.query}</a>`,
      html`${answerOf(row)}${row.code !== null && html` <code>${row.code}</code>`}`,
      html`${row.fault !== null && html`<span class="pill">fault: ${row.fault}</span> `}${row.why !== null && html`<bdi>${row.why}</bdi>`}`,
    ]),
    empty,
  );
}

function answerOf(row: RequestEntry): Html {
  if (row.status === null) return html`<span class="pill bad">no answer</span>`;
  const assumed = assumption(row);
  const shown = html`<span class="pill ${row.status >= 400 ? 'bad' : 'good'}">${row.status}</span>`;
  if (assumed === null) return shown;
  return html`<a class="assumed" href="/assumptions#${assumed}" title="Assumed: ${DIALECTS[assumed].section} does not show it">${shown}<span class="small"> assumed</span></a>`;
}

/** The dialect that decided the status of this answer, or null if the interface shows it. */
function assumption({ operation, status, code, fault }: RequestEntry): keyof Dialect | null {
  if (code === 'INVOICE_ALREADY_EXISTS') return 'conflictStatus';
  if (operation === 'invoices.create' && status !== null && status < 300) return 'createStatus';
  return code !== null && fault !== null ? 'failureCodes' : null;
}

/** One request with its bodies. */
export function requestPage(world: World, exchange: Exchange, id: string): Answer | null {
  const row = world.log.requests().find((entry) => entry.id === id);
  if (row === undefined) return null;
  return dashboardPage(
    exchange,
    `${row.method} ${row.path}`,
    html`<h1 class="mono">${row.method} ${row.path}</h1>
<section class="card stack" aria-label="Request"><dl class="facts">
<dt>Time</dt><dd>${moment(row.at)}</dd><dt>Id</dt><dd><code>${row.id}</code></dd>
${row.query !== '' && html`<dt>Query</dt><dd><code>${row.query}</code></dd>`}
<dt>Operation</dt><dd>${row.operation ?? 'not part of the interface'}</dd>
<dt>Answer</dt><dd>${answerOf(row)} ${row.code !== null && html`<code>${row.code}</code>`}</dd>
${row.fault !== null && html`<dt>Fault</dt><dd>${row.fault}</dd>`}
${row.why !== null && html`<dt>Why</dt><dd><bdi>${row.why}</bdi></dd>`}
</dl>
${body('Request body', row.request_body)}${body('Answer', row.response_body)}</section>`,
  );
}

function body(title: string, text: string): Html {
  if (text === '') return html`<h2>${title}</h2><p class="soft">Empty, or not stored.</p>`;
  return html`<h2>${title}</h2><pre dir="auto">${indented(text)}</pre>`;
}
