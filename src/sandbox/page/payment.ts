import { isMerchantError } from '../../errors/guards.ts';
import { sentenceOf } from '../../webhooks/diagnose.ts';
import { isOrderAction, type Perform } from '../actions.ts';
import {
  compareAmounts,
  isAmount,
  methodsFor,
  outOfRange,
  type Quote,
  quote,
  settlementRate,
  shareOf,
} from '../business/money.ts';
import type { Answer } from '../service/respond.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import type { SandboxMethod } from '../wire-types.ts';
import type { World } from '../world.ts';
import {
  type Column,
  type Field,
  facts,
  field,
  form,
  grouped,
  lookOf,
  milliseconds,
  moment,
  money,
  span,
  stateOf,
  stateTag,
  type Tone,
  table,
} from './elements.ts';
import { pageAnswer, seeOther } from './frame.ts';
import { type Html, html, type Part } from './html.ts';

// The hosted page of an invoice: above what a customer sees, below, clearly apart, the controls for tests.

/** What the last button came to. */
interface Arrival {
  /** The button that did its work, or `late` for one that came after the end of the order. */
  readonly done?: string | null;
  readonly problem?: Problem | null;
}

/** Why a button did nothing, in words for a customer. `typed` is the text in its field. */
interface Problem {
  readonly button: string;
  readonly typed: string;
  readonly message: string;
}

export function paymentPage(world: World, invoice: InvoiceRecord, { done = null, problem = null }: Arrival): Answer {
  const isOpen = invoice.status === 'pending';
  const { customer, tests } = (isOpen ? openOrder : closedOrder)(world, invoice, done, problem);
  const { external_id, amount, currency, purpose, expiresAt, uuid } = invoice;
  const left = Math.max(0, expiresAt - world.clock.now());
  const title = `${problem === null ? '' : 'Not done: '}${isOpen ? 'Pay' : lookOf(stateOf(invoice))[0]} · Order ${external_id}`;
  const main = html`<div class="customer">
<section class="summary" aria-labelledby="order">
<p class="shop"><bdi>${world.settings.merchantName}</bdi></p>
<h1 class="order" id="order">Order <bdi>${external_id}</bdi></h1>
<p class="amount">${grouped(amount)} <span>${currency.code}</span></p>
${purpose && html`<p dir="auto">${purpose}</p>`}
${isOpen && html`<p class="soft small"><span class="num" role="timer" data-left="${left}"${world.clock.running() && html` data-counting`}>${span(left)} left</span>, until ${moment(expiresAt)}</p>`}
</section>
<section class="card" aria-label="${isOpen ? 'Payment' : 'Result'}">
${customer}
</section>
</div>
<section class="controls" id="tests"${!isOpen && html` data-live`} aria-labelledby="controls">
<div class="head"><h2 id="controls">${isOpen ? 'Test controls' : 'What your integration got'}</h2><a class="small" href="/invoices/${uuid}">This order on the dashboard</a></div>
${tests}
</section>`;
  return pageAnswer(title, main, problem === null ? 200 : 422);
}

/** What the customer sees, and what only a tester sees. */
interface Parts {
  readonly customer: Html;
  readonly tests: Html;
}

/** A method with the price of the invoice, or with the reason why it cannot be used. */
interface Offer {
  readonly method: SandboxMethod;
  readonly price: Quote | null;
  readonly reason: string;
}

function offersFor(world: World, { amount, currency: { code }, rate }: InvoiceRecord): Offer[] {
  return methodsFor(world, code).map((method) => {
    const range = `${grouped(method.min_amount)} to ${grouped(method.max_amount)} ${code}`;
    if (outOfRange(amount, method) !== null) return { method, price: null, reason: `For ${range}` };
    const percent = method.client_commission_percent;
    const fee = compareAmounts(percent, '0') === 0 ? 'no fee' : `with the fee of ${percent} %`;
    try {
      const price = quote(amount, method, rate ?? settlementRate(world, code));
      return { method, price, reason: `${range} · ${fee}` };
    } catch {
      return { method, price: null, reason: 'Not available now: there is no fresh rate' };
    }
  });
}

