// Amounts, the payment methods that take them, and the rates at which they are credited.

import { Decimal } from '../../../contract/values/decimal.ts';
import { quoted } from '../../../errors/checks.ts';
import { ConfigurationError } from '../../../errors/classes.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { SandboxMethod, SandboxRate, WireCurrency } from '../types.ts';
import type { World } from '../world.ts';

/** The amounts of an order paid by a method, as decimal text. */
export interface Quote {
  /** The customer pays this, with their part of the commission. Fiat, 2 decimals, rounded half up. */
  readonly amountToSend: string;
  /** The merchant's amount, without their part of the commission, at the rate. USDT, 6 decimals, cut off. */
  readonly usdt: string;
}

/**
 * Calculates the amounts. Both parts of the commission are percentages of the order amount. `rate` is fiat per USDT.
 */
export function quote(amount: string, method: SandboxMethod, rate: string): Quote {
  const order = new Decimal(amount);
  const part = (percent: string): Decimal => order.times(percent).div(100);
  const merchant = order.minus(part(method.merchant_commission_percent));
  return {
    amountToSend: order.plus(part(method.client_commission_percent)).toFixed(2),
    usdt: merchant.div(rate).toFixed(6, Decimal.ROUND_DOWN),
  };
}

/** The reason why a method cannot take this amount, or null. */
export function outOfRange(amount: string, method: SandboxMethod): string | null {
  const order = new Decimal(amount);
  const { min_amount, max_amount, currency } = method;
  if (order.lt(min_amount)) return `amount is too small: from ${min_amount} ${currency.code}`;
  return order.gt(max_amount) ? `amount is too large: up to ${max_amount} ${currency.code}` : null;
}

const AMOUNT = /^\d{1,30}(?:\.\d{1,2})?$/;

/** True for a decimal greater than 0 with at most 2 decimal places, in plain notation. */
export function isAmount(text: string): boolean {
  return AMOUNT.test(text) && /[1-9]/.test(text);
}

/** Compares two amounts: negative, 0 or positive. */
export function compareAmounts(a: string, b: string): number {
  return new Decimal(a).cmp(b);
}

/** A share of an amount, such as half of it. 2 decimals, rounded up so that it stays above 0. */
export function shareOf(amount: string, factor: string): string {
  return new Decimal(amount).times(factor).toFixed(2, Decimal.ROUND_UP);
}

/** A currency is active when a payment method serves it. */
export function activeCurrency(world: World, code: string): WireCurrency | undefined {
  return world.settings.methods.find((method) => method.currency.code === code)?.currency;
}

export function activeCurrencies(world: World): string[] {
  return [...new Set(world.settings.methods.map(({ currency }) => currency.code))];
}

export function methodsFor(world: World, currency: string): readonly SandboxMethod[] {
  return world.settings.methods.filter((method) => method.currency.code === currency);
}

/** True if one of the methods of the currency takes the amount. */
export function isPayable(world: World, amount: string, currency: string): boolean {
  return methodsFor(world, currency).some((method) => outOfRange(amount, method) === null);
}

/** The methods of a currency with their ranges, as messages show them. */
export function rangesOf(world: World, currency: string): string {
  const ranges = methodsFor(world, currency).map(
    ({ id, name, min_amount, max_amount }) => `${id} ${name} (${min_amount} to ${max_amount})`,
  );
  return ranges.join(', ') || 'none';
}

/**
 * The rates with fresh data.
 * @see [GET /api/v1/external/rates](../../../../docs/service-interface.md#get-apiv1externalrates)
 */
export function freshRates(world: World): SandboxRate[] {
  return world.settings.rates.filter((rate) => rate.price !== null);
}

/** Fiat per USDT at which payments are credited: the first buying price, because the service buys USDT. */
export function settlementRate(world: World, currency: string): string {
  const rows = freshRates(world).filter((rate) => rate.fiat === currency);
  const price = (rows.find((rate) => rate.side === 'buy') ?? rows[0])?.price;
  if (price !== undefined && price !== null) return price;
  throw new ConfigurationError(`There is no fresh rate for ${currency}: give one with the option rates`);
}

/**
 * The method to pay with: the given one by id or name, the one already chosen, or the first that takes the amount.
 * @throws ConfigurationError with the list of methods.
 */
export function methodFor(world: World, invoice: InvoiceRecord, wanted: string | number | undefined): SandboxMethod {
  const all = methodsFor(world, invoice.currency.code);
  const list = rangesOf(world, invoice.currency.code);
  if (wanted === undefined) {
    const first = invoice.method ?? all.find((method) => outOfRange(invoice.amount, method) === null);
    if (first !== undefined) return first;
    throw new ConfigurationError(`No method takes ${invoice.amount} ${invoice.currency.code}. Methods: ${list}`);
  }
  const found = all.find((method) => method.id === Number(wanted)) ?? all.find((method) => method.name === wanted);
  if (found === undefined) {
    throw new ConfigurationError(`No method ${quoted(wanted)} for ${invoice.currency.code}. Methods: ${list}`);
  }
  const problem = outOfRange(invoice.amount, found);
  if (problem !== null) throw new ConfigurationError(`${found.name} cannot take this invoice: ${problem}`);
  return found;
}
