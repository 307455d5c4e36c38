import { FINAL_INVOICE_STATUSES, type FinalInvoiceStatus } from '../../contract/statuses.ts';
import type { CatchUpClient } from './catch-up-client.ts';
import { uuidOf } from './catch-up-count.ts';
import type { CatchUpSettings } from './catch-up-options.ts';
import { type CatchUpCursor, CURSOR_VERSION } from './cursor.ts';
import { findMissing } from './find-missing.ts';
import { BEGINNING, type Bounds } from './lists/list-walk.ts';
import { later, type NamedPending, namePending, type PendingList, readPending } from './lists/pending-list.ts';
import type { Run } from './run.ts';
import { checkAccount, readOne } from './single-reads.ts';

/** Clocks of one service differ by less, and an invoice shows in the lists within this time. */
const SKEW = 60_000;

/** The input of a run. */
export interface Reading {
  readonly merchant: CatchUpClient;
  readonly chosen: CatchUpSettings;
  readonly cursor: CatchUpCursor | null;
  readonly since: number;
  /** The earliest `finished_at` that is played. */
  readonly earliest: number;
  readonly namespace: string | null;
  readonly stopIfAborted: () => void;
}

/** Reads the lists as far as is needed. Returns the cursor for the next run, or null if the cursor must not advance. */
export async function readLists<Extra extends object>(
  run: Run<Extra>,
  reading: Reading,
): Promise<CatchUpCursor | null> {
  const { merchant, chosen, cursor, since, earliest, stopIfAborted } = reading;
  const { signal, maxLifetime, prefetch } = chosen;
  stopIfAborted();
  if (cursor !== null) await checkAccount(merchant, cursor, signal);

  if (run.newest === null) await run.seeNewest();
  const unreadable = new Set<string | null>();
  const openPending = () => run.openPending(({ raw }) => unreadable.add(uuidOf(raw)));
  const first = openPending();
  const time = await first.serviceTime();
  const seenBefore = run.newest;
  const parts = { unreadable, stopIfAborted, onProblem: (problem: string) => run.report(problem) };
  const unnamed = cursor === null || cursor.pending === null ? BEGINNING : boundsOf(cursor.readTo);
  const pending = time === null ? null : await readPending(first, parts, { open: openPending, bounds: unnamed });
  run.seek(pending);

  const end = maxLifetime === undefined ? BEGINNING : { created: earliest - maxLifetime, finished: earliest };
  // An earlier `since` asks for invoices that no earlier run has played.
  const isEarly = cursor !== null && time !== null && cursor.pending !== null && since >= cursor.since;
  const old = isEarly ? boundsOf(cursor.readTo) : end;
  const began = Math.max((time ?? 0) - SKEW, cursor?.began ?? 0);
  const named = pending === null ? null : nameFrom(pending, later(seenBefore, pending.newest), began, cursor);
  const next = boundsOf(named?.readTo ?? Number.NEGATIVE_INFINITY);
  for (const status of FINAL_INVOICE_STATUSES) {
    const list = run.open(status, old, next);
    const answered = await list.walk.serviceTime();
    // An answer from a cache shows an older list than that of the pending invoices.
    if (time !== null && (answered === null || answered < time - SKEW)) run.leftOut.block();
    await run.readTo(list, old);
    await run.pool.drain();
  }
  const search = { end, isEarly, prefetch, read: (uuid: string) => readOne(merchant, uuid, signal) };
  const readAgain = async () => await readPending(openPending(), parts);
  const open = cursor === null ? [] : await findMissing(run, { ...search, cursor, readPending: readAgain });
  stopIfAborted();

  if (named === null || run.leftOut.isBlocked) return null;
  const { retry, unreadable: leftUnreadable } = run.leftOut;
  return {
    version: CURSOR_VERSION,
    namespace: reading.namespace,
    account: run.witness,
    since: Math.min(since, cursor?.since ?? since),
    began,
    readTo: named.readTo,
    newest: run.newest,
    pending:
      named.uuids === null ? null : [...new Set([...named.uuids.filter((uuid) => !run.ended.has(uuid)), ...open])],
    retry,
    unreadable: leftUnreadable,
    totals: totalsOf(run),
  };
}

function boundsOf(time: number): Bounds {
  return { created: time, finished: time };
}

/**
 * Names the pending invoices for the next run. `seen` is the creation of the newest invoice that was seen before: the
 * header `Date` may come from another clock.
 */
function nameFrom(
  pending: PendingList,
  seen: number | null,
  began: number,
  cursor: CatchUpCursor | null,
): NamedPending {
  const bound = seen === null ? began : Math.min(began, seen - SKEW);
  return namePending(pending, Math.max(bound, cursor?.readTo ?? bound));
}

function totalsOf<Extra extends object>({ lists, totals }: Run<Extra>): CatchUpCursor['totals'] {
  const entries = lists.map(({ status, walk }) => [status, totals.of(walk, status)] as const);
  return Object.fromEntries(entries) as Record<FinalInvoiceStatus, (typeof entries)[number][1]>; // every list was opened
}