/** The choice of a method for the customer, and every other way in which a payment can end. */
function openOrder(world: World, invoice: InvoiceRecord, done: string | null, problem: Problem | null): Parts {
  const { amount, uuid, currency } = invoice;
  const action = `/pay/${uuid}`;
  const inFull = (price: string): string => `${grouped(price)} ${currency.code}`;
  const offers = offersFor(world, invoice);
  const usable = offers.flatMap(({ method, price }) => (price === null ? [] : [{ method, price }]));
  const chosen = usable.find(({ method }) => method.id === invoice.method?.id);
  const checked = chosen ?? usable[0];
  const refused = problem !== null && !WITH_AMOUNT.has(problem.button) && problem.message;
  const choice = html`<fieldset>
<legend>How do you want to pay?</legend>
${offers.map((offer) => methodChoice(offer, currency.code, offer.method === checked?.method))}
</fieldset>
<p class="hint"${refused && html` role="alert" tabindex="-1" autofocus`}>${refused}</p>
${
  checked === undefined
    ? html`<p class="notice bad">No method takes this amount.</p>`
    : html`<button class="main full" name="action" value="pay" data-pay-button>Pay ${chosen ? inFull(chosen.price.amountToSend) : 'with this method'}</button>`
}`;
  const customer = html`${
    chosen &&
    html`<p role="status" class="notice good"${done === 'choose' && html` tabindex="-1" autofocus`}><bdi>${chosen.method.name}</bdi> is chosen: you pay ${money(chosen.price.amountToSend, currency.code)}.</p>`
  }
${form(action, choice, { id: 'pay-form' })}
${form(action, html`<button class="quiet full" name="action" value="cancel">Cancel and go back</button>`)}`;

  const method = checked && html`<input type="hidden" name="method" value="${checked.method.id}" data-method>`;
  const other = (name: string, button: string, share: string): Html => {
    const texts = { button, label: `${button} than ${inFull(amount)}`, hint: 'Without the fee.' };
    return amountForm(invoice, name, { ...texts, value: shareOf(amount, share), problem, method });
  };
  const endings = html`${
    checked &&
    html`${method}<button name="action" value="dispute">Pay, then correct it (dispute)</button>
<button form="pay-form" name="action" value="choose">Choose the method, pay later</button>`
  }
<button name="action" value="fail">Let it fail</button>
<button name="action" value="expire">Let it expire</button>`;
  const columns: Column<(typeof usable)[number]>[] = [
    { head: 'Method', cell: (row) => html`<bdi>${row.method.name}</bdi>` },
    { head: 'Customer pays', as: 'number', cell: ({ price }) => money(price.amountToSend, currency.code) },
    { head: 'Merchant receives', as: 'number', cell: ({ price }) => money(price.merchantReceives, currency.code) },
    { head: 'Credited', as: 'number', cell: ({ price }) => money(price.usdt, 'USDT') },
  ];
  const tests = html`<p class="soft small">No customer sees this part. Use it to try what can go wrong.${!world.clock.running() && ' The clock of the sandbox is frozen: no time runs out.'}</p>
${checked && html`<div class="grid">${other('underpay', 'Pay less', '0.5')}${other('overpay', 'Pay more', '1.5')}</div>`}
${form(action, endings, { layout: 'row' })}
${checked && html`<details><summary>What each method brings the merchant</summary>${table(columns, usable)}</details>`}`;
  return { customer, tests };
}

/** Pictures of common kinds of methods, by a word of the name. The pages load nothing from outside, such as a logo. */
const PICTURES: readonly (readonly [name: RegExp, picture: string])[] = [
  [/card/i, 'M4 8h24M7 15h6'],
  [/bank|transfer|ach|havale/i, 'M6 9l10-5 10 5zM9 12v4M14 12v4M18 12v4M23 12v4M6 18h20'],
  [/wallet|papara/i, 'M6 7h18v10H6zM19 11h7v3h-7z'],
  [/(?:)/, 'M16 5a6 6 0 1 0 .01 0zM16 8.5v5'],
];

function methodChoice({ method, price, reason }: Offer, code: string, isChecked: boolean): Html {
  const id = `method-${method.id}`;
  const picture = PICTURES.find(([name]) => name.test(method.name))?.[1];
  const pays = price && `${grouped(price.amountToSend)} ${code}`;
  return html`<div class="method${pays === null && ' off'}"><input type="radio" id="${id}" name="method" value="${method.id}"${pays === null ? html` disabled` : html` data-pay="${pays}"`}${isChecked && html` checked`} aria-describedby="${id}-pays ${id}-what">
<div><label for="${id}"><svg width="32" height="22" viewBox="0 0 32 22" aria-hidden="true"><rect width="32" height="22" rx="4"/><path d="${picture}"/></svg><bdi>${method.name}</bdi></label> <span class="num" id="${id}-pays">${pays && html`you pay <strong>${pays}</strong>`}</span></div>
<p class="small soft" id="${id}-what">${reason}</p></div>`;
}

