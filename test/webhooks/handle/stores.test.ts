import { describe, expect, it } from 'vitest';
import {
  ConfigurationError,
  type LeaseStore,
  memoryStore,
  type TransactionStore,
  type WebhookHandlerOptions,
} from '../../../src/webhooks/index.ts';
import { deferred, endpoint, send } from '../endpoint.ts';
import { ManualClock, settle } from '../manual-clock.ts';

// How the handler treats a store, also one that fails or does not keep its word. What a store does is checked by storeConformance.

const failure = new Error('the database is down');
const down = (): Promise<never> => Promise.reject(failure);
type Work = (extra: object) => Promise<void>;
type Run = (claim: unknown, work: Work) => Promise<unknown>;

const done = (digest: string) => async () => ({ state: 'done', digest }) as const;

/** A transaction around the work, which holds or has lost its claim at the end. */
const transaction =
  (log: string[], held = true): Run =>
  async (_claim, work) => {
    log.push('begin');
    await work({ tx: 'T1' }).catch((error: unknown) => {
      log.push('rollback');
      throw error;
    });
    log.push(held ? 'commit' : 'rollback');
    return held;
  };
const cannotCommit: Run = async (_claim, work) => {
  await work({});
  throw failure;
};
const swallows: Run = async (_claim, work) => {
  await work({}).catch(() => undefined);
  return true;
};
const doesNotWait: Run = async (_claim, work) => {
  void work({}).catch(() => undefined);
  return true;
};
/** Fails at the first completions, before or after they are applied. */
const losing =
  (times: number, isApplied: boolean) =>
  (_log: string[], { complete }: LeaseStore) => {
    let left = times;
    return {
      async complete(claim: Parameters<LeaseStore['complete']>[0]) {
        left -= 1;
        if (left < 0) return await complete(claim);
        if (isApplied) await complete(claim);
        throw failure;
      },
    };
  };

type Change = (log: string[], inner: LeaseStore) => object;
it.each<[string, Change, string[], string, RegExp?]>([
  ['whose claim fails', () => ({ claim: down }), [], 'store_failed', /is down/],
  ['whose claim is a boolean', () => ({ claim: async () => true }), [], 'store_failed', /claim\(\) must/],
  ['whose claim is new', () => ({ claim: async () => ({ state: 'new' }) }), [], 'store_failed', /claim\(\) must/],
  ['whose completion fails once', losing(1, false), ['work'], 'done'],
  ['whose completion is applied and its response lost', losing(1, true), ['work'], 'done'],
  // The claim is kept: an immediate repeat would run twice.
  ['whose completion fails', () => ({ complete: down }), ['work'], 'store_failed', /is down/],
  ['with a transaction', (log) => ({ run: transaction(log) }), ['begin', 'work in T1', 'commit'], 'done'],
  [
    'that lost its claim',
    (log) => ({ run: transaction(log, false) }),
    ['begin', 'work in T1', 'rollback'],
    'lease_lost',
  ],
  ['that cannot begin', () => ({ run: down }), ['release'], 'store_failed', /is down/],
  ['that cannot commit', () => ({ run: cannotCommit }), ['work'], 'store_failed', /is down/],
  ['that does not run the work', () => ({ run: async () => true }), ['release'], 'store_failed', /without running/],
  ['that does not wait for work that ended', () => ({ run: doesNotWait }), ['work'], 'done'],
])('a delivery over a store %s', async (_title, change, log, body, message) => {
  const { shop, told } = storeWith(change);
  expect(await send(shop)).toMatchObject({ status: { done: 200, lease_lost: 409 }[body] ?? 503, body });
  expect(told).toEqual(log);
  expect(shop.reasons()).toEqual(body === 'done' ? [] : [body]);
  if (message !== undefined) expect(shop.reports[0]?.error).toMatchObject({ message: expect.stringMatching(message) });
  // Whoever ran, and is not known to be done, keeps the claim until its lease ends.
  if (log.includes('work') && body !== 'done') expect(await send(shop)).toMatchObject({ status: 409 });
});

it.each<[string, Change, string[]]>([
  [
    'with a transaction rolls back',
    (log) => ({ run: transaction(log) }),
    ['begin', 'work in T1', 'rollback', 'release'],
  ],
  ['that swallows the failure does not make it a success', () => ({ run: swallows }), ['work', 'release']],
])('a function that fails over a store %s', async (_title, change, log) => {
  const error = new Error('no stock');
  const { shop, told } = storeWith(change, error);
  expect(await send(shop)).toMatchObject({ status: 500, body: 'handler_failed' });
  expect(shop.reports).toMatchObject([{ reason: 'handler_failed', error }]);
  expect(told).toEqual(log);
});

