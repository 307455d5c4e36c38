// Turns the payload of a delivery into a typed event.
import { isObject, type JsonObject } from '../../contract/json.ts';
import { orderOf } from '../../contract/orders.ts';
import { printable } from '../../errors/printable.ts';
import { type AdjustedPins, saidOf } from './adjusted.ts';
import type { InvoiceEvent, UnknownInvoiceEvent } from './event-types.ts';
import { EVENT_ROWS, type EventAmounts, type EventRow } from './events.ts';
import { findOrderId, valueAt, withoutOrderId } from './order-id.ts';
import { malformed, readableAmount, readMember } from './payload.ts';

/** The facts about an event that its payload does not state. */
export type EventOrigin = Pick<InvoiceEvent, 'source' | 'id' | 'signed_at' | 'secretIndex'>;

/** The places in a payload that the merchant has pinned, because the interface does not show them. */
export interface EventPins extends AdjustedPins {
  /** The only place of the merchant's order id. Default: the names that can mean nothing else. */
  readonly orderIdMember: string | undefined;
  /** The only place of the event's name. Null: the status decides. Default: the rules below. */
  readonly eventMember: string | null | undefined;
}

/**
 * Decodes the parsed body of a genuine delivery.
 *
 * @throws WebhookVerificationError `malformed_payload`
 * @see [Payload members](../../../docs/service-interface.md#payload-members)
 */
export function decodeEvent(body: unknown, origin: EventOrigin, pins: EventPins): InvoiceEvent {
  if (!isObject(body)) throw malformed('it is not a JSON object');
  const { inner, layers } = unwrap(body);
  const name = pins.eventMember === undefined ? readEventName(layers) : pinnedName(body, inner, pins.eventMember);
  return buildEvent({ inner, layers: [body, ...layers], name, raw: body, ...pins }, origin);
}

/** The parts of a payload, whatever names it has for them. */
export interface EventParts extends Partial<AdjustedPins> {
  /** The members of the invoice. */
  readonly inner: JsonObject;
  /** The envelopes around `inner`, the whole body first. */
  readonly layers: readonly JsonObject[];
  /**
   * The name of the event. A known name is written as in the table, any other as it was sent. Null: the status decides.
   */
  readonly name: string | null;
  readonly raw: JsonObject;
  readonly orderIdMember?: string | undefined;
}

/** Builds the event that fits name and status. A name that is not known makes the event unknown. */
export function buildEvent(parts: EventParts, origin: EventOrigin): InvoiceEvent {
  const { inner, layers, name, raw, orderIdMember, adjustedMember, adjustedAbsent } = parts;
  const [root = inner] = layers;
  // An event with an unknown name need not be about an invoice. It may be a test of the dashboard, or about a
  // withdrawal.
  const isOther = name !== null && !isKnown(name);
  const status = textOf(inner, 'status', isOther);
  const invoice_uuid = textOf(inner, 'invoice_uuid', isOther, MAX_UUID_LENGTH);
  const { source, id, signed_at, secretIndex } = origin;
  const found = findOrderId(inner, root, orderIdMember);
  const external_id = 'id' in found ? found.id : null;
  const { order, renewal } = external_id === null ? NO_ORDER : orderOf(external_id);
  const common = { source, id, invoice_uuid, external_id, order, renewal, status, signed_at, secretIndex, raw };
  for (const row of isOther ? [] : rowsOf(name, status)) {
    const amounts = row.read(inner, layers, { adjustedMember, adjustedAbsent });
    if (amounts === null) continue;
    if ('problem' in found) throw withoutOrderId(found.problem, inner, root, orderIdMember);
    return { type: row.name, ...common, ...amounts } as InvoiceEvent; // the row has checked that they belong together
  }
  return { type: 'unknown', event_name: name, ...common, ...readableAmounts(inner) };
}

const NO_ORDER = { order: null, renewal: null } as const;
const MAX_UUID_LENGTH = 128;

/** A member that every known event has, or null where another event lacks it. */
function textOf(inner: JsonObject, name: string, isOther: boolean, longest = Number.POSITIVE_INFINITY): string | null {
  const value = readMember(inner, name);
  if (typeof value === 'string' && value !== '' && value.length <= longest) return value;
  if (isOther) return null;
  if (readMember(inner, 'status') == null && readMember(inner, 'invoice_uuid') == null) {
    throw malformed('no object in it has "invoice_uuid" and "status"');
  }
  throw malformed(`"${name}" is not text, missing, or too long`);
}

/**
 * The rows of the event: by its name, which must agree with the status, otherwise by the status. None for another
 * status.
 */
function rowsOf(name: string | null, status: string | null): readonly EventRow[] {
  const reports = ({ statuses }: EventRow): boolean => statuses.some((known) => known === status);
  const event = name ?? EVENT_ROWS.find(reports)?.name;
  const rows = EVENT_ROWS.filter((row) => row.name === event);
  const fitting = rows.filter(reports);
  if (rows.length === 0 || fitting.length > 0) return fitting;
  const statuses = [...new Set(rows.flatMap((row) => row.statuses))].join(' or ');
  throw malformed(
    `the body names the event ${name}, whose status is ${statuses}, but its status is another. If the status alone tells which event it is, set eventMember to null`,
  );
}

/** Reads the amounts of an unknown event. It may use these names for something else, so what cannot be read is null. */
function readableAmounts(inner: JsonObject): EventAmounts {
  const [amount, credited_usdt] = [readableAmount(inner, 'amount'), readableAmount(inner, 'credited_usdt')];
  return { amount, credited_usdt, adjusted: saidOf(inner), original_amount: readableAmount(inner, 'original_amount') };
}

