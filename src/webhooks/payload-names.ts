import { plainId } from './uuid-form.ts';

// The interface does not show how the payload names some members, so each is looked for under its plausible names.

export type Payload = Readonly<Record<string, unknown>>;

export function isPayload(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member: `__proto__` in a body, or a polluted prototype, must not supply a status. */
export function own(payload: Payload, name: string): unknown {
  return Object.hasOwn(payload, name) ? payload[name] : undefined;
}

const ENVELOPE_MEMBERS = ['data', 'payload', 'invoice', 'object', 'body'];

/** The invoice's members: the body itself, what an envelope holds, or both where the members are split between them. */
export function innerPayload(root: Payload): Payload {
  const uuid = own(root, 'invoice_uuid') ?? null;
  if (uuid !== null && has(root, 'status')) return root;
  const inner = enveloped(root).find((payload) => has(payload, uuid === null ? 'invoice_uuid' : 'status'));
  if (inner === undefined) return root;
  if (uuid === null) return has(inner, 'status') ? inner : { ...root, ...inner };
  return { ...root, ...inner, invoice_uuid: uuid };
}

function has(payload: Payload, name: string): boolean {
  return (own(payload, name) ?? null) !== null;
}

function enveloped(root: Payload): readonly Payload[] {
  return ENVELOPE_MEMBERS.flatMap((name) => {
    const inner = own(root, name);
    return isPayload(inner) ? [inner, own(inner, 'invoice') ?? own(inner, 'object')].filter(isPayload) : [];
  });
}

// Most telling first: "order_id" alone could also be the service's own order id.
const TELLING_ORDER_ID_NAMES = [
  'external_id',
  'invoice_external_id',
  'merchant_external_id',
  'order_external_id',
  'external_order_id',
  'external_invoice_id',
  'merchant_order_id',
  'merchant_order_number',
  'merchant_order',
  'merchant_invoice_id',
  'merchant_reference',
  'external_reference',
  'external_ref',
  'client_order_id',
  'client_reference',
  'externalId',
  'merchantOrderId',
  'clientOrderId',
  'order_ref',
  'order_number',
  'orderId',
  'order_id',
] as const;
export const ORDER_ID_NAMES = [...TELLING_ORDER_ID_NAMES, 'order', 'reference'] as const;
const OWN_ID = /external_?id$/i;
const ORDER_ID_HOLDERS = ['order', 'invoice', 'merchant'] as const;

/** The merchant's order id, under its one name where that is pinned; a whole number is taken as text. */
export function orderIdIn(inner: Payload, root: Payload, pinned?: string): string | null {
  const uuid = own(inner, 'invoice_uuid');
  const service = typeof uuid === 'string' ? plainId(uuid) : null;
  const find = (payloads: readonly Payload[], names: readonly string[]): string | null => {
    for (const payload of payloads) {
      for (const name of names) {
        const value = own(payload, name);
        const text = Number.isSafeInteger(value) ? String(value) : value;
        if (typeof text !== 'string' || text === '') continue;
        // Another name may hold the service's order id once more; these may not, even where the two ids are the same.
        if (name === pinned || OWN_ID.test(name) || plainId(text) !== service) return text;
      }
    }
    return null;
  };
  const payloads = inner === root ? [root] : [inner, root];
  const found = find(payloads, pinned === undefined ? ORDER_ID_NAMES : [pinned]);
  if (found !== null) return found;
  const holders = payloads.flatMap((payload) => ORDER_ID_HOLDERS.map((name) => own(payload, name))).filter(isPayload);
  // Only telling names there: "reference" of a merchant may be its own.
  return find(holders, pinned === undefined ? TELLING_ORDER_ID_NAMES : [pinned]);
}

const EVENT_NAMES = ['event', 'event_type', 'event_name', 'type'] as const;
// Two words with a separator. One word may be anything: the kind of the event, its id, the object's name. One that says
// that money goes back is not taken for a payment all the same.
const OTHER_EVENT = /[a-z][.:/][a-z]|^invoice[_-][a-z]|refund|charge_?back|disput|revers|revok|void/i;

/**
 * The event's name as the body states it; the known two also in another spelling (`INVOICE_PAID`, `cancelled`), and
 * before any other: a further member must not hide what the event is.
 */
export function eventNameIn(root: Payload, inner: Payload): string | null {
  let other: string | null = null;
  for (const payload of inner === root ? [root] : [root, inner]) {
    for (const member of EVENT_NAMES) {
      const value = own(payload, member);
      if (typeof value !== 'string') continue;
      const known = knownEvent(value);
      if (known !== null) return known;
      // A bare "type" often names the object ("invoice"), not what happened to it.
      if (OTHER_EVENT.test(value) && (member !== 'type' || value.includes('.'))) other ??= value;
    }
  }
  return other;
}

function knownEvent(name: string): 'invoice.paid' | 'invoice.canceled' | null {
  const plain = name
    .toLowerCase()
    .replace(/[_:/-]/g, '.')
    .replace('cancelled', 'canceled');
  return plain === 'invoice.paid' || plain === 'invoice.canceled' ? plain : null;
}
