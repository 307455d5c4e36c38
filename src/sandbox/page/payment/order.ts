import { methodsFor, settlementRate } from '../../business/methods-and-rates.ts';
import { outOfRange, type Quote, quote } from '../../business/money.ts';
import type { InvoiceRecord } from '../../state/records.ts';
import type { SandboxMethod } from '../../wire-types.ts';
import type { World } from '../../world.ts';
import { grouped } from '../parts/amount.ts';
import { type Html, html } from '../parts/html.ts';

/** Shop, order, amount and purpose of an order, open or closed. */
export function orderHeading({ settings }: World, invoice: InvoiceRecord): Html {
  const { external_id, amount, currency, purpose } = invoice;
  return html`<p class="shop"><bdi>${settings.merchantName}</bdi></p>
<h1 class="order" id="order">Order <bdi>${external_id}</bdi></h1>
<p class="amount">${grouped(amount)} <span>${currency.code}</span></p>
${purpose && html`<p dir="auto">${purpose}</p>`}`;
}

/** The result of the last button of the page. */
export interface Arrival {
  /** The button that did its work. */
  readonly done?: string | null;
  /** The button that came too late, because the order had ended. */
  readonly late?: string | null;
  /** Why a button did nothing, and the typed text next to it. */
  readonly problem?: Problem | null;
}

/** Why a button did nothing. `amount` is the text that the reader typed. */
export interface Problem {
  readonly button: string;
  readonly amount: string;
  readonly message: string;
}

/**
 * An amount of the order with its button. After a refusal it keeps the text that was typed, has the focus, and names the
 * reason. A form of the page can hold it, with the fields that it needs.
 */
export function amountField(
  name: string,
  label: string,
  button: string,
  { amount, problem = null, focus = false }: { amount: string; problem?: Problem | null; focus?: boolean },
): Html {
  const mine = problem?.button === name ? problem : null;
  const marks = mine === null ? null : html` aria-invalid="true" aria-describedby="${name}-problem"`;
  return html`<label class="field" for="${name}"><span>${label}</span></label>
<div class="joined"><input type="text" id="${name}" name="amount" value="${mine?.amount ?? amount}" inputmode="decimal" autocomplete="off" required${marks}${(focus || mine !== null) && html` autofocus data-select`}>
<button name="action" value="${name}">${button}</button></div>
${mine !== null && html`<p role="alert" class="problem" id="${name}-problem">${mine.message}</p>`}`;
}

/** The fields that show their refusal. Any other refusal is at the top. */
const WITH_AMOUNT: ReadonlySet<string> = new Set(['underpay', 'overpay', 'adjust']);

/** The refusal of a button without a field. */
export function problemNotice(problem: Problem | null): Html | null {
  if (problem === null || WITH_AMOUNT.has(problem.button)) return null;
  return html`<p role="alert" class="notice bad" tabindex="-1" autofocus>${problem.message}</p>`;
}

/** A method with the price of the invoice, or with the reason why it cannot be used. */
export interface Offer {
  readonly method: SandboxMethod;
  readonly quote: Quote | null;
  readonly problem: string | null;
}

export function offersFor(world: World, invoice: InvoiceRecord): Offer[] {
  return methodsFor(world, invoice.currency.code).map((method) => {
    const problem = outOfRange(invoice.amount, method);
    if (problem !== null) return { method, quote: null, problem };
    try {
      const rate = invoice.rate ?? settlementRate(world, invoice.currency.code);
      return { method, quote: quote(invoice.amount, method, rate), problem: null };
    } catch {
      return { method, quote: null, problem: 'not available now: there is no fresh rate' };
    }
  });
}
