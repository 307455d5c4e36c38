// Credits a customer exactly once: the credit and the mark "done" are one
// SQLite transaction.
import { DatabaseSync } from 'node:sqlite';
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import {
  createWebhookHandler,
  sqliteStore,
  toFetchHandler,
} from 'merchant-invoicing/webhooks';

const db = new DatabaseSync(':memory:'); // live: a file
db.exec('CREATE TABLE credits (order_id TEXT NOT NULL, usdt TEXT NOT NULL)');
const store = sqliteStore(db);
await store.migrate();

let crashes = 1;
const handler = createWebhookHandler({
  secret: 'whsec_0123456789abcdef',
  store,
  onPaid: ({ order, credited_usdt }, { commit }) =>
    commit((tx) => {
      tx.prepare('INSERT INTO credits VALUES (?, ?)').run(
        order,
        credited_usdt.toFixed(),
      );
      // rolls back, and the service sends the event again
      if (crashes-- > 0) throw new Error('the disk is full');
    }),
  // Another amount was paid than was ordered. This shop credits what it got.
  onAdjusted: ({ order, credited_usdt }, { commit }) =>
    commit((tx) =>
      tx
        .prepare('INSERT INTO credits VALUES (?, ?)')
        .run(order, credited_usdt.toFixed()),
    ),
  onCanceled: () => {},
  onReport: ({ reason, error }) =>
    console.log(reason, ...(error instanceof Error ? [error.message] : [])),
});

const receive = toFetchHandler(handler);
const sandbox = createSandbox({
  quiet: true, // the first webhook of this example fails on purpose
  webhookSecret: 'whsec_0123456789abcdef',
  // delivers in this process, without a port
  fetch: (url, init) => receive(new Request(url, init)),
});
const merchant = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: sandbox.fetch,
});
const order = {
  external_id: 'order-1',
  customer_id: 'customer-7',
  amount: '25.00',
  currency: 'EUR',
};
await merchant.invoices.create({
  ...order,
  callback_url: 'http://localhost/webhook',
});

await sandbox.pay('order-1'); // → handler_failed the disk is full
await sandbox.advance('1m'); // the second attempt of the service succeeds
await sandbox.resend('order-1'); // → duplicate
console.log(
  ...db
    .prepare("SELECT order_id || ' ' || usdt AS credit FROM credits")
    .all()
    .map(({ credit }) => credit),
); // → order-1 26.861298
