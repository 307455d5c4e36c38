import { eventOfStatus, statusesOf } from '../../contract/statuses.ts';
import type { Decimal } from '../../contract/values/decimal.ts';
import { decimalFrom, Problem } from '../../contract/values/scalars.ts';
import { WebhookVerificationError } from '../../errors/classes.ts';
import { printable } from '../../printable.ts';
import { type NamedEvent, namedEvent, type PinnedNames } from './event-name.ts';
import type { InvoiceEvent, InvoicePaidEvent } from './events.ts';
import { orderIdCandidates, orderIdIn } from './order-id.ts';
import { innerPayload, isPayload, own, type Payload } from './payload-names.ts';

/** What an event knows that its payload does not say. */
export interface EventOrigin {
  readonly source: 'webhook' | 'catch_up';
  readonly id: string | null;
  readonly signed_at: Date | null;
  readonly secretIndex: number | null;
  /** X-Webhook-Event, if it was sent. Unsigned, so it only names an event that is unknown anyway. */
  readonly headerName: string | null;
}

/** Names that the merchant has pinned. */
export interface Pinned {
  readonly orderIdMember: string | undefined;
  readonly eventNames: PinnedNames;
}

/**
 * The event in a genuine delivery's parsed body. Plain code, as the entry must not load a schema library.
 *
 * @throws WebhookVerificationError `malformed_payload`
 * @see [Payload members](../../../docs/service-interface.md#payload-members)
 */
export function decodeEvent(body: unknown, origin: EventOrigin, pinned: Pinned): InvoiceEvent {
  if (!isPayload(body)) throw malformed('it is not a JSON object');
  const inner = innerPayload(body);
  const status = own(inner, 'status');
  if (typeof status !== 'string' || status === '') throw malformed('"status" is not text, or missing');
  const named = namedEvent(body, inner, pinned.eventNames);
  return eventFrom({ inner, root: body, status, named, raw: body, orderIdMember: pinned.orderIdMember }, origin);
}

/** The parts of a payload, found under whatever names it has. */
export interface EventParts {
  readonly inner: Payload;
  readonly root: Payload;
  readonly status: string;
  /** What the signed body calls the event. */
  readonly named: NamedEvent;
  readonly raw: Payload;
  /** The only place where the merchant's order id is looked for. Default: names that can mean nothing else. */
  readonly orderIdMember?: string | undefined;
}

/** Builds the event that fits name and status. */
export function eventFrom(parts: EventParts, origin: EventOrigin): InvoiceEvent {
  const type = typeOf(parts.named, parts.status);
  if (type === 'unknown') return unknownEvent(parts, origin);
  const { inner, raw } = parts;
  const { source, id, signed_at, secretIndex } = origin;
  const invoice_uuid = invoiceUuid(inner);
  const external_id = orderId(parts);
  const amount = required(inner, 'amount');
  if (type === 'invoice.canceled') {
    if (optional(inner, 'credited_usdt')?.isZero() === false) {
      throw malformed('its status says that nothing was paid, but "credited_usdt" says that something was');
    }
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
  const { adjusted, original_amount } = adjustedFrom(inner, amount);
  const paid = {
    type,
    source,
    id,
    invoice_uuid,
    external_id,
    status: 'success',
    amount,
    credited_usdt,
    adjusted,
    original_amount,
    signed_at,
    secretIndex,
    raw,
  } as const;
  return paid as InvoicePaidEvent; // adjustedFrom gives no original_amount without adjusted
}

function unknownEvent(parts: EventParts, origin: EventOrigin): InvoiceEvent {
  const { inner, root, status, named, raw, orderIdMember } = parts;
  const found = orderIdIn(inner, root, orderIdMember);
  const original_amount = readable(inner, 'original_amount');
  const stated = own(inner, 'adjusted') ?? null;
  return {
    type: 'unknown',
    event_name: nameOf(named) ?? origin.headerName,
    source: origin.source,
    id: origin.id,
    invoice_uuid: invoiceUuid(inner),
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

type EventType = InvoiceEvent['type'];

function typeOf(named: NamedEvent, status: string): EventType {
  const byStatus = typeByStatus(status);
  if (named === null) return byStatus;
  if ('unknown' in named) return 'unknown';
  for (const name of named.events) {
    if (name === byStatus) continue;
    const fitting = statusesOf(name).join(' or ');
    throw malformed(`the body names the event ${name}, whose status is ${fitting}, but its status is another`);
  }
  return byStatus;
}

function nameOf(named: NamedEvent): string | null {
  if (named === null) return null;
  return 'unknown' in named ? named.unknown : (named.events[0] ?? null);
}

function typeByStatus(status: string): EventType {
  return eventOfStatus(status) ?? 'unknown';
}

/**
 * Whether the paid amount was corrected, and the originally ordered one where the payload has it. The two must tell one
 * story: a wrong one ships goods that were not paid.
 */
function adjustedFrom(inner: Payload, amount: Decimal): { adjusted: boolean; original_amount: Decimal | null } {
  const stated = own(inner, 'adjusted') ?? null;
  if (stated !== null && typeof stated !== 'boolean') throw malformed('"adjusted" is not a boolean');
  const original = optional(inner, 'original_amount');
  if (stated === false && original !== null && !original.eq(amount)) {
    throw malformed('"adjusted" is false, but "original_amount" differs from "amount"');
  }
  const adjusted = stated ?? original !== null;
  return { adjusted, original_amount: adjusted ? original : null };
}

/** The order id, or a refusal that lists what could be it. */
function orderId({ inner, root, orderIdMember }: EventParts): string {
  const found = orderIdIn(inner, root, orderIdMember);
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
  if (decimal.isNegative()) throw malformed(`"${name}" is negative`);
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
