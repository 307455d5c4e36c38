import { createClient } from 'redis';
import { redisStore } from '../../src/webhooks/index.ts';
import type { Shop } from './shop.ts';

/** Redis has no transaction to share, so the credit itself bears repetition: one field for each event. */
export async function redisShop(socket: string): Promise<Shop> {
  const client = await createClient({ socket: { path: socket, tls: false } })
    .on('error', (error) => console.error(error))
    .connect();
  return {
    store: redisStore(client),
    async setUp() {
      await client.flushDb();
    },
    async credit(event, context, written) {
      await client.hSetNX('credits', context.dedupeKey, JSON.stringify(creditOf(event)));
      written();
    },
    creditAlone: (event) => client.rPush('more-credits', JSON.stringify(creditOf(event))),
    async credits() {
      const lines = [...(await client.hVals('credits')), ...(await client.lRange('more-credits', 0, -1))];
      return lines.map((line) => JSON.parse(line));
    },
    close: () => client.close(),
  };
}

function creditOf(event: { readonly invoice_uuid: string; readonly credited_usdt: { toFixed(): string } }) {
  return { invoice: event.invoice_uuid, usdt: event.credited_usdt.toFixed() };
}
