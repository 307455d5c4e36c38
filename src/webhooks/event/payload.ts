import { isObject, type JsonObject } from '../../contract/json.ts';

// Access to a parsed body. The interface does not show how some members are named, or whether an
// envelope holds them, so each is looked for in its plausible places.

/** Returns a member of the object itself: `__proto__` in a body, or a polluted prototype, must not supply a status. */
export function readMember(payload: JsonObject, name: string): unknown {
  return Object.hasOwn(payload, name) ? payload[name] : undefined;
}

const ENVELOPE_MEMBERS = ['data', 'payload', 'invoice', 'object', 'body'];

/** The invoice's members: the body itself, the content of an envelope, or both if the members are split between them. */
export function innerPayload(root: JsonObject): JsonObject {
  const inner = innerLayer(root)?.payload;
  if (inner === undefined) return root;
  const uuid = readMember(root, 'invoice_uuid') ?? null;
  if (uuid === null) return has(inner, 'status') ? inner : { ...root, ...inner };
  return { ...root, ...inner, invoice_uuid: uuid };
}

/** The outer envelope, if the invoice's members are two envelopes deep. */
export function middlePayload(root: JsonObject): JsonObject | null {
  return innerLayer(root)?.around ?? null;
}

interface Layer {
  readonly payload: JsonObject;
  readonly around: JsonObject | null;
}

function innerLayer(root: JsonObject): Layer | undefined {
  const uuid = readMember(root, 'invoice_uuid') ?? null;
  if (uuid !== null && has(root, 'status')) return undefined;
  return enveloped(root).find(({ payload }) => has(payload, uuid === null ? 'invoice_uuid' : 'status'));
}

function has(payload: JsonObject, name: string): boolean {
  return (readMember(payload, name) ?? null) !== null;
}

function enveloped(root: JsonObject): readonly Layer[] {
  return ENVELOPE_MEMBERS.flatMap((name): Layer[] => {
    const first = readMember(root, name);
    if (!isObject(first)) return [];
    const second = readMember(first, 'invoice') ?? readMember(first, 'object');
    const outer = { payload: first, around: null };
    return isObject(second) ? [outer, { payload: second, around: first }] : [outer];
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
