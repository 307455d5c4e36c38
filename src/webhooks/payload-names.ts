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
