import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { createServer } from 'node:http';
import * as module from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createWebhookHandler,
  type LeaseStore,
  type TransactionStore,
  toNodeHandler,
  type WebhookHandler,
  type WebhookStore,
} from '../../../src/webhooks/index.ts';
import { type Driver, type Shop, withShop } from './shops.ts';

// The webhook endpoint of a merchant as a separate process, which kills itself where a request says so.

/** Where a receiver can die. The last one is while the response is being sent. */
export const POINTS = ['before_claim', 'after_claim', 'in_handler', 'after_write', 'before_answer'] as const;

/** How the receiver is wrong on purpose, to see that the run finds it. */
export type Fault = 'none' | 'done_before_work' | 'write_outside';

/** The setup of a receiver, as JSON in its first argument. */
export interface ReceiverSetup {
  readonly driver: Driver;
  readonly at: string;
  readonly secret: string;
  /** Milliseconds. With the 50 seconds of the package the run would take an hour. */
  readonly lease: number;
  readonly fault: Fault;
}

const dying = new AsyncLocalStorage<{ readonly at: string; readonly stall: number }>();

/** Ends this process as a power cut would, if that is the fate of the request at this point. */
function reach(point: (typeof POINTS)[number]): void {
  if (dying.getStore()?.at !== point) return;
  writeSync(1, `${point}\n`); // at once: nothing that is left to the event loop would leave this process
  process.kill(process.pid, 'SIGKILL');
}

function handlerOver<Extra extends object>(shop: Shop<Extra>): WebhookHandler {
  return createWebhookHandler<Extra>({
    secret,
    store: storeOf(shop.store),
    onPaid: async (event, context) => {
      reach('in_handler');
      await pause(dying.getStore()?.stall ?? 0);
      if (fault === 'none') return shop.credit(event, context, () => reach('after_write'));
      await shop.creditAlone(event);
      reach('after_write');
    },
    onAdjusted: () => {},
    onCanceled: () => {},
    onReport: ({ reason }) => process.send?.({ report: reason }),
  });
}

function storeOf<Extra extends object>(store: WebhookStore<Extra>): WebhookStore<Extra> {
  if ('runOnce' in store) return dyingAfterClaim(store);
  return fault === 'done_before_work' ? doneBeforeWork(store) : withShortLease(store);
}

function dyingAfterClaim<Extra extends object>(store: TransactionStore<Extra>): TransactionStore<Extra> {
  return {
    ...store,
    runOnce: (request, work) =>
      store.runOnce(request, async (extra) => {
        reach('after_claim');
        await work(extra);
      }),
  };
}

function withShortLease<Extra extends object>(store: LeaseStore<Extra>): WebhookStore<Extra> {
  return {
    ...store,
    async claim(request) {
      const result = await store.claim({ ...request, lease });
      if (result.state === 'claimed' || result.state === 'taken_over') reach('after_claim');
      return result;
    },
    extend: (claim) => store.extend(claim, lease),
  };
}

// "Set if absent, then work": what most hand-written receivers do.
function doneBeforeWork<Extra extends object>(store: LeaseStore<Extra>): WebhookStore<Extra> {
  const { run: _run, ...rest } = store;
  return {
    ...rest,
    async claim(request) {
      const result = await store.claim({ ...request, lease });
      if (result.state === 'claimed') await store.complete(request);
      reach('after_claim');
      return result;
    },
    complete: async () => true,
  };
}

const { driver, at, secret, lease, fault }: ReceiverSetup = JSON.parse(process.argv[2] ?? '');
const answer = toNodeHandler(await withShop(driver, at, handlerOver));
const server = createServer((request, response) => {
  dying.run({ at: String(request.headers['x-die-at']), stall: Number(request.headers['x-stall'] ?? 0) }, () => {
    reach('before_claim');
    const { end } = response;
    response.end = (...values: unknown[]) => {
      reach('before_answer');
      return Reflect.apply(end, response, values);
    };
    void answer(request, response);
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('disconnect', () => process.exit(0));
process.send?.({ port: (server.address() as AddressInfo).port }); // a TCP server has one
module.flushCompileCache(); // the next start is faster, and this process will not end in a way that saves anything
