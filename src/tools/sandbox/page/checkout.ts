import { Decimal } from '../../../contract/values/decimal.ts';
import { type Html, html, type Part } from '../../html.ts';
import { moneyText, paymentWord } from '../../story.ts';
import {
  compareAmounts,
  methodsFor,
  outOfRange,
  type Quote,
  quote,
  settlementRate,
  shareOf,
} from '../business/money.ts';
import { saysStatus } from '../delivery/diagnose.ts';
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { SandboxMethod } from '../types.ts';
import type { World } from '../world.ts';
import { form, menu, milliseconds, moment, paidOf, span, type Tone, webhookOf } from './elements.ts';
import { amountField } from './forms.ts';
import { pageResponse } from './frame.ts';
import { refusalOf, type Values } from './refusals.ts';

// The hosted page of a payment: what a customer sees, and a dock of one line below with the endings that a tester can choose.

/** A method with the price of the order, or with the reason why it cannot be used. */
interface Offer {
  readonly method: SandboxMethod;
  readonly price: Quote | null;
  readonly reason: string;
}

function offersFor(world: World, { amount, currency: { code }, rate }: InvoiceRecord): Offer[] {
  return methodsFor(world, code).map((method) => {
    if (outOfRange(amount, method) !== null) {
      return {
        method,
        price: null,
        reason: `For ${moneyText(method.min_amount, code)} to ${moneyText(method.max_amount, code)}`,
      };
    }
    try {
      const price = quote(amount, method, rate ?? settlementRate(world, code));
      const fee = new Decimal(price.amountToSend).minus(amount);
      return { method, price, reason: fee.isZero() ? 'No fee' : `${moneyText(fee.toFixed(2), code)} fee` };
    } catch {
      return { method, price: null, reason: 'Not available now: there is no fresh rate' };
    }
  });
}

export function checkoutPage(world: World, incoming: IncomingRequest, invoice: InvoiceRecord): UnsentResponse {
  const isOpen = invoice.status === 'pending';
  const { external_id } = invoice;
  const problem = refusalOf(world, incoming);
  const { merchantName } = world.settings;
  const shop = html`<p class="shop"><span class="logo" aria-hidden="true">${[...merchantName][0]?.toUpperCase()}</span><bdi>${merchantName}</bdi></p>`;
  const title = `${problem === null ? '' : 'Not done: '}${isOpen ? 'Pay' : paymentWord(invoice)} · ${external_id}`;
  const body = html`<a class="skip" href="#main">Skip to the payment</a>
<main id="main" class="${isOpen ? 'open' : 'closed'}" data-status="${invoice.status}">${isOpen ? openOrder(world, incoming, invoice, shop) : closedOrder(world, incoming, invoice, shop)}</main>
<footer class="dock" aria-label="Test controls">${isOpen ? openDock(world, incoming, invoice) : closedDock(world, incoming, invoice)}</footer>`;
  return pageResponse(title, 'checkout', body);
}

/**
 * One total with its lines, and the methods beside it. The style sheet hides what belongs to methods that are not
 * chosen.
 */
