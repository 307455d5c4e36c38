import {
  getInvoice,
  type Invoice,
  type InvoiceAdjustment,
  type InvoicePaymentMethod,
} from '../../contract/invoices.ts';
import { renewalId } from '../../contract/orders.ts';
import { INVOICE_STATUS_NAMES, isFinalStatus } from '../../contract/statuses.ts';
import type { Currency } from '../../contract/types.ts';
import { Decimal } from '../../contract/values/decimal.ts';
import { dateFrom, moneyGiven, Problem } from '../../contract/values/scalars.ts';
import { checkOptions, configurationFail, type Fail, namesOf, word } from '../../errors/checks.ts';
import type {
  InvoiceAdjustedEvent,
  InvoiceCanceledEvent,
  InvoicePaidEvent,
  KnownInvoiceEvents,
} from '../../webhooks/event/event-types.ts';
import { EVENTS } from '../../webhooks/event/events.ts';
import { parseInvoiceEvent } from '../../webhooks/event/queued-event.ts';

// Invoices and events whose members fit each other. The members that a test gives are kept, and the others are made to
// fit them.

/** A member of a fake as a test may give it: money as text or a Decimal, a time as a Date or ISO text. */
export type Override<T> = T extends Decimal ? string | Decimal : T extends Date ? Date | string : T;
type Overrides<T> = { readonly [K in keyof T]?: Override<T[K]> | undefined };

/** Members of a {@link fakeInvoice}. */
export interface FakeInvoiceOverrides
  extends Overrides<Omit<Invoice, 'currency' | 'payment_method' | 'adjustment' | 'is_adjusted'>> {
  /** A currency code, or members of the currency. */
  readonly currency?: string | Partial<Currency> | undefined;
  /** The chosen method, or some of its members. Null: none is chosen. */
  readonly payment_method?: Partial<InvoicePaymentMethod> | null | undefined;
  /** Whether the invoice has an adjustment. @defaultValue true if `adjustment` is given */
  readonly is_adjusted?: boolean | undefined;
  /** Some members of the adjustment. The others are made to fit them. */
  readonly adjustment?: Overrides<InvoiceAdjustment> | null | undefined;
}

type EventMember =
  | ('id' | 'invoice_uuid' | 'external_id' | 'order' | 'renewal')
  | ('amount' | 'signed_at' | 'secretIndex' | 'source');
/** Members of a {@link fakePaidEvent}. */
export type FakePaidEventOverrides = Overrides<Pick<InvoicePaidEvent, EventMember | 'credited_usdt'>>;
/** Members of a {@link fakeAdjustedEvent}. */
export type FakeAdjustedEventOverrides = Overrides<
  Pick<InvoiceAdjustedEvent, EventMember | 'credited_usdt' | 'original_amount'>
>;
/** Members of a {@link fakeCanceledEvent}. */
export type FakeCanceledEventOverrides = Overrides<Pick<InvoiceCanceledEvent, EventMember | 'status'>>;

/** Fiat per USDT, as for EUR in the sandbox. */
const RATE = new Decimal('0.9214');
/** The share of the paid amount that the business is credited with, as in the sandbox. */
const CREDITED_SHARE = '0.99';
const ORDERED = new Decimal('25.00');
/** The paid share of an adjusted invoice. */
const PAID_SHARE = '0.68';
const MINUTE = 60_000;

const OTHER_STATUS = "A paid invoice is success. For another status: { ...fakeInvoice(), status: 'on_hold' }";

/** The members that are money, and those that are times, by their names on the wire. */
const MONEY = /amount|_usdt$|^rate$/;
const TIME = /_at$/;
/** The members of an invoice, or of its adjustment, as the contract names them. */
function namesOfInvoice(member?: 'adjustment'): ReadonlySet<string> {
  const { members } = getInvoice.data.shape?.() ?? {};
  return new Set(Object.keys((member === undefined ? members : members?.[member]?.members) ?? {}));
}

const EVENT = {
  id: true,
  invoice_uuid: true,
  external_id: true,
  order: true,
  renewal: true,
  amount: true,
  signed_at: true,
  secretIndex: true,
  source: true,
} as const;
const PAID_NAMES = namesOf<FakePaidEventOverrides>({ ...EVENT, credited_usdt: true });
const ADJUSTED_NAMES = namesOf<FakeAdjustedEventOverrides>({ ...EVENT, credited_usdt: true, original_amount: true });
const CANCELED_NAMES = namesOf<FakeCanceledEventOverrides>({ ...EVENT, status: true });

/**
 * An invoice as `invoices.get` and `invoices.list` return it, pending unless an override says otherwise.
 *
 * A paid invoice has a method, a rate, a credited amount and `finished_at`. With `is_adjusted: true`, or some members
 * of an `adjustment`, the customer paid 68 % of the order. Each call returns new ids.
 *
 * @param overrides Amounts are text or Decimals, times are Dates or ISO text, and `currency` may be a code. Without
 * `status`, an override that only a paid invoice has makes it `success`.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown name, or an unusable amount or time.
 * @example
 * const paid = fakeInvoice({ external_id: 'order-1042', status: 'success', amount: '100.00' });
 * const underpaid = fakeInvoice({ adjustment: { actual_amount_fiat: '17.00' } });
 */
