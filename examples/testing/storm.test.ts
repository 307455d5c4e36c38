// A day of 200 customers over a whole shop, with lost responses, late webhooks
// and restarts: `node --test examples/testing/storm.test.ts`
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { MerchantClient } from 'merchant-invoicing';
import {
  type StormService,
  type StormShop,
  storm,
} from 'merchant-invoicing/storm';
import {
  createWebhookHandler,
  type InvoiceEvent,
  sqliteStore,
  toFetchHandler,
} from 'merchant-invoicing/webhooks';

/** Your shop, over the service that it is given. */
async function openShop({
  baseUrl,
  apiKey,
  webhookSecret,
  fetch,
  origin,
  now,
}: StormService): Promise<StormShop> {
  const db = new DatabaseSync(':memory:');
  db.exec(`CREATE TABLE orders (id TEXT PRIMARY KEY, amount TEXT, currency TEXT,
      status TEXT DEFAULT 'pending', usdt TEXT,
      renewal INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE parcels (order_id TEXT)`);
  const merchant = new MerchantClient({
    baseUrl,
    apiKey,
    fetch,
    retry: { baseDelay: 1 },
  });
  // the clock of the service: days pass in a second
  const store = sqliteStore(db, { now });
  await store.migrate();

  const book = (
    tx: DatabaseSync,
    { order, credited_usdt }: InvoiceEvent,
    status: 'paid' | 'shipped',
  ) => {
    const update = tx.prepare(
      'UPDATE orders SET status = ?, usdt = ? WHERE id = ?',
    );
    const { changes } = update.run(
      status,
      credited_usdt?.toFixed() ?? null,
      order,
    );
    if (changes !== 1) throw new Error(`no order ${order}`);
    if (status === 'shipped')
      tx.prepare('INSERT INTO parcels VALUES (?)').run(order);
  };
  const open = () =>
    createWebhookHandler({
      secret: webhookSecret,
      store,
      now,
      onPaid: (event, { commit }) => commit((tx) => book(tx, event, 'shipped')),
      onAdjusted: (event, { commit }) =>
        commit((tx) => book(tx, event, 'paid')), // a person decides
      onCanceled: ({ order, renewal }, { commit }) =>
        commit((tx) => {
          tx.prepare(
            `UPDATE orders SET renewal = ?, status = 'canceled'
             WHERE id = ? AND renewal <= ? AND status = 'pending'`,
          ).run(renewal, order, renewal);
        }),
      onReport: () => {},
    });
  let handler = open();

  const STATES = {
    pending: 'open',
    paid: 'paid',
    shipped: 'fulfilled',
    canceled: 'canceled',
  } as const;
  const rows = () =>
    db.prepare('SELECT * FROM orders').all() as unknown as {
      id: string;
      amount: string;
      currency: string;
      status: keyof typeof STATES;
      usdt: string | null;
      renewal: number;
    }[]; // the columns of the table above
  return {
    async checkout({ id, customer_id, amount, currency }) {
      db.prepare(
        'INSERT OR IGNORE INTO orders (id, amount, currency) VALUES (?, ?, ?)',
      ).run(id, amount, currency);
      const urls = {
        callback_url: `${origin}/webhook`,
        success_url: `${origin}/thanks`,
      };
      const order = { external_id: id, customer_id, amount, currency, ...urls };
      const { invoice, renewal } = await merchant.invoices.createOrRenew(order);
      if (invoice.status !== 'pending') return null; // paid
      // before the customer gets the link
      const { changes } = db
        .prepare(
          `UPDATE orders SET renewal = max(renewal, ?), status = 'pending'
           WHERE id = ? AND
             (status = 'pending' OR status = 'canceled' AND renewal < ?)`,
        )
        .run(renewal, id, renewal);
      return changes === 1 ? invoice.payment_url : null;
    },
    receive: (request) => toFetchHandler(handler)(request),
    orders: () =>
      rows().map(({ id, amount, currency, status, usdt }) => ({
        amount,
        currency,
        external_id: id,
        state: STATES[status],
        credited_usdt: usdt,
      })),
    fulfilments: () =>
      db.prepare('SELECT order_id AS external_id FROM parcels').all() as {
        external_id: string;
      }[],
    catchUp: () =>
      handler.catchUp(merchant, {
        orders: rows().flatMap(({ id, status, renewal }) =>
          status === 'pending' || status === 'canceled' || renewal > 0
            ? [id]
            : [],
        ),
      }),
    restart: () => {
      handler = open();
    },
    close: () => db.close(),
  };
}

test('the shop gives each order once, and only for its money', async () => {
  const result = await storm({ seed: 42, shop: openShop });
  assert.deepEqual(result.findings, []);
});