function openOrder(world: World, incoming: IncomingRequest, invoice: InvoiceRecord, shop: Html): Html {
  const { amount, uuid, currency, purpose, external_id, expiresAt } = invoice;
  const { code } = currency;
  const text = (value: string): string => moneyText(value, code);
  const offers = offersFor(world, invoice);
  const usable = offers.flatMap(({ method, price }) => (price === null ? [] : [{ method, price }]));
  const chosen = usable.find(({ method }) => method.id === invoice.method?.id) ?? usable[0];
  const forEach = (show: (offer: (typeof usable)[number]) => Part): Part =>
    offers.map(({ method, price }, at) => price && html`<span class="for for-${at}">${show({ method, price })}</span>`);
  const left = Math.max(0, expiresAt - world.clock.now());
  const fee = forEach(({ method, price }) => {
    const added = new Decimal(price.amountToSend).minus(amount).toFixed(2);
    return (
      compareAmounts(added, '0') !== 0 &&
      html`<span class="ln"><span><bdi>${method.name}</bdi> fee, ${new Decimal(method.client_commission_percent).toFixed()} %</span><span class="num">${text(added)}</span></span>`
    );
  });
  const total = usable.length === 0 ? text(amount) : forEach(({ price }) => text(price.amountToSend));
  const refused = refusalOf(world, incoming);
  const message = refused !== null && refused.fields.length === 0 && refused.message;
  const home = homeOf(invoice);
  const choice = html`<fieldset><legend class="h1">Pay with</legend>${offers.map((offer, at) => methodChoice(offer, at, code, offer.method === chosen?.method))}</fieldset>
${message && html`<p class="notice bad" role="alert" tabindex="-1" autofocus>${message}</p>`}
${chosen === undefined ? html`<p class="notice bad">No method takes this amount.</p>` : html`<button class="main full" name="action" value="pay" data-pay-button data-busy="Paying…"><span>Pay ${total}</span></button>`}`;
  const cancel = html`<p>Cancel this order? It cannot be paid any more.</p>${buttonForm(uuid, 'cancel', 'Yes, cancel it')}`;
  return html`<section class="summary" aria-labelledby="order"><div>${shop}
<h1 class="soft" id="order">${purpose ? html`<bdi>${purpose}</bdi>` : html`Order <bdi>${external_id}</bdi>`}</h1>
<p class="big">${total}</p>
<div class="lines"><p class="ln"><span>Order <bdi>${external_id}</bdi></span><span class="num">${text(amount)}</span></p>${fee}<p class="ln total"><span>Total</span><span class="num">${total}</span></p></div>
<p class="soft small">Pay within <span class="num" role="timer" data-left="${left}"${world.clock.running() && html` data-counting`}>${span(left)}</span></p></div></section>
<section class="choice" aria-label="Payment"><div>${form(`/pay/${uuid}`, choice, { id: 'pay-form' })}
<div class="after">${home && html`<a href="${home}" rel="noreferrer">Back to <bdi>${world.settings.merchantName}</bdi></a>`}${menu('Cancel this order', cancel, 'link')}</div></div></section>`;
}

/** The shop's own page, to which a customer can return while the order stays open. */
function homeOf({ success_url, fail_url }: InvoiceRecord): string | null {
  const known = success_url ?? fail_url; // http or https, since the sandbox takes no other
  return known === null ? null : `${new URL(known).origin}/`;
}

/** Pictures of common kinds of methods, by a word of the name. The pages load nothing from outside, such as a logo. */
const PICTURES: readonly (readonly [name: RegExp, picture: string])[] = [
  [/card/i, 'M4 8h24M7 15h6'],
  [/bank|transfer|ach|havale/i, 'M6 9l10-5 10 5zM9 12v4M14 12v4M18 12v4M23 12v4M6 18h20'],
  [/wallet|papara/i, 'M6 7h18v10H6zM19 11h7v3h-7z'],
  [/(?:)/, 'M16 5a6 6 0 1 0 .01 0zM16 8.5v5'],
];

function methodChoice({ method, price, reason }: Offer, at: number, code: string, isChecked: boolean): Html {
  const id = `method-${method.id}`;
  const picture = PICTURES.find(([name]) => name.test(method.name))?.[1];
  return html`<div class="method${price === null && ' off'}"><input type="radio" id="${id}" name="method" value="${method.id}" data-n="${at}"${price === null && html` disabled`}${isChecked && html` checked`} aria-describedby="${id}-what">
<svg width="32" height="22" viewBox="0 0 32 22" aria-hidden="true"><rect width="32" height="22" rx="4"/><path d="${picture}"/></svg>
<span><label for="${id}"><bdi>${method.name}</bdi></label><span class="soft small" id="${id}-what">${reason}</span></span><span class="num">${price && moneyText(price.amountToSend, code)}</span></div>`;
}