/** The buttons with an amount, which show a refusal beside their own field. */
const WITH_AMOUNT: ReadonlySet<string> = new Set(['underpay', 'overpay', 'adjust']);

interface AmountForm extends Pick<Field, 'label' | 'hint' | 'value' | 'focus'> {
  readonly button: string;
  readonly problem: Problem | null;
  readonly method?: Html | undefined;
}

/** A field for an amount of the order, and its button. After a refusal it keeps what was typed and names the reason. */
function amountForm({ uuid }: InvoiceRecord, name: string, { button, problem, method, ...texts }: AmountForm): Html {
  const mine = problem?.button === name ? { value: problem.typed, problem: problem.message } : {};
  const press = html`<button name="action" value="${name}">${button}</button>`;
  const input = field({ ...texts, ...mine, id: name, name: 'amount', numeric: true, button: press });
  return form(`/pay/${uuid}`, html`${method}${input}`);
}

const RESULTS: Readonly<Record<string, string>> = {
  paid: 'Paid. Thank you.',
  underpaid: 'Partly paid',
  overpaid: 'Paid more than ordered',
  fail: 'The payment failed.',
  expired: 'This order has expired.',
  canceled: 'This order was canceled.',
};

/** Icons by tone. A partial payment has neither the check of a payment nor the cross of a failure. */
const ICONS: Readonly<Record<Tone, string>> = {
  good: 'm8.5 14.5 3.7 3.7 7.3-8',
  warn: 'M14 7.5v8M14 20v.2',
  bad: 'm9.5 9.5 9 9m0-9-9 9',
  off: 'M8.5 14h11',
  wait: 'M14 8v6l4 3',
};

/** After these buttons a customer returns to the shop. After the others the reader wants to see the result. */
const LEADING_BACK: ReadonlySet<string> = new Set(['pay', 'cancel', 'fail', 'expire', 'underpay', 'overpay']);
const STAYING: ReadonlySet<string> = new Set(['resend', 'adjust', 'dispute']);

/** How the order ended, with the link back to the shop, and what the integration got. */
function closedOrder(world: World, invoice: InvoiceRecord, done: string | null, problem: Problem | null): Parts {
  const { status, adjustment, amount, amountToSend, currency, method, settledUsdt, rate } = invoice;
  const state = stateOf(invoice);
  const [, tone] = lookOf(state);
  const isPaid = status === 'success';
  const back = isPaid ? invoice.success_url : invoice.fail_url; // http or https, since the sandbox takes no other
  const [delivery] = world.store.deliveries(invoice);
  const leadsBack = back !== null && LEADING_BACK.has(done ?? '') && !delivery?.attempt;
  const fee = amountToSend === amount ? 'no fee' : 'with the fee';
  const customer = html`<p role="status" class="result ${tone}"${problem === null && !STAYING.has(done ?? '') && html` tabindex="-1" autofocus`}><svg width="28" height="28" viewBox="0 0 28 28" aria-hidden="true"><circle cx="14" cy="14" r="12.5"/><path d="${ICONS[tone]}"/></svg><span>${RESULTS[state] ?? state}</span></p>
${done === 'late' && html`<p role="status" class="notice warn">Nothing was changed: this order was closed already${isPaid && ', and paid once'}.</p>`}
${adjustment && html`<p>You paid <strong>${grouped(adjustment.actual_amount_fiat)} of ${money(adjustment.expected_amount_fiat, currency.code)}</strong>. The shop decides what happens with your order.</p>`}
${facts([
  ['Method', isPaid && html`<bdi>${method?.name}</bdi>`],
  ['Total paid', isPaid && !adjustment && html`${money(amountToSend ?? amount, currency.code)}, ${fee}`],
  [isPaid ? 'Paid on' : 'Closed on', moment(invoice.finishedAt)],
])}
${
  back === null
    ? html`<p class="soft">The shop gave no address to return to. You can close this page.</p>`
    : html`<a class="button main full" href="${back}" rel="noreferrer" data-return-link>${isPaid ? 'Return to the shop' : 'Go back to the shop'}</a>`
}
${
  leadsBack &&
  html`<div class="row apart" data-return hidden><p class="soft small" role="status">You go to <bdi>${new URL(back).host}</bdi> in <span class="num" data-seconds>3</span> s</p> <button type="button" class="small">Stay here</button></div>`
}`;
  const refused = problem !== null && !WITH_AMOUNT.has(problem.button) && problem.message;
  const tests = html`<p class="soft small">No customer sees this part.</p>
${refused && html`<p role="alert" class="notice bad" tabindex="-1" autofocus>${refused}</p>`}
${facts([
  ['State', html`${stateTag(state)} <code>${status}</code>`],
  ['Credited', isPaid && html`${money(settledUsdt, 'USDT')}, at ${rate} ${currency.code} per USDT`],
])}
${
  delivery === undefined
    ? html`<p>No webhook: neither the invoice nor the business has a callback URL.</p>`
    : webhook(delivery, world.clock.now(), done === 'resend')
}
${
  isPaid &&
  amountForm(invoice, 'adjust', {
    label: 'Correct the paid amount (dispute)',
    button: 'Correct',
    hint: 'Without the fee. No second webhook is sent.',
    value: shareOf(adjustment?.actual_amount_fiat ?? amount, '0.8'),
    problem,
    focus: done === 'dispute',
  })
}`;
  return { customer, tests };
}

