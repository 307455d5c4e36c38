import { isSearchable, sentenceOf } from '../../webhooks/diagnose.ts';
import { MAX_ATTEMPTS } from '../delivery/deliveries.ts';
import { signedRequest, stampNow } from '../delivery/webhook-request.ts';
import type { Answer } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import { toSandboxInvoice } from '../service/write-resources.ts';
import type { RequestEntry } from '../state/log.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import type { SandboxAttempt } from '../wire-types.ts';
import type { World } from '../world.ts';
import { curlCommand, testOf } from './copies.ts';
import {
  actionForm,
  addressText,
  answerTag,
  card,
  copyBlock,
  deliveryState,
  facts,
  grouped,
  idText,
  milliseconds,
  moment,
  money,
  nothing,
  orderLink,
  span,
  stateOf,
  stateTag,
  table,
  tag,
} from './elements.ts';
import { dashboardPage } from './frame.ts';
import { historyOf } from './history.ts';
import { type Html, html, indented } from './html.ts';
import { deliveryColumns, isRefused, payLink, requestName, resendWord } from './lists.ts';

// The pages of one invoice, one delivery, one request.

/** One invoice: its state, what happened to it in order, its webhooks, and the order as a test. */
export function invoicePage(world: World, exchange: Exchange, invoice: InvoiceRecord): Answer {
  const {
    external_id,
    uuid: ident,
    callback_url,
    status,
    amount,
    amountToSend,
    adjustment,
    settledUsdt,
    rate,
  } = invoice;
  const wire = toSandboxInvoice(world, invoice);
  const { code } = invoice.currency;
  const isOpen = status === 'pending';
  const deliveries = world.store.deliveries(invoice).reverse();
  const unsent =
    callback_url === null
      ? nothing('No webhook', 'Neither the invoice nor the business has a callback URL.')
      : nothing('Not sent yet', 'It is sent when the order ends.');
  const endings = ['Pay', 'Fail', 'Cancel', 'Expire'].map((word) =>
    actionForm(exchange, word.toLowerCase(), html`<button>${word}</button>`, { hidden: { ident } }),
  );
  const details = facts([
    ['Amount', money(amount, code)],
    [
      'Paid',
      adjustment && html`${grouped(adjustment.actual_amount_fiat)} of ${money(adjustment.expected_amount_fiat, code)}`,
    ],
    ['Customer pays', amountToSend !== null && html`${money(amountToSend, code)} with the fee`],
    ['Credited', settledUsdt !== null && money(settledUsdt, 'USDT')],
    ['Rate', rate !== null && `${rate} ${code} per USDT`],
    ['Method', wire.payment_method && html`<bdi>${wire.payment_method.name}</bdi>`],
    ['Customer', html`<bdi>${invoice.customer_id}</bdi>`],
    ['Purpose', invoice.purpose && html`<bdi>${invoice.purpose}</bdi>`],
    ['Webhook to', callback_url === null ? 'nowhere' : addressText(callback_url)],
    ['Created', moment(invoice.createdAt)],
    invoice.finishedAt === null ? ['Expires', moment(invoice.expiresAt)] : ['Ended', moment(invoice.finishedAt)],
    ['Id', idText(ident)],
    ['Status', html`<code>${status}</code>`],
  ]);
  return dashboardPage(world, exchange, {
    title: `Order ${external_id}`,
    heading: html`Order <bdi>${external_id}</bdi> <span id="state" data-live>${stateTag(stateOf(invoice))}</span>`,
    aside: html`<div id="actions" class="row" data-live>${payLink(invoice, 'button')}${isOpen && endings}</div>`,
    content: html`<div class="split"><div class="stack">
${card('line', 'Timeline', historyOf(world, invoice))}
${card(
  'copies',
  'Keep it',
  html`${!isOpen && copyTest(world, invoice)}
${copyBlock('json', 'Copy as JSON', 'As GET /api/v1/external/invoices lists it.', JSON.stringify(wire, null, 2))}`,
)}</div>
${card('facts', 'Details', details)}</div>
${card('webhooks', 'Webhook', table(deliveryColumns(world, exchange), deliveries, unsent))}`,
  });
}

function copyTest(world: World, invoice: InvoiceRecord): Html {
  const note = 'Passes unchanged and needs no port. Replace receive with your endpoint.';
  return copyBlock('test', 'Copy as test', note, testOf(world, invoice));
}

