import { shareOf } from '../business/money.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import type { World } from '../world.ts';
import { type Arrival, amountForm, orderHeading, type Problem, WITH_AMOUNT } from './checkout.ts';
import { facts, form, grouped, moment, money, span, stateOf, stateTag, toneOf } from './elements.ts';
import { type Html, html, safeLink } from './html.ts';
import { milliseconds } from './requests.ts';

const RESULTS: Readonly<Record<string, string>> = {
  paid: 'Paid. Thank you.',
  underpaid: 'Partly paid',
  overpaid: 'Paid more than ordered',
  fail: 'The payment failed.',
  expired: 'This order has expired.',
  canceled: 'This order was canceled.',
};

/** Icons by tone. A partial payment has neither the check of a payment nor the cross of a failure. */
const ICONS = {
  good: 'm8.5 14.5 3.7 3.7 7.3-8',
  warn: 'M14 7.5v8M14 20v.2',
  bad: 'm9.5 9.5 9 9m0-9-9 9',
  off: 'M8.5 14h11',
  wait: 'M14 8v6l4 3',
};

/** After these buttons a customer returns to the shop. After the others the reader wants to see the result. */
const LEADING_BACK: ReadonlySet<string> = new Set(['pay', 'cancel', 'fail', 'expire', 'underpay', 'overpay']);

/** A closed invoice: its end, the link back to the shop, and below what the integration got. */
export function closedOrder(world: World, invoice: InvoiceRecord, arrival: Arrival, isSending: boolean): Html {
  const { problem = null, late = null, done = null } = arrival;
  const state = stateOf(invoice);
  const tone = toneOf(state);
  const isPaid = invoice.status === 'success';
  const back = safeLink(isPaid ? invoice.success_url : invoice.fail_url);
  const isFocused = problem === null && done !== 'resend' && done !== 'adjust' && done !== 'dispute';
  return html`<div class="customer">
<section class="summary" aria-labelledby="order">
${orderHeading(world, invoice)}
</section>
<section class="card" aria-label="Result">
<p role="status" class="result ${tone}"${isFocused && html` tabindex="-1" autofocus`}><svg width="28" height="28" viewBox="0 0 28 28" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="14" cy="14" r="12.5"/><path d="${ICONS[tone]}"/></svg><span>${RESULTS[state] ?? state}</span></p>
${late !== null && html`<p role="status" class="notice warn">Nothing was changed: this order was closed already${isPaid && html`, and paid once`}.</p>`}
${otherAmount(invoice)}
${facts([...(isPaid ? paymentFacts(invoice) : []), [isPaid ? 'Paid on' : 'Closed on', moment(invoice.finishedAt)]])}
${
  back === null
    ? html`<p class="soft">The shop gave no address to return to. You can close this page.</p>`
    : html`<a class="button main full" href="${back}" rel="noreferrer" data-return-link>${isPaid ? 'Return to the shop' : 'Go back to the shop'}</a>
${done !== null && !isSending && LEADING_BACK.has(done) && html`<div class="row apart" data-return hidden><p class="soft small" role="status">You go to <bdi>${new URL(back).host}</bdi> in <span class="num" data-seconds>3</span> s</p> <button type="button" class="small">Stay here</button></div>`}`
}
</section>
</div>
${afterwards(world, invoice, problem, done)}`;
}

/** What a customer reads who paid another amount than the ordered one. */
function otherAmount({ adjustment, currency }: InvoiceRecord): Html | null {
  if (adjustment === null) return null;
  const { actual_amount_fiat, expected_amount_fiat } = adjustment;
  return html`<p>You paid <strong>${grouped(actual_amount_fiat)} of ${money(expected_amount_fiat, currency.code)}</strong>. The shop decides what happens with your order.</p>`;
}

function paymentFacts({ adjustment, amount, currency, method, amountToSend }: InvoiceRecord): [string, Html | false][] {
  const fee = amountToSend === amount ? 'no fee' : 'with the fee';
  return [
    ['Method', html`<bdi>${method?.name ?? ''}</bdi>`],
    ['Total paid', adjustment === null && html`${money(amountToSend ?? amount, currency.code)}, ${fee}`],
  ];
}

function afterwards(world: World, invoice: InvoiceRecord, problem: Problem | null, done: string | null): Html {
  const { uuid, status, settledUsdt, rate, currency, adjustment, amount } = invoice;
  const isPaid = status === 'success';
  const misplaced = problem !== null && !WITH_AMOUNT.has(problem.button) ? problem.message : null;
  return html`<section class="controls" aria-labelledby="controls">
<div class="head"><h2 id="controls">What your integration got</h2><a class="small" href="/invoices/${uuid}">This order on the dashboard</a></div>
<p class="soft small">No customer sees this part.</p>
${misplaced !== null && html`<p role="alert" class="notice bad" tabindex="-1" autofocus>${misplaced}</p>`}
${facts([
  ['State', html`${stateTag(stateOf(invoice))} <code>${status}</code>`],
  ['Credited', isPaid && html`${money(settledUsdt ?? '', 'USDT')}, at ${rate} ${currency.code} per USDT`],
])}
${webhook(world, invoice, done)}
${
  isPaid &&
  amountForm(invoice, 'adjust', {
    label: 'Correct the paid amount (dispute)',
    button: 'Correct',
    hint: 'Without the fee. No second webhook is sent.',
    amount: shareOf(adjustment?.actual_amount_fiat ?? amount, '0.8'),
    problem,
    focus: done === 'dispute',
  })
}
</section>`;
}

function webhook(world: World, invoice: InvoiceRecord, done: string | null): Html {
  const delivery = world.store.deliveries(invoice).at(-1);
  if (delivery === undefined) return html`<p>No webhook: neither the invoice nor the business has a callback URL.</p>`;
  const last = delivery.log.at(-1);
  const isOver = delivery.attempt === null;
  const tone = !isOver ? 'wait' : last?.success ? 'good' : 'bad';
  const word = last?.success ? 'Send it again' : 'Try now';
  return html`<p role="status" class="notice ${tone}"${done === 'resend' && html` tabindex="-1" autofocus`}>${describeDelivery(delivery, world.clock.now())}</p>
${isOver && last?.why && html`<p><strong>Why:</strong> <span dir="auto">${last.why}</span></p>`}
<div class="row">${form(`/pay/${invoice.uuid}`, html`<button name="action" value="resend">${word}</button>`)}
<a href="/deliveries/${delivery.id}">Headers, body and answer</a></div>`;
}

/** The state of a delivery in one sentence. */
function describeDelivery({ log, url, status, nextRetryAt, made, attempt }: DeliveryRecord, now: number): Html {
  const last = log.at(-1);
  const where = url === null ? 'nowhere' : URL.canParse(url) ? new URL(url).host : url;
  if (attempt !== null) return html`Webhook on its way to ${where}, try ${made + 1}.`;
  if (last === undefined) return html`Webhook ${status}.`;
  if (last.success) return html`Webhook delivered to ${where} in ${milliseconds(last.duration_ms)} (try ${made}).`;
  const next =
    nextRetryAt === null ? 'no further try' : html`next try in ${span(nextRetryAt - now)}, at ${moment(nextRetryAt)}`;
  return html`Webhook to ${where}: try ${made}, ${last.error}; ${next}.${status === 'delivered' && ' It was delivered before.'}`;
}
