import type { Currency, InvoiceAdjustment, InvoicePaymentMethod } from '../contract/types.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { outOfRange, quote, shareOf } from '../sandbox/business/money.ts';
import { SEED_METHODS, SEED_RATES, seedMethod } from '../sandbox/state/seed-data.ts';
import type { SandboxMethod } from '../sandbox/wire-types.ts';
import type { Given } from './overrides.ts';

/** The facts that decide the amounts of an invoice. */
interface Order {
  readonly amount: Decimal;
  /** A code, or members of the currency. @defaultValue EUR */
  readonly currency?: string | Partial<Currency> | undefined;
  /** The name of the payment method. @defaultValue the first one that takes the amount */
  readonly method?: string | undefined;
  readonly rate?: Decimal | null | undefined;
}

/** The amounts of an invoice that the customer has chosen a method for. */
interface Price {
  readonly currency: Currency;
  readonly method: InvoicePaymentMethod;
  readonly rate: Decimal;
  readonly amountToSend: Decimal;
  readonly usdt: Decimal;
  /** The correction of a payment of another amount, from the amounts that were given. */
  adjustment(given: Given<InvoiceAdjustment>, settled: Decimal | null): InvoiceAdjustment;
}

/** The part of an order that an adjusted invoice was paid with. */
const PAID_SHARE = '0.68';

/** Returns the amounts that the sandbox would calculate, with its methods and rates. */
export function priceOf(order: Order): Price {
  const { amount } = order;
  const wanted = typeof order.currency === 'string' ? { code: order.currency } : (order.currency ?? {});
  const { code = 'EUR' } = wanted;
  const method = methodOf(code, order);
  const rate = order.rate ?? new Decimal(rateOf(code));
  const quoted = (fiat: Decimal) => quote(fiat.toFixed(), method, rate.toFixed());
  const usdtOf = (fiat: Decimal): Decimal => new Decimal(quoted(fiat).usdt);
  return {
    currency: { ...method.currency, ...wanted },
    method: { name: method.name, logo_url: method.logo_url },
    rate,
    amountToSend: new Decimal(quoted(amount).amountToSend),
    usdt: usdtOf(amount),
    adjustment(given, settled) {
      const actual = given.actual_amount_fiat ?? new Decimal(shareOf(amount.toFixed(), PAID_SHARE));
      return {
        expected_amount_fiat: amount,
        actual_amount_fiat: actual,
        expected_amount_usdt: given.expected_amount_usdt ?? usdtOf(amount),
        actual_amount_usdt: given.actual_amount_usdt ?? settled ?? usdtOf(actual),
      };
    },
  };
}

function methodOf(code: string, { amount, method: name }: Order): SandboxMethod {
  const all = SEED_METHODS.filter(({ currency }) => currency.code === code);
  const named = all.find((method) => method.name === name);
  const found = named ?? all.find((method) => outOfRange(amount.toFixed(), method) === null) ?? all[0];
  return (
    found ?? seedMethod(99, 'Card', { id: 99, code, name: code, symbol: code }, ANY_AMOUNT, ['2.00', '1.00', '3.00'])
  );
}

/** The range of the method for a currency that the sandbox does not have. */
const ANY_AMOUNT = ['0.01', '1000000.00'] as const;

/** Fiat per USDT. For a currency that the sandbox has no rate for, one. */
function rateOf(code: string): string {
  const row = SEED_RATES.find(({ fiat, side, price }) => fiat === code && side === 'buy' && price !== null);
  return row?.price ?? '1.0000';
}