/** A field for an amount of the order in the dock, which is open after a refusal. */
function amountMenu(
  world: World,
  incoming: IncomingRequest,
  { uuid, amount, currency }: InvoiceRecord,
  {
    name,
    word,
    button: pay,
    ...given
  }: { readonly [Name in 'name' | 'button' | 'label' | 'value']: string } & { word: Html; isOpen?: boolean },
): Html {
  const hint = `Of ${moneyText(amount, currency.code)}, without the fee.`;
  const button = html`<button class="main" name="action" value="${name}">${pay}</button>`;
  const { isOpen = false, ...parts } = given;
  const { input, problem } = amountField(world, incoming, { ...parts, name, hint, button, focus: isOpen });
  return html`<details class="menu"${(problem !== undefined || isOpen) && html` open data-open`}><summary class="button">${word}</summary><div class="sheet">${form(`/pay/${uuid}`, input)}</div></details>`;
}

function openDock(world: World, incoming: IncomingRequest, invoice: InvoiceRecord): Html {
  const { amount, uuid } = invoice;
  const isPayable = offersFor(world, invoice).some(({ price }) => price !== null);
  const value = shareOf(amount, '0.5');
  const other = {
    name: 'amount',
    word: html`<span class="roomy">Another </span>amount`,
    button: 'Pay this amount',
    label: 'The customer pays',
    value,
  };
  const ending = (action: string, word: string, hint: string): Html =>
    html`<div class="field">${buttonForm(uuid, action, word)}<p class="soft small">${hint}</p></div>`;
  const more = html`${ending('expire', 'Expired', 'The time to pay passes.')}${isPayable && ending('dispute', 'Disputed', 'It is paid, then the amount is corrected.')}`;
  return html`${dockSays(invoice, html`<p class="ends">End <span class="roomy">this </span>payment</p>`)}
<div class="acts">${isPayable && amountMenu(world, incoming, invoice, other)}${buttonForm(uuid, 'fail', 'Failed')}${menu(html`Other<span class="roomy"> endings</span>`, more)}</div>`;
}

/** The first line of the dock, and behind it what is wrong. */
function dockSays({ uuid }: InvoiceRecord, state: Html): Html {
  return html`<div class="says"><strong class="mark">SANDBOX</strong>${state}<a class="to" href="/payments/${uuid}">Dashboard</a></div>`;
}

/** How the order ended, for the customer: a mark, a heading, and what follows from it. */
interface TestEnding {
  readonly tone: 'good' | 'warn' | 'bad' | 'off';
  readonly icon: string;
  readonly title: string;
  readonly text: Part;
}

const MARKS = {
  check: 'm8.5 14.5 3.7 3.7 7.3-8',
  part: 'M14 7.5v8M14 20v.2',
  cross: 'm9.5 9.5 9 9m0-9-9 9',
  dash: 'M8.5 14h11',
};
const UNPAID = {
  fail: { tone: 'bad', icon: MARKS.cross, title: 'The payment failed' },
  expired: { tone: 'off', icon: MARKS.dash, title: 'The time to pay has passed' },
  canceled: { tone: 'off', icon: MARKS.dash, title: 'The order was canceled' },
} as const;

/** The amount that was not paid yet, or that was paid too much. Zero where the order was paid in full. */
function openAmount({ adjustment, amount }: InvoiceRecord): Decimal {
  return new Decimal(amount).minus(adjustment?.actual_amount_fiat ?? amount);
}

