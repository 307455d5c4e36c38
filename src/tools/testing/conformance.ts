import { configurationFail, flag, type OptionTable, readOptions, word } from '../../errors/checks.ts';
import type {
  ClaimRequest,
  ClaimResult,
  LeaseStore,
  OnceResult,
  RunResult,
  TransactionStore,
  WebhookStore,
} from '../../webhooks/stores/store.ts';

// The checks for any store, for every test runner. This file imports only the types of the stores, and the checks of
// options.

/** One check of a store. */
export interface StoreCheck {
  /** What the store must do, as the name of a test. */
  readonly name: string;
  /** Rejects with an Error that says what was expected if the store fails the check. */
  run(): Promise<void>;
}

/**
 * Options of {@link storeConformance}.
 *
 * @example
 * storeConformance(() => myStore(), { shared: false });
 */
export interface StoreConformanceOptions {
  /**
   * What the store is: one with leases, or a {@link TransactionStore}, which holds the claim in its transaction.
   * @defaultValue `'lease'`
   */
  readonly form?: 'lease' | 'transaction' | undefined;
  /** Whether two stores that `makeStore` returns share their records. False for `memoryStore`. @defaultValue true */
  readonly shared?: boolean | undefined;
  /**
   * Whether the transaction of the store uses its only connection, so that other operations wait.
   * @defaultValue false
   */
  readonly singleConnection?: boolean | undefined;
}

const OPTIONS = {
  form: word(['lease', 'transaction'], 'lease'),
  shared: flag(true),
  singleConnection: flag(false),
} satisfies OptionTable<StoreConformanceOptions>;

/**
 * The checks that any {@link WebhookStore} must pass, for your store and your test runner. All keys are random, so
 * the records of earlier checks are harmless.
 *
 * @param makeStore Returns a store that is ready. It is called for each check, in some of them twice.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option.
 * @example
 * for (const { name, run } of storeConformance(makeStore)) test(name, run);
 */
export function storeConformance(
  makeStore: () => WebhookStore | Promise<WebhookStore>,
  options: StoreConformanceOptions = {},
): StoreCheck[] {
  const fail = configurationFail('storeConformance');
  const { form, shared, singleConnection } = readOptions('options', options, OPTIONS, fail);
  if (form === 'transaction') {
    const makeTransactionStore = async (): Promise<TransactionStore> => {
      const store = await makeStore();
      return 'runOnce' in store ? store : wrongForm('claim()', 'lease');
    };
    const checks = { ...ONCE_CHECKS, ...(!singleConnection && CONCURRENT_ONCE_CHECKS) };
    return Object.entries(checks).map(([name, check]) => ({
      name,
      run: async () => check(await makeTransactionStore(), shared ? makeTransactionStore : null),
    }));
  }
  const makeLeaseStore = async (): Promise<LeaseStore> => {
    const store = await makeStore();
    return 'claim' in store ? store : wrongForm('runOnce()', 'transaction');
  };
  const checks = {
    ...CLAIM_CHECKS,
    ...(shared && SHARED_CHECKS),
    ...RUN_CHECKS,
    ...(!singleConnection && CONCURRENT_RUN_CHECKS),
  };
  return Object.entries(checks).map(([name, check]) => ({
    name,
    run: async () => check(new StoreUnderTest(await makeLeaseStore(), makeLeaseStore)),
  }));
}

function wrongForm(has: string, form: string): never {
  throw new Error(`The store has ${has}: give storeConformance the option form: '${form}'.`);
}

type MakeStore = () => Promise<LeaseStore>;
/** Checks by name, in their order. */
type ConformanceChecks = Readonly<Record<string, (tested: StoreUnderTest) => Promise<void>>>;

/** A lease that is longer than any check, in milliseconds. */
const LONG_LEASE = 60_000;

/** The store of one check, with a random key. */
class StoreUnderTest {
  readonly store: LeaseStore;
  readonly again: MakeStore;
  readonly key = `${crypto.randomUUID()}:paid`;

  constructor(store: LeaseStore, again: MakeStore) {
    this.store = store;
    this.again = again;
  }

  claim(owner: string, lease = LONG_LEASE, request: Partial<ClaimRequest> = {}): Promise<ClaimResult> {
    return this.store.claim({ key: this.key, owner, digest: digestOf(owner), lease, ...request });
  }

