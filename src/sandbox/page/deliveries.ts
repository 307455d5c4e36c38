import { isSearchable } from '../delivery/cause.ts';
import { MAX_ATTEMPTS } from '../delivery/deliveries.ts';
import { signedRequest } from '../delivery/signed-request.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { DeliveryRecord } from '../state/records.ts';
import type { SandboxAttempt } from '../wire-types.ts';
import type { World } from '../world.ts';
import { curlCommand, testOf } from './copies.ts';
import {
  actionForm,
  addressText,
  card,
  copyBlock,
  deliveryState,
  facts,
  filters,
  idText,
  matches,
  moment,
  nothing,
  paged,
  searched,
  shortened,
  span,
  stateTag,
  table,
  tag,
  wordOf,
} from './elements.ts';
import { dashboardPage } from './frame.ts';
import { type Html, html, indented } from './html.ts';
import { milliseconds } from './requests.ts';

const STATES = ['waiting', 'retrying', 'delivering', 'delivered', 'failed'];
const FILTERS = { '': 'All', ...Object.fromEntries(STATES.map((state) => [state, wordOf(state)])) };

/** The deliveries of webhooks, newest first. */
export function deliveriesPage(world: World, exchange: Exchange): Answer {
  const state = exchange.url.searchParams.get('state') ?? '';
  const q = searched(exchange);
  const rows = world.store
    .deliveries()
    .reverse()
    .filter((row) => state === '' || deliveryState(row) === state)
    .filter((row) =>
      matches(q, [row.invoice.external_id, row.eventType, row.url, row.id, row.log.at(-1)?.error ?? null]),
    );
  const { part, pager } = paged(exchange, rows);
  const empty =
    state === '' && q === ''
      ? nothing('No webhook yet', 'One is sent when an invoice with a callback URL ends. Pay one.')
      : nothing('No delivery matches', 'Take another filter or another search.');
  return dashboardPage(world, exchange, {
    title: 'Deliveries',
    heading: html`Webhook deliveries`,
    content: html`${filters(exchange, 'Order, event, address or id', 'state', FILTERS)}
<section class="card flush" id="rows" aria-label="Deliveries found" data-live>${deliveryTable(world, part, exchange, empty)}</section>${pager}`,
  });
}

export function deliveryTable(world: World, rows: readonly DeliveryRecord[], exchange: Exchange, empty: Html): Html {
  const columns = [
    'Event',
    'To',
    'State',
    'Last try',
    { head: 'Created', as: 'number' },
    { head: 'Actions', as: 'end' },
  ] as const;
  return table(
    columns,
    rows.map((row) => [
      html`<a href="/deliveries/${row.id}">${row.eventType}</a><br><a class="soft small" href="/invoices/${row.invoice.uuid}" title="${row.invoice.external_id}"><bdi>${shortened(row.invoice.external_id)}</bdi></a>`,
      html`<span class="address" title="${row.url}">${row.url ?? 'nowhere'}</span>`,
      html`${stateTag(deliveryState(row))}${row.nextRetryAt !== null && html`<br><span class="soft small">next in ${span(row.nextRetryAt - world.clock.now())}</span>`}`,
      html`${lastTry(row)}<br><span class="soft small">try ${row.made} of ${MAX_ATTEMPTS}</span>`,
      moment(row.createdAt),
      resendButton(row, exchange, true),
    ]),
    empty,
  );
}

function lastTry({ log, attempt }: DeliveryRecord): Html {
  const last = log.at(-1);
  if (attempt !== null) return html`in progress`;
  return last === undefined ? html`none` : outcomeOf(last);
}

/** What came of an attempt: the status and the time that it took, or why nothing came. */
function outcomeOf({ status_code, error, duration_ms }: SandboxAttempt): Html {
  return html`${status_code === null ? html`<bdi>${error}</bdi>` : status_code} in ${milliseconds(duration_ms)}`;
}

export function resendButton({ invoice, retry, url }: DeliveryRecord, exchange: Exchange, small = false): Html {
  if (url === null) return html``;
  const word = retry === null ? 'Send again' : 'Send now';
  const button = small
    ? html`<button class="small" aria-label="${word}: ${invoice.external_id}">${word}</button>`
    : html`<button>${word}</button>`;
  return actionForm(exchange, 'resend', button, { hidden: { ident: invoice.uuid } });
}

