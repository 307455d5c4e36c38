import type { FinalInvoiceStatus } from '../../src/contract/statuses.ts';
import type { Random } from '../random.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const STATUSES = ['pending', 'success', 'fail', 'expired', 'canceled'] as const;
export type Status = (typeof STATUSES)[number];

/** Shares of the ways in which an invoice ends. */
const ENDS: readonly (readonly [share: number, status: FinalInvoiceStatus])[] = [
  [0.75, 'success'],
  [0.12, 'expired'],
  [0.08, 'canceled'],
  [0.05, 'fail'],
];
/** Shares of lifetimes: most customers pay at once, some transfers take hours, and disputes take weeks. */
const LIFETIMES: readonly (readonly [share: number, least: number, most: number])[] = [
  [0.979, MINUTE, 30 * MINUTE],
  [0.02, HOUR, 12 * HOUR],
  [0.0008, DAY, 10 * DAY],
  [0.0002, 10 * DAY, 60 * DAY],
];

/** Invoices in columns, so that a million of them take few bytes. The index is the identity. */
export interface Invoices {
  readonly created: Float64Array;
  readonly finished: Float64Array;
  /** The final status of each, as an index into {@link STATUSES}. */
  readonly ends: Uint8Array;
}

/** Makes invoices that are created evenly between two times, in order. */
export function makeInvoices(count: number, from: number, to: number, random: Random): Invoices {
  const created = new Float64Array(count);
  const finished = new Float64Array(count);
  const ends = new Uint8Array(count);
  for (let index = 0; index < count; index += 1) created[index] = Math.round(from + random() * (to - from));
  created.sort();
  for (let index = 0; index < count; index += 1) {
    const [, least, most] = pick(LIFETIMES, random());
    finished[index] = Math.round((created[index] ?? 0) + least + random() * (most - least));
    ends[index] = STATUSES.indexOf(pick(ENDS, random())[1]);
  }
  return { created, finished, ends };
}

function pick<Row extends readonly [number, ...unknown[]]>(rows: readonly Row[], value: number): Row {
  let left = value;
  for (const row of rows) {
    left -= row[0];
    if (left < 0) return row;
  }
  const [first] = rows;
  if (first === undefined) throw new Error('an empty table');
  return first;
}

export function uuidOf(index: number): string {
  return `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;
}

export function indexOf(uuid: string): number {
  return Number.parseInt(uuid.slice(24, 36), 16);
}
