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
    store: memoryStore(), // in production: the store of your database
    onPaid: ({ order, credited_usdt }) =>
      console.log(order, credited_usdt.toFixed(2)),
    onAdjusted: ({ order, amount }) =>
      console.log(order, 'paid another amount', amount.toFixed(2)),
    onCanceled: ({ order, status }) => console.log(order, status),
  }),
);