/** One delivery: its state, why it was refused, each attempt with request and answer, and copies as curl and test. */
export async function deliveryPage(world: World, exchange: Exchange, row: DeliveryRecord): Promise<Answer> {
  const { invoice, url, log, nextRetryAt } = row;
  const last = log.at(-1);
  const target = url ?? 'http://127.0.0.1:3000/webhook';
  const curl = curlCommand(await signedRequest(world.settings, row, target, world.settings.wallClock()), '-i');
  const order = html`<a href="/invoices/${invoice.uuid}" title="${invoice.external_id}"><bdi>${shortened(invoice.external_id)}</bdi></a>`;
  return dashboardPage(world, exchange, {
    title: `${row.eventType} of ${invoice.external_id}`,
    heading: html`${row.eventType} <span id="state" data-live>${stateTag(deliveryState(row))}</span>`,
    aside: resendButton(row, exchange),
    content: html`<div class="split"><div class="stack">
<div id="why" data-live class="stack">${last?.why && html`<p class="notice ${last.success ? 'warn' : 'bad'}"><strong>Why:</strong> <bdi>${last.why}</bdi></p>`}
${row.finding !== null && html`<p class="notice warn">${row.finding}</p>`}${row.attempt === null && last !== undefined && isSearchable(last) && searchButton(row, exchange)}</div>
${card(
  'attempts',
  'Attempts',
  html`${log.length < row.made && html`<p class="soft small">The latest ${log.length} of ${row.made} are stored.</p>`}
${log.length === 0 ? nothing(row.attempt === null ? 'None' : 'The first is in progress', '') : html`<ol class="line">${[...log].reverse().map((attempt, at) => attemptItem(attempt, row.made - at, at === 0))}</ol>`}`,
  { live: true },
)}
${card(
  'body',
  'Body',
  html`<pre dir="auto">${indented(row.body)}</pre>
<details><summary>The bytes as they are signed and sent</summary><p class="soft small">Every attempt sends the same bytes.</p><pre dir="auto" id="raw-body">${row.body}</pre></details>`,
)}</div>
<div class="stack">${card(
      'facts',
      'Details',
      facts([
        ['Order', order],
        ['Tries', `${row.made} of ${MAX_ATTEMPTS}`],
        ['Next try', nextRetryAt !== null && html`in ${span(nextRetryAt - world.clock.now())}, ${moment(nextRetryAt)}`],
        ['Delivered', row.deliveredAt !== null && moment(row.deliveredAt)],
        ['To', url === null ? 'nowhere: neither the invoice nor the business has a callback URL' : addressText(url)],
        ['Delivery id', idText(row.id)],
        ['Status', html`<code>${row.status}</code>`],
      ]),
      { live: true },
    )}
${card(
  'again',
  'Do it again',
  html`${copyBlock('curl', 'Copy as curl', 'Signed when this page was made. A receiver that checks the age accepts it for about 5 minutes.', curl)}
${copyBlock('test', 'Copy as test', 'Passes unchanged and needs no port. Replace receive with your endpoint.', testOf(world, invoice))}`,
)}</div></div>`,
  });
}

function searchButton({ invoice }: DeliveryRecord, exchange: Exchange): Html {
  const button = html`<button aria-describedby="search-what">Search for the cause</button>
<p class="soft small grow" id="search-what">Sends up to 25 requests. Each is accepted only by a receiver with one particular mistake.</p>`;
  return actionForm(exchange, 'explain', button, { hidden: { ident: invoice.uuid }, layout: 'row' });
}

function attemptItem(attempt: SandboxAttempt, number: number, open: boolean): Html {
  const { success, status_code, error, duration_ms, triggered_by, created_at, request, why, fault } = attempt;
  return html`<li class="${success ? 'good' : 'bad'}"><h3>Try ${number}: ${success ? `${status_code}, delivered` : error}</h3>
<p class="soft small num">${moment(created_at)} · ${milliseconds(duration_ms)} · ${triggered_by === 'manual' ? 'sent by hand' : 'on schedule'}${fault !== null && html` · ${tag(`fault: ${fault}`, 'warn')}`}</p>
${why !== null && !open && html`<p><strong>Why:</strong> <bdi>${why}</bdi></p>`}
<details${open && html` open data-open`}><summary>What was sent and answered</summary>
${request === null ? html`<p class="soft">Nothing was sent.</p>` : html`<pre class="scroll" tabindex="0" role="group" aria-label="Request of try ${number}">${request.method} ${request.url}\n${lines(request.headers)}</pre>`}
${answer(attempt, number)}</details></li>`;
}

function answer({ status_code, response_headers, response_body }: SandboxAttempt, number: number): Html {
  if (status_code === null) return html`<p class="soft">No answer.</p>`;
  return html`<pre class="scroll" dir="auto" tabindex="0" role="group" aria-label="Answer to try ${number}">${status_code}\n${lines(response_headers ?? {})}\n\n${response_body}</pre>`;
}

function lines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}