  async expectClaim(owner: string, state: ClaimResult['state'], digest?: string, lease = LONG_LEASE): Promise<void> {
    assertSame(
      heldOf(await this.claim(owner, lease)),
      digest === undefined ? { state } : { state, digest: digestOf(digest) },
    );
  }

  /** Claims a key whose lease ends now. Tries again until the store's clock has moved on. */
  async takeOver(owner: string, request: Partial<ClaimRequest> = {}): Promise<ClaimResult> {
    for (let tries = 0; tries < 200; tries += 1) {
      const result = await this.claim(owner, LONG_LEASE, request);
      if (result.state !== 'running') return result;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('A claim with a lease of 0 ms is still running after 2 seconds.');
  }

  async extendAndComplete(owner: string): Promise<[boolean, boolean]> {
    const claim = { key: this.key, owner };
    return [await this.store.extend(claim, LONG_LEASE), await this.store.complete(claim)];
  }
}

const digestOf = (owner: string): string => owner.charCodeAt(0).toString(16).padStart(64, '0');

/** A result without the end of the lease, which a store need not say. */
function heldOf(result: ClaimResult): object {
  return result.state === 'running' ? { state: result.state, digest: result.digest } : result;
}

function assertSame(got: unknown, wanted: unknown): void {
  const [found, expected] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (found !== expected) throw new Error(`expected ${expected}, got ${found}`);
}

/** The checks for every store with leases. */
const CLAIM_CHECKS: ConformanceChecks = {
  'claims a key that is new': (tested) => tested.expectClaim('a', 'claimed'),
  async 'returns running with the current digest during a lease, and changes nothing'(tested) {
    await tested.expectClaim('a', 'claimed');
    await tested.expectClaim('b', 'running', 'a');
    await tested.expectClaim('c', 'running', 'a');
    assertSame(await tested.extendAndComplete('b'), [false, false]);
    assertSame(await tested.extendAndComplete('a'), [true, true]);
  },
  async 'remembers a completed event with its digest'(tested) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    assertSame(await tested.extendAndComplete('a'), [true, true]);
    await tested.expectClaim('b', 'done', 'a');
    assertSame(await tested.extendAndComplete('b'), [false, false]);
    await tested.expectClaim('c', 'done', 'a');
  },
  async 'returns true for a repeated completion by the same claim, because the first response may have been lost'(
    tested,
  ) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    await tested.takeOver('b');
    assertSame(await tested.extendAndComplete('b'), [true, true]);
    assertSame(await tested.extendAndComplete('b'), [false, true]);
    assertSame(await tested.extendAndComplete('a'), [false, false]);
    await tested.expectClaim('c', 'done', 'b');
  },
  async 'remembers a completed event whose lease expired before the completion'(tested) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    assertSame(await tested.store.complete({ key: tested.key, owner: 'a' }), true);
    assertSame(await tested.takeOver('b'), { state: 'done', digest: digestOf('a') });
  },
  async 'lets a claim with an expired lease be taken over, and returns the previous digest'(tested) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    assertSame(await tested.takeOver('b'), { state: 'taken_over', digest: digestOf('a') });
    await tested.expectClaim('c', 'running', 'b');
  },
  async 'protects a record from the claim that lost it'(tested) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    await tested.takeOver('b');
    assertSame(await tested.extendAndComplete('a'), [false, false]);
    await tested.store.release({ key: tested.key, owner: 'a' });
    await tested.expectClaim('c', 'running', 'b');
    assertSame(await tested.extendAndComplete('b'), [true, true]);
    await tested.store.release({ key: tested.key, owner: 'a' });
    await tested.expectClaim('c', 'done', 'b');
  },
  async 'extends a claim, also one with an expired lease that was not taken over'(tested) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    assertSame(await tested.store.extend({ key: tested.key, owner: 'a' }, LONG_LEASE), true);
    await tested.expectClaim('b', 'running', 'a');
    assertSame(await tested.store.extend({ key: tested.key, owner: 'a' }, 0), true);
    assertSame((await tested.takeOver('b')).state, 'taken_over');
  },
  async 'releases a claim, but not a completed event'(tested) {
    const claim = { key: tested.key, owner: 'a' };
    await tested.expectClaim('a', 'claimed');
    await tested.store.release({ ...claim, owner: 'b' });
    await tested.expectClaim('b', 'running', 'a');
    await tested.store.release(claim);
    assertSame(await tested.extendAndComplete('a'), [false, false]);
    await tested.expectClaim('a', 'claimed');
    assertSame(await tested.store.complete(claim), true);
    await tested.store.release(claim);
    await tested.expectClaim('b', 'done', 'a');
  },
  async 'again: claims a done event like a new one, and so an unknown one'(tested) {
    await tested.expectClaim('a', 'claimed');
    assertSame(heldOf(await tested.claim('b', LONG_LEASE, { again: true })), {
      state: 'running',
      digest: digestOf('a'),
    });
    assertSame(await tested.extendAndComplete('a'), [true, true]);
    assertSame(await tested.claim('b', LONG_LEASE, { again: true }), { state: 'claimed' });
    assertSame((await tested.claim('c', LONG_LEASE, { again: true })).state, 'running');
    await tested.expectClaim('d', 'done', 'a'); // for every other claim it stays done
    assertSame(await tested.extendAndComplete('b'), [true, true]);
    await tested.expectClaim('c', 'done', 'a');
  },
  async 'again: leaves the event done after a release, and after the end of the lease'(tested) {
    await tested.expectClaim('a', 'claimed');
    assertSame(await tested.extendAndComplete('a'), [true, true]);
    assertSame(await tested.claim('b', LONG_LEASE, { again: true }), { state: 'claimed' });
    await tested.store.release({ key: tested.key, owner: 'b' });
    await tested.expectClaim('c', 'done', 'a');
    assertSame(await tested.claim('d', 0, { again: true }), { state: 'claimed' });
    await tested.expectClaim('e', 'done', 'a');
    assertSame((await tested.takeOver('f', { again: true })).state, 'claimed');
  },
  async 'returns false for an unknown key, and changes nothing'(tested) {
    assertSame(await tested.extendAndComplete('a'), [false, false]);
    await tested.store.release({ key: tested.key, owner: 'a' });
    await tested.expectClaim('a', 'claimed');
  },
  async 'distinguishes similar keys, and accepts 300 characters'(tested) {
    const long = tested.key.padEnd(299, 'x');
    const similar = ['a', 'A', 'a ', '%', '=', `'"\\`].map((end) => `${tested.key}:${end}`);
    for (const key of [...similar, `${long}1`, `${long}2`]) {
      assertSame(await tested.claim('a', LONG_LEASE, { key }), { state: 'claimed' });
      assertSame((await tested.claim('b', LONG_LEASE, { key })).state, 'running');
    }
  },
  async 'separates the namespaces in keys, and has a valid namespace or none'(tested) {
    const { namespace } = tested.store;
    assertSame(namespace === undefined || (typeof namespace === 'string' && namespace !== ''), true);
    for (const key of [tested.key, `a/${tested.key}`, `b/${tested.key}`, `A/${tested.key}`, `a/b/${tested.key}`]) {
      assertSame(await tested.claim('a', LONG_LEASE, { key }), { state: 'claimed' });
      assertSame(await tested.store.complete({ key, owner: 'a' }), true);
    }
  },
  'gives a key to one of many concurrent claims': (tested) => contest(tested, 'claimed'),
  async 'lets one of many concurrent claims take a claim over'(tested) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await contest(tested, 'taken_over');
  },
};

