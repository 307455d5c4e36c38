import { configurationFail, type Fail } from '../checks.ts';
import { eventOfStatus } from '../contract/statuses.ts';
import type {
  CreatedInvoice,
  Currency,
  Invoice,
  InvoiceAdjustment,
  InvoicePaymentMethod,
  InvoiceStatus,
} from '../contract/types.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { priceOf } from './fake-prices.ts';
import { type Given, type Kinds, type Overrides, readOverrides } from './overrides.ts';
import { fakeNow, nextIds } from './sequence.ts';

type Nested = 'currency' | 'payment_method' | 'adjustment';
interface NestedOverrides {
  /** A currency code, or members of the currency. */
  readonly currency?: string | Partial<Currency> | undefined;
  readonly payment_method?: Partial<InvoicePaymentMethod> | null | undefined;
  readonly adjustment?: Overrides<InvoiceAdjustment> | null | undefined;
}

/** Members of a {@link fakeInvoice}. */
export type FakeInvoiceOverrides = Overrides<Omit<Invoice, Nested>> & NestedOverrides;
/** Members of a {@link fakeCreatedInvoice}. */
export type FakeCreatedInvoiceOverrides = Overrides<Omit<CreatedInvoice, Nested>> & Pick<NestedOverrides, 'currency'>;

const CREATED: Kinds<CreatedInvoice> = {
  uuid: 'as_is',
  external_id: 'as_is',
  customer_id: 'as_is',
  purpose: 'as_is',
  amount: 'money',
  amount_to_send: 'money',
  currency: 'as_is',
  status: 'as_is',
  callback_url: 'as_is',
  success_url: 'as_is',
  fail_url: 'as_is',
  payment_url: 'as_is',
  created_at: 'time',
  expires_at: 'time',
};
const FULL: Kinds<Invoice> = {
  ...CREATED,
  finished_at: 'time',
  payment_method: 'as_is',
  rate: 'money',
  settled_amount_usdt: 'money',
  is_adjusted: 'as_is',
  adjustment: 'as_is',
};
const ADJUSTMENT: Kinds<InvoiceAdjustment> = {
  expected_amount_fiat: 'money',
  actual_amount_fiat: 'money',
  expected_amount_usdt: 'money',
  actual_amount_usdt: 'money',
};

const CURRENCY: Kinds<Currency> = { id: 'as_is', code: 'as_is', name: 'as_is', symbol: 'as_is' };
const METHOD: Kinds<InvoicePaymentMethod> = { name: 'as_is', logo_url: 'as_is' };

type GivenInvoice = Given<Omit<Invoice, Nested>> & NestedOverrides;

/**
 * Returns an invoice as `invoices.get` and `invoices.list` return it, pending unless an override says otherwise.
 *
 * All members fit each other. A paid invoice has a method, a rate, a credited amount and `finished_at`. An adjusted one
 * has an `adjustment`, in which the customer paid 68 %. Amounts follow the rates and commissions of the sandbox. Each
 * call gives other ids.
 *
 * @param overrides Amounts are text or Decimals, times are Dates or ISO text, and `currency` may be a code. Without
 * `status`, an override that only a paid invoice has makes it `success`, and so does `finished_at`.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown name, an unusable value, or overrides that contradict each other. For an invoice
 * that contradicts itself, spread a fake: `{ ...fakeInvoice(), finished_at: new Date() }`.
 * @example
 * const paid = fakeInvoice({ external_id: 'order-1042', status: 'success', amount: '100.00' });
 * const underpaid = fakeInvoice({ adjustment: { actual_amount_fiat: '17.00' } });
 */
export function fakeInvoice(overrides: FakeInvoiceOverrides = {}): Invoice {
  const fail = configurationFail('fakeInvoice');
  // The nested members are read below.
  const given = readOverrides<Invoice>(overrides as Overrides<Invoice>, FULL, fail) as GivenInvoice;
  return completed(given, fail);
}

/**
 * Returns an invoice as `invoices.create` returns it. The rules are those of {@link fakeInvoice}.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown name, an unusable value, or overrides that contradict each other.
 * @example
 * const created = fakeCreatedInvoice({ external_id: 'order-1042', amount: '25.00' });
 */
export function fakeCreatedInvoice(overrides: FakeCreatedInvoiceOverrides = {}): CreatedInvoice {
  const fail = configurationFail('fakeCreatedInvoice');
  const given = readOverrides<CreatedInvoice>(overrides as Overrides<CreatedInvoice>, CREATED, fail) as GivenInvoice;
  const { finished_at, payment_method, rate, settled_amount_usdt, is_adjusted, adjustment, ...created } = completed(
    { amount_to_send: null, ...given },
    fail,
  );
  return created;
}

