import { eventOfStatus } from '../../contract/statuses.ts';
import type { CatchUpCursor } from './cursor.ts';
import type { Bounds } from './lists/list-walk.ts';
import type { PendingList } from './lists/pending-list.ts';
import { type FinalList, isDone, type Run } from './run.ts';
import type { readOne } from './single-reads.ts';

/** If more invoices than this are missing, the lists are read on first: a page may show a hundred of them. */
const SINGLE_READS_MAX = 100;
/** If more than this are missing, the list whose pages reach back the least is read on first: they ended shortly before. */
const SINGLE_READS_MANY = 8;

/** Where to look. */
export interface Search {
  readonly cursor: CatchUpCursor;
  /** No older row of a list needs to be read. */
  readonly end: Bounds;
  /** True if the lists were left early, because of the cursor. */
  readonly isEarly: boolean;
  /** Requests at once. */
  readonly prefetch: number;
  /** Reads one invoice by its uuid. */
  readonly read: (uuid: string) => ReturnType<typeof readOne>;
  readonly readPending: () => Promise<PendingList>;
}

/**
 * Finds what the cursor names and the lists have not shown, and compares the totals. A list whose total does not add up is
 * read to its end. Returns the uuids of invoices that are still open.
 */
export async function findMissing<Extra extends object>(run: Run<Extra>, search: Search): Promise<readonly string[]> {
  const open: string[] = [];
  await find(run, search, open);
  if (!search.isEarly) return open;
  const doubtful = (): typeof run.lists =>
    run.lists.filter(({ status, walk }) => !walk.hasEnded && !run.totals.addUp(walk, status, search.cursor));
  if (doubtful().length > 0) {
    // An invoice may have ended since the pending list was read, below the page where the walk has ended.
    run.seekEnded((await search.readPending()).createdAt);
    await find(run, search, open);
  }
  for (const list of doubtful()) await run.readTo(list, search.end);
  await run.pool.drain();
  return open;
}

/** Finds the sought invoices one by one, or in the lists. */
async function find<Extra extends object>(run: Run<Extra>, search: Search, open: string[]): Promise<void> {
  const most = run.sought.size;
  await readOn(run, search.end, (pages) => run.sought.size <= SINGLE_READS_MAX || pages >= most);
  await readYoungest(run, search);
  const sought = [...run.sought];
  for (let at = 0; at < sought.length; at += search.prefetch) {
    const uuids = sought.slice(at, at + search.prefetch);
    const reads = await Promise.all(uuids.map(search.read));
    for (const [index, uuid] of uuids.entries()) await take(run, search, open, uuid, reads[index] ?? 'refused');
  }
  await readOn(run, search.end, () => run.sought.size === 0);
  run.sought.clear(); // the account has them no more
  await run.pool.drain();
}

async function take<Extra extends object>(
  run: Run<Extra>,
  { cursor }: Search,
  open: string[],
  uuid: string,
  read: Awaited<ReturnType<Search['read']>>,
): Promise<void> {
  const wasUnreadable = cursor.unreadable.includes(uuid);
  // Some services answer a single read without the members of its end. The list has them.
  const isFinal = typeof read === 'object' && eventOfStatus(read.status) !== null;
  const isShort = isFinal && !(read.finished_at instanceof Date);
  if (read === 'unreadable' || isShort) {
    if (!wasUnreadable) return; // the lists show it
    run.leaveUnreadable(uuid, 'still cannot be read. It was left out.');
    run.sought.delete(uuid);
  } else if (read !== 'refused') {
    if (!(await run.takeSingle(uuid, read))) open.push(uuid);
    run.sought.delete(uuid);
  }
}

/** Reads a page of one list after the other: an invoice may be in any. */
async function readOn<Extra extends object>(
  run: Run<Extra>,
  end: Bounds,
  isEnough: (pages: number) => boolean,
): Promise<void> {
  for (let pages = 0; ; ) {
    const unread = run.lists.filter((list) => !isDone(list, end));
    if (isEnough(pages) || unread.length === 0) return;
    for (const list of unread) {
      if (isEnough(pages)) break;
      await run.step(list);
      pages += 1;
    }
  }
}

/** Reads the list on whose last row is the youngest, as long as a page shows more invoices than it costs requests. */
async function readYoungest<Extra extends object>(run: Run<Extra>, { end, prefetch }: Search): Promise<void> {
  const reach = ({ walk }: FinalList): number => walk.orders.created.lowest;
  for (let found = Number.POSITIVE_INFINITY; found > prefetch && run.sought.size > SINGLE_READS_MANY; ) {
    const [list] = run.lists.filter((list) => !isDone(list, end)).sort((a, b) => reach(b) - reach(a));
    if (list === undefined) return;
    const before = run.sought.size;
    await run.step(list);
    found = before - run.sought.size;
  }
}
