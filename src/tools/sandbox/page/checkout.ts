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
import type { UnsentResponse } from '../service/respond.ts';
import type { IncomingRequest } from '../service/service.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { SandboxMethod } from '../types.ts';
import type { World } from '../world.ts';
import { form, menu, milliseconds, moment, paidOf, span, webhookOf } from './elements.ts';
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
      const reason = compareAmounts(method.client_commission_percent, '0') === 0 ? 'No fee' : '';
      return { method, price: quote(amount, method, rate ?? settlementRate(world, code)), reason };
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
<footer class="dock" aria-label="Test controls"><strong class="mark">SANDBOX</strong>${isOpen ? openDock(world, incoming, invoice) : closedDock(world, incoming, invoice)}<span class="grow"></span><a href="/payments/${invoice.uuid}">Open in dashboard</a></footer>`;
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
  const cancel = html`<p>The order is closed, and cannot be paid any more.</p>${buttonForm(uuid, 'cancel', 'Yes, cancel it')}`;
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
  { name, word, ...given }: { readonly [Name in 'name' | 'word' | 'label' | 'value']: string } & { isOpen?: boolean },
): Html {
  const hint = `Of ${moneyText(amount, currency.code)}, without the fee.`;
  const button = html`<button name="action" value="${name}">${word}</button>`;
  const { isOpen = false, ...parts } = given;
  const { input, problem } = amountField(world, incoming, { ...parts, name, hint, button, focus: isOpen });
  return html`<details class="menu"${(problem !== undefined || isOpen) && html` open data-open`}><summary class="button">${word}</summary><div class="sheet">${form(`/pay/${uuid}`, input)}</div></details>`;
}

function openDock(world: World, incoming: IncomingRequest, invoice: InvoiceRecord): Html {
  const { amount, uuid } = invoice;
  const isPayable = offersFor(world, invoice).some(({ price }) => price !== null);
  const value = shareOf(amount, '0.5');
  const other = { name: 'amount', word: 'Paid less or more', label: 'The customer pays', value };
  return html`<span class="small wide-only">End this payment as</span>
${isPayable && amountMenu(world, incoming, invoice, other)}
${buttonForm(uuid, 'fail', 'Failed')}${buttonForm(uuid, 'expire', 'Expired')}${isPayable && buttonForm(uuid, 'dispute', 'Disputed')}`;
}

/** How the order ended, for the customer: a mark, a heading, and what follows from it. */
interface TestEnding {
  readonly tone: 'good' | 'warn' | 'bad' | 'off';
  readonly icon: string;
  readonly title: string;
  readonly text: string;
}

const MARKS = {
  check: 'm8.5 14.5 3.7 3.7 7.3-8',
  part: 'M14 7.5v8M14 20v.2',
  cross: 'm9.5 9.5 9 9m0-9-9 9',
  dash: 'M8.5 14h11',
};
const UNCHARGED = 'Nothing was charged.';
/** By the words of a payment. */
const ENDINGS: Readonly<Record<string, TestEnding>> = {
  Paid: { tone: 'good', icon: MARKS.check, title: 'Paid', text: '' },
  'Paid less': {
    tone: 'warn',
    icon: MARKS.part,
    title: 'Paid in part',
    text: 'The shop decides what happens with your order.',
  },
  'Paid more': {
    tone: 'good',
    icon: MARKS.check,
    title: 'Paid',
    text: 'It is more than the order costs. The shop sees that too.',
  },
  Failed: { tone: 'bad', icon: MARKS.cross, title: 'The payment failed', text: UNCHARGED },
  Expired: { tone: 'off', icon: MARKS.dash, title: 'The time to pay has passed', text: UNCHARGED },
  Canceled: { tone: 'off', icon: MARKS.dash, title: 'The order was canceled', text: UNCHARGED },
};

/** The order, the fee and what was paid, as the lines of a receipt. */
function receiptOf(invoice: InvoiceRecord): Html {
  const { external_id, amount, currency, method, status, purpose, finishedAt } = invoice;
  const paid = paidOf(invoice);
  const text = (value: string): string => moneyText(value, currency.code);
  const line = (name: Part, value: string): Html =>
    html`<p class="ln"><span>${name}</span><span class="num">${value}</span></p>`;
  const by = method && html` by <bdi>${method.name}</bdi>`;
  const when =
    finishedAt !== null &&
    html`<p class="ln soft small"><span>${status === 'success' ? 'Date' : 'Ended'}</span>${moment(finishedAt)}</p>`;
  return html`<div class="lines">${line(html`Order <bdi>${external_id}</bdi>${purpose && html`<bdi class="soft small below">${purpose}</bdi>`}`, text(amount))}${paid.fee !== null && status === 'success' && line(html`<bdi>${method?.name}</bdi> fee`, text(paid.fee))}
