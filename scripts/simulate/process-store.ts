import type { WebhookStore } from '../../src/webhooks/index.ts';
import type { EventClock } from './event-clock.ts';
import type { Life, Server } from './life.ts';
import type { Extra } from './shop-store.ts';

/**
 * A fault of the store, which the simulation must notice.
 *
 * - `lost_lease`: a renewal has no effect, so the claim of a slow function ends while it runs.
 * - `done_at_claim`: an event counts as done when it is claimed, so a crash loses it.
 */
export const FAULTS = ['none', 'lost_lease', 'done_at_claim'] as const;
export type Fault = (typeof FAULTS)[number];

/** Milliseconds of one delivery: of the process that handles it, and of the engine for each operation of the store. */
export interface Costs {
  readonly processor: number;
  readonly operation: number;
}

/**
 * The store as one process reaches it: an operation waits for a connection and for the engine, and takes time there. A
 * killed process no longer reaches anything.
 */
export function processStore(
  store: WebhookStore<Extra>,
  { clock, engine, costs, fault }: { clock: EventClock; engine: Server; costs: Costs; fault: Fault },
  life: Life,
): WebhookStore<Extra> {
  const operation = async <T>(work: () => Promise<T>): Promise<T> => {
    const giveBack = await life.connect();
    try {
      await engine.do(costs.operation / 2, life); // a process may die before the engine has worked
      const result = await clock.real(work);
      await engine.do(costs.operation / 2, life); // or before it has heard of it
      return result;
    } finally {
      giveBack();
    }
  };
  const { run } = store;
  return {
    retention: store.retention,
    async claim(request) {
      await life.processor.do(costs.processor, life);
      return await operation(async () => {
        const result = await store.claim(request);
        if (fault === 'done_at_claim' && result.state !== 'done') await store.complete(request);
        return result;
      });
    },
    renew: async (claim, lease) =>
      fault === 'lost_lease' ? true : await operation(async () => await store.renew(claim, lease)),
    complete: async (claim) => await operation(async () => await store.complete(claim)),
    release: async (claim) => await operation(async () => await store.release(claim)),
    ...(run !== undefined && {
      run: async (claim, work) =>
        await operation(async () => await run.call(store, claim, (extra) => clock.virtual(() => work(extra)))),
    }),
  };
}
