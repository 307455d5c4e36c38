import { shareOf } from '../../business/money.ts';
import type { DeliveryRecord, InvoiceRecord } from '../../state/records.ts';
import type { World } from '../../world.ts';
import { grouped } from '../parts/amount.ts';
import { type Html, html, safeLink } from '../parts/html.ts';
import { moment, span } from '../parts/time.ts';
import { type Arrival, amountField, orderHeading, type Problem, problemNotice } from './order.ts';

const STATES = {
  pending: 'This order is open.',
  success: 'Paid. Thank you.',
  fail: 'The payment failed.',
  expired: 'This order has expired.',
  canceled: 'This order was canceled.',
};

const CHECK = html`<svg width="28" height="28" viewBox="0 0 28 28" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="14" cy="14" r="12.5"/><path d="m8.5 14.5 3.7 3.7 7.3-8"/></svg>`;
const CROSS = html`<svg width="28" height="28" viewBox="0 0 28 28" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" aria-hidden="true"><circle cx="14" cy="14" r="12.5"/><path d="m9.5 9.5 9 9m0-9-9 9"/></svg>`;

/** The requests of buttons that came too late. */
const WANTED: Readonly<Record<string, string>> = {
  pay: 'a payment',
  underpay: 'a payment',
  overpay: 'a payment',
  dispute: 'a payment',
  choose: 'a choice of method',
  cancel: 'a cancellation',
  fail: 'a failure',
  expire: 'an expiry',
};

/** A closed invoice: its end, the credited amount, the state of the webhook, and the link back to the shop. */
export function closedView(world: World, invoice: InvoiceRecord, arrival: Arrival, isSending: boolean): Html {
  const { problem = null, late, done } = arrival;
  const paid = invoice.status === 'success';
  const back = safeLink(paid ? invoice.success_url : invoice.fail_url);
  const wanted = late !== null && late !== undefined && Object.hasOwn(WANTED, late) ? WANTED[late] : undefined;
  const focusResult = problem === null && done !== 'resend' && done !== 'adjust' && done !== 'dispute';
  return html`<div class="checkout">
<section class="stack tight" aria-labelledby="order">
${orderHeading(world, invoice)}
</section>
<section class="card stack" aria-label="Result">
<p role="status" class="result ${paid ? 'good' : 'bad'}"${focusResult && html` tabindex="-1" autofocus`}>${paid ? CHECK : CROSS}<span>${STATES[invoice.status]}</span></p>
${wanted !== undefined && html`<p role="status" class="notice">Nothing was changed: ${wanted} came after this order was closed${paid && html`. It was paid once`}.</p>`}
<dl class="facts">
${paid && customerFacts(invoice)}
<dt>${paid ? 'Paid' : 'Closed'}</dt><dd class="num">${moment(invoice.finishedAt)}</dd>
</dl>
${
  back === null
    ? html`<p class="soft">The shop gave no address to return to. You can close this page.</p>`
    : html`<div class="stack tight"><a class="button main full" href="${back}" rel="noreferrer" data-return-link>${paid ? 'Return to the shop' : 'Go back to the shop'}</a>
${done && !isSending && leadsBack(done) && html`<div class="row apart" data-return hidden><p class="soft" role="status">You go to <bdi>${new URL(back).host}</bdi> in <span class="num" data-seconds>3</span> s</p> <button type="button" class="small">Stay here</button></div>`}</div>`
}
</section>
</div>
${afterwards(world, invoice, problem, done ?? null)}`;
}

/** After these buttons a customer returns to the shop. After the others the reader wants to see the result. */
function leadsBack(done: string): boolean {
  return ['pay', 'cancel', 'fail', 'underpay', 'overpay'].includes(done);
}

function customerFacts(invoice: InvoiceRecord): Html {
  const { adjustment, amount, currency, method, amountToSend } = invoice;
  const fee = amountToSend === amount ? 'no fee' : `${grouped(amount)} and the fee`;
  return html`<dt>Method</dt><dd><bdi>${method?.name ?? ''}</bdi></dd>
<dt>To be paid</dt><dd class="num">${grouped(amountToSend ?? '')} ${currency.code} (${fee})</dd>
${adjustment && html`<dt>Amount paid</dt><dd class="num">${grouped(adjustment.actual_amount_fiat)} of ${grouped(adjustment.expected_amount_fiat)} ${currency.code} (adjusted), before the fee</dd>`}`;
}

function afterwards(world: World, invoice: InvoiceRecord, problem: Problem | null, done: string | null): Html {
  const paid = invoice.status === 'success';
  return html`<section class="controls stack" aria-labelledby="controls">
<div class="stack tight"><h2 id="controls">What your integration got</h2>
<p class="soft small">No customer sees this part.</p></div>
${problemNotice(problem)}
<dl class="facts">
<dt>State</dt><dd><code>${invoice.status}</code> since ${moment(invoice.finishedAt)}</dd>
${paid && html`<dt>Merchant credited</dt><dd class="num">${grouped(invoice.settledUsdt ?? '')} USDT, at ${invoice.rate} ${invoice.currency.code} per USDT</dd>`}
</dl>
${webhook(world, invoice, done)}
${paid && correction(invoice, problem, done === 'dispute')}
<p class="small"><a href="/invoices/${invoice.uuid}">This order on the dashboard</a></p>
</section>`;
}

function webhook(world: World, invoice: InvoiceRecord, done: string | null): Html {
  const delivery = world.store.deliveries(invoice).at(-1);
  if (delivery === undefined) return html`<p>No webhook: neither the invoice nor the business has a callback URL.</p>`;
  const last = delivery.log.at(-1);
  const state = delivery.attempt !== null ? '' : last?.success ? 'good' : 'bad';
  return html`<div class="stack tight"><p role="status" class="notice ${state}"${done === 'resend' && html` tabindex="-1" autofocus`}>${describeDelivery(delivery, world.clock.now())}</p>
${delivery.attempt === null && last?.why && html`<p><strong>Why:</strong> <span dir="auto">${last.why}</span></p>`}
<div class="row"><form method="post" action="/pay/${invoice.uuid}"><button name="action" value="resend">${last?.success ? 'Send it again' : 'Try now'}</button></form>
<a href="/deliveries/${delivery.id}">Headers, body and answer</a></div></div>`;
}

/** The state of a delivery in one sentence. */
export function describeDelivery(delivery: DeliveryRecord, now: number): Html {
  const { log, url, status, nextRetryAt, made } = delivery;
  const last = log.at(-1);
  const where = url === null ? 'nowhere' : URL.canParse(url) ? new URL(url).host : url;
  if (delivery.attempt !== null) return html`Webhook on its way to ${where}, try ${made + 1}.`;
  if (last === undefined) return html`Webhook ${status}.`;
  if (last.success) return html`Webhook delivered to ${where} in ${last.duration_ms} ms (try ${made}).`;
  const next =
    nextRetryAt === null ? 'no further try' : html`next try in ${span(nextRetryAt - now)}, at ${moment(nextRetryAt)}`;
  return html`Webhook to ${where}: try ${made}, ${last.error}; ${next}.${status === 'delivered' && ' It was delivered before.'}`;
}

function correction(invoice: InvoiceRecord, problem: Problem | null, focus: boolean): Html {
  const label = 'Correct the paid amount, before the fee (a dispute, without a second webhook)';
  const amount = shareOf(invoice.adjustment?.actual_amount_fiat ?? invoice.amount, '0.8');
  return html`<form method="post" action="/pay/${invoice.uuid}">
${amountField('adjust', label, 'Correct', { amount, problem, focus })}
</form>`;
}
