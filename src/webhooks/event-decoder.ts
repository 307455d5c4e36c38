import type { Decimal } from '../contract/decimal.ts';
import { decimalFrom, Problem } from '../contract/scalars.ts';
import { WebhookVerificationError } from '../errors.ts';
import type { InvoiceEvent, InvoicePaidEvent } from './events.ts';
import { eventNameIn, innerPayload, isPayload, ORDER_ID_NAMES, orderIdIn, own, type Payload } from './payload-names.ts';

/** What an event knows that its payload does not say. */
export interface EventOrigin {
  readonly source: 'webhook' | 'catch_up';
  readonly id: string | null;
  readonly signed_at: Date | null;
  readonly secretIndex: number | null;
  /** X-Webhook-Event, if it was sent. Unsigned, so it only names an event that is unknown anyway. */
  readonly headerName: string | null;
}

/**
 * The event in a genuine delivery's parsed body. Plain code, as the entry must not load a schema library.
 *
 * @throws WebhookVerificationError `malformed_payload`
 * @see service interface, "Payload members"
 */
export function decodeEvent(body: unknown, origin: EventOrigin, orderIdMember?: string): InvoiceEvent {
  if (!isPayload(body)) throw malformed('it is not a JSON object');
  const inner = innerPayload(body);
  const status = own(inner, 'status');
  if (typeof status !== 'string' || status === '') throw malformed('"status" is not text, or missing');
  const bodyName = eventNameIn(body, inner);
  return eventFrom({ inner, root: body, status, bodyName, raw: body, orderIdMember }, origin);
}

/** The parts of a payload, found under whatever names it has. */
export interface EventParts {
  readonly inner: Payload;
  readonly root: Payload;
  readonly status: string;
  /** The event's name as the signed body states it. */
  readonly bodyName: string | null;
  readonly raw: Payload;
  /** The only name under which the merchant's order id is looked for. Default: its plausible ones. */
  readonly orderIdMember?: string | undefined;
}

/** Builds the event that fits name and status. */
export function eventFrom(parts: EventParts, origin: EventOrigin): InvoiceEvent {
  const type = typeOf(parts.bodyName, parts.status);
  if (type === 'unknown') return unknownEvent(parts, origin);
  const { inner, raw } = parts;
  const { source, id, signed_at, secretIndex } = origin;
  const invoice_uuid = invoiceUuid(inner);
  const external_id = orderIdIn(inner, parts.root, parts.orderIdMember);
  if (external_id === null) {
    const names =
      parts.orderIdMember ?? `${ORDER_ID_NAMES.join(', ')}; give its name as orderIdMember if it has another`;
    throw malformed(`the merchant's order id is missing; looked for ${names}`);
  }
  const amount = required(inner, 'amount');
  if (type === 'invoice.canceled') {
    return {
      type,
      source,
      id,
      invoice_uuid,
      external_id,
      status: parts.status as 'expired' | 'canceled' | 'fail', // typeOf has shown that it is one of the three
      amount,
      credited_usdt: null,
      adjusted: false,
      original_amount: null,
      signed_at,
      secretIndex,
      raw,
    };
  }
  const credited_usdt = required(inner, 'credited_usdt');
  const original_amount = adjustedFrom(inner, amount);
  const paid = {
    type,
    source,
    id,
    invoice_uuid,
    external_id,
    status: 'success',
    amount,
    credited_usdt,
    adjusted: original_amount !== null,
    original_amount,
    signed_at,
    secretIndex,
    raw,
  } as const;
  return paid as InvoicePaidEvent; // `adjusted` and `original_amount` agree: the line that sets one looks at the other
}

function unknownEvent(parts: EventParts, origin: EventOrigin): InvoiceEvent {
  const { inner, root, status, bodyName, raw, orderIdMember } = parts;
  const original_amount = readable(inner, 'original_amount');
  const stated = own(inner, 'adjusted') ?? null;
  return {
    type: 'unknown',
    event_name: bodyName ?? origin.headerName,
    source: origin.source,
    id: origin.id,
    invoice_uuid: invoiceUuid(inner),
    external_id: orderIdIn(inner, root, orderIdMember),
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

type EventType = InvoiceEvent['type'];

function typeOf(name: string | null, status: string): EventType {
  const byStatus = typeByStatus(status);
  if (name === null) return byStatus;
  if (name !== 'invoice.paid' && name !== 'invoice.canceled') return 'unknown';
  if (name === byStatus) return name;
  const fitting = name === 'invoice.paid' ? 'success' : 'expired, canceled or fail';
  throw malformed(`the body names the event ${name}, whose status is ${fitting}, but its status is another`);
}

function typeByStatus(status: string): EventType {
  if (status === 'success') return 'invoice.paid';
  return status === 'expired' || status === 'canceled' || status === 'fail' ? 'invoice.canceled' : 'unknown';
}

/**
 * The originally ordered amount of an adjusted payment, null for an exact one. `adjusted` and `original_amount` must
 * tell one story: a wrong one ships goods that were not paid.
 */
function adjustedFrom(inner: Payload, amount: Decimal): Decimal | null {
  const stated = own(inner, 'adjusted') ?? null;
  if (stated !== null && typeof stated !== 'boolean') throw malformed('"adjusted" is not a boolean');
  const original = optional(inner, 'original_amount');
  if (stated === true && original === null) throw malformed('"adjusted" is true, but "original_amount" is missing');
  if (stated === false && original !== null && !original.eq(amount)) {
    throw malformed('"adjusted" is false, but "original_amount" differs from "amount"');
  }
  return stated === false ? null : original;
}

const MAX_UUID_LENGTH = 128;

function invoiceUuid(inner: Payload): string {
  const uuid = own(inner, 'invoice_uuid');
  if (typeof uuid !== 'string' || uuid === '' || uuid.length > MAX_UUID_LENGTH) {
    throw malformed('"invoice_uuid" is not text, missing, or too long');
  }
  return uuid;
}

function optional(inner: Payload, name: string): Decimal | null {
  const value = own(inner, name) ?? null;
  if (value === null) return null;
  const decimal = decimalFrom(value);
  if (decimal instanceof Problem) throw malformed(`"${name}" ${decimal.message}`);
  return decimal;
}

function required(inner: Payload, name: string): Decimal {
  const decimal = optional(inner, name);
  if (decimal === null) throw malformed(`"${name}" is missing`);
  return decimal;
}

// An unknown event may give a member another meaning, so what cannot be read is null and `raw` has it.
function readable(inner: Payload, name: string): Decimal | null {
  const decimal = decimalFrom(own(inner, name));
  return decimal instanceof Problem ? null : decimal;
}

/** The refusal of a payload. Names members and rules, never a value: the body is a customer's. */
export function malformed(why: string): WebhookVerificationError {
  return new WebhookVerificationError('malformed_payload', `The payload is not as the interface says: ${why}.`);
}
