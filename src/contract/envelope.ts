import type { InvalidRow, PageRows, ReadRows, WireRecord } from './endpoint.ts';
import { isObject, type JsonObject } from './json.ts';
import type { Currency, Page } from './types.ts';
import type { Check, Checked } from './values/check.ts';
import {
  anything,
  type Codec,
  check,
  count,
  filledText,
  flag,
  ISSUES_MAX,
  integer,
  listOf,
  pathTo,
  prepared,
  requiredDisplayText,
  resource,
  shapeOf,
} from './values/codecs.ts';

// The shapes that several endpoints share, and the forms in which a payload is accepted:
//
// | form                          | example                                | for                                       |
// |-------------------------------|----------------------------------------|-------------------------------------------|
// | envelope                      | {"success": true, "data": X}           | every endpoint                            |
// | no envelope                   | X                                      | every endpoint                            |
// | resource under its name       | {"success": true, "data": {"invoice": X}} | single reads, whose shape is not shown |
// | null for an empty list        | {"items": null}                        | pages, because Go writes an empty slice   |
// |                               |                                        | as null                                   |
// | [] for an absent object       | {"adjustment": []}                     | nullable objects, because PHP writes an   |
// |                               |                                        | empty object as []                        |

/** The currency of an invoice or a payment method. */
export function currency(): Codec<Currency> {
  return resource(
    shapeOf<Currency>()({ id: integer, code: filledText, name: requiredDisplayText, symbol: requiredDisplayText }),
  );
}

/**
 * The codec of a page of results. All members of a page are required.
 * @see [Response envelope](../../docs/service-interface.md#response-envelope)
 */
export function pageOf<T>(item: Codec<T>): Codec<Page<T>> {
  const shape = shapeOf<Omit<Page<unknown>, 'items'>>()({
    page: count,
    per_page: count,
    total_items: count,
    total_pages: count,
    has_next: flag,
    has_prev: flag,
  });
  return resource({ ...shape, items: prepared((raw) => (raw === null ? [] : raw), listOf(item)) });
}

const FALSE_WORDS: ReadonlySet<unknown> = new Set([false, 0, 'false', '0', 'no']);

/** True for `success: false` in any spelling. For any other value the payload decides. */
export function saysNo(body: JsonObject): boolean {
  const { success } = body;
  return FALSE_WORDS.has(typeof success === 'string' ? success.trim().toLowerCase() : success);
}

/**
 * True for the body of an error response that holds a resource, and does not say no: it is unknown which of the two is
 * right.
 */
export function holdsResource(body: unknown): boolean {
  return isObject(body) && !saysNo(body) && hasUuid(unwrapped(body['data']));
}

/** The payload of a success: `data` of the envelope, or the body itself where it has no envelope. */
export function payloadOf(body: unknown): unknown {
  return isObject(body) && Object.hasOwn(body, 'data') ? body['data'] : body;
}

/** The resource inside a payload that wraps it once more: the only object with a uuid, under any name. */
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

/** The reader of a page that is refused for one unreadable row. */
export function strictPage<T>(page: Check<Page<T>>): Check<PageRows<T>> {
  return (payload) => {
    const checked = page(payload);
    return checked.ok ? { ok: true, value: { page: checked.value, invalid: [] } } : checked;
  };
}

/** The reader of a page that leaves unreadable rows out. */
export function lenientPage<T>(item: Check<T>): Check<PageRows<T>> {
  return (payload) => {
    const shell = pageShell(payload);
    if (!shell.ok) return shell;
    const { rows, invalid } = readRows(item, shell.value.items);
    return { ok: true, value: { page: { ...shell.value, items: rows }, invalid } };
  };
}

/**
 * The reader of a list that leaves unreadable rows out: one odd row must not stop a checkout. A list without any
 * readable row is refused, unless `mayAllBeInvalid`, because an empty list would say that nothing can be charged. So is
 * a list with {@link INVALID_MAX} rows that cannot be read.
 *
 * @param isOmitted True for a row that the service should have left out. It is skipped, and does not count as invalid.
 */
export function rowsOf<T>(
  item: Check<T>,
  isOmitted: (raw: unknown) => boolean = () => false,
  mayAllBeInvalid = false,
): Check<ReadRows<T>> {
  const read = (payload: unknown): Checked<ReadRows<T>> => {
    if (!Array.isArray(payload)) {
      const message = payload === undefined ? 'is required' : 'must be an array';
      return { ok: false, issues: [{ path: '', message }] };
    }
    const value = readRows(item, payload, isOmitted, INVALID_MAX);
    const { rows, invalid } = value;
    const isEnough = rows.length > 0 || invalid.length === 0 || mayAllBeInvalid;
    if (isEnough && invalid.length < INVALID_MAX) return { ok: true, value };
    const issues = invalid.map(({ index, issue: { path, message } }) => ({
      path: path === '' ? String(index) : pathTo(String(index), path),
      message,
    }));
    return { ok: false, issues: issues.slice(0, ISSUES_MAX), ...(issues.length > ISSUES_MAX && { isMore: true }) };
  };
  return Object.assign(read, { shape: () => ({ item: item.shape?.() ?? {} }) });
}

/** The rest of the list is then not read: each odd row costs an error, and 10 MiB have room for a million of them. */
const INVALID_MAX = 500;
const NO_ISSUE = { path: '', message: 'is not as the interface says' };

function readRows<T>(
  item: Check<T>,
  payload: readonly unknown[],
  isOmitted: (raw: unknown) => boolean = () => false,
  invalidMax = Number.POSITIVE_INFINITY,
): ReadRows<T> {
  const rows: T[] = [];
  const invalid: InvalidRow[] = [];
  for (const [index, raw] of payload.entries()) {
    if (invalid.length === invalidMax) break;
    if (isOmitted(raw)) continue;
    const checked = item(raw);
    if (checked.ok) rows.push(checked.value);
    else invalid.push({ index, issue: checked.issues[0] ?? NO_ISSUE, raw });
  }
  return { rows, invalid };
}

/** Pages up to this length are decoded, whatever was asked for. */
const ROWS_MAX = 1_000;
const ROWS_FACTOR = 10;
const DEFAULT_SIZE = 20;

/**
 * The problem of a page with far more rows than were asked for, or null. A hundred thousand broken rows would take
 * seconds and half a gigabyte to decode.
 */
export function pageProblem(payload: unknown, sent: WireRecord): string | null {
  const list = isObject(payload) ? payload['items'] : payload;
  if (!Array.isArray(list) || list.length <= ROWS_MAX) return null;
  const size = Number(sent['per_page'] ?? DEFAULT_SIZE);
  return list.length > size * ROWS_FACTOR ? `the page has ${list.length} rows, and ${size} were asked for` : null;
}
