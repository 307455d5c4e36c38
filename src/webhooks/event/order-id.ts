import { isObject, type JsonObject } from '../../contract/json.ts';
import type { WebhookVerificationError } from '../../errors/classes.ts';
import { printable } from '../../errors/printable.ts';
import { malformed } from './payload.ts';

// The interface does not show which member of a payload is the merchant's order id, and a wrong one would fulfil
// another customer's order. Therefore only a name that can mean nothing else is used. A weaker name, such as
// "order_id", which may be the id of the service, counts only if the merchant has pinned it.

/** A name that says whose id it is, and of what, without case and separators: `externalorderid`, `merchantref`. */
const STRONG_NAME =
  /^(?:(?:order|invoice|merchant)?external(?:order|invoice)?(?:id|uuid|number|no|ref(?:erence)?)|(?:merchant|client)(?:(?:order|invoice)(?:id|uuid|number|no|ref(?:erence)?)?|ref(?:erence)?(?:id)?)|orderid(?:external|merchant|client))$/;
/**
 * The name under which the value is the merchant's id even if it equals the service's id. Under any other strong name,
 * such as `external_invoice_id`, an equal value may be the service's.
 */
const EXTERNAL_ID = /external[_-]?id$/i;
/** Objects that describe the order itself. */
const HOLDERS = ['order', 'invoice'] as const;

/** The order id, or why it cannot be read: no member has it, or several do and differ. */
type OrderId = { readonly id: string } | { readonly problem: 'missing' | 'ambiguous' };

/** Finds the merchant's order id: at the pinned place, otherwise under a name that can mean nothing else. */
export function findOrderId(inner: JsonObject, root: JsonObject, pinned: string | undefined): OrderId {
  if (pinned !== undefined) {
    const id = idText(valueAt(inner, pinned)) ?? idText(valueAt(root, pinned));
    return id === null ? { problem: 'missing' } : { id };
  }
  const plain = Object.hasOwn(inner, 'external_id') ? idText(inner['external_id']) : null;
  if (plain !== null) return { id: plain }; // the name that it has in an invoice
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

/** The value at a path with dots. A member whose name is the whole path comes first. */
export function valueAt(payload: JsonObject, path: string): unknown {
  if (Object.hasOwn(payload, path)) return payload[path];
  let value: unknown = payload;
  for (const name of path.split('.')) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function serviceId(inner: JsonObject): string | null {
  const uuid = inner['invoice_uuid'];
  return typeof uuid === 'string' ? normalizedId(uuid) : null;
}

/** An id as text, also a whole number. Null for anything else. */
function idText(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

const ID_LIKE =
  /id|uuid|order|invoice|ref|number|no$|num|external|merchant|client|code|key|purchase|transaction|cart|checkout|basket/i;
const MAX_CANDIDATES = 10;
const MAX_SHOWN_NAME = 64;

/** The names of the members that could be the order id, in the form of `orderIdMember`. Never a value. */
function orderIdCandidates(inner: JsonObject, root: JsonObject): readonly string[] {
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

/** The error for an order id that is missing or ambiguous. It lists the members that could be the order id. */
export function withoutOrderId(
  problem: 'missing' | 'ambiguous',
  inner: JsonObject,
  root: JsonObject,
  pinned: string | undefined,
): WebhookVerificationError {
  const names = orderIdCandidates(inner, root);
  const could = names.length === 0 ? 'No member looks like it' : `Members that could be it: ${names.join(', ')}`;
  if (problem === 'ambiguous') {
    return malformed(
      `several members could be the merchant's order id, and they differ. ${could}. Give the right one as orderIdMember`,
    );
  }
  return malformed(
    pinned === undefined
      ? `the merchant's order id is missing, or under a name that could mean another id. ${could}. Compare them with your orders, and give the right one as orderIdMember`
      : `the merchant's order id is missing: orderIdMember is ${printable(pinned)}. ${could}`,
  );
}

const HEX = /^[0-9a-f]{32}$/;
const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * A UUID in its usual form from any spelling: in capitals, without hyphens, in braces, as a URN. Any other id
 * stays as it is.
 */
export function normalizedId(id: string): string {
  // Stryker disable next-line ConditionalExpression: saves time, and such an id stays the same below
  if (CANONICAL.test(id)) return id; // nearly always
  const digits = id.toLowerCase().replace(/^urn:uuid:|[{}-]/g, '');
  return HEX.test(digits) ? digits.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : id;
}
