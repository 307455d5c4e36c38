import type * as z from 'zod/mini';
import { isObject } from './json.ts';
import type { Page } from './types.ts';
import {
  anything,
  type Check,
  check,
  flag,
  type Issue,
  integer,
  listOf,
  prepared,
  resource,
  shapeOf,
} from './values/codecs.ts';

/** @see [Response envelope](../../docs/service-interface.md#response-envelope) */
function pageShape() {
  return shapeOf<Omit<Page<unknown>, 'items'>>()({
    page: integer,
    per_page: integer,
    total_items: integer,
    total_pages: integer,
    has_next: flag,
    has_prev: flag,
  });
}

/** Returns the codec of a page of results. All members of a page are required. */
export function pageOf<T>(item: z.ZodMiniType<T, unknown>): z.ZodMiniType<Page<T>, unknown> {
  const items = prepared((raw) => (raw === null ? [] : raw), listOf(item)); // some languages write an empty list as null
  return resource({ ...pageShape(), items });
}

/**
 * Returns the payload of a success: `data` of the envelope, or the body itself where it has no envelope. The interface
 * does not show the envelope of single reads, delivery history and resend.
 */
export function payloadOf(body: unknown): unknown {
  return isObject(body) && Object.hasOwn(body, 'data') ? body['data'] : body;
}

const WRAPPERS_MAX = 2;

/**
 * Returns the resource inside a payload that wraps it once more, because the interface does not show the shape of single
 * reads. The resource is the only object with a uuid, under any name.
 */
export function unwrapped(payload: unknown, depth = 0): unknown {
  if (!isObject(payload) || hasUuid(payload) || depth === WRAPPERS_MAX) return payload;
  const found = Object.values(payload)
    .map((member) => unwrapped(member, depth + 1))
    .filter(hasUuid);
  return found.length === 1 ? found[0] : payload;
}

function hasUuid(value: unknown): boolean {
  return isObject(value) && Object.hasOwn(value, 'uuid');
}

const pageShell = check(() => pageOf(anything));

/** Reads a page item by item. Calls `onInvalid` with each unreadable item and leaves it out. */
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