function endingOf(world: World, invoice: InvoiceRecord): TestEnding {
  const { status, paidAfter, currency } = invoice;
  if (status === 'fail' || status === 'expired' || status === 'canceled')
    return { ...UNPAID[status], text: 'Nothing was charged.' };
  if (status !== 'success') return { tone: 'off', icon: MARKS.dash, title: `This order is ${status}`, text: '' };
  const open = openAmount(invoice);
  const money = html`<span class="money">${moneyText(open.abs().toFixed(2), currency.code)}</span>`;
  const shop = html`<bdi>${world.settings.merchantName}</bdi>`;
  const late = paidAfter === null ? '' : ', late';
  const after = paidAfter !== null && html`The payment came after the order had ended. `;
  if (open.isPositive() && !open.isZero())
    return {
      tone: 'warn',
      icon: MARKS.part,
      title: `Paid in part${late}`,
      text: html`${after}${money} is open. ${shop} decides what happens with your order.`,
    };
  const rest = open.isZero()
    ? paidAfter !== null && html`${shop} decides what happens with your order.`
    : html`${money} more than the order costs. ${shop} sees that too.`;
  return { tone: paidAfter === null ? 'good' : 'warn', icon: MARKS.check, title: `Paid${late}`, text: [after, rest] };
}

/** The order, what was paid and the fee, as the lines of a receipt. */
function receiptOf(invoice: InvoiceRecord): Html {
  const { external_id, amount, currency, method, status, purpose, finishedAt, uuid } = invoice;
  const paid = paidOf(invoice);
  const text = (value: string): string => moneyText(value, currency.code);
  const line = (name: Part, value: string, look = ''): Html =>
    html`<p class="ln ${look}"><span>${name}</span><span class="num">${value}</span></p>`;
  const by = method && html` by <bdi>${method.name}</bdi>`;
  const open = openAmount(invoice);
  const isOpen = open.isPositive() && !open.isZero();
  const all = new Decimal(paid.amount).plus(paid.fee ?? 0).toFixed(2);
  const sums =
    status === 'success' &&
    html`${paid.fee !== null && line(html`<bdi>${method?.name}</bdi> fee`, text(paid.fee))}${line(html`Paid${by}`, text(all), isOpen ? '' : 'total')}${isOpen && line('Open', text(open.toFixed(2)), 'total due')}`;
  const end = html`<p class="ln soft small">${finishedAt === null ? html`<span></span>` : moment(finishedAt)}<span class="mono" title="${uuid}">${uuid.slice(0, 8)}</span></p>`;
  return html`<div class="lines">${line(html`Order <bdi>${external_id}</bdi>${purpose && html`<bdi class="soft small below">${purpose}</bdi>`}`, text(amount))}${sums}${end}</div>`;
}

/** After these actions the page leads back to the shop, as for a customer. */
const LEADING_BACK: ReadonlySet<string> = new Set(['pay', 'cancel', 'fail', 'expire']);

function closedOrder(world: World, incoming: IncomingRequest, invoice: InvoiceRecord, shop: Html): Html {
  const { status } = invoice;
  const { searchParams } = incoming.url;
  const [done, goal] = [searchParams.get('done') ?? '', searchParams.get('goal')];
  // A tester goes on in the dock, so the focus stays there.
  const stays = done === 'resend' || done === 'adjust' || goal === 'dispute';
  const { tone, icon, title, text } = endingOf(world, invoice);
  const back = status === 'success' ? invoice.success_url : invoice.fail_url; // http or https, since the sandbox takes no other
  const leadsBack =
    back !== null && goal === null && LEADING_BACK.has(done) && !world.store.latestDelivery(invoice)?.attempt;
  return html`<section class="card result" aria-label="Result">${shop}
<div class="end"><svg class="${tone}" width="28" height="28" viewBox="0 0 28 28" aria-hidden="true"><circle cx="14" cy="14" r="12.5"/><path d="${icon}"/></svg>
<div role="status"${!stays && html` tabindex="-1" autofocus`}><h1>${title}</h1>${text !== '' && html`<p class="soft">${text}</p>`}</div></div>
${receiptOf(invoice)}
${back === null ? html`<p class="soft">You can close this page.</p>` : html`<a class="button main full" href="${back}" rel="noreferrer" data-return-link>Back to <bdi>${world.settings.merchantName}</bdi></a>`}
${leadsBack && html`<div class="row" data-return hidden><p class="soft small" role="status">You go there in <span class="num" data-seconds>3</span> s</p> <button type="button">Stay here</button></div>`}</section>`;
}

