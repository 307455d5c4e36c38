import { hasCode } from '../../../errors/guards.ts';
import { BEGINNING, type Bounds, type ListWalk, timeOf } from './list-walk.ts';

/** The cursor names no more pending invoices. Newer ones are found in the lists, which are read back further for them. */
const PENDING_MAX = 1_000;

/** The pending invoices at one time, by uuid, with the time of their creation. */
export interface PendingList {
  readonly createdAt: ReadonlyMap<string, number>;
  /** False if the list may have lost rows while it was read. */
  readonly isReliable: boolean;
  /** When the newest of the first page was created. */
  readonly newest: number | null;
}

/** The surroundings of a reading. */
interface PendingReading {
  /** The uuids of invoices that cannot be decoded, and null for unknown ones. */
  readonly unreadable: ReadonlySet<string | null>;
  readonly stopIfAborted: () => void;
  /** Called if the list cannot be read to its end. */
  readonly onProblem: (problem: string) => void;
}

/** A second reading, of the rows that are not older than these times. */
interface SecondReading {
  readonly open: () => ListWalk;
  readonly bounds: Bounds;
}

/**
 * Reads the list of pending invoices. If it changes faster than it can be read, or has no stable order, the result is not
 * reliable. The run continues then, because invoices that have ended are in the other lists.
 *
 * A list of several pages can lose a row without a sign. A row that leaves moves others to pages that were read, and a row
 * that joins hides that in the count. The run looks for the rows that the cursor names, so the others are read twice.
 */
export async function readPending(
  walk: ListWalk,
  { unreadable, stopIfAborted, onProblem }: PendingReading,
  again?: SecondReading,
): Promise<PendingList> {
  const createdAt = new Map<string, number>();
  let newest: number | null = null;
  const readTo = async (from: ListWalk, bounds: Bounds): Promise<void> => {
    for (let rows = await from.read(); rows !== null; rows = from.isPast(bounds) ? null : await from.read()) {
      stopIfAborted();
      const times = rows.map(({ created_at }) => timeOf(created_at));
      for (const [index, { uuid }] of rows.entries()) createdAt.set(uuid, times[index] ?? Number.NEGATIVE_INFINITY);
      if (from === walk && walk.pages <= 1) newest = times.reduce(later, newest);
    }
  };
  const problem = await pageProblemOf(readTo(walk, BEGINNING));
  if (problem !== null) onProblem(`The list of pending invoices cannot be read to its end. ${problem}`);
  // A second reading that breaks off has shown its rows, and the first one is still whole.
  else if (walk.pages > 1 && again !== undefined) await pageProblemOf(readTo(again.open(), again.bounds));
  for (const uuid of unreadable) if (uuid !== null) createdAt.set(uuid, Number.NEGATIVE_INFINITY);
  // One page is one moment. Rows that leave a longer list move others to pages that were read, unless they come newest first.
  const isReliable =
    problem === null && walk.isRegular && !unreadable.has(null) && (walk.pages <= 1 || walk.orders.created.holds);
  return { createdAt, isReliable, newest };
}

/** Returns why a list cannot be walked to its end, or null. Rejects with any other error. */
async function pageProblemOf(reading: Promise<void>): Promise<string | null> {
  try {
    await reading;
    return null;
  } catch (error) {
    if (!hasCode(error, 'SDK_PAGE')) throw error;
    return error.message;
  }
}

/** Returns the later of two times that may be unknown. */
export function later(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/** The pending invoices that a cursor names, and how far the next run reads back for the others. */
export interface NamedPending {
  /** Null if they cannot all be named. */
  readonly uuids: readonly string[] | null;
  readonly readTo: number;
}

/** Names the oldest pending invoices. The next run finds those created at `readTo` or later in the lists. */
export function namePending({ createdAt, isReliable }: PendingList, readTo: number): NamedPending {
  const older = [...createdAt].filter(([, time]) => time < readTo).sort(([, a], [, b]) => a - b);
  const [, last = readTo] = older[PENDING_MAX] ?? [];
  if (!isReliable || !Number.isFinite(last)) return { uuids: null, readTo };
  return { uuids: older.filter(([, time]) => time < last).map(([uuid]) => uuid), readTo: last };
}