async function contest(tested: StoreUnderTest, state: ClaimResult['state']): Promise<void> {
  const owners = Array.from({ length: 25 }, () => crypto.randomUUID());
  const results = await Promise.all(owners.map((owner) => tested.claim(owner)));
  assertSame(results.map((result) => result.state).sort(), [...Array(24).fill('running'), state].sort());
  const winner = owners[results.findIndex((result) => result.state === state)];
  assertSame(await tested.store.complete({ key: tested.key, owner: winner ?? '' }), true);
}

/** The checks for stores whose records outlive one store object. */
const SHARED_CHECKS: ConformanceChecks = {
  async 'shares its records with another store on the same data'(tested) {
    const other = new StoreUnderTest(await tested.again(), tested.again);
    const claim = { key: tested.key, owner: 'a' };
    await tested.expectClaim('a', 'claimed');
    assertSame((await other.claim('b', LONG_LEASE, { key: tested.key })).state, 'running');
    assertSame(await other.store.complete({ ...claim, owner: 'b' }), false);
    assertSame(await other.store.complete(claim), true);
    await tested.expectClaim('b', 'done', 'a');
  },
};

/** Runs work through `run` of the store. Returns null for a store without `run`: such a store passes these checks. */
async function run(
  tested: StoreUnderTest,
  owner: string,
  work: (extra: object) => Promise<void>,
): Promise<RunResult | null> {
  return tested.store.run === undefined ? null : await tested.store.run({ key: tested.key, owner }, work);
}