/** What became of the webhook, and what a tester can do now. */
function closedDock(world: World, incoming: IncomingRequest, invoice: InvoiceRecord): Html {
  const { uuid, status, adjustment, amount } = invoice;
  const delivery = world.store.latestDelivery(invoice);
  const cause = delivery?.log.at(-1)?.cause;
  const refusal = refusalOf(world, incoming);
  const value = shareOf(adjustment?.actual_amount_fiat ?? amount, '0.8');
  const isOpen = incoming.url.searchParams.get('goal') === 'dispute';
  const correction = {
    name: 'adjust',
    word: html`Correct`,
    button: 'Correct',
    label: 'The paid amount',
    value,
    isOpen,
  };
  const { word, tone } = dockWord(world, incoming, invoice);
  const state = html`<p class="hook ${tone}" id="dock-state" role="status" data-live>${word}</p><p class="why" id="dock-why" data-live>${cause && html`<bdi>${cause.text}</bdi>`}</p>
${refusal && refusal.fields.length === 0 && html`<p class="why" role="alert">${refusal.message}</p>`}`;
  const see =
    delivery &&
    html`<a class="button${cause && ' main'}" href="/webhooks/${delivery.id}" id="dock-see">${cause ? 'See why' : 'See it'}</a>`;
  return html`${dockSays(invoice, state)}
<div class="acts" id="dock-acts" data-live>${see}${delivery && buttonForm(uuid, 'resend', 'Send again')}${status === 'success' ? amountMenu(world, incoming, invoice, correction) : buttonForm(uuid, 'late', 'Paid late')}</div>`;
}

/** What became of the webhook, as a sentence without an end. */
function dockWord(
  world: World,
  { url }: IncomingRequest,
  invoice: InvoiceRecord,
): { readonly word: Part; readonly tone: Tone } {
  const { word, tone } = webhookOf(world, invoice);
  const delivery = world.store.latestDelivery(invoice);
  const last = delivery?.log.at(-1);
  if (last === undefined || delivery?.attempt) return { word: `Webhook: ${word.toLowerCase()}`, tone };
  const isResent = url.searchParams.get('done') === 'resend';
  const of = isResent ? 'Sent again: ' : 'Webhook ';
  const detail = (text: string): Html => html`<span class="roomy">, ${text}</span>`;
  if (last.success) return { word: html`${of}accepted${detail(milliseconds(last.duration_ms))}`, tone };
  const status = last.status_code;
  if (status === null) return { word: html`${of}without response`, tone };
  const failed = status >= 500 ? 'failed' : 'refused';
  const isSaid = last.cause !== null && saysStatus(last.cause); // beside it
  return { word: html`${of}${failed}${!isSaid && detail(String(status))}`, tone };
}

/** A form with one button of this page. */
function buttonForm(uuid: string, action: string, word: string): Html {
  return form(`/pay/${uuid}`, html`<button name="action" value="${action}">${word}</button>`);
}

/** The buttons that are `pay` with something more. `goal` is what a tester goes on with afterwards. */
const PAYING: Readonly<Record<string, { readonly late?: 'true'; readonly goal?: 'late' | 'dispute' }>> = {
  amount: {},
  late: { late: 'true', goal: 'late' },
  dispute: { goal: 'dispute' },
};

/** The button that was pressed, as the action of the sandbox that it stands for, which returns to this page. */
export function pressedAction(uuid: string, given: Values): { readonly name: string; readonly values: Values } {
  const { action: button = '', method, ...typed } = given;
  const { goal, ...more } = PAYING[button] ?? {};
  const name = Object.hasOwn(PAYING, button) ? 'pay' : button;
  const back = `/pay/${uuid}${goal === undefined ? '' : `?goal=${goal}`}`;
  // The script sends the chosen method with each button of the dock.
  const values = { ...typed, ...(name === 'pay' && method !== undefined && { method }), ...more, ident: uuid, back };
  return { name, values };
}
