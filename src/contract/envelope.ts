import type * as z from 'zod/mini';
import type { Page } from './types.ts';
import {
  after,
  anything,
  type Check,
  check,
  flag,
  type Issue,
  integer,
  listOf,
  resource,
  shapeOf,
} from './values/codecs.ts';

/** @see [Response envelope](../../docs/service-interface.md#response-envelope) */
const pageShape = shapeOf<Omit<Page<unknown>, 'items'>>()({
  page: integer,
  per_page: integer,
  total_items: integer,
  total_pages: integer,
  has_next: flag,
  has_prev: flag,
});

/** A page of results; all members are required. */
export function pageOf<T>(item: z.ZodMiniType<T, unknown>): z.ZodMiniType<Page<T>, unknown> {
  const items = after((raw) => (raw === null ? [] : raw), listOf(item)); // null is how some languages write an empty list
  return resource({ ...pageShape, items });
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The payload of a success: `data` of the envelope, or the body itself where a service answers without an envelope,
 * which the interface leaves open for single reads, delivery history and resend.
 */
export function payloadOf(body: unknown): unknown {
  return isObject(body) && Object.hasOwn(body, 'data') ? body['data'] : body;
}

const WRAPPED_DEEPEST = 2;

/**
 * The resource itself, where it is wrapped once more: the shape of single reads is not shown. It is the only object with
 * a uuid, whatever it stands under.
 */
export function unwrapped(payload: unknown, depth = 0): unknown {
  if (!isObject(payload) || hasUuid(payload) || depth === WRAPPED_DEEPEST) return payload;
  const found = Object.values(payload)
    .map((member) => unwrapped(member, depth + 1))
    .filter(hasUuid);
  return found.length === 1 ? found[0] : payload;
}

function hasUuid(value: unknown): boolean {
  return isObject(value) && Object.hasOwn(value, 'uuid');
}

const pageShell = check(() => pageOf(anything));

/** A page whose items are decoded one by one: `onInvalid` is told of each that cannot be, and it is left out. */
export function lenientPage<T>(
  item: Check<T>,
  onInvalid: (index: number, issues: readonly Issue[], raw: unknown, page: number) => void,
): Check<Page<T>> {
  return (payload) => {
    const shell = pageShell(payload);
    if (!shell.ok) return shell;
    const items: T[] = [];
    for (const [index, raw] of shell.value.items.entries()) {
      const checked = item(raw);
      if (checked.ok) items.push(checked.value);
      else onInvalid(index, checked.issues, raw, shell.value.page);
    }
    return { ok: true, value: { ...shell.value, items } };
  };
}
