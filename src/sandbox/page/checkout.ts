import { methodsFor, settlementRate } from '../business/methods-and-rates.ts';
import { compareAmounts, outOfRange, type Quote, quote, shareOf } from '../business/money.ts';
import type { Answer } from '../service/respond.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { SandboxMethod } from '../wire-types.ts';
import type { World } from '../world.ts';
import { field, form, grouped, moment, money, span, table } from './elements.ts';
import { fileAnswer, type Html, html } from './html.ts';

/** The result of the last button of the payment page. */
export interface Arrival {
  /** The button that did its work. */
  readonly done?: string | null;
  /** The button that came too late, because the order had ended. */
  readonly late?: string | null;
  /** Why a button did nothing. */
  readonly problem?: Problem | null;
}

/** Why a button did nothing, in words for a customer. `amount` is the text that was typed. */
export interface Problem {
  readonly button: string;
  readonly amount: string;
  readonly message: string;
}

/** Shop, order, amount and purpose of an order, open or closed. */
export function orderHeading({ settings }: World, { external_id, amount, currency, purpose }: InvoiceRecord): Html {
  return html`<p class="shop"><bdi>${settings.merchantName}</bdi></p>
<h1 class="order" id="order">Order <bdi>${external_id}</bdi></h1>
<p class="amount">${grouped(amount)} <span>${currency.code}</span></p>
${purpose && html`<p dir="auto">${purpose}</p>`}`;
}

/** A form with an amount of the order and its button. After a refusal it keeps what was typed and names the reason. */
export function amountForm(
  invoice: InvoiceRecord,
  name: string,
  parts: {
    readonly label: string;
    readonly button: string;
    readonly hint: string;
    readonly amount: string;
    readonly problem: Problem | null;
    readonly method?: Html | null;
    readonly focus?: boolean;
  },
): Html {
  const { label, hint, focus = false, method } = parts;
  const mine = parts.problem?.button === name ? parts.problem : null;
  const button = html`<button name="action" value="${name}">${parts.button}</button>`;
  const value = mine?.amount ?? parts.amount;
  const problem = mine?.message ?? null;
  return form(
    `/pay/${invoice.uuid}`,
    html`${method}${field({ id: name, name: 'amount', label, value, hint, problem, numeric: true, focus, button })}`,
  );
}

/** A method with the price of the invoice, or with the reason why it cannot be used. */
interface Offer {
  readonly method: SandboxMethod;
  readonly quote: Quote | null;
  readonly problem: string | null;
}

function offersFor(world: World, invoice: InvoiceRecord): Offer[] {
  return methodsFor(world, invoice.currency.code).map((method) => {
    const { min_amount, max_amount, currency } = method;
    if (outOfRange(invoice.amount, method) !== null)
      return { method, quote: null, problem: `For ${grouped(min_amount)} to ${grouped(max_amount)} ${currency.code}` };
    try {
      const rate = invoice.rate ?? settlementRate(world, invoice.currency.code);
      return { method, quote: quote(invoice.amount, method, rate), problem: null };
    } catch {
      return { method, quote: null, problem: 'Not available now: there is no fresh rate' };
    }
  });
}

/** An open order: what a customer sees, and below, clearly apart, the controls for tests. */
export function openOrder(world: World, invoice: InvoiceRecord, { problem = null, done = null }: Arrival): Html {
  const offers = offersFor(world, invoice);
  const usable = offers.filter((offer) => offer.quote !== null);
  const chosen = usable.find(({ method }) => method.id === invoice.method?.id);
  const checked = chosen ?? usable[0];
  const code = invoice.currency.code;
  const action = `/pay/${invoice.uuid}`;
  const refused = problem !== null && !WITH_AMOUNT.has(problem.button) ? problem.message : null;
  const choice = html`<fieldset>
<legend>How do you want to pay?</legend>
${offers.map((offer) => methodChoice(offer, code, offer === checked))}
</fieldset>
<p class="hint"${refused !== null && html` role="alert" tabindex="-1" autofocus`}>${refused}</p>
${
  checked === undefined
    ? html`<p class="notice bad">No method takes this amount.</p>`
    : html`<button class="main full" name="action" value="pay" data-pay-button>${chosen ? html`Pay ${grouped(chosen.quote?.amountToSend ?? '')} ${code}` : 'Pay with this method'}</button>`
}`;
  return html`<div class="customer">
<section class="summary" aria-labelledby="order">
${orderHeading(world, invoice)}
${countdown(world, invoice)}
</section>
<section class="card" aria-label="Payment">
${
  chosen &&
  html`<p role="status" class="notice good"${done === 'choose' && html` tabindex="-1" autofocus`}><bdi>${chosen.method.name}</bdi> is chosen: you pay ${money(chosen.quote?.amountToSend ?? '', code)}.</p>`
}
${form(action, choice, { id: 'pay-form' })}
${form(action, html`<button class="quiet full" name="action" value="cancel">Cancel and go back</button>`)}
</section>
</div>
${testControls(world, invoice, { usable, checked, problem })}`;
}

/** The buttons that show their refusal beside their own field. */
export const WITH_AMOUNT: ReadonlySet<string> = new Set(['underpay', 'overpay', 'adjust']);

function countdown(world: World, invoice: InvoiceRecord): Html {
  const left = Math.max(0, invoice.expiresAt - world.clock.now());
  const running = world.clock.running() ? 'real' : 'virtual';
  return html`<p class="soft small"><span class="num" role="timer" data-left="${left}" data-clock="${running}">${span(left)} left</span>, until ${moment(invoice.expiresAt)}</p>`;
}

