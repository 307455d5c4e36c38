import { configurationFail, type Fail } from '../checks.ts';
import { EVENTS, type EventStatus, eventOfStatus } from '../contract/statuses.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { shareOf } from '../sandbox/business/money.ts';
import { decodeEvent, type EventOrigin } from '../webhooks/event/event.ts';
import type {
  AdjustedInvoicePaidEvent,
  ExactInvoicePaidEvent,
  InvoiceCanceledEvent,
  InvoiceEvent,
  InvoicePaidEvent,
  UnknownInvoiceEvent,
} from '../webhooks/event/events.ts';
import { priceOf } from './fake-prices.ts';
import { type Given, type Kinds, type Override, readOverrides } from './overrides.ts';
import { fakeNow, nextIds } from './sequence.ts';

/** The members that the fake of each event takes. */
type Common = 'id' | 'invoice_uuid' | 'external_id' | 'amount' | 'signed_at' | 'secretIndex' | 'source';
type Some<Event, Names extends keyof Event> = { readonly [K in Names]?: Override<Event[K]> | undefined };

/** Members of a {@link fakePaidEvent}. */
export type FakePaidEventOverrides = Some<InvoicePaidEvent, Common | 'credited_usdt' | 'adjusted' | 'original_amount'>;
/** Members of a {@link fakeCanceledEvent}. */
export type FakeCanceledEventOverrides = Some<InvoiceCanceledEvent, Common | 'status'>;
/** Members of a {@link fakeUnknownEvent}. */
export type FakeUnknownEventOverrides = Some<UnknownInvoiceEvent, Common | 'status' | 'event_name' | 'credited_usdt'>;

type AnyEvent = Omit<UnknownInvoiceEvent, 'type' | 'raw'>;

const KINDS: Kinds<AnyEvent> = {
  source: 'as_is',
  id: 'as_is',
  invoice_uuid: 'as_is',
  external_id: 'as_is',
  status: 'as_is',
  amount: 'money',
  credited_usdt: 'money',
  adjusted: 'as_is',
  original_amount: 'money',
  signed_at: 'time',
  secretIndex: 'as_is',
  event_name: 'as_is',
};

const PAID = namesOf('credited_usdt', 'adjusted', 'original_amount');
const CANCELED = namesOf('status');
const UNKNOWN = namesOf('status', 'event_name', 'credited_usdt');

function namesOf(...own: (keyof AnyEvent)[]): readonly (keyof AnyEvent)[] {
  return ['source', 'id', 'invoice_uuid', 'external_id', 'amount', 'signed_at', 'secretIndex', ...own];
}

/** A body on the wire. */
type Body = Readonly<Record<string, unknown>>;

/**
 * Returns the event of a paid invoice, exactly as `verifyWebhook` returns it: the decoder of deliveries reads the body that
 * the service would send.
 *
 * Without amounts, 25.00 EUR were ordered and paid. An adjusted event has both amounts: the customer paid 68 % of the
 * order. `credited_usdt` follows the paid amount, with the rate and commission of the sandbox.
 *
 * @param overrides Amounts are text or Decimals. `original_amount` makes the event adjusted. With the source `catch_up`,
 * the members of a delivery are null.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown name or an unusable value.
 * @throws WebhookVerificationError (`SDK_WEBHOOK_MALFORMED_PAYLOAD`) for overrides that contradict each other.
 * @example
 * const event = fakePaidEvent({ external_id: 'order-1042', credited_usdt: '26.86' });
 */
