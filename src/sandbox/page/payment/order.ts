import { methodsFor, settlementRate } from '../../business/methods-and-rates.ts';
import { outOfRange, type Quote, quote } from '../../business/money.ts';
import type { InvoiceRecord } from '../../state/records.ts';
import type { SandboxMethod } from '../../wire-types.ts';
import type { World } from '../../world.ts';
import { type Html, html } from '../parts/html.ts';

/** Order, amount and purpose of an order, open or closed. */
export function orderHeading(invoice: InvoiceRecord): Html {
  const { external_id, amount, currency, purpose } = invoice;
  return html`<h1 class="order" id="order">Order <bdi>${external_id}</bdi></h1>
<p class="amount">${amount} <span>${currency.code}</span></p>
${purpose && html`<p dir="auto">${purpose}</p>`}`;
}

/** The result of the last button of the page. */
export interface Arrival {
  /** The button that did its work. */
  readonly done?: string | null;
  /** The button that came too late, because the order had ended. */
  readonly late?: string | null;
  /** Why a button did nothing. */
  readonly problem?: string | null;
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
