import { describe, expect, it } from 'vitest';
import {
  ConfigurationError,
  memoryStore,
  type TransactionStore,
  type WebhookHandlerOptions,
} from '../../../src/webhooks/index.ts';
import { deferred, endpoint, send } from '../endpoint.ts';

// How the handler treats a store that holds the claim in its transaction. What such a store does is checked by storeConformance.

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
const receiver = (store: TransactionStore, onPaid: WebhookHandlerOptions['onPaid'] = () => {}) =>
  endpoint({ store, onPaid });

describe('a store that holds the claim in its transaction', () => {
  it('is answered 503 at the time limit, and completes late', async () => {
    const [begun, work] = [deferred(), deferred()];
    const shop = receiver(storeThat(), () => {
      begun.resolve();
      return work.promise;
    });
    const reply = send(shop);
    await begun.promise;
    await shop.clock.advance(12_000);
    expect(await reply).toMatchObject({ status: 503, body: 'time_limit' });
    work.resolve();
    await expect.poll(() => shop.reasons()).toEqual(['time_limit', 'completed_late']);
  });

  it('is told to end the transaction ten minutes after the claim, and not before', async () => {
    const begun = deferred();
    const shop = receiver(storeThat(), () => {
      begun.resolve();
      return new Promise(() => {});
    });
    const reply = send(shop);
    await begun.promise;
    await shop.clock.advance(599_999);
    expect(await reply).toMatchObject({ status: 503, body: 'time_limit' });
    expect(shop.reasons()).toEqual(['time_limit']);
    await shop.clock.advance(1);
    await expect.poll(() => shop.reasons()).toEqual(['time_limit', 'store_failed']);
  });

  it('that gets its connection after the time limit does not begin the function', async () => {
    const [asked, connection] = [deferred(), deferred()];
    const shop = receiver(
      storeThat(async (_request, work) => {
        asked.resolve();
        await connection.promise;
        await work({});
        return { state: 'committed' };
      }),
      () => void shop.calls.push('began'),
    );
    const reply = send(shop);
    await asked.promise;
    await shop.clock.advance(12_000);
    expect(await reply).toMatchObject({ status: 503, body: 'time_limit' });
    connection.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(shop.calls).toEqual([]);
  });

  it.each<[string, TransactionStore['runOnce'], object]>([
    ['is running elsewhere', async () => ({ state: 'running' }), { status: 409, body: 'duplicate_running' }],
    [
      'is done, with other amounts',
      async () => ({ state: 'done', digest: 'x' }),
      { status: 200, body: 'duplicate_differs' },
    ],
    ['cannot be claimed', () => Promise.reject(new Error('down')), { status: 503, body: 'store_failed' }],
    [
      'is said to be committed without a run',
      async () => ({ state: 'committed' }),
      { status: 503, body: 'store_failed' },
    ],
    ['has an unknown state', async () => ({ state: 'ok' }) as never, { status: 503, body: 'store_failed' }],
  ])('whose event %s', async (_name, runOnce, answer) => {
    const shop = receiver(storeThat(runOnce), () => void shop.calls.push('began'));
    expect(await send(shop)).toMatchObject(answer);
    expect(shop.calls).toEqual([]);
  });

  it('that swallows the failure of the function does not make it a success', async () => {
    const shop = receiver(
      storeThat(async (_request, work) => {
        await work({}).catch(() => undefined);
        return { state: 'committed' };
      }),
      () => Promise.reject(new Error('no')),
    );
    expect(await send(shop)).toMatchObject({ status: 500, body: 'handler_failed' });
  });

  it('is refused if it has leases, too', () => {
    expect(() => endpoint({ store: { ...memoryStore(), ...storeThat() } })).toThrow(ConfigurationError);
  });
});
