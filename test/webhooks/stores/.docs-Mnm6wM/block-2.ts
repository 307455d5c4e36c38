import { createClient } from 'redis';
import { createWebhookHandler, redisStore, toFetchHandler } from '../../../../src/webhooks/index.ts';

const client = await createClient()
  .on('error', (error) => console.error(error.message))
  .connect();

const handler = createWebhookHandler({
  secret: process.env['MERCHANT_WEBHOOK_SECRET'] ?? '',
  store: redisStore(client, { prefix: 'shop:webhook:' }),
  onPaid: async (event, { dedupeKey }) => {
    await client.hSetNX('credits', dedupeKey, event.credited_usdt.toFixed()); // the second time does nothing
  },
  onCanceled: () => {},
});
export const POST = toFetchHandler(handler);
