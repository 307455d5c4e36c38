// A day of 200 customers over a whole shop, with lost responses, late webhooks
// and restarts: `node --test examples/testing/storm.test.ts`
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Decimal, MerchantClient } from 'merchant-invoicing';
import {
  type StormService,
  type StormShop,
  storm,
} from 'merchant-invoicing/storm';
import {
  createWebhookHandler,
  type InvoiceAdjustedEvent,
  type InvoicePaidEvent,
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
      status TEXT DEFAULT 'new', renewal INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE payments (invoice_uuid TEXT PRIMARY KEY, order_id TEXT,
      usdt TEXT, given TEXT)`);
  const merchant = new MerchantClient({
    baseUrl,
    apiKey,
    fetch,
    retry: { baseDelay: 1 },
  });
  // the clock of the service, which is faster than real time
  const store = sqliteStore(db, { now });
  await store.migrate();

  const amountOf = (order: string) => {
    const row = db.prepare('SELECT amount FROM orders WHERE id = ?').get(order);
    if (row === undefined) throw new Error(`no order ${order}`);
    return String(row['amount']);
  };
  const book = (
    tx: DatabaseSync,
    event: InvoicePaidEvent | InvoiceAdjustedEvent,
  ) => {
    const { order, invoice_uuid, amount, credited_usdt, adjusted } = event;
    const isWhole = !adjusted && amount.eq(amountOf(order));
    const update = tx.prepare(`UPDATE orders SET status = ? WHERE id = ?
      AND status IN ('new', 'pending', 'canceled')`);
    const { changes } = update.run(isWhole ? 'shipped' : 'check', order);
    // another amount, or a second payment: a person decides
    const given = isWhole && changes === 1 ? 'goods' : 'review';
    tx.prepare('INSERT INTO payments VALUES (?, ?, ?, ?)').run(
      invoice_uuid.toLowerCase(),
      order,
      credited_usdt.toFixed(),
      given,
    );
  };
  const open = () =>
    createWebhookHandler({
      secret: webhookSecret,
      store,
      now,
      onPaid: (event, { commit }) => commit((tx) => book(tx, event)),
      onAdjusted: (event, { commit }) => commit((tx) => book(tx, event)),
      onCanceled: ({ order, renewal }, { commit }) =>
        commit((tx) => {
          amountOf(order);
          const cancel = tx.prepare(`UPDATE orders
            SET renewal = $renewal, status = 'canceled'
            WHERE id = $order AND renewal <= $renewal
              AND status IN ('new', 'pending')`);
          cancel.run({ order, renewal });
        }),
      onReport: () => {},
    });
  let handler = open();

  const STATES = {
    new: 'open',
    pending: 'open',
    check: 'paid',
    shipped: 'fulfilled',
    canceled: 'canceled',
  } as const;
  const rows = () =>
    db.prepare('SELECT * FROM orders').all() as unknown as {
      id: string;
      amount: string;
      currency: string;
      status: keyof typeof STATES;
      renewal: number;
    }[]; // the columns of the table above
  const payments = db.prepare('SELECT usdt FROM payments WHERE order_id = ?');
  const creditOf = (id: string) =>
    payments
      .all(id)
      .reduce((sum, row) => sum.plus(String(row['usdt'])), new Decimal(0));
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
      const offer = db.prepare(`UPDATE orders
        SET renewal = max(renewal, $n), status = 'pending'
        WHERE id = $order AND (status IN ('new', 'pending')
          OR status = 'canceled' AND renewal < $n)`);
      const { changes } = offer.run({ order: id, n: renewal });
      return changes === 1 ? invoice.payment_url : null;
    },
    receive: (request) => toFetchHandler(handler)(request),
    orders: () =>
      rows().map(({ id, amount, currency, status }) => ({
        amount,
        currency,
        external_id: id,
        state: STATES[status],
        credited_usdt: creditOf(id),
      })),
    fulfilments: () => {
      const select =
        'SELECT order_id AS external_id, given AS kind FROM payments';
      return db.prepare(select).all() as {
        external_id: string;
        kind: 'goods' | 'review';
      }[];
    },
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