/** A receiver over a changed store in memory, and what the two did. */
function storeWith(change: Change, error?: Error) {
  const clock = new ManualClock();
  const inner = memoryStore({ now: clock.now });
  const told: string[] = [];
  const release: LeaseStore['release'] = async (claim) => {
    told.push('release');
    await inner.release(claim);
  };
  const onPaid = (_event: unknown, { tx }: { readonly tx?: string }) => {
    told.push(tx === undefined ? 'work' : `work in ${tx}`);
    if (error !== undefined) throw error;
  };
  const store = { ...inner, release, ...change(told, inner) };
  const shop = endpoint({ store, onPaid } as unknown as Partial<WebhookHandlerOptions>, clock); // not of the types, on purpose
  return { shop, told };
}

it('a completion that was applied, and of which both responses were lost, is done at the next delivery', async () => {
  const { shop, told } = storeWith(losing(2, true));
  expect(await send(shop)).toMatchObject({ status: 503, body: 'store_failed' });
  expect(await send(shop)).toMatchObject({ status: 200, body: 'duplicate' });
  expect(told).toEqual(['work']);
});

it('a store that does not wait for the work is answered 503 while the work goes on, and says what is wrong', async () => {
  const gate = deferred();
  const store = { ...memoryStore(), run: doesNotWait } as LeaseStore; // answers true
  const shop = endpoint({ store, onPaid: () => gate.promise });
  expect(await send(shop)).toMatchObject({ status: 503, body: 'store_failed' });
  expect(shop.reports[0]?.error).toMatchObject({ message: expect.stringContaining('must await work') });
  gate.reject(new Error('later'));
  await settle();
});

describe('a store that holds the claim in its transaction', () => {
  /** A store that does as it is told. By default it runs the work and commits, or rejects when its signal is aborted. */
  function storeThat(runOnce?: TransactionStore['runOnce']): TransactionStore {
    return {
      retention: null,
      async runOnce(request, work) {
        if (runOnce !== undefined) return await runOnce(request, work);
        const aborted = new Promise<never>((_, reject) => {
          request.signal.addEventListener('abort', () => reject(request.signal.reason));
        });
        await Promise.race([work({}), aborted]);
        return { state: 'committed' };
      },
    };
  }

  it('is answered 503 at the time limit, completes late, and is told to end after ten minutes', async () => {
    for (const isEnding of [true, false]) {
      const [begun, work] = [deferred(), deferred()];
      const shop = endpoint({
        store: storeThat(),
        onPaid: () => {
          begun.resolve();
          return work.promise;
        },
      });
      const reply = send(shop);
      await begun.promise;
      await shop.clock.advance(12_000);
      expect(await reply).toMatchObject({ status: 503, body: 'time_limit' });
      await shop.clock.advance(600_000 - 12_001);
      expect(shop.reasons()).toEqual(['time_limit']);
      if (isEnding) work.resolve();
      else await shop.clock.advance(1);
      await expect.poll(() => shop.reasons()).toEqual(['time_limit', isEnding ? 'completed_late' : 'store_failed']);
    }
  });

  it('that gets its connection after the time limit does not begin the function', async () => {
    const [asked, connection] = [deferred(), deferred()];
    const store = storeThat(async (_request, work) => {
      asked.resolve();
      await connection.promise;
      await work({});
      return { state: 'committed' };
    });
    const shop = endpoint({ store });
    const reply = send(shop);
    await asked.promise;
    await shop.clock.advance(12_000);
    expect(await reply).toMatchObject({ status: 503, body: 'time_limit' });
    connection.resolve();
    await settle();
    expect(shop.calls).toEqual([]);
  });

  it.each<[string, TransactionStore['runOnce'], object]>([
    ['is running elsewhere', async () => ({ state: 'running' }), { status: 409, body: 'duplicate_running' }],
    // The first part is the start of the SHA-256 of the external_id, the second that of the amounts and the status.
    [
      'is done',
      done('2.bff83cdfb94d8087b6fd49cb20c427.0000000000000000000000000000000'),
      { status: 200, body: 'duplicate_differs' },
    ],
    ['is done, by another version', done('x'), { status: 200, body: 'duplicate' }],
    [
      'is that of another order',
      done('2.df8cf80227ec3237922df0ecd88385.0000000000000000000000000000000'),
      { status: 500, body: 'key_of_another_order' },
    ],
    ['cannot be claimed', down, { status: 503, body: 'store_failed' }],
    ['was not run', async () => ({ state: 'committed' }), { status: 503, body: 'store_failed' }],
    ['has an unknown state', async () => ({ state: 'ok' }) as never, { status: 503, body: 'store_failed' }],
  ])('whose event %s', async (_name, runOnce, response) => {
    const shop = endpoint({ store: storeThat(runOnce) });
    expect(await send(shop)).toMatchObject(response);
    expect(shop.calls).toEqual([]);
  });

  it('that swallows the failure of the function does not make it a success', async () => {
    const store = storeThat(async (_request, work) => {
      await work({}).catch(() => undefined);
      return { state: 'committed' };
    });
    const shop = endpoint({ store, onPaid: () => Promise.reject(new Error('no')) });
    expect(await send(shop)).toMatchObject({ status: 500, body: 'handler_failed' });
  });

  it('is refused if it has leases, too', () => {
    expect(() => endpoint({ store: { ...memoryStore(), ...storeThat() } })).toThrow(ConfigurationError);
  });
});