export function fakePaidEvent(
  overrides?: FakePaidEventOverrides & {
    readonly adjusted?: false | undefined;
    readonly original_amount?: null | undefined;
  },
): ExactInvoicePaidEvent;
export function fakePaidEvent(
  overrides: FakePaidEventOverrides & ({ readonly adjusted: true } | { readonly original_amount: Override<Decimal> }),
): AdjustedInvoicePaidEvent;
export function fakePaidEvent(overrides: FakePaidEventOverrides): InvoicePaidEvent;
export function fakePaidEvent(overrides: FakePaidEventOverrides = {}): InvoicePaidEvent {
  const fail = configurationFail('fakePaidEvent');
  const given = read(overrides, PAID, fail);
  const { original_amount, adjusted = (original_amount ?? null) !== null } = given;
  const ordered = original_amount ?? (adjusted && given.amount ? share(given.amount, '1.5') : ORDERED);
  const amount = given.amount ?? (adjusted ? share(ordered, '0.68') : ordered);
  const body = {
    event: 'invoice.paid',
    status: 'success',
    amount,
    credited_usdt: given.credited_usdt ?? priceOf({ amount }).usdt,
    adjusted,
    ...(adjusted ? { original_amount: ordered } : {}),
  };
  // The decoder makes the event of the name in the body.
  return eventOf(body, given) as InvoicePaidEvent;
}

/**
 * Returns the event of an invoice that ended without payment, `expired` unless an override says otherwise.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown name or an unusable value.
 * @example
 * const event = fakeCanceledEvent({ external_id: 'order-1042', status: 'fail' });
 */
export function fakeCanceledEvent(overrides: FakeCanceledEventOverrides = {}): InvoiceCanceledEvent {
  const fail = configurationFail('fakeCanceledEvent');
  const given = read(overrides, CANCELED, fail);
  const status = given.status ?? ('expired' satisfies EventStatus<'invoice.canceled'>);
  if (eventOfStatus(status) !== 'invoice.canceled') {
    fail(`status must be one of ${EVENTS['invoice.canceled'].statuses.join(', ')}`);
  }
  return eventOf({ event: 'invoice.canceled', status, amount: given.amount ?? ORDERED }, given) as InvoiceCanceledEvent;
}

/**
 * Returns an event that this package does not know, `invoice.refunded` unless an override says otherwise.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown name, an unusable value, or the name of a known event.
 * @example
 * const event = fakeUnknownEvent({ event_name: 'invoice.disputed', status: 'success' });
 */
export function fakeUnknownEvent(overrides: FakeUnknownEventOverrides = {}): UnknownInvoiceEvent {
  const fail = configurationFail('fakeUnknownEvent');
  const given = read(overrides, UNKNOWN, fail);
  const { event_name = 'invoice.refunded', status = 'refunded', amount = ORDERED, credited_usdt = null } = given;
  const event = eventOf({ event: event_name, status, amount, credited_usdt }, given);
  return event.type === 'unknown' ? event : fail(`this event is known: use the fake of ${event.type}`);
}

const ORDERED = new Decimal('25.00');

function share(amount: Decimal, factor: string): Decimal {
  return new Decimal(shareOf(amount.toFixed(), factor));
}

function read(overrides: object, names: readonly (keyof AnyEvent)[], fail: Fail): Given<AnyEvent> {
  const kinds = Object.fromEntries(names.map((name) => [name, KINDS[name]]));
  return readOverrides<AnyEvent>(overrides, kinds as Kinds<AnyEvent>, fail); // the names that the caller may give
}

function eventOf(body: Body, given: Given<AnyEvent>): InvoiceEvent {
  const { uuid, suffix } = nextIds();
  const { invoice_uuid = uuid, external_id = `order-${suffix}`, source = 'webhook' } = given;
  const isDelivered = source === 'webhook';
  const origin: EventOrigin = {
    source,
    id: given.id ?? (isDelivered ? `${uuid.slice(0, 9)}d${uuid.slice(10)}` : null),
    signed_at: given.signed_at ?? (isDelivered ? new Date(fakeNow()) : null),
    secretIndex: given.secretIndex ?? (isDelivered ? 0 : null),
  };
  const { event, ...rest } = body;
  return decodeEvent(wireOf({ event, invoice_uuid, external_id, ...rest }), origin);
}

/** A body with its amounts as text. Members that are null or undefined are left out. */
export function wireOf(members: Body): Body {
  const entries = Object.entries(members)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, Decimal.isDecimal(value) ? moneyText(value) : value]);
  return Object.fromEntries(entries);
}

/** At least two decimals, as services write amounts. */
function moneyText(amount: Decimal): string {
  return amount.toFixed(Math.max(2, amount.decimalPlaces()));
}