export function fakeInvoice(overrides: FakeInvoiceOverrides = {}): Invoice {
  const fail = configurationFail('fakeInvoice');
  const given = read<Invoice>(overrides, namesOfInvoice(), fail);
  const { adjustment, is_adjusted: isAdjusted = isGiven(adjustment), currency, payment_method } = overrides;
  const corrected = read<InvoiceAdjustment>(adjustment ?? {}, namesOfInvoice('adjustment'), fail);
  const isPaidByMembers = isAdjusted || isGiven(given.settled_amount_usdt) || isGiven(given.finished_at);
  // A status that the interface does not know passes every branch of a shop in silence.
  word(INVOICE_STATUS_NAMES, undefined)(given.status, 'status', (problem) => fail(`${problem}. ${OTHER_STATUS}`));
  const status = given.status ?? (isPaidByMembers ? 'success' : 'pending');
  const isPaid = status === 'success';
  const amount = given.amount ?? corrected.expected_amount_fiat ?? ORDERED;
  const rate = given.rate ?? RATE;
  const { number, uuid } = nextIds();
  const created = given.created_at?.getTime() ?? Date.now() - (isFinalStatus(status) ? 11 * MINUTE : 0);
  const actual = corrected.actual_amount_fiat ?? shareOf(amount, PAID_SHARE);
  const credited =
    given.settled_amount_usdt ?? corrected.actual_amount_usdt ?? usdtOf(isAdjusted ? actual : amount, rate);
  const code = typeof currency === 'string' ? currency : (currency?.code ?? 'EUR');
  const hasMethod = isPaid || status === 'fail' || isGiven(payment_method);
  return {
    uuid,
    external_id: `order-${number}`,
    customer_id: `customer-${number}`,
    purpose: null,
    amount,
    amount_to_send: hasMethod ? amount : null,
    status,
    callback_url: 'https://shop.example/webhook',
    success_url: 'https://shop.example/thanks',
    fail_url: 'https://shop.example/cart',
    payment_url: `https://pay.example/pay/${given.uuid ?? uuid}`,
    created_at: new Date(created),
    expires_at: new Date(created + 30 * MINUTE),
    finished_at: isFinalStatus(status) ? new Date(created + 11 * MINUTE) : null,
    rate: hasMethod ? rate : null,
    settled_amount_usdt: isPaid ? credited : null,
    ...given,
    is_adjusted: isAdjusted,
    currency: { id: 2, code, name: code, symbol: code, ...(typeof currency === 'object' ? currency : {}) },
    payment_method: hasMethod && payment_method !== null ? { name: 'Card', logo_url: null, ...payment_method } : null,
    adjustment:
      isAdjusted && adjustment !== null
        ? {
            expected_amount_fiat: amount,
            actual_amount_fiat: actual,
            expected_amount_usdt: usdtOf(amount, rate),
            actual_amount_usdt: credited,
            ...corrected,
          }
        : null,
  };
}

/**
 * The event of a paid invoice, as `verifyWebhook` returns it: 25.00 EUR, as ordered.
 *
 * @param overrides Amounts are text or Decimals. `credited_usdt` follows the amount, and `external_id` follows `order`
 * and `renewal`. With the source `catch_up`, the members of a delivery are null.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown name, or an unusable amount or time.
 * @example
 * const event = fakePaidEvent({ order: 'order-1042', renewal: 1, credited_usdt: '26.86' });
 */
export function fakePaidEvent(overrides: FakePaidEventOverrides = {}): InvoicePaidEvent {
  const fail = configurationFail('fakePaidEvent');
  const given = read<InvoicePaidEvent>(overrides, PAID_NAMES, fail);
  const { amount = ORDERED, credited_usdt = usdtOf(amount, RATE) } = given;
  const amounts = { status: 'success', amount, credited_usdt, adjusted: false, original_amount: null } as const;
  return eventOf('paid', amounts, given, fail);
}

/**
 * The event of an invoice that was paid with another amount than was ordered: 17.00 of 25.00 EUR.
 *
 * @param overrides Amounts are text or Decimals. Without `amount` the customer paid 68 % of `original_amount`, and
 * without `original_amount` the order was 150 % of `amount`. Null: the delivery does not state what was ordered.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown name, or an unusable amount or time.
 * @example
 * const event = fakeAdjustedEvent({ order: 'order-1042', amount: '1.00', original_amount: '25.00' });
 */
export function fakeAdjustedEvent(overrides: FakeAdjustedEventOverrides = {}): InvoiceAdjustedEvent {
  const fail = configurationFail('fakeAdjustedEvent');
  const given = read<InvoiceAdjustedEvent>(overrides, ADJUSTED_NAMES, fail);
  const { original_amount = given.amount?.times('1.5') ?? ORDERED } = given;
  const amount = given.amount ?? shareOf(original_amount ?? ORDERED, PAID_SHARE);
  const { credited_usdt = usdtOf(amount, RATE) } = given;
  const amounts = { status: 'success', amount, credited_usdt, adjusted: true, original_amount } as const;
  return eventOf('adjusted', amounts, given, fail);
}

