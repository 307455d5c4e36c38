// Turns the payload of a delivery into a typed event. Plain code, because the entry must not load a schema library.
import { isObject, type JsonObject } from '../../contract/json.ts';
import { EVENTS, type EventRow, type KnownEventType } from '../../contract/statuses.ts';
import type { Decimal } from '../../contract/values/decimal.ts';
import { dateFrom, decimalFrom, Problem } from '../../contract/values/scalars.ts';
import { WebhookVerificationError } from '../../errors/classes.ts';
import { printable } from '../../printable.ts';
import type { InvoiceEvent, UnknownInvoiceEvent } from './event-types.ts';

/** A row of the table of events, with its name and its decoder. */
export interface DecodableEvent extends EventRow {
  readonly name: string;
  /** Reads the members that differ from event to event. */
  readonly decode: (inner: JsonObject) => Pick<UnknownInvoiceEvent, Amounts>;
}

type Amounts = 'amount' | 'credited_usdt' | 'adjusted' | 'original_amount';
/** The members of an event that differ from type to type. */
type DecodedAmounts<Type extends KnownEventType> = Pick<Extract<InvoiceEvent, { type: Type }>, Amounts>;

const DECODERS: { readonly [Type in KnownEventType]: (inner: JsonObject) => DecodedAmounts<Type> } = {
  'invoice.paid'(inner) {
    const amount = required(inner, 'amount');
    const credited_usdt = required(inner, 'credited_usdt');
    const { adjusted, original_amount } = readAdjustment(inner, amount);
    return adjusted
      ? { amount, credited_usdt, adjusted, original_amount }
      : { amount, credited_usdt, adjusted, original_amount: null };
  },
  'invoice.canceled'(inner) {
    const amount = required(inner, 'amount');
    if (optional(inner, 'credited_usdt')?.isZero() === false) {
      throw malformed('its status says that nothing was paid, but "credited_usdt" says that something was');
    }
    return { amount, credited_usdt: null, adjusted: false, original_amount: null };
  },
};

/** The events that this package knows. @see [Emission](../../../docs/service-interface.md#emission) */
export const EVENT_ROWS: readonly DecodableEvent[] = Object.entries(EVENTS).map(([name, row]) => ({
  name,
  ...row,
  decode: DECODERS[name as KnownEventType], // the keys of the table
}));

/** The facts about an event that its payload does not state. */
export type EventOrigin = Pick<InvoiceEvent, 'source' | 'id' | 'signed_at' | 'secretIndex'>;

/**
 * Decodes the parsed body of a genuine delivery.
 *
 * @param orderIdMember The only place to look for the merchant's order id. Default: the names that can mean nothing else.
 * @throws WebhookVerificationError `malformed_payload`
 * @see [Payload members](../../../docs/service-interface.md#payload-members)
 */
export function decodeEvent(body: unknown, origin: EventOrigin, orderIdMember?: string | undefined): InvoiceEvent {
  if (!isObject(body)) throw malformed('it is not a JSON object');
  const { inner, layers } = unwrap(body);
  return buildEvent({ inner, root: body, name: readEventName(layers), raw: body, orderIdMember }, origin);
}

/** The parts of a payload, found under whatever names it uses. */
export interface EventParts {
  /** The members of the invoice. */
  readonly inner: JsonObject;
  /** The whole body, which may be an envelope around `inner`. */
  readonly root: JsonObject;
  /** The event's name in the signed body, or null if it has none. */
  readonly name: string | null;
  readonly raw: JsonObject;
  readonly orderIdMember?: string | undefined;
}

