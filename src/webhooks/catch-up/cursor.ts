import { checkOptions, kindOf, namesOf } from '../../checks.ts';
import { FINAL_INVOICE_STATUSES, type FinalInvoiceStatus } from '../../contract/statuses.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import type { Order } from './lists/list-walk.ts';

export const CATCH_UP = 'handler.catchUp';
export const CURSOR_VERSION = 1;

/** The least and the most rows that a list may have had. Null if they could not be counted. */
export type CatchUpTotal = readonly [least: number, most: number] | null;

/**
 * Where a run of `catchUp` ended, for the next run. It is plain JSON of at most about 90 kB. Keep it as it is, in the
 * database of the store. Times are in milliseconds since 1970, by the clock of the service.
 *
 * @example
 * const { cursor } = await handler.catchUp(merchant, { since: '2026-01-31', cursor: JSON.parse(body) });
 * if (cursor !== undefined) db.prepare('UPDATE catch_up SET cursor = ?').run(JSON.stringify(cursor));
 */
export interface CatchUpCursor {
  readonly version: typeof CURSOR_VERSION;
  /** The `namespace` of the store, or null. */
  readonly namespace: string | null;
  /** An invoice of the account, by which the next run recognises it. Null for an account without invoices. */
  readonly account: { readonly uuid: string; readonly external_id: string } | null;
  /** The earliest `since` of the runs that led to this cursor. */
  readonly since: number;
  /** When the run began. */
  readonly began: number;
  /** The next run reads the lists back to here. */
  readonly readTo: number;
  /** The newest invoice that was seen was created then. */
  readonly newest: number | null;
  /** The older invoices that had not ended. Null if the list was not reliable: the next run reads everything. */
  readonly pending: readonly string[] | null;
  /** Invoices that failed or were busy. The next run tries them again. */
  readonly retry: readonly string[];
  /** Invoices that cannot be decoded, or contradict themselves. The next run tries them again. */
  readonly unreadable: readonly string[];
  /** How many invoices of each final status were created, or had finished, before `readTo`. */
  readonly totals: Readonly<Record<FinalInvoiceStatus, Readonly<Record<Order, CatchUpTotal>>>>;
}

const NAMES = namesOf<CatchUpCursor>({
  version: true,
  namespace: true,
  account: true,
  since: true,
  began: true,
  readTo: true,
  newest: true,
  pending: true,
  retry: true,
  unreadable: true,
  totals: true,
});

/** @throws ConfigurationError */
export function refuse(problem: string): never {
  throw new ConfigurationError(`${CATCH_UP}: ${problem}.`, { operation: CATCH_UP });
}

const REMEDY = 'Leave the cursor out once: that run reads everything and returns a new one';

/**
 * Returns a copy of the cursor, or null if it is absent.
 *
 * @throws ConfigurationError for anything that this version of the package did not return for this store.
 */
export function readCursor(cursor: unknown, namespace: string | null): CatchUpCursor | null {
  if (cursor === undefined || cursor === null) return null;
  if (typeof cursor === 'string') return refuse('cursor is text. Pass JSON.parse(cursor)');
  checkOptions('cursor', cursor, NAMES, (problem) => refuse(`${problem}. ${REMEDY}`));
  const given = cursor as Partial<Record<keyof CatchUpCursor, unknown>>; // checked above, and each member below
  if (given.version !== CURSOR_VERSION) {
    refuse(`cursor has version ${kindOf(given.version)}, and this package reads version ${CURSOR_VERSION}. ${REMEDY}`);
  }
  const wrong = Object.entries(MEMBERS).find(([name, isFine]) => !isFine(given[name as keyof CatchUpCursor])); // a key of the table
  if (wrong !== undefined) refuse(`cursor is damaged: ${wrong[0]} is not as catchUp returned it. ${REMEDY}`);
  const copy = JSON.parse(JSON.stringify(given)) as CatchUpCursor; // checked above
  if (copy.namespace !== namespace) {
    refuse(`cursor belongs to a store with another namespace. Keep one cursor for each store. ${REMEDY}`);
  }
  return copy;
}

/** @throws ConfigurationError */
export function refuseForeignCursor(uuid: string): never {
  return refuse(
    `cursor belongs to another account: its invoice ${JSON.stringify(uuid)} is not there. Keep one cursor for each account and base URL. ${REMEDY}`,
  );
}

const isTime = (value: unknown): boolean => Number.isSafeInteger(value);
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const hasOnly = (value: unknown, names: readonly string[], isFine: (member: unknown) => boolean): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length === names.length &&
  names.every((name) => isFine((value as Record<string, unknown>)[name])); // an object is a record of unknowns

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isTotal = (value: unknown): boolean =>
  value === null ||
  (Array.isArray(value) && value.length === 2 && value.every(isCount) && Number(value[0]) <= Number(value[1]));

const MEMBERS: Readonly<Record<Exclude<keyof CatchUpCursor, 'version'>, (value: unknown) => boolean>> = {
  namespace: (value) => value === null || isText(value),
  account: (value) => value === null || hasOnly(value, ['uuid', 'external_id'], isText),
  since: isTime,
  began: isTime,
  readTo: isTime,
  newest: (value) => value === null || isTime(value),
  pending: (value) => value === null || isTexts(value),
  retry: isTexts,
  unreadable: isTexts,
  totals: (value) =>
    hasOnly(value, FINAL_INVOICE_STATUSES, (counts) => hasOnly(counts, ['created', 'finished'], isTotal)),
};
