import { isObject } from './json.ts';
import type { Currency, Page } from './types.ts';
import type { Check, Checked, Issue, Structure } from './values/check.ts';
import {
  anything,
  type Codec,
  check,
  displayText,
  flag,
  ISSUES_MAX,
  integer,
  listOf,
  pathTo,
  prepared,
  resource,
  shapeOf,
  text,
} from './values/codecs.ts';

// The shapes that several endpoints share, and the forms in which a payload is accepted:
//
// | form                          | example                                | for                                       |
// |-------------------------------|----------------------------------------|-------------------------------------------|
// | envelope                      | {"success": true, "data": X}           | every endpoint                            |
// | no envelope                   | X                                      | every endpoint; drift if the interface    |
// |                               |                                        | shows the envelope                        |
// | resource under its name       | {"success": true, "data": {"invoice": X}} | single reads, whose shape is not shown |
// | null for an empty list        | {"items": null}                        | pages, because Go writes an empty slice   |
// |                               |                                        | as null                                   |
// | [] for an absent object       | {"adjustment": []}                     | nullable objects, because PHP writes an   |
// |                               |                                        | empty object as []                        |

/** The currency of an invoice or a payment method. */
export function currency(): Codec<Currency> {
  return resource(shapeOf<Currency>()({ id: integer, code: text, name: displayText, symbol: displayText }));
}

/**
 * Returns the codec of a page of results. All members of a page are required.
 * @see [Response envelope](../../docs/service-interface.md#response-envelope)
 */
export function pageOf<T>(item: Codec<T>): Codec<Page<T>> {
  const shape = shapeOf<Omit<Page<unknown>, 'items'>>()({
    page: integer,
    per_page: integer,
    total_items: integer,
    total_pages: integer,
    has_next: flag,
    has_prev: flag,
  });
  return resource({ ...shape, items: prepared((raw) => (raw === null ? [] : raw), listOf(item)) });
}

/** Returns the payload of a success: `data` of the envelope, or the body itself where it has no envelope. */
export function payloadOf(body: unknown): unknown {
  return isObject(body) && Object.hasOwn(body, 'data') ? body['data'] : body;
}

/** Returns the resource inside a payload that wraps it once more: the only object with a uuid, under any name. */
export function unwrapped(payload: unknown): unknown {
  if (!isObject(payload) || hasUuid(payload)) return payload;
  const found = Object.values(payload).filter(hasUuid);
  return found.length === 1 ? found[0] : payload;
}

function hasUuid(value: unknown): boolean {
  return isObject(value) && Object.hasOwn(value, 'uuid');
}

/** Reads the members of a page, and leaves its items as they are. */
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

/** Options for a list whose rows are read one by one. */
export interface RowsReading {
  /** Called with each row that cannot be read. */
  readonly onInvalid?: ((index: number, issue: Issue, raw: unknown) => void) | undefined;
  /** Accepts a list whose rows are all unreadable. Such a list is refused by default. */
  readonly mayAllBeInvalid?: boolean | undefined;
  /** Returns true for a row that the service should have left out. It is skipped and does not count as invalid. */
  readonly isOmitted?: ((raw: unknown) => boolean) | undefined;
}

/**
 * Returns the reader of a list that leaves unreadable rows out: one odd row must not stop a checkout. A list without any
 * readable row is refused, because an empty list would say that nothing can be charged.
 */
export function rowsOf<T>(
  item: Check<T>,
  { onInvalid, mayAllBeInvalid = false, isOmitted }: RowsReading = {},
): Check<T[]> {
  const read = (payload: unknown): Checked<T[]> => {
    if (!Array.isArray(payload)) {
      const message = payload === undefined ? 'is required' : 'must be an array';
      return { ok: false, issues: [{ path: '', message }] };
    }
    const rows: T[] = [];
    const issues: Issue[] = [];
    for (const [index, raw] of payload.entries()) {
      if (isOmitted?.(raw)) continue;
      const checked = item(raw);
      if (checked.ok) {
        rows.push(checked.value);
        continue;
      }
      const [issue = { path: '', message: 'is not as the interface says' }] = checked.issues;
      onInvalid?.(index, issue, raw);
      issues.push({ ...issue, path: issue.path === '' ? String(index) : pathTo(String(index), issue.path) });
    }
    if (rows.length > 0 || issues.length === 0 || mayAllBeInvalid) return { ok: true, value: rows };
    return { ok: false, issues: issues.slice(0, ISSUES_MAX), ...(issues.length > ISSUES_MAX && { isMore: true }) };
  };
  const structure = (): Structure => {
    const row = item.structure?.();
    return { kind: 'list', ...(row !== undefined && { item: row }) };
  };
  return Object.assign(read, { structure });
}
