import { checkOptions, configurationFail } from '../../checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { parseClock } from '../clock.ts';
import type { Claim, ClaimRequest, ClaimResult, WebhookStore } from './store.ts';
import { checkedNamespace } from './store-options.ts';

const DEFAULT_MAX_ENTRIES = 10_000;

/** How a {@link memoryStore} is bounded. */
export interface MemoryStoreOptions {
  /**
   * Greatest number of records; default 10,000, about 3 MB. Beyond it the oldest that nobody works on is dropped. From
   * then on the store is known to forget: a report says so once, and `catchUp` refuses.
   */
  readonly maxEntries?: number | undefined;
  /** Whose events these are, as a part of every key: 1 to 64 letters, digits or `_ . -`. Default: none. */
  readonly namespace?: string | undefined;
  /** Milliseconds since 1970; default the clock. */
  readonly now?: (() => number) | undefined;
}

/** A {@link WebhookStore} in this process. */
export interface MemoryStore extends WebhookStore {
  /** Records held now. */
  readonly size: number;
}

const NAMES: ReadonlySet<string> = new Set<keyof MemoryStoreOptions>(['maxEntries', 'namespace', 'now']);

interface Entry {
  readonly owner: string;
  readonly digest: string;
  /** When the lease ends; null once done. */
  leaseEnd: number | null;
}

/**
 * Remembers events in this process: for development, tests, and a single process whose work is harmless to repeat. A
 * restart forgets everything, and a second process knows nothing of the first: then the same event runs again.
 *
 * A running claim is never dropped: when all records are running claims, a new claim is refused. Once another record had
 * to be dropped, the first report says so (`store_forgot`), and `catchUp` refuses: it would run again what was done.
 *
 * @throws ConfigurationError for an unusable option.
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  checkOptions('options', options, NAMES, configurationFail('memoryStore'));
  const { maxEntries = DEFAULT_MAX_ENTRIES } = options;
  if (!Number.isSafeInteger(maxEntries) || maxEntries < 1) {
    throw new ConfigurationError('maxEntries must be a whole number, at least 1.');
  }
  const now = parseClock(options.now);
  const namespace = checkedNamespace(options.namespace);
  const entries = new Map<string, Entry>();
  let dropped = 0;

  const claim = ({ key, owner, digest, lease }: ClaimRequest): ClaimResult => {
    const at = now();
    const held = entries.get(key);
    if (held !== undefined) {
      if (held.leaseEnd === null) return { state: 'done', digest: held.digest };
      if (held.leaseEnd > at) return { state: 'running', digest: held.digest };
    } else if (entries.size >= maxEntries) {
      makeRoom(entries, at);
      dropped += 1;
    }
    entries.set(key, { owner, digest, leaseEnd: at + lease });
    return held === undefined ? { state: 'claimed' } : { state: 'taken_over', digest: held.digest };
  };
  const heldBy = ({ key, owner }: Claim): Entry | null => {
    const entry = entries.get(key);
    return entry?.owner === owner ? entry : null;
  };
  const ours = (claimed: Claim): Entry | null => {
    const entry = heldBy(claimed);
    return entry?.leaseEnd === null ? null : entry;
  };

  return {
    retention: null,
    namespace,
    forgot: () =>
      dropped === 0
        ? null
        : `The memory store holds ${maxEntries} records (maxEntries) and had to drop older ones, so that it cannot say any more what was done.`,
    get size() {
      return entries.size;
    },
    claim: async (request) => claim(request),
    async renew(claimed, lease) {
      const entry = ours(claimed);
      if (entry !== null) entry.leaseEnd = now() + lease;
      return entry !== null;
    },
    async complete(claimed) {
      const entry = heldBy(claimed);
      if (entry === null) return false;
      if (entry.leaseEnd === null) return true; // the answer to the first completion was lost
      entry.leaseEnd = null;
      entries.delete(claimed.key);
      entries.set(claimed.key, entry); // to the end: the oldest completion is dropped first
      return true;
    },
    async release(claimed) {
      if (ours(claimed) !== null) entries.delete(claimed.key);
    },
  };
}

/** Drops the oldest record that no one is working on. */
function makeRoom(entries: Map<string, Entry>, at: number): void {
  for (const [key, entry] of entries) {
    if (entry.leaseEnd !== null && entry.leaseEnd > at) continue;
    entries.delete(key);
    return;
  }
  throw new Error('The memory store is full of running claims.');
}