/** Builds the event that fits name and status. */
export function buildEvent(parts: EventParts, origin: EventOrigin): InvoiceEvent {
  const { inner, root, name, raw, orderIdMember } = parts;
  // An event with another name need not be about an invoice: a test of the dashboard, or a withdrawal.
  const isOther = name !== null && !EVENT_ROWS.some((row) => row.name === name);
  const status = textOf(inner, 'status', isOther);
  const row = rowOf(name, status);
  const uuid = textOf(inner, 'invoice_uuid', isOther, MAX_UUID_LENGTH);
  const { source, id, signed_at, secretIndex } = origin;
  const found = findOrderId(inner, root, orderIdMember);
  const amounts = row === null ? readableAmounts(inner) : row.decode(inner);
  const external_id = 'id' in found ? found.id : null;
  const common = { source, id, invoice_uuid: uuid, external_id, status, ...amounts, signed_at, secretIndex, raw };
  if (row === null) return { type: 'unknown', event_name: name, ...common };
  if ('problem' in found) throw withoutOrderId(found.problem, parts);
  return { type: row.name, ...common } as InvoiceEvent; // the row has shown that status and amounts belong to its name
}

const MAX_UUID_LENGTH = 128;

/** Returns a member that every known event has, or null where another event lacks it. */
function textOf(inner: JsonObject, name: string, isOther: boolean, longest = Number.POSITIVE_INFINITY): string | null {
  const value = readMember(inner, name);
  if (typeof value === 'string' && value !== '' && value.length <= longest) return value;
  if (isOther) return null;
  if (readMember(inner, 'status') == null && readMember(inner, 'invoice_uuid') == null) {
    throw malformed('no object in it has "invoice_uuid" and "status"');
  }
  throw malformed(`"${name}" is not text, missing, or too long`);
}

/** The row that the name and the status agree on, or null for an event or a status that is not known. */
function rowOf(name: string | null, status: string | null): DecodableEvent | null {
  const byStatus = EVENT_ROWS.find((row) => row.statuses.includes(status ?? '')) ?? null;
  if (name === null) return byStatus;
  const byName = EVENT_ROWS.find((row) => row.name === name) ?? null;
  if (byName === null || byName === byStatus) return byName;
  const statuses = byName.statuses.join(' or ');
  throw malformed(`the body names the event ${byName.name}, whose status is ${statuses}, but its status is another`);
}

/** An event without a function of its own, as the handler passes it to `onUnknown`. */
export function asUnknown(event: InvoiceEvent): UnknownInvoiceEvent {
  return event.type === 'unknown' ? event : { ...event, type: 'unknown', event_name: event.type };
}

/**
 * Whether the paid amount was corrected, and the amount originally ordered if the payload has it. The two must agree:
 * a wrong one ships goods that were not paid.
 */
function readAdjustment(inner: JsonObject, amount: Decimal): { adjusted: boolean; original_amount: Decimal | null } {
  const stated = readMember(inner, 'adjusted') ?? null;
  if (stated !== null && typeof stated !== 'boolean') throw malformed('"adjusted" is not a boolean');
  const original_amount = optional(inner, 'original_amount');
  if (stated === false && original_amount !== null && !original_amount.eq(amount)) {
    throw malformed('"adjusted" is false, but "original_amount" differs from "amount"');
  }
  return { adjusted: stated ?? original_amount !== null, original_amount };
}

function optional(inner: JsonObject, name: string): Decimal | null {
  const value = readMember(inner, name) ?? null;
  if (value === null) return null;
  const decimal = decimalFrom(value);
  if (decimal instanceof Problem) throw malformed(`"${name}" ${decimal.message}`);
  if (decimal.isNegative()) throw malformed(`"${name}" is negative`);
  return decimal;
}

function required(inner: JsonObject, name: string): Decimal {
  const decimal = optional(inner, name);
  if (decimal === null) throw malformed(`"${name}" is missing`);
  return decimal;
}

// An unknown event may give a member another meaning. What cannot be read is null here, and `raw` has it.
function readableAmounts(inner: JsonObject): Pick<UnknownInvoiceEvent, Amounts> {
  const read = (name: string): Decimal | null => {
    const decimal = decimalFrom(readMember(inner, name));
    return decimal instanceof Problem ? null : decimal;
  };
  const stated = readMember(inner, 'adjusted') ?? null;
  const original_amount = read('original_amount');
  const adjusted = stated === null ? original_amount !== null : stated === true;
  return { amount: read('amount'), credited_usdt: read('credited_usdt'), adjusted, original_amount };
}

