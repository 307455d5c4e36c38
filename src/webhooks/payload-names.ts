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

/** The object that holds the invoice's members: the body itself, or what an envelope holds. */
export function innerPayload(root: Payload): Payload {
  if (own(root, 'invoice_uuid') !== undefined) return root;
  for (const name of ENVELOPE_MEMBERS) {
    const inner = own(root, name);
    if (!isPayload(inner)) continue;
    if (own(inner, 'invoice_uuid') !== undefined) return inner;
    const deeper = own(inner, 'invoice') ?? own(inner, 'object');
    if (isPayload(deeper) && own(deeper, 'invoice_uuid') !== undefined) return deeper;
  }
  return root;
}

// Most telling first: "order_id" alone could also be the service's own order id.
export const ORDER_ID_NAMES = [
  'external_id',
  'invoice_external_id',
  'merchant_external_id',
  'order_external_id',
  'external_order_id',
  'merchant_order_id',
  'merchant_invoice_id',
  'merchant_reference',
  'external_reference',
  'client_order_id',
  'externalId',
  'merchantOrderId',
  'orderId',
  'order_id',
  'order',
  'reference',
] as const;

/** The merchant's order id; a whole number is taken as text. */
export function orderIdIn(inner: Payload, root: Payload): string | null {
  const uuid = own(inner, 'invoice_uuid');
  for (const payload of inner === root ? [root] : [inner, root]) {
    for (const name of ORDER_ID_NAMES) {
      const value = own(payload, name);
      if (value === uuid) continue; // the service's order id under a second name
      if (typeof value === 'string' && value !== '') return value;
      if (Number.isSafeInteger(value)) return String(value);
    }
  }
  return null;
}

const EVENT_NAMES = ['event', 'event_type', 'event_name', 'type'] as const;

/** The event's name as the body states it; the known two also in another spelling (`INVOICE_PAID`, `cancelled`). */
export function eventNameIn(root: Payload, inner: Payload): string | null {
  for (const payload of inner === root ? [root] : [root, inner]) {
    for (const member of EVENT_NAMES) {
      const value = own(payload, member);
      if (typeof value !== 'string' || value === '') continue;
      const name = normalised(value);
      // A bare "type" often names the object ("invoice"), not what happened to it.
      if (member !== 'type' || name.includes('.')) return name;
    }
  }
  return null;
}

function normalised(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[_:/-]/g, '.')
    .replace('cancelled', 'canceled');
  return plain === 'invoice.paid' || plain === 'invoice.canceled' ? plain : name;
}
