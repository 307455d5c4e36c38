import { configurationFail, count, type OptionTable, readOptions } from '../../errors/checks.ts';
import { isProduction, isTest } from '../../errors/environment.ts';
import { warnOnce } from '../../errors/notify.ts';
import { parseClock, type TimeSource } from '../time-source.ts';
import type { Claim, LeaseStore } from './store.ts';
import { namespaceOption } from './store-options.ts';

const DEFAULT_MAX_ENTRIES = 10_000;

/**
 * Options of {@link memoryStore}.
 *
 * @example
 * memoryStore({ maxEntries: 100_000 });
 */
export interface MemoryStoreOptions {
  /**
   * Greatest number of records. Beyond it the store drops the oldest record that no attempt is working on, and says so
   * once on the console. @defaultValue 10,000, about 3 MB
   */
  readonly maxEntries?: number | undefined;
  /** The owner of the events, as a part of every key: 1 to 64 letters, digits or `_ . -`. @defaultValue none */
  readonly namespace?: string | undefined;
  /** Milliseconds since 1970. @defaultValue the clock */
  readonly now?: (() => number | Date) | undefined;
}

/** A {@link LeaseStore} in this process. */
export interface MemoryStore extends LeaseStore {
  /** The current number of records. */
  readonly size: number;
}

const OPTIONS = {
  maxEntries: count({ default: DEFAULT_MAX_ENTRIES, min: 1 }),
  namespace: namespaceOption,
  now: (value: unknown) => parseClock(value as TimeSource | undefined), // which checks it
} satisfies OptionTable<MemoryStoreOptions>;

interface Entry {
  readonly owner: string;
  readonly digest: string;
  /** When the claim ends. Null while there is none. */
  leaseEnd: number | null;
  /** Stays true during a replay. */
  isDone: boolean;
}

/** Warns once in production that the records end with the process. */
function warnOfProduction(): void {
  if (!isProduction()) return;
  warnOnce(
    'memoryStore in production',
    'memoryStore in production: a restart forgets which events are done, and two processes share nothing.\n' +
      '  An order can be fulfilled twice. Use postgresStore, sqliteStore or redisStore.',
  );
}

const LASTING =
  '  An order can be fulfilled twice. Use postgresStore, sqliteStore or redisStore. This is printed once.';

/** The stores in which the latest events of this process are done, by key. */
const doneIn = new Map<string, symbol>();
const DONE_MAX = 1_000;

/** Warns once where an event is new to this store, and done in another one: a handler is made for each request. */
function warnOfOtherStore(key: string, store: symbol): void {
  const other = doneIn.get(key);
  if (other === undefined || other === store || isTest()) return;
  warnOnce(
    'memoryStore beside another',
    'memoryStore: an event that another memoryStore of this process has done runs again, because each remembers its own.\n' +
      '  Make handler and store once, outside of the route and of the job. This is printed once.',
  );
}

function rememberDone(key: string, store: symbol): void {
  const [oldest] = doneIn.keys();
  if (doneIn.size >= DONE_MAX && oldest !== undefined) doneIn.delete(oldest);
  doneIn.set(key, store);
}

const memories = new WeakSet<object>();

/** Warns once where `catchUp` runs over a memory, because its job is mostly a process of its own. */
export function warnOfCatchUp(store: object): void {
  if (!memories.has(store) || isTest()) return;
  warnOnce(
    'memoryStore under catchUp',
    `memoryStore under catchUp: a job in a process of its own plays each paid order again at each run.\n${LASTING}`,
  );
}

/**
 * Creates a store in this process, for development, tests, and a single process whose work is harmless to repeat. A
 * restart forgets everything, and two processes share nothing: the same event then runs again.
 *
 * A running claim is never dropped. If all records are running claims, a new claim is refused. An event whose record
 * was dropped runs again if it is repeated.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option.
 * @example
 * const handler = createWebhookHandler({ secret, store: memoryStore(), onPaid, onAdjusted, onCanceled });
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { maxEntries, namespace, now } = readOptions('options', options, OPTIONS, configurationFail('memoryStore'));
  const entries = new Map<string, Entry>();
  const self = Symbol('memoryStore');
  warnOfProduction();

  const heldBy = ({ key, owner }: Claim): Entry | null => {
    const entry = entries.get(key);
    return entry?.owner === owner ? entry : null;
  };
  const runningOf = (claimed: Claim): Entry | null => {
    const entry = heldBy(claimed);
    return entry?.leaseEnd === null ? null : entry;
  };

  const store: MemoryStore = {
    retention: null,
    namespace,
    get size() {
      return entries.size;
    },
    async claim({ key, owner, digest, lease, again = false }) {
      const at = now();
      const held = entries.get(key);
      if (held?.isDone === true && !again) return { state: 'done', digest: held.digest };
      if (held?.leaseEnd != null && held.leaseEnd > at)
        return { state: 'running', digest: held.digest, leaseEnd: held.leaseEnd };
      if (held === undefined) warnOfOtherStore(key, self);
      if (held === undefined && entries.size >= maxEntries) {
        makeRoom(entries, at);
        warnOnce('memoryStore is full', fullText(maxEntries));
      }
      if (held?.isDone === true) {
        entries.set(key, { ...held, owner, leaseEnd: at + lease }); // a replay
        return { state: 'claimed' };
      }
      entries.set(key, { owner, digest, leaseEnd: at + lease, isDone: false });
      return held === undefined ? { state: 'claimed' } : { state: 'taken_over', digest: held.digest };
    },
    async extend(claimed, lease) {
      const entry = runningOf(claimed);
      if (entry !== null) entry.leaseEnd = now() + lease;
      return entry !== null;
    },
    async complete(claimed) {
      const entry = heldBy(claimed);
      if (entry === null) return false;
      if (entry.leaseEnd === null) return true; // the response to the first completion was lost
      entry.leaseEnd = null;
      entry.isDone = true;
      rememberDone(claimed.key, self);
      entries.delete(claimed.key);
      entries.set(claimed.key, entry); // moves it to the end: the oldest completion is dropped first
      return true;
    },
    async release(claimed) {
      const entry = runningOf(claimed);
      if (entry?.isDone === true) entry.leaseEnd = null;
      else if (entry !== null) entries.delete(claimed.key);
    },
  };
  memories.add(store);
  return store;
}

const fullText = (maxEntries: number): string =>
  `memoryStore holds ${maxEntries} records (maxEntries), and drops an old one for each new one.\n` +
  '  A late repeat of its event runs again. Use a store that keeps its records. This is printed once.';

/** Drops the oldest record that no attempt is working on. */
function makeRoom(entries: Map<string, Entry>, at: number): void {
  for (const [key, entry] of entries) {
    if (entry.leaseEnd !== null && entry.leaseEnd > at) continue;
    entries.delete(key);
    return;
  }
  throw new Error('The memory store is full of running claims.');
}