/** The checks for a store with `run`. */
const RUN_CHECKS: ConformanceChecks = {
  async 'run: does the work once, and completes the event'(tested) {
    await tested.expectClaim('a', 'claimed');
    let times = 0;
    const held = await run(tested, 'a', async () => {
      times += 1;
    });
    if (held === null) return;
    assertSame([held, times], [true, 1]);
    await tested.expectClaim('b', 'done', 'a');
  },
  async 'run: rethrows the error of the work, and keeps the claim'(tested) {
    await tested.expectClaim('a', 'claimed');
    const failure = new Error('the work failed');
    const thrown = await run(tested, 'a', () => Promise.reject(failure)).catch((error: unknown) => error);
    if (thrown === null) return;
    assertSame(thrown === failure, true);
    await tested.expectClaim('b', 'running', 'a');
    assertSame(await tested.extendAndComplete('a'), [true, true]);
  },
  async 'run: returns false if the claim no longer holds'(tested) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    await tested.takeOver('b');
    const held = await run(tested, 'a', () => Promise.resolve());
    if (held === null) return;
    assertSame(held, false);
    await tested.expectClaim('c', 'running', 'b');
  },
  async 'run: returns { failedAfterCommit } if the work throws after context.commit'(tested) {
    await tested.expectClaim('a', 'claimed');
    const failure = new Error('the work failed after its commit');
    let commits = false;
    const ended = await run(tested, 'a', async (extra) => {
      commits = 'commit' in extra && typeof extra.commit === 'function';
      if ('commit' in extra && typeof extra.commit === 'function') await extra.commit(() => undefined);
      throw failure;
    }).catch((error: unknown) => error);
    if (!commits) return; // its transaction ends after the work, or it has no transaction
    assertSame(typeof ended === 'object' && ended !== null && 'failedAfterCommit' in ended, true);
    await tested.expectClaim('b', 'done', 'a');
  },
};

/** The check for a store with `run` and more than one connection. */
const CONCURRENT_RUN_CHECKS: ConformanceChecks = {
  async 'run: does not block claims and extensions during the work'(tested) {
    await tested.expectClaim('a', 'claimed');
    const held = await run(tested, 'a', async () => {
      await inTime(tested.expectClaim('b', 'running', 'a'));
      assertSame(await inTime(tested.store.extend({ key: tested.key, owner: 'a' }, LONG_LEASE)), true);
    });
    if (held !== null) assertSame(held, true);
  },
};

/**
 * Checks of a store that holds the claim in its transaction, with a second store on the same records, if there is one.
 */
type OnceChecks = Readonly<
  Record<string, (store: TransactionStore, again: (() => Promise<TransactionStore>) | null) => Promise<void>>
>;

/** Work that counts its runs. */
function countedWork() {
  const work = {
    times: 0,
    run: async (): Promise<void> => {
      work.times += 1;
    },
  };
  return work;
}

const newKey = (): string => `${crypto.randomUUID()}:paid`;

function once(
  store: TransactionStore,
  key: string,
  work: () => Promise<void>,
  { owner = 'a', signal = new AbortController().signal, again = false } = {},
): Promise<OnceResult> {
  return store.runOnce({ key, digest: digestOf(owner), signal, again }, work);
}