/**
 * The event of an invoice that ended without payment, `expired` unless an override says otherwise.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown name or an unusable value.
 * @example
 * const event = fakeCanceledEvent({ order: 'order-1042', status: 'fail' });
 */
export function fakeCanceledEvent(overrides: FakeCanceledEventOverrides = {}): InvoiceCanceledEvent {
  const fail = configurationFail('fakeCanceledEvent');
  const given = read<InvoiceCanceledEvent>(overrides, CANCELED_NAMES, fail);
  const { status = 'expired', amount = ORDERED } = given;
  const { statuses } = EVENTS.canceled;
  if (!statuses.includes(status)) fail(`status must be one of ${statuses.join(', ')}`);
  const amounts = { status, amount, credited_usdt: null, adjusted: false, original_amount: null } as const;
  return eventOf('canceled', amounts, given, fail);
}

type Members = Readonly<Record<string, unknown>>;

/** Completes the members of an event, and builds it with `parseInvoiceEvent`, which checks it. */
function eventOf<Name extends keyof KnownInvoiceEvents>(
  row: Name,
  amounts: Pick<KnownInvoiceEvents[Name], 'status' | 'amount' | 'credited_usdt' | 'adjusted' | 'original_amount'>,
  given: Partial<Pick<KnownInvoiceEvents[Name], EventMember>>,
  fail: Fail,
): KnownInvoiceEvents[Name] {
  const { number, uuid } = nextIds();
  const { invoice_uuid = uuid, source = 'webhook', order, renewal } = given;
  const { external_id = renewalId({ order: order ?? `order-${number}`, renewal: renewal ?? 0 }) } = given;
  const isDelivered = source === 'webhook';
  const members = { type: EVENTS[row].name, ...amounts };
  const json = JSON.stringify({
    source,
    id: isDelivered ? `delivery-${number}` : null,
    signed_at: isDelivered ? new Date() : null,
    secretIndex: isDelivered ? 0 : null,
    ...given,
    ...members,
    invoice_uuid,
    external_id,
    raw: wireOf({ invoice_uuid, external_id, ...members }),
  });
  const event = parseInvoiceEvent(JSON.parse(json));
  if (event.order !== (order ?? event.order) || event.renewal !== (renewal ?? event.renewal))
    fail(
      `external_id "${external_id}" is renewal ${event.renewal} of the order "${event.order}": order and renewal must fit it`,
    );
  return event as KnownInvoiceEvents[Name]; // its name and `adjusted` are those of the row
}

/** The body that the service sends for an event: amounts are text, and members that are null are left out. */
export function wireOf({ type, ...members }: Members): Members {
  const entries = Object.entries(members)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, Decimal.isDecimal(value) ? moneyText(value) : value]);
  return { event: type, ...Object.fromEntries(entries) };
}

/** An amount with at least two decimals, as services write it. */
function moneyText(amount: Decimal): string {
  return amount.toFixed(Math.max(2, amount.decimalPlaces()));
}

/** Reads overrides: refuses unknown names, leaves out undefined members, and makes Decimals and Dates. Null is kept. */
function read<T>(overrides: object, known: ReadonlySet<string>, fail: Fail): Partial<T> {
  checkOptions('overrides', overrides, known, fail);
  const entries = Object.entries(overrides).flatMap(([name, value]): [string, unknown][] => {
    if (value === undefined) return [];
    if (value !== null && MONEY.test(name)) return [[name, moneyOf(name, value, fail)]];
    return [[name, value !== null && TIME.test(name) ? timeOf(name, value, fail) : value]];
  });
  return Object.fromEntries(entries) as Partial<T>; // the names are those of T
}

function moneyOf(name: string, value: unknown, fail: Fail): Decimal {
  const amount = moneyGiven(value);
  return amount instanceof Problem ? fail(`${name} ${amount.message}`) : amount;
}

function timeOf(name: string, value: unknown, fail: Fail): Date {
  const time = value instanceof Date ? new Date(value) : dateFrom(value);
  if (time instanceof Problem) return fail(`${name} ${time.message}, or a Date`);
  return Number.isNaN(time.getTime()) ? fail(`${name} is an invalid Date`) : time;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function shareOf(amount: Decimal, share: string): Decimal {
  return amount.times(share).toDecimalPlaces(2);
}

function usdtOf(amount: Decimal, rate: Decimal): Decimal {
  return amount.times(CREDITED_SHARE).div(rate).toDecimalPlaces(6, Decimal.ROUND_DOWN);
}

let count = 0;

function nextIds(): { readonly number: number; readonly uuid: string } {
  count += 1;
  return { number: count, uuid: `fa4e0000-0000-4000-8000-${count.toString(16).padStart(12, '0')}` };
}
