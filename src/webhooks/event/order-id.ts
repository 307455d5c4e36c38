import { isObject, type JsonObject } from '../../contract/json.ts';
import { printable } from '../../printable.ts';
import { readMember } from './payload.ts';

// The interface does not show which member of a payload carries the merchant's order id. A wrong one fulfils another
// customer's order. Only a name that can mean nothing else is therefore taken. A weaker name ("order_id" may be the id
// of the service) counts only if the merchant has pinned it.

const KIND = new Set(['order', 'invoice', 'reference', 'ref', 'id', 'uuid', 'number', 'no', 'num']);
const OWNER = new Set(['external', 'merchant', 'client']);
const NUMBER = new Set(['id', 'uuid', 'number', 'no', 'num']);
const REFERENCE = new Set(['reference', 'ref']);

/**
 * True for a name that says whose id it is, and of what. That is `external` with any kind, or `merchant` or `client` with
 * order, invoice or reference. `merchant_id`, `client_id` and `order_client_id` name a party, not an order.
 */
function isUnambiguous(name: string): boolean {
  if (name.length > LONGEST_NAME || !OWNER_WORD.test(name)) return false; // the words of most members need no look
  const words = wordsOf(name);
  if (!words.every((word) => KIND.has(word) || OWNER.has(word)) || !words.some((word) => KIND.has(word))) return false;
  if (isPartyName(words)) return false;
  const hasAny = (...some: readonly string[]): boolean => some.some((word) => words.includes(word));
  if (hasAny('merchant', 'client') && hasAny('order', 'invoice', 'reference', 'ref')) return true;
  // "external_merchant_id" is the id of the merchant.
  return hasAny('external') && !hasAny('client') && words.indexOf('merchant') < words.indexOf('external');
}

/** "order_client_id" and "order_client" name the client of the order. "order_id_client" is the client's order id. */
function isPartyName(words: readonly string[]): boolean {
  const party = words.findIndex((word) => word === 'merchant' || word === 'client');
  if (party < 0) return false;
  const [before = '', after] = [words[party - 1], words[party + 1]];
  return after === undefined ? !NUMBER.has(before) && !REFERENCE.has(before) : NUMBER.has(after);
}

const LONGEST_NAME = 100;
const OWNER_WORD = new RegExp([...OWNER].join('|'), 'i');

/** The words of a member's name, in any style. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[\s._-]/)
    .filter((word) => word !== '');
}

// The service's id may also have another name ("external_invoice_id"). Under this name it is the merchant's,
// even if a merchant uses the service's ids.
const EXTERNAL_ID = /external[_-]?id$/i;
/** Objects that describe the order itself. */
const HOLDERS = ['order', 'invoice'] as const;

/** The order id, or why it cannot be read: no member has it, or several do and differ. */
export type OrderId = { readonly id: string } | { readonly problem: 'missing' | 'ambiguous' };

/** Finds the merchant's order id: at the pinned place, otherwise under a name that can mean nothing else. */
export function findOrderId(inner: JsonObject, root: JsonObject, pinned: string | undefined): OrderId {
  if (pinned !== undefined) return atPath(inner, pinned) ?? atPath(root, pinned) ?? MISSING;
  const plain = idText(readMember(inner, 'external_id'));
  if (plain !== null) return { id: plain }; // its name in an invoice
  const payloads = inner === root ? [root] : [inner, root];
  const holders = payloads.flatMap((payload) => HOLDERS.map((name) => readMember(payload, name))).filter(isObject);
  const found = new Set<string>();
  for (const payload of [...payloads, ...holders]) {
    for (const name of Object.keys(payload)) {
      const text = isUnambiguous(name) ? idText(payload[name]) : null;
      if (text !== null && (EXTERNAL_ID.test(name) || normalizedId(text) !== serviceId(inner))) found.add(text);
    }
  }
  const [id, ...others] = found;
  if (id === undefined) return MISSING;
  return others.length === 0 ? { id } : AMBIGUOUS;
}

const MISSING = { problem: 'missing' } as const;
const AMBIGUOUS = { problem: 'ambiguous' } as const;

function atPath(payload: JsonObject, path: string): { readonly id: string } | null {
  const whole = idText(readMember(payload, path)); // a name may contain a dot
  if (whole !== null) return { id: whole };
  let value: unknown = payload;
  for (const name of path.split('.')) value = isObject(value) ? readMember(value, name) : undefined;
  const id = idText(value);
  return id === null ? null : { id };
}

function serviceId(inner: JsonObject): string | null {
  const uuid = readMember(inner, 'invoice_uuid');
  return typeof uuid === 'string' ? normalizedId(uuid) : null;
}

/** Text, or a whole number as its digits. */
function idText(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

const ID_LIKE = new Set([...KIND, ...OWNER, 'code', 'key', 'purchase', 'transaction', 'cart', 'checkout', 'basket']);
const MAX_CANDIDATES = 10;
const MAX_SHOWN_NAME = 64;

/** The names of the members that could be the order id, as `orderIdMember` takes them. Never a value. */
export function orderIdCandidates(inner: JsonObject, root: JsonObject): readonly string[] {
  const service = serviceId(inner);
  const found = new Set<string>();
  const look = (payload: JsonObject, before: string, deeper: boolean): void => {
    for (const name of Object.keys(payload)) {
      if (found.size >= MAX_CANDIDATES) return;
      if (name.length > MAX_SHOWN_NAME || name === 'invoice_uuid') continue;
      const value = payload[name];
      if (isObject(value)) {
        if (deeper && value !== inner) look(value, `${before}${name}.`, false);
        continue;
      }
      const text = idText(value);
      if (text === null || normalizedId(text) === service) continue;
      if (wordsOf(name).some((word) => ID_LIKE.has(word))) found.add(printable(before + name));
    }
  };
  look(inner, '', true);
  if (root !== inner) look(root, '', true);
  return [...found];
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