/** The names of a genuine payload that cannot be read whole, as far as they can be. For its report. */
export function readableNames(
  body: unknown,
  { orderIdMember }: EventPins,
): Pick<UnknownInvoiceEvent, 'external_id' | 'order' | 'invoice_uuid' | 'status'> {
  const root = isObject(body) ? body : {};
  const { inner } = unwrap(root);
  const found = findOrderId(inner, root, orderIdMember);
  const external_id = 'id' in found ? found.id : null;
  return {
    external_id,
    order: external_id === null ? null : orderOf(external_id).order,
    invoice_uuid: textOf(inner, 'invoice_uuid', true, MAX_UUID_LENGTH),
    status: textOf(inner, 'status', true),
  };
}

/**
 * An event as an unknown one. The handler passes an event to `onUnknown` in this form if no other function
 * takes it.
 */
export function asUnknown(event: InvoiceEvent): UnknownInvoiceEvent {
  return event.type === 'unknown' ? event : { ...event, type: 'unknown', event_name: event.type };
}

const ENVELOPE_MEMBERS = ['data', 'payload', 'invoice', 'object', 'body'];

/**
 * Finds the invoice's members: the body itself, the content of one or two envelopes, or both if the members are split
 * between them. `layers` are the envelopes from the outside, and the invoice last.
 */
function unwrap(root: JsonObject): { readonly inner: JsonObject; readonly layers: readonly JsonObject[] } {
  if (isInvoice(root)) return { inner: root, layers: [root] };
  const invoice_uuid = readMember(root, 'invoice_uuid') ?? null; // an inner one may be the id of something else
  for (const layers of layersOf(root)) {
    const last = layers.at(-1) ?? root;
    const whole = isInvoice(last) ? last : { ...root, ...last };
    if (isInvoice(whole)) return { inner: invoice_uuid === null ? whole : { ...whole, invoice_uuid }, layers };
  }
  return { inner: root, layers: [root] };
}

function* layersOf(root: JsonObject): Generator<readonly JsonObject[]> {
  for (const name of ENVELOPE_MEMBERS) {
    const first = readMember(root, name);
    if (!isObject(first)) continue;
    yield [root, first];
    const second = readMember(first, 'invoice') ?? readMember(first, 'object');
    if (isObject(second)) yield [root, first, second];
  }
}

function isInvoice(payload: JsonObject): boolean {
  return readMember(payload, 'invoice_uuid') != null && readMember(payload, 'status') != null;
}

// Which event a payload is, by three rules that a merchant can rely on:
//
// - `event`, `event_type` and `event_name` name the event. `type` names it in an envelope around the invoice, or where
//   it begins with "invoice."; elsewhere it is the kind of a customer, a card, an object.
// - A known name must agree with the status, otherwise the payload is malformed. Any other name, a name that is no text,
//   and two names that differ make the event unknown.
// - Without a name the status decides.
//
// Names are compared in plain form, and only as a whole: a word inside of a name decides nothing.

const NAME_MEMBERS = ['event', 'event_type', 'event_name', 'eventType', 'eventName'] as const;
const INVOICE_EVENT = 'invoice.';
const LONGEST_NAME = 200;

/** Reads the event's name by rule 1. Null if the payload has none. */
function readEventName(layers: readonly JsonObject[]): string | null {
  const names = new Map<string, string>();
  for (const [index, layer] of layers.entries()) {
    for (const member of NAME_MEMBERS) {
      const name = nameOf(readMember(layer, member));
      if (name !== null) names.set(plainName(name), name);
    }
    const type = nameOf(readMember(layer, 'type'));
    const isEnvelope = index < layers.length - 1;
    if (type !== null && (isEnvelope || plainName(type).startsWith(INVOICE_EVENT))) names.set(plainName(type), type);
  }
  const [only, ...others] = names.keys();
  if (only === undefined) return null;
  if (others.length > 0) return [...names.values()].join(', ');
  return isKnown(only) ? only : (names.get(only) ?? null);
}

/** Reads the name at the pinned place. A body without a name there becomes an unknown event. */
function pinnedName(root: JsonObject, inner: JsonObject, member: string | null): string | null {
  if (member === null) return null;
  const name = nameOf(valueAt(root, member) ?? valueAt(inner, member));
  if (name === null) return `without ${printable(member)}`;
  const plain = plainName(name);
  return isKnown(plain) ? plain : name;
}

/**
 * The name in a member, or null if it is absent or empty. A value that is no text gives the name of no known
 * event.
 */
function nameOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  if (!isObject(value)) return Array.isArray(value) ? 'a list' : String(value);
  const inside = readMember(value, 'name') ?? readMember(value, 'type');
  // The text is for people: the event is unknown in any case.
  return typeof inside === 'string' && !isKnown(plainName(inside)) ? inside : 'an object';
}

function isKnown(name: string): boolean {
  return EVENT_ROWS.some((row) => row.name === name);
}

/** `INVOICE_PAID`, `invoicePaid` and `invoice paid` are `invoice.paid`; `invoice.cancelled` is `invoice.canceled`. */
function plainName(name: string): string {
  if (isKnown(name) || name.length > LONGEST_NAME) return name;
  return name
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1.$2')
    .toLowerCase()
    .replace(/[\s._:/-]+/g, '.')
    .replaceAll('cancelled', 'canceled');
}