<p class="ln total"><span>Paid${status === 'success' && by}</span><span class="num">${status === 'success' ? text(paid.amount) : text('0.00')}</span></p>${when}</div>`;
}

/** After these actions the page leads back to the shop, as for a customer. */
const LEADING_BACK: ReadonlySet<string> = new Set(['pay', 'cancel', 'fail', 'expire']);

function closedOrder(world: World, incoming: IncomingRequest, invoice: InvoiceRecord, shop: Html): Html {
  const { status } = invoice;
  const { searchParams } = incoming.url;
  const [done, goal] = [searchParams.get('done') ?? '', searchParams.get('goal')];
  // A tester goes on in the dock, so the focus stays there.
  const stays = done === 'resend' || done === 'adjust' || goal === 'dispute';
  const otherwise: TestEnding = { tone: 'off', icon: MARKS.dash, title: `This order is ${status}`, text: '' };
  const { tone, icon, title, text } = ENDINGS[paymentWord(invoice)] ?? otherwise;
  const back = status === 'success' ? invoice.success_url : invoice.fail_url; // http or https, since the sandbox takes no other
  const leadsBack =
    back !== null && goal === null && LEADING_BACK.has(done) && !world.store.latestDelivery(invoice)?.attempt;
  return html`<section class="card result" aria-label="Result">${shop}
<svg class="${tone}" width="28" height="28" viewBox="0 0 28 28" aria-hidden="true"><circle cx="14" cy="14" r="12.5"/><path d="${icon}"/></svg>
<div role="status"${!stays && html` tabindex="-1" autofocus`}><h1>${title}</h1>${text !== '' && html`<p class="soft">${text}</p>`}</div>
${receiptOf(invoice)}
${back === null ? html`<p class="soft">You can close this page.</p>` : html`<a class="button main full" href="${back}" rel="noreferrer" data-return-link>Back to <bdi>${world.settings.merchantName}</bdi></a>`}
${leadsBack && html`<div class="row" data-return hidden><p class="soft small" role="status">You go there in <span class="num" data-seconds>3</span> s</p> <button type="button">Stay here</button></div>`}</section>`;
}

/** What became of the webhook, and what a tester can do now. */
function closedDock(world: World, incoming: IncomingRequest, invoice: InvoiceRecord): Html {
  const { uuid, status, adjustment, amount } = invoice;
  const delivery = world.store.latestDelivery(invoice);
  const last = delivery?.log.at(-1);
  const { word, tone } = webhookOf(world, invoice);
  const detail = last?.success ? ` in ${milliseconds(last.duration_ms)}` : last?.cause ? `: ${last.cause.text}` : '';
  const refusal = refusalOf(world, incoming);
  const value = shareOf(adjustment?.actual_amount_fiat ?? amount, '0.8');
  const isOpen = incoming.url.searchParams.get('goal') === 'dispute';
  const correction = { name: 'adjust', word: 'Correct', label: 'The paid amount', value, isOpen };
  return html`<span class="small" id="dock-state" data-live><span class="hook ${tone}">Webhook: ${word.toLowerCase()}</span><bdi>${detail}</bdi> ${delivery && html`<a href="/webhooks/${delivery.id}">See it</a>`}</span>
${refusal && refusal.fields.length === 0 && html`<span class="small" role="alert">${refusal.message}</span>`}
${delivery && buttonForm(uuid, 'resend', 'Send again')}
${status === 'success' && amountMenu(world, incoming, invoice, correction)}
${status !== 'success' && buttonForm(uuid, 'late', 'Paid late')}`;
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