const ONCE_CHECKS: OnceChecks = {
  async 'runs the work of a new event once, and remembers it with its digest'(store, again) {
    const [key, work] = [newKey(), countedWork()];
    assertSame(await once(store, key, work.run), { state: 'committed' });
    const others = again === null ? [store] : [store, await again()];
    for (const other of others) {
      assertSame(await once(other, key, work.run, { owner: 'b' }), { state: 'done', digest: digestOf('a') });
    }
    assertSame(work.times, 1);
  },
  async 'rethrows the error of the work, and remembers nothing'(store) {
    const [key, failure] = [newKey(), new Error('the work failed')];
    const thrown = await once(store, key, () => Promise.reject(failure)).catch((error: unknown) => error);
    assertSame(thrown === failure, true);
    assertSame(await once(store, key, async () => {}, { owner: 'b' }), { state: 'committed' });
    assertSame(await once(store, key, async () => {}), { state: 'done', digest: digestOf('b') });
  },
  async 'rethrows an error that looks like one of the database, without a second run'(store) {
    for (const code of ['40001', '40P01', '55P03', '23505', '42P01']) {
      const [key, work] = [newKey(), countedWork()];
      const failure = Object.assign(new Error('as a database says it'), { code });
      const thrown = await once(store, key, async () => {
        await work.run();
        throw failure;
      }).catch((error: unknown) => error);
      assertSame([thrown === failure, work.times], [true, 1]);
    }
  },
  async 'ends the transaction when its signal is aborted, though the work never ends'(store) {
    const [key, limit] = [newKey(), new AbortController()];
    const hanging = once(store, key, () => new Promise(() => limit.abort(new Error('too long'))), limit);
    assertSame(await inTime(hanging.then(String, () => 'rejected')), 'rejected');
    for (let tries = 0; tries < 200; tries += 1) {
      const { state } = await once(store, key, async () => {});
      if (state === 'committed') return;
      assertSame(state, 'running');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('The key is still held 2 seconds after the signal was aborted.');
  },
  async 'distinguishes similar keys, and accepts 300 characters'(store) {
    const key = newKey();
    const long = key.padEnd(299, 'x');
    const similar = ['', ':a', ':A', ':a ', ':%', ':=', `:'"\\`].map((end) => `${key}${end}`);
    for (const each of [...similar, `a/${key}`, `A/${key}`, `${long}1`, `${long}2`]) {
      assertSame(await once(store, each, async () => {}), { state: 'committed' });
      assertSame((await once(store, each, async () => {})).state, 'done');
    }
  },
  async 'again: runs the work of a done event once more, and keeps the record whatever happens'(store) {
    const [key, work] = [newKey(), countedWork()];
    assertSame(await once(store, key, work.run, { again: true }), { state: 'committed' });
    assertSame(await once(store, key, work.run, { again: true }), { state: 'committed' });
    const thrown = await once(store, key, () => Promise.reject(new Error('no')), { again: true }).catch(String);
    assertSame([thrown, work.times], ['Error: no', 2]);
    assertSame(await once(store, key, work.run, { owner: 'b' }), { state: 'done', digest: digestOf('a') });
  },
  async 'has a valid namespace or none'({ namespace }) {
    assertSame(namespace === undefined || (typeof namespace === 'string' && namespace !== ''), true);
  },
  async 'gives a key to one of many concurrent attempts'(store) {
    const [key, work] = [newKey(), countedWork()];
    const results = await Promise.all(Array.from({ length: 25 }, () => once(store, key, work.run)));
    assertSame([results.filter(({ state }) => state === 'committed').length, work.times], [1, 1]);
  },
};

/** The check for a store with more than one connection. */
const CONCURRENT_ONCE_CHECKS: OnceChecks = {
  async 'answers running during the work, without waiting for it'(store, again) {
    const [key, work] = [newKey(), countedWork()];
    const other = again === null ? store : await again();
    const result = await once(store, key, async () => {
      assertSame(await inTime(once(other, key, work.run)), { state: 'running' });
      assertSame(await inTime(once(other, newKey(), async () => {})), { state: 'committed' });
    });
    assertSame([result, work.times], [{ state: 'committed' }, 0]);
  },
};

async function inTime<T>(move: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error('An operation of the store waits for the transaction of the work.')),
      5_000,
    );
  });
  try {
    return await Promise.race([move, late]);
  } finally {
    clearTimeout(timer);
  }
}
