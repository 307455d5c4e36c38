import { Decimal } from '../../contract/values/decimal.ts';
import type { SandboxMethod } from '../wire-types.ts';

/** The amounts of an order paid by a method, as decimal text. */
export interface Quote {
  /** The customer pays this, with their part of the commission. Fiat, 2 decimals, rounded half up. */
  readonly amountToSend: string;
  /** The merchant receives this, without their part of the commission. Fiat, 2 decimals, rounded half up. */
  readonly merchantReceives: string;
  /** The merchant's unrounded amount at the rate. USDT, 6 decimals, cut off. */
  readonly usdt: string;
}

/** Calculates the amounts. Both parts of the commission are percentages of the order amount. `rate` is fiat per USDT. */
export function quote(amount: string, method: SandboxMethod, rate: string): Quote {
  const order = new Decimal(amount);
  const part = (percent: string): Decimal => order.times(percent).div(100);
  const merchant = order.minus(part(method.merchant_commission_percent));
  return {
    amountToSend: order.plus(part(method.client_commission_percent)).toFixed(2),
    merchantReceives: merchant.toFixed(2),
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