/** The error for an order id that is missing or ambiguous. It lists the members that could be it. */
function withoutOrderId(
  problem: 'missing' | 'ambiguous',
  { inner, root, orderIdMember }: EventParts,
): WebhookVerificationError {
  const names = orderIdCandidates(inner, root);
  const could = names.length === 0 ? 'No member looks like it' : `Members that could be it: ${names.join(', ')}`;
  if (problem === 'ambiguous') {
    return malformed(
      `several members could be the merchant's order id, and they differ. ${could}. Give the right one as orderIdMember`,
    );
  }
  return malformed(
    orderIdMember === undefined
      ? `the merchant's order id is missing, or under a name that could mean another id. ${could}. Compare them with your orders, and give the right one as orderIdMember`
      : `the merchant's order id is missing: orderIdMember is ${printable(orderIdMember)}. ${could}`,
  );
}

/** The error for a payload. It names members and rules, never a value: the body holds a customer's data. */
export function malformed(why: string): WebhookVerificationError {
  return new WebhookVerificationError('malformed_payload', `The payload is not as the interface says: ${why}.`);
}

/** Returns a member of the object itself: `__proto__` in a body, or a polluted prototype, must not supply a status. */
export function readMember(payload: JsonObject, name: string): unknown {
  return Object.hasOwn(payload, name) ? payload[name] : undefined;
}

const ENVELOPE_MEMBERS = ['data', 'payload', 'invoice', 'object', 'body'];

/**
 * Finds the invoice's members: the body itself, the content of one or two envelopes, or both if the members are split
 * between them. `layers` are the objects that may name the event, from the outside.
 */
