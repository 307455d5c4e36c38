// The room `event` turns the payload of a delivery into a typed event. It imports from contract only files without zod.
import { isObject, type JsonObject } from '../../contract/json.ts';
import { EVENTS, eventOfStatus, type KnownEventType } from '../../contract/statuses.ts';
import type { Decimal } from '../../contract/values/decimal.ts';
import { decimalFrom, Problem } from '../../contract/values/scalars.ts';
import { WebhookVerificationError } from '../../errors/classes.ts';
import { printable } from '../../printable.ts';
import { type EventName, readEventName } from './event-name.ts';
import type { InvoiceEvent } from './events.ts';
import { findOrderId, orderIdCandidates } from './order-id.ts';
import { innerPayload, readMember } from './payload.ts';
import type { PinnedNames } from './pinned-names.ts';

/** The facts about an event that its payload does not state. */
export interface EventOrigin {
  readonly source: InvoiceEvent['source'];
  readonly id: string | null;
  readonly signed_at: Date | null;
  readonly secretIndex: number | null;
  /** X-Webhook-Event, if it was sent. It is not signed, so it only names an event that is unknown in any case. */
  readonly headerName: string | null;
}

/** The options that pin names of the payload. */
export interface PinnedOptions {
  readonly orderIdMember: string | undefined;
  readonly eventNames: PinnedNames;
}

/**
 * Decodes the parsed body of a genuine delivery. Plain code, because the entry must not load a schema library.
 *
 * @throws WebhookVerificationError `malformed_payload`
 * @see [Payload members](../../../docs/service-interface.md#payload-members)
 */
export function decodeEvent(body: unknown, origin: EventOrigin, pinned: PinnedOptions): InvoiceEvent {
  if (!isObject(body)) throw malformed('it is not a JSON object');
  const inner = innerPayload(body);
  const name = readEventName(body, inner, pinned.eventNames);
  const { orderIdMember } = pinned;
  return buildEvent({ inner, root: body, status: readStatus(inner), name, raw: body, orderIdMember }, origin);
}

/** The status of an event, or of an invoice. */
export function readStatus(payload: JsonObject): string {
  const status = readMember(payload, 'status');
  if (typeof status !== 'string' || status === '') throw malformed('"status" is not text, or missing');
  return status;
}

/** The parts of a payload, found under whatever names it uses. */
export interface EventParts {
  /** The members of the invoice. */
  readonly inner: JsonObject;
  /** The whole body, which may be an envelope around `inner`. */
  readonly root: JsonObject;
  readonly status: string;
  /** The event's name in the signed body. */
  readonly name: EventName;
  readonly raw: JsonObject;
  /** The only place to look for the merchant's order id. Default: the names that can mean nothing else. */
  readonly orderIdMember?: string | undefined;
}

type Amounts = 'amount' | 'credited_usdt' | 'adjusted' | 'original_amount';
/** The members of an event that differ from type to type. */
type DecodedAmounts<Type extends KnownEventType> = Pick<Extract<InvoiceEvent, { type: Type }>, Amounts>;

/** The decoder of each event. */
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

/** Builds the event that fits name and status. */
export function buildEvent(parts: EventParts, origin: EventOrigin): InvoiceEvent {
  const type = eventType(parts.name, parts.status);
  if (type === 'unknown') return unknownEvent(parts, origin);
  const { inner, status, raw } = parts;
  const { source, id, signed_at, secretIndex } = origin;
  const invoice_uuid = readInvoiceUuid(inner);
  const external_id = readOrderId(parts);
  const amounts = DECODERS[type](inner);
  const event = { type, source, id, invoice_uuid, external_id, status, ...amounts, signed_at, secretIndex, raw };
  return event as InvoiceEvent; // the row of the type has shown that status and amounts belong to it
}

function unknownEvent(parts: EventParts, origin: EventOrigin): InvoiceEvent {
  const { inner, root, status, name, raw, orderIdMember } = parts;
  const found = findOrderId(inner, root, orderIdMember);
  const original_amount = readable(inner, 'original_amount');
  const stated = readMember(inner, 'adjusted') ?? null;
  return {
    type: 'unknown',
    event_name: (name !== null && 'unknown' in name ? name.unknown : name?.events[0]) ?? origin.headerName,
    source: origin.source,
    id: origin.id,
    invoice_uuid: readInvoiceUuid(inner),
    external_id: 'id' in found ? found.id : null,
    status,
    amount: readable(inner, 'amount'),
    credited_usdt: readable(inner, 'credited_usdt'),
    adjusted: stated === null ? original_amount !== null : stated === true,
    original_amount,
    signed_at: origin.signed_at,
    secretIndex: origin.secretIndex,
    raw,
  };
}

function eventType(name: EventName, status: string): InvoiceEvent['type'] {
  if (name !== null && 'unknown' in name) return 'unknown';
  const type = eventOfStatus(status) ?? 'unknown';
  const other = name?.events.find((event) => event !== type);
  if (other === undefined) return type;
  const statuses = EVENTS[other].statuses.join(' or ');
  throw malformed(`the body names the event ${other}, whose status is ${statuses}, but its status is another`);
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

/** The order id, or an error that lists the members that could be it. */
function readOrderId({ inner, root, orderIdMember }: EventParts): string {
  const found = findOrderId(inner, root, orderIdMember);
  if ('id' in found) return found.id;
  const names = orderIdCandidates(inner, root);
  const could = names.length === 0 ? 'No member looks like it' : `Members that could be it: ${names.join(', ')}`;
  if (found.problem === 'ambiguous') {
    throw malformed(
      `several members could be the merchant's order id, and they differ. ${could}. Give the right one as orderIdMember`,
    );
  }
  throw malformed(
    orderIdMember === undefined
      ? `the merchant's order id is missing, or under a name that could mean another id. ${could}. Compare them with your orders, and give the right one as orderIdMember`
      : `the merchant's order id is missing: orderIdMember is ${printable(orderIdMember)}. ${could}`,
  );
}

const MAX_UUID_LENGTH = 128;

function readInvoiceUuid(inner: JsonObject): string {
  const uuid = readMember(inner, 'invoice_uuid');
  if (typeof uuid !== 'string' || uuid === '' || uuid.length > MAX_UUID_LENGTH) {
    throw malformed('"invoice_uuid" is not text, missing, or too long');
  }
  return uuid;
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
function readable(inner: JsonObject, name: string): Decimal | null {
  const decimal = decimalFrom(readMember(inner, name));
  return decimal instanceof Problem ? null : decimal;
}

/** The error for a payload. It names members and rules, never a value: the body holds a customer's data. */
export function malformed(why: string): WebhookVerificationError {
  return new WebhookVerificationError('malformed_payload', `The payload is not as the interface says: ${why}.`);
}