/** What became of the webhook, in one sentence with its cause. */
function webhook(delivery: DeliveryRecord, now: number, isFocused: boolean): Html {
  const { id, invoice, log, url, status, nextRetryAt, made, attempt } = delivery;
  const last = log.at(-1);
  const where = new URL(url).host;
  const next =
    nextRetryAt === null ? 'no further try' : html`next try in ${span(nextRetryAt - now)}, at ${moment(nextRetryAt)}`;
  const [tone, text]: readonly [Tone, Part] =
    attempt !== null
      ? ['wait', `Webhook on its way to ${where}, try ${made + 1}.`]
      : last === undefined
        ? ['bad', `Webhook ${status}.`]
        : last.success
          ? ['good', `Webhook delivered to ${where} in ${milliseconds(last.duration_ms)} (try ${made}).`]
          : [
              'bad',
              html`Webhook to ${where}: try ${made}, ${last.error}; ${next}.${status === 'delivered' && ' It was delivered before.'}`,
            ];
  const resend = html`<button name="action" value="resend">${last?.success ? 'Send it again' : 'Try now'}</button>`;
  return html`<p role="status" class="notice ${tone}"${isFocused && html` tabindex="-1" autofocus`}>${text}</p>
${attempt === null && last?.cause && html`<p><strong>Why:</strong> <span dir="auto">${sentenceOf(last.cause)}</span></p>`}
<div class="row">${form(`/pay/${invoice.uuid}`, resend)}
<a href="/deliveries/${id}">Headers, body and answer</a></div>`;
}

/** Milliseconds of real time that a page waits for the webhook, so that it can show the result. */
const MAX_WAIT = 1_500;

/**
 * Performs the action of a button, then redirects the browser to the page with GET. A button that comes too late, such
 * as the second of a double click, changes nothing. The page then reports it and shows how the invoice ended.
 */
export async function pressButton(
  world: World,
  perform: Perform,
  invoice: InvoiceRecord,
  fields: URLSearchParams,
): Promise<Answer> {
  const { uuid, status, external_id } = invoice;
  const button = fields.get('action') ?? '';
  const typed = fields.get('amount') ?? '';
  const to = (done: string, why: string): Answer => ({ ...seeOther(`/pay/${uuid}?done=${done}`), why });
  const refuse = (message: string, why = message): Answer => ({
    ...paymentPage(world, invoice, { problem: { button, typed, message } }),
    why,
  });
  if (status !== 'pending' && button !== 'adjust' && button !== 'resend')
    return to('late', `too late: it is ${status} already`);
  const amount = typed.trim();
  const wrong = WITH_AMOUNT.has(button) ? wrongAmount(invoice, button, amount) : null;
  if (wrong !== null) return refuse(wrong);
  const action = button === 'dispute' ? 'pay' : button; // the page then asks for the correction
  if (!isOrderAction(action)) return refuse('This page has no such button.');
  const isDone = new AbortController();
  try {
    const work = perform(action, { ...Object.fromEntries(fields), amount, ident: uuid });
    await Promise.race([work, world.settings.sleep(MAX_WAIT, isDone.signal)]);
    return to(button, `${button} ${external_id}`);
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    return refuse('This method cannot be used for this order. Choose another one.', error.message);
  } finally {
    isDone.abort();
  }
}

/** Why an amount cannot be paid with this button, for the customer who typed it. Null if it can. */
function wrongAmount({ amount, currency }: InvoiceRecord, button: string, typed: string): string | null {
  if (!isAmount(typed)) return 'Enter an amount such as 12.50.';
  const order = compareAmounts(typed, amount);
  if (button === 'underpay' && order >= 0) return `Enter less than ${grouped(amount)} ${currency.code}.`;
  return button === 'overpay' && order <= 0 ? `Enter more than ${grouped(amount)} ${currency.code}.` : null;
}