function completed(given: GivenInvoice, fail: Fail): Invoice {
  const { number, uuid: ownUuid, suffix } = nextIds();
  if (typeof given.currency === 'object') readOverrides(given.currency, CURRENCY, fail);
  if (isGiven(given.payment_method)) readOverrides(given.payment_method ?? {}, METHOD, fail);
  const corrected = readAdjustment(given, fail);
  const status = given.status ?? statusOf(given);
  checkConsistency(given, corrected, status, fail);
  const isPaid = status === 'success';
  const amount = given.amount ?? corrected?.expected_amount_fiat ?? new Decimal('25.00');
  const hasMethod = hasChosen(given, status);
  const price = priceOf({ amount, currency: given.currency, method: given.payment_method?.name, rate: given.rate });
  const adjustment =
    isPaid && corrected !== null ? price.adjustment(corrected, given.settled_amount_usdt ?? null) : null;
  const { uuid = ownUuid } = given;
  const invoice: Invoice = {
    uuid,
    external_id: `order-${suffix}`,
    customer_id: `customer-${number}`,
    purpose: null,
    amount,
    amount_to_send: hasMethod ? price.amountToSend : null,
    status,
    callback_url: 'https://shop.example/webhook',
    success_url: 'https://shop.example/thanks',
    fail_url: 'https://shop.example/cart',
    payment_url: `https://pay.example/pay/${uuid}`,
    ...timesOf(given, status),
    rate: hasMethod ? price.rate : null,
    settled_amount_usdt: isPaid ? (adjustment?.actual_amount_usdt ?? price.usdt) : null,
    is_adjusted: adjustment !== null,
    ...given,
    currency: price.currency,
    payment_method: hasMethod && given.payment_method !== null ? { ...price.method, ...given.payment_method } : null,
    adjustment: given.adjustment === null ? null : adjustment,
  };
  return invoice;
}

/** The amounts of a correction that were given, or null for an invoice without correction. */
function readAdjustment(given: GivenInvoice, fail: Fail): Given<InvoiceAdjustment> | null {
  const { adjustment = null, is_adjusted = adjustment !== null } = given;
  if (!is_adjusted) return null;
  return adjustment === null ? {} : readOverrides<InvoiceAdjustment>(adjustment, ADJUSTMENT, fail);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

const PAID_ONLY = ['settled_amount_usdt', 'is_adjusted', 'adjustment'] as const;

function statusOf(given: GivenInvoice): InvoiceStatus {
  return isGiven(given.finished_at) || PAID_ONLY.some((name) => isGiven(given[name])) ? 'success' : 'pending';
}

/** The customer chooses a method before the payment, successful or not. */
function hasChosen(given: GivenInvoice, status: InvoiceStatus): boolean {
  const chosen = (['payment_method', 'rate', 'amount_to_send'] as const).some((name) => isGiven(given[name]));
  return status === 'success' || status === 'fail' || chosen;
}

/** A status that the interface does not list may have anything. A null is what a service leaves out. */
function checkConsistency(
  given: GivenInvoice,
  corrected: Given<InvoiceAdjustment> | null,
  status: InvoiceStatus,
  fail: Fail,
): void {
  const event = eventOfStatus(status);
  const impossible = [
    ...(event === 'invoice.canceled' || status === 'pending' ? PAID_ONLY : []),
    ...(status === 'pending' ? (['finished_at'] as const) : []),
  ].find((name) => isGiven(given[name]));
  const spread = 'For an invoice that contradicts itself, spread a fake';
  if (impossible !== undefined) fail(`an invoice with the status "${status}" has no ${impossible}. ${spread}`);
  if (given.is_adjusted === false && isGiven(given.adjustment)) {
    fail(`is_adjusted is false, but adjustment is given. ${spread}`);
  }
  for (const [name, own, other] of [
    ['adjustment.expected_amount_fiat', given.amount, corrected?.expected_amount_fiat],
    ['adjustment.actual_amount_usdt', given.settled_amount_usdt, corrected?.actual_amount_usdt],
  ] as const) {
    if (own && other?.eq(own) === false) fail(`${name} differs from the amount of the invoice. ${spread}`);
  }
}

const MINUTE = 60_000;
const LIFETIME = 30 * MINUTE;
const UNTIL_PAID = 11 * MINUTE;

/** The given times, and others that fit: an invoice lives half an hour, and ends 11 minutes after its creation. */
function timesOf(
  given: GivenInvoice,
  status: InvoiceStatus,
): Pick<Invoice, 'created_at' | 'expires_at' | 'finished_at'> {
  const isFinal = eventOfStatus(status) !== null;
  const duration = !isFinal ? 0 : status === 'expired' ? LIFETIME : UNTIL_PAID;
  const at = (date: Date | null | undefined, move: number): number | null =>
    date === null || date === undefined ? null : date.getTime() + move;
  const created =
    at(given.created_at, 0) ??
    at(given.expires_at, -LIFETIME) ??
    at(given.finished_at, -duration) ??
    fakeNow() - duration;
  return {
    created_at: new Date(created),
    expires_at: new Date(created + LIFETIME),
    finished_at: isFinal ? new Date(at(given.expires_at, 0) ?? created + duration) : null,
  };
}
