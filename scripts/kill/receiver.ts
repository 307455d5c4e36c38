import { once } from 'node:events';
import { createServer } from 'node:http';
import * as module from 'node:module';
import type { AddressInfo } from 'node:net';
import {
  createWebhookHandler,
  toNodeHandler,
  type WebhookHandler,
  type WebhookStore,
} from '../../src/webhooks/index.ts';
import { reach, stall, under } from './moment.ts';
import { type Shop, type ShopAddress, withShop } from './shop.ts';

// The webhook endpoint of a merchant as a separate process that kills itself.

/** How the receiver is wrong on purpose, to see that the run finds it. */
export type Fault = 'none' | 'done_before_work' | 'write_outside' | 'blocks';

/** The setup of a receiver, as JSON in its first argument. */
export interface ReceiverSetup {
  readonly shop: ShopAddress;
  readonly secret: string;
  /** Milliseconds. With the 50 seconds of the package the run would take an hour. */
  readonly lease: number;
  /** The handler's time limit in milliseconds. */
  readonly limit: number;
  readonly fault: Fault;
}

const { shop: address, secret, lease, limit, fault }: ReceiverSetup = JSON.parse(process.argv[2] ?? '');
const answer = toNodeHandler(await withShop(address, handlerOver));
const server = createServer((request, response) => {
  const { 'x-die-at': dieAt, 'x-stall': wait } = request.headers;
  under({ dieAt: String(dieAt), stall: Number(wait ?? 0) }, () => {
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

function handlerOver<Extra extends object>(shop: Shop<Extra>): WebhookHandler {
  return createWebhookHandler<Extra>({
    secret,
    timeout: limit,
    store: fault === 'done_before_work' ? doneBeforeWork(shop.store) : withShortLease(shop.store),
    onPaid: async (event, context) => {
      reach('in_handler');
      await stall();
      if (fault === 'none' || fault === 'blocks') {
        await shop.credit(event, context, () => reach('after_write'));
      } else {
        await shop.creditAlone(event);
        reach('after_write');
      }
    },
    onCanceled: () => {},
    onReport: ({ reason }) => process.send?.({ report: reason }),
  });
}

function withShortLease<Extra extends object>(store: WebhookStore<Extra>): WebhookStore<Extra> {
  return {
    ...store,
    async claim(request) {
      const result = await store.claim({ ...request, lease });
      if (result.state === 'claimed' || result.state === 'taken_over') reach('after_claim');
      return result;
    },
    renew: (claim) => store.renew(claim, lease),
  };
}

// "Set if absent, then work": what most hand-written receivers do.
function doneBeforeWork<Extra extends object>(store: WebhookStore<Extra>): WebhookStore<Extra> {
  const { run: _run, ...rest } = withShortLease(store);
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