function methodChoice({ method, quote: comes, problem }: Offer, code: string, checked: boolean): Html {
  const id = `method-${method.id}`;
  const range = `${grouped(method.min_amount)} to ${grouped(method.max_amount)} ${code}`;
  const name = html`<label for="${id}"><img src="/assets/methods/${method.id}.svg" width="32" height="22" alt=""><bdi>${method.name}</bdi></label>`;
  if (comes === null) {
    return html`<div class="method off"><input type="radio" id="${id}" name="method" value="${method.id}" disabled aria-describedby="${id}-what">
<div>${name}</div><p class="small" id="${id}-what">${problem}</p></div>`;
  }
  const pays = `${grouped(comes.amountToSend)} ${code}`;
  const percent = method.client_commission_percent;
  const fee = compareAmounts(percent, '0') === 0 ? 'no fee' : `with the fee of ${percent} %`;
  return html`<div class="method"><input type="radio" id="${id}" name="method" value="${method.id}" data-pay="${pays}"${checked && html` checked`} aria-describedby="${id}-pays ${id}-what">
<div>${name} <span class="num" id="${id}-pays">you pay <strong>${pays}</strong></span></div>
<p class="small soft" id="${id}-what">${range} · ${fee}</p></div>`;
}

/** The controls for tests, which no customer sees: every other way in which a payment can end. */
function testControls(
  world: World,
  invoice: InvoiceRecord,
  parts: {
    readonly usable: readonly Offer[];
    readonly checked: Offer | undefined;
    readonly problem: Problem | null;
  },
): Html {
  const { usable, checked, problem } = parts;
  const { amount, uuid, currency } = invoice;
  const order = `${grouped(amount)} ${currency.code}`;
  const method = checked && html`<input type="hidden" name="method" value="${checked.method.id}" data-method>`;
  const other = (name: string, button: string, hint: string, share: string): Html =>
    amountForm(invoice, name, {
      label: `${button} than ${order}`,
      button,
      hint,
      amount: shareOf(amount, share),
      problem,
      method: method ?? null,
    });
  const buttons = html`${
    checked !== undefined &&
    html`${method}<button name="action" value="dispute">Pay, then correct it (dispute)</button>
<button form="pay-form" name="action" value="choose">Choose the method, pay later</button>`
  }
<button name="action" value="fail">Let it fail</button>
<button name="action" value="expire">Let it expire</button>`;
  return html`<section class="controls" aria-labelledby="controls">
<div class="head"><h2 id="controls">Test controls</h2><a class="small" href="/invoices/${uuid}">This order on the dashboard</a></div>
<p class="soft small">No customer sees this part. Use it to try what can go wrong.${!world.clock.running() && html` The clock of the sandbox is frozen: no time runs out.`}</p>
${
  checked !== undefined &&
  html`<div class="grid">${other('underpay', 'Pay less', 'Without the fee.', '0.5')}
${other('overpay', 'Pay more', 'Without the fee.', '1.5')}</div>`
}
${form(`/pay/${uuid}`, buttons, { layout: 'row' })}
${
  usable.length > 0 &&
  html`<details><summary>What each method brings the merchant</summary>
${table(
  ['Method', ...['Customer pays', 'Merchant receives', 'Credited'].map((head) => ({ head, as: 'number' }) as const)],
  usable.map((offer) => [
    html`<bdi>${offer.method.name}</bdi>`,
    money(offer.quote?.amountToSend ?? '', currency.code),
    money(offer.quote?.merchantReceives ?? '', currency.code),
    money(offer.quote?.usdt ?? '', 'USDT'),
  ]),
  html``,
)}</details>`
}
</section>`;
}

const PICTURE_PATH = /^\/assets\/methods\/(\d{1,9})\.svg$/;

/** Pictures of common kinds of methods, by a word of the name. */
const PICTURES: readonly (readonly [name: RegExp, picture: string])[] = [
  [/card/i, 'M4 8h24M7 15h6'],
  [/bank|transfer|ach|havale/i, 'M6 9l10-5 10 5zM9 12v4M14 12v4M18 12v4M23 12v4M6 18h20'],
  [/wallet|papara/i, 'M6 7h18v10H6zM19 11h7v3h-7z'],
];

/**
 * The picture of a method on the payment page. The pages load nothing from outside, so it replaces `logo_url`. A method
 * of an unknown kind gets its first letter.
 */
export function methodPicture({ settings }: World, path: string): Answer | null {
  const id = PICTURE_PATH.exec(path)?.[1];
  const method = id === undefined ? undefined : settings.methods.find((each) => each.id === Number(id));
  if (method === undefined) return null;
  const lines = PICTURES.find(([name]) => name.test(method.name))?.[1];
  const [letter = ''] = method.name;
  const content =
    lines === undefined
      ? html`<text x="16" y="16" text-anchor="middle" font-family="sans-serif" font-size="13" font-weight="600" fill="#fff">${letter.toUpperCase()}</text>`
      : html`<path d="${lines}" fill="none" stroke="#fff" stroke-width="1.6" stroke-linejoin="round" stroke-linecap="round"/>`;
  const svg = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 22"><rect width="32" height="22" rx="4" fill="#5b6478"/>${content}</svg>`;
  return fileAnswer('image/svg+xml', svg.text);
}
