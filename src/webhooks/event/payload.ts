// Access to a parsed body. It imports nothing. The interface does not show how some members are named, or whether an
// envelope holds them, so each is looked for in its plausible places.

export type Payload = Readonly<Record<string, unknown>>;

export function isPayload(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a member of the object itself: `__proto__` in a body, or a polluted prototype, must not supply a status. */
export function readMember(payload: Payload, name: string): unknown {
  return Object.hasOwn(payload, name) ? payload[name] : undefined;
}

const ENVELOPE_MEMBERS = ['data', 'payload', 'invoice', 'object', 'body'];

/** The invoice's members: the body itself, the content of an envelope, or both if the members are split between them. */
export function innerPayload(root: Payload): Payload {
  const inner = innerLayer(root)?.payload;
  if (inner === undefined) return root;
  const uuid = readMember(root, 'invoice_uuid') ?? null;
  if (uuid === null) return has(inner, 'status') ? inner : { ...root, ...inner };
  return { ...root, ...inner, invoice_uuid: uuid };
}

/** The outer envelope, if the invoice's members are two envelopes deep. */
export function middlePayload(root: Payload): Payload | null {
  return innerLayer(root)?.around ?? null;
}

interface Layer {
  readonly payload: Payload;
  readonly around: Payload | null;
}

function innerLayer(root: Payload): Layer | undefined {
  const uuid = readMember(root, 'invoice_uuid') ?? null;
  if (uuid !== null && has(root, 'status')) return undefined;
  return enveloped(root).find(({ payload }) => has(payload, uuid === null ? 'invoice_uuid' : 'status'));
}

function has(payload: Payload, name: string): boolean {
  return (readMember(payload, name) ?? null) !== null;
}

function enveloped(root: Payload): readonly Layer[] {
  return ENVELOPE_MEMBERS.flatMap((name): Layer[] => {
    const first = readMember(root, name);
    if (!isPayload(first)) return [];
    const second = readMember(first, 'invoice') ?? readMember(first, 'object');
    const outer = { payload: first, around: null };
    return isPayload(second) ? [outer, { payload: second, around: first }] : [outer];
  });
}

const DEEPEST = 8;

/** Whether a member of this name has a fitting value at any depth. */
export function hasMemberAnywhere(value: unknown, name: string, fits: (value: unknown) => boolean, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return false;
  return Object.entries(value).some(
    ([member, inner]) => (member === name && fits(inner)) || hasMemberAnywhere(inner, name, fits, depth + 1),
  );
}