function unwrap(root: JsonObject): { readonly inner: JsonObject; readonly layers: readonly JsonObject[] } {
  if (isInvoice(root)) return { inner: root, layers: [root] };
  const invoice_uuid = readMember(root, 'invoice_uuid') ?? null; // beside it an envelope's may be that of another thing
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

// "type" is last: it often names the object ("invoice") or the payment ("bank_transfer"). The forms of EVENT_LIKE name an event.
const NAME_MEMBERS = ['event', 'event_type', 'event_name', 'eventType', 'eventName', 'type'] as const;
const EVENT_LIKE =
  /[.:/]|^\s*(?:test|ping|sample|demo|example|mock|dummy)|refund|charge[\s_-]?back|claw|revers|disput|return|correct|revok|void/i;

/**
 * Reads the event's name, in the envelopes and in the invoice. Known names come in their plain spelling. A name that is not
 * known wins over a known one: to choose between them would be a guess.
 */
function readEventName(layers: readonly JsonObject[]): string | null {
  let known: string | null = null;
  let vague: string | null = null;
  for (const layer of layers) {
    for (const member of NAME_MEMBERS) {
      for (const name of namesIn(readMember(layer, member))) {
        const event = knownEvent(name);
        if (event !== null && known !== null && event !== known)
          throw malformed('it names one known event and another');
        if (event !== null) known = event;
        else if (member !== 'type' || EVENT_LIKE.test(name)) return name;
        else if (name.includes('_')) vague ??= name;
      }
    }
  }
  return known ?? vague;
}

const NOTHING: readonly string[] = [];

/** The names in a value: text, the digits of a number, or those in an object that describes the event. */
function namesIn(value: unknown): readonly string[] {
  if (value === undefined || value === null) return NOTHING;
  if (typeof value === 'string') return value.trim() === '' ? NOTHING : [value];
  if (Array.isArray(value)) return value.length === 0 ? NOTHING : ['a list'];
  if (!isObject(value)) return [String(value)]; // a code of the service
  return ['name', ...NAME_MEMBERS].flatMap((member) => {
    const name = readMember(value, member);
    return typeof name === 'string' ? namesIn(name) : NOTHING;
  });
}

const LONGEST_NAME = 200;
/** Words before the name that make it another event. */
const ANOTHER_EVENT =
  /(?:^|[._])(?:demo|dev|draft|dummy|example|fake|mock|no|non|not|part|partially|partial|pre|sample|sandbox|simulated|staging|test|testing|un)(?:[._]|$)/;

/** Returns the known event in any spelling (`INVOICE_PAID`, `invoiceCancelled`), also after a namespace or before a version. */
function knownEvent(name: string): string | null {
  if (EVENT_ROWS.some((row) => row.name === name)) return name; // nearly always
  if (name.length > LONGEST_NAME) return null;
  const plain = name
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s_-]+/g, '_')
    .replace(/[.:/@#]+/g, '.')
    .replaceAll('cancelled', 'canceled');
  const [, key] = /^(?:[a-z0-9_]+\.)*invoice[._]?([a-z]+)(?:[._]v?\d+)*$/.exec(plain) ?? [];
  if (ANOTHER_EVENT.test(plain)) return null;
  return EVENT_ROWS.find((row) => row.key === key)?.name ?? null;
}

// The interface does not show which member of a payload carries the merchant's order id. A wrong one fulfils another
// customer's order. Only a name that can mean nothing else is therefore taken. A weaker name ("order_id" may be the id
// of the service) counts only if the merchant has pinned it.

/** A name that says whose id it is, and of what, without case and separators: `externalorderid`, `merchantref`. */
const STRONG_NAME =
  /^(?:(?:order|invoice|merchant)?external(?:order|invoice)?(?:id|uuid|number|no|ref(?:erence)?)|(?:merchant|client)(?:(?:order|invoice)(?:id|uuid|number|no|ref(?:erence)?)?|ref(?:erence)?(?:id)?)|orderid(?:external|merchant|client))$/;
// The service's id may also have another name ("external_invoice_id"). Under this one it is the merchant's, even if a
// merchant uses the service's ids.
const EXTERNAL_ID = /external[_-]?id$/i;
/** Objects that describe the order itself. */
const HOLDERS = ['order', 'invoice'] as const;

/** The order id, or why it cannot be read: no member has it, or several do and differ. */
export type OrderId = { readonly id: string } | { readonly problem: 'missing' | 'ambiguous' };

/** Finds the merchant's order id: at the pinned place, otherwise under a name that can mean nothing else. */
export function findOrderId(inner: JsonObject, root: JsonObject, pinned: string | undefined): OrderId {
  if (pinned !== undefined) return atPath(inner, pinned) ?? atPath(root, pinned) ?? { problem: 'missing' };
  const plain = Object.hasOwn(inner, 'external_id') ? idText(inner['external_id']) : null;
  if (plain !== null) return { id: plain }; // its name in an invoice
  const payloads = inner === root ? [root] : [inner, root];
  const holders = payloads.flatMap((payload) => HOLDERS.map((name) => payload[name])).filter(isObject);
  const found = new Set<string>();
  for (const payload of [...payloads, ...holders]) {
    for (const [name, value] of Object.entries(payload)) {
      const text = STRONG_NAME.test(name.replace(/[\s._-]/g, '').toLowerCase()) ? idText(value) : null;
      if (text !== null && (EXTERNAL_ID.test(name) || normalizedId(text) !== serviceId(inner))) found.add(text);
    }
  }
  const [id, ...others] = found;
  if (id === undefined) return { problem: 'missing' };
  return others.length === 0 ? { id } : { problem: 'ambiguous' };
}

function atPath(payload: JsonObject, path: string): { readonly id: string } | null {
  const whole = Object.hasOwn(payload, path) ? idText(payload[path]) : null; // a name may contain a dot
  if (whole !== null) return { id: whole };
  let value: unknown = payload;
  for (const name of path.split('.')) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  const id = idText(value);
  return id === null ? null : { id };
}

function serviceId(inner: JsonObject): string | null {
  const uuid = inner['invoice_uuid'];
  return typeof uuid === 'string' ? normalizedId(uuid) : null;
}

/** Text, or a whole number as its digits. */
function idText(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

const ID_LIKE =
  /id|uuid|order|invoice|ref|number|no$|num|external|merchant|client|code|key|purchase|transaction|cart|checkout|basket/i;
const MAX_CANDIDATES = 10;
const MAX_SHOWN_NAME = 64;

/** The names of the members that could be the order id, as `orderIdMember` takes them. Never a value. */
export function orderIdCandidates(inner: JsonObject, root: JsonObject): readonly string[] {
  const service = serviceId(inner);
  const named = (payload: JsonObject, before: string): readonly string[] =>
    Object.entries(payload).flatMap(([name, value]) => {
      if (name.length > MAX_SHOWN_NAME || name === 'invoice_uuid') return [];
      if (isObject(value)) return before === '' && value !== inner ? named(value, `${name}.`) : [];
      const text = idText(value);
      const couldBe = text !== null && normalizedId(text) !== service && ID_LIKE.test(name);
      return couldBe ? [printable(before + name)] : [];
    });
  return [...new Set([...named(inner, ''), ...(root === inner ? [] : named(root, ''))])].slice(0, MAX_CANDIDATES);
}

const HEX = /^[0-9a-f]{32}$/;
const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns an id in lower case, and a UUID in its usual form from any spelling: without hyphens, in braces, as a URN. */
export function normalizedId(id: string): string {
  // Stryker disable next-line ConditionalExpression: saves time, and such an id stays the same below
  if (CANONICAL.test(id)) return id; // nearly always
  const digits = id.toLowerCase().replace(/^urn:uuid:|[{}-]/g, '');
  if (HEX.test(digits)) return digits.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  // In any other id only A to Z. Other letters can share one lower case, so that two ids would become one.
  return id.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * Restores an event from its JSON form, for a queue between the endpoint and the work.
 *
 * It checks no signature. It therefore takes the JSON form of an {@link InvoiceEvent} only, and refuses the body of a
 * delivery: pass that to {@link verifyWebhook}.
 *
 * @param value The parsed JSON.
 * @throws WebhookVerificationError (`SDK_WEBHOOK_MALFORMED_PAYLOAD`) for anything else.
 * @example
 * const onPaid = (event: InvoiceEvent) => queue.add(JSON.stringify(event));
 * // later, in the worker:
 * const event = parseInvoiceEvent(JSON.parse(job.data));
 */
export function parseInvoiceEvent(value: unknown): InvoiceEvent {
  if (!isObject(value)) throw malformed('it is not a JSON object');
  const source = readMember(value, 'source');
  const type = readMember(value, 'type');
  const raw = readMember(value, 'raw');
  if ((source !== 'webhook' && source !== 'catch_up') || !isObject(raw) || typeof type !== 'string') {
    throw malformed('this is not the JSON of an InvoiceEvent. Pass the body of a delivery to verifyWebhook');
  }
  const origin = {
    source,
    id: textOrNull(value, 'id'),
    signed_at: dateOrNull(value, 'signed_at'),
    secretIndex: indexOrNull(value, 'secretIndex'),
  } as const;
  // A type that this version does not know is an unknown event: a newer version may have written it.
  const event = buildEvent({ inner: value, root: value, name: type, raw }, origin);
  return type === 'unknown' && event.type === 'unknown'
    ? { ...event, event_name: textOrNull(value, 'event_name') }
    : event;
}

function textOrNull(value: JsonObject, name: string): string | null {
  const text = readMember(value, name) ?? null;
  if (text !== null && typeof text !== 'string') throw malformed(`"${name}" is not text`);
  return text;
}

function dateOrNull(value: JsonObject, name: string): Date | null {
  const text = readMember(value, name) ?? null;
  const date = text === null ? null : dateFrom(text);
  if (date instanceof Problem) throw malformed(`"${name}" ${date.message}`);
  return date;
}

function indexOrNull(value: JsonObject, name: string): number | null {
  const index = readMember(value, name) ?? null;
  if (index === null) return null;
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0)
    throw malformed(`"${name}" is not an index`);
  return index;
}
