// app/webhook/route.ts
import {
  createWebhookHandler,
  memoryStore,
  toFetchHandler,
} from 'merchant-invoicing/webhooks';

export const runtime = 'nodejs';
// A function, because `next build` evaluates this file, and a build has no
// secrets.
export const POST = toFetchHandler(() =>
  createWebhookHandler({
    secret: process.env['MERCHANT_WEBHOOK_SECRET'] ?? '',
    store: memoryStore(), // in production: the store of your database
    onPaid: ({ external_id, credited_usdt }) =>
      console.log(external_id, credited_usdt.toFixed(2)),
    onAdjusted: ({ external_id, amount }) =>
      console.log(external_id, 'paid another amount', amount.toFixed(2)),
    onCanceled: ({ external_id, status }) => console.log(external_id, status),
  }),
);