/** One delivery: its state, why it was refused, each attempt with request and answer, and copies as curl and test. */
export async function deliveryPage(world: World, exchange: Exchange, row: DeliveryRecord): Promise<Answer> {
  const { invoice, url, log, made, nextRetryAt } = row;
  const hidden = { ident: invoice.uuid };
  const last = log.at(-1);
  const curl = curlCommand(await signedRequest(world.settings, row, url, stampNow(world)));
  const attempts = [...log].reverse().map((attempt, at) => attemptItem(attempt, made - at, at === 0));
  const search = html`<button aria-describedby="search-what">Search for the cause</button>
<p class="soft small grow" id="search-what">Sends up to 25 requests. Each is accepted only by a receiver with one particular mistake.</p>`;
  const canSearch = row.attempt === null && last !== undefined && last.cause !== null && isSearchable(last.cause);
  const reasons = [
    last?.cause && whyNotice(last.success ? 'warn' : 'bad', sentenceOf(last.cause)),
    row.finding && html`<p class="notice warn">${sentenceOf(row.finding)}</p>`,
    canSearch && actionForm(exchange, 'explain', search, { hidden, layout: 'row' }),
  ];
  return dashboardPage(world, exchange, {
    title: `${row.eventType} of ${invoice.external_id}`,
    heading: html`${row.eventType} <span id="state" data-live>${stateTag(deliveryState(row))}</span>`,
    aside: actionForm(exchange, 'resend', html`<button>${resendWord(row)}</button>`, { hidden }),
    content: html`<div class="split"><div class="stack">
<div id="why" data-live class="stack">${reasons}</div>
${card(
  'attempts',
  'Attempts',
  html`${log.length < made && html`<p class="soft small">The latest ${log.length} of ${made} are stored.</p>`}
${log.length === 0 ? nothing(row.attempt === null ? 'None' : 'The first is in progress', '') : html`<ol class="line">${attempts}</ol>`}`,
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
        ['Order', orderLink(invoice)],
        ['Tries', `${made} of ${MAX_ATTEMPTS}`],
        ['Next try', nextRetryAt !== null && html`in ${span(nextRetryAt - world.clock.now())}, ${moment(nextRetryAt)}`],
        ['Delivered', moment(row.deliveredAt)],
        ['To', addressText(url)],
        ['Delivery id', idText(row.id)],
        ['Status', html`<code>${row.status}</code>`],
      ]),
    )}
${card(
  'again',
  'Do it again',
  html`${copyBlock('curl', 'Copy as curl', 'Signed when this page was made. A receiver that checks the age accepts it for about 5 minutes.', curl)}
${copyTest(world, invoice)}`,
)}</div></div>`,
  });
}

function whyNotice(tone: 'warn' | 'bad' | 'off', why: string): Html {
  return html`<p class="notice ${tone}"><strong>Why:</strong> <bdi>${why}</bdi></p>`;
}

function attemptItem(attempt: SandboxAttempt, number: number, isNewest: boolean): Html {
  const { success, status_code, error, duration_ms, triggered_by, request, cause, fault } = attempt;
  const block = (name: string, text: string): Html =>
    html`<pre class="scroll" dir="auto" tabindex="0" role="group" aria-label="${name} try ${number}">${text}</pre>`;
  const sent = request && `${request.method} ${request.url}\n${headerLines(request.headers)}`;
  const answered = `${status_code}\n${headerLines(attempt.response_headers ?? {})}\n\n${attempt.response_body}`;
  return html`<li class="${success ? 'good' : 'bad'}"><h3>Try ${number}: ${success ? `${status_code}, delivered` : error}</h3>
<p class="soft small num">${moment(attempt.created_at)} · ${milliseconds(duration_ms)} · ${triggered_by === 'manual' ? 'sent by hand' : 'on schedule'}${fault && html` · ${tag(`fault: ${fault}`, 'warn')}`}</p>
${cause && !isNewest && html`<p><strong>Why:</strong> <bdi>${sentenceOf(cause)}</bdi></p>`}
<details${isNewest && html` open data-open`}><summary>What was sent and answered</summary>
${sent === null ? html`<p class="soft">Nothing was sent.</p>` : block('Request of', sent)}
${status_code === null ? html`<p class="soft">No answer.</p>` : block('Answer to', answered)}</details></li>`;
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** One request with its bodies. */
export function requestPage(world: World, exchange: Exchange, row: RequestEntry): Answer {
  const body = (text: string): Html =>
    text === ''
      ? html`<p class="soft">Empty, or not stored.</p>`
      : html`<pre dir="auto">${indented(text)}</pre>${text.length >= 4_000 && html`<p class="soft small">The log keeps the first 4,000 characters.</p>`}`;
  return dashboardPage(world, exchange, {
    title: `${row.method} ${row.path}`,
    heading: html`<span class="mono">${requestName(row)}</span> ${answerTag(row.status)}`,
    content: html`${row.why && whyNotice(isRefused(row) ? 'bad' : 'off', row.why)}
${card(
  'request',
  'Details',
  facts([
    ['Time', moment(row.at)],
    ['Duration', milliseconds(row.duration_ms)],
    ['Id', idText(row.id)],
    ['Operation', row.operation ?? 'not part of the interface'],
    ['Error code', row.code && html`<code>${row.code}</code>`],
    ['Fault', row.fault],
  ]),
)}
${card('sent', 'Request body', body(row.request_body))}
${card('answered', 'Answer', body(row.response_body))}`,
  });
}
