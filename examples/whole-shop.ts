// A whole shop in one file: orders, pay button, webhook, catch-up and the
// nightly comparison.
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { Decimal, isMerchantError, MerchantClient } from 'merchant-invoicing';
import { type ReconcileOrder, reconcile } from 'merchant-invoicing/reconcile';
import type {
  InvoiceAdjustedEvent,
  InvoicePaidEvent,
} from 'merchant-invoicing/webhooks';
import {
  createWebhookHandler,
  sqliteStore,
  toNodeHandler,
} from 'merchant-invoicing/webhooks';

const DAY = 86_400_000;
const SCHEMA = `
CREATE TABLE IF NOT EXISTS products (id TEXT PRIMARY KEY, name TEXT NOT NULL,
  price TEXT NOT NULL, currency TEXT NOT NULL);
INSERT OR IGNORE INTO products VALUES
  ('tea', 'Green tea', '12.50', 'EUR'), ('mug', 'Mug', '18.00', 'EUR');
CREATE TABLE IF NOT EXISTS orders (
  id TEXT PRIMARY KEY, -- unique among all shops of your business
  customer_id TEXT NOT NULL,
  amount TEXT NOT NULL,
  currency TEXT NOT NULL,
  -- new, pending, paid, check (another amount was paid) or canceled
  status TEXT NOT NULL DEFAULT 'new',
  renewal INTEGER NOT NULL DEFAULT 0, -- the last one whose link was given
  created_at TEXT NOT NULL,
  changed_at TEXT
);
-- Each payment, by its invoice. An order can be paid twice.
CREATE TABLE IF NOT EXISTS payments (
  invoice_uuid TEXT PRIMARY KEY,
  order_id TEXT NOT NULL REFERENCES orders (id),
  amount TEXT NOT NULL,
  credited_usdt TEXT NOT NULL,
  given TEXT NOT NULL -- goods, or review: a person decides
);
-- What the warehouse sends: one for each order, whatever happens.
CREATE TABLE IF NOT EXISTS parcels (order_id TEXT PRIMARY KEY);
`;
type Order = Record<'id' | 'customer_id' | 'amount' | 'currency', string> & {
  readonly status: 'new' | 'pending' | 'paid' | 'check' | 'canceled';
};

export interface ShopOptions {
  readonly db: DatabaseSync;
  readonly merchant: MerchantClient;
  readonly secret: string;
  /** The address of the shop, as the service and the customers reach it. */
  readonly url: string;
  readonly now?: () => number;
  readonly log?: (line: string) => void;
}

export async function openShop({
  db,
  merchant,
  secret,
  url,
  now = Date.now,
  log = console.log,
}: ShopOptions) {
  // without these, two processes on one file see "database is locked"
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000; ${SCHEMA}`);
  const store = sqliteStore(db, { now });
  await store.migrate();
  const ago = (time: number) => new Date(now() - time).toISOString();
  const select = db.prepare('SELECT * FROM orders WHERE id = ?');
  // the columns are those of the table
  const find = (id: string) => select.get(id) as unknown as Order | undefined;

  function place(product: string): Order | undefined {
    const id = randomUUID(); // whoever knows it sees the order
    const insert = `INSERT INTO orders
      (id, customer_id, amount, currency, created_at)
      SELECT ?, ?, price, currency, ? FROM products WHERE id = ?`;
    db.prepare(insert).run(id, `guest-${id}`, ago(0), product);
    return find(id); // undefined if there is no such product
  }

  /**
   * The pay button: returns the address where the customer goes. A second click
   * finds the same invoice, and an order that was not paid gets another one.
   */
  async function pay(order: Order): Promise<string> {
    const { id, customer_id, amount, currency, status } = order;
    const home = `${url}/orders/${id}`;
    if (status === 'paid' || status === 'check') return home;
    const found = await merchant.invoices.createOrRenew({
      external_id: id,
      customer_id,
      amount,
      currency,
      callback_url: `${url}/webhook`,
      success_url: home,
      fail_url: home,
    });
    const { invoice, renewal } = found;
    // in the sandbox, a new tunnel has another address
    const isOurs = !found.differences.includes('callback_url');
    if (!isOurs && process.env['MERCHANT_SANDBOX'] !== '1')
      throw new Error(
        `another shop has an invoice with the id ${id}, and would get its ` +
          'webhook: begin the ids of each shop with a prefix',
      );
    // before the customer has the link: it only raises `renewal`, and opens no
    // order that is paid
    const offer = db.prepare(`UPDATE orders
      SET renewal = max(renewal, $n), status = 'pending', changed_at = $now
      WHERE id = $order AND (status IN ('new', 'pending')
        OR status = 'canceled' AND renewal < $n)`);
    const isOffered =
      invoice.status === 'pending' &&
      offer.run({ order: id, n: renewal, now: ago(0) }).changes === 1;
    // a paid invoice has its webhook on the way
    return isOffered ? invoice.payment_url : home;
  }

  /** Throws where the order is not known: the event comes again. */
  function known(id: string): Order {
    const order = find(id);
    if (order === undefined) throw new Error(`no order ${id}`);
    return order;
  }

  /** Books a payment, also of an order that is canceled or paid already. */
  function book(
    tx: DatabaseSync,
    event: InvoicePaidEvent | InvoiceAdjustedEvent,
  ): void {
    const { order: id, invoice_uuid, amount, credited_usdt, adjusted } = event;
    const isWhole = !adjusted && amount.eq(known(id).amount);
    const update = tx.prepare(`UPDATE orders SET status = ?, changed_at = ?
      WHERE id = ? AND status IN ('new', 'pending', 'canceled')`);
    const { changes } = update.run(isWhole ? 'paid' : 'check', ago(0), id);
    // another amount, or a second payment: a person decides
    const given = isWhole && changes === 1 ? 'goods' : 'review';
    tx.prepare('INSERT INTO payments VALUES (?, ?, ?, ?, ?)').run(
      invoice_uuid.toLowerCase(),
      id,
      amount.toFixed(),
      credited_usdt.toFixed(),
      given,
    );
    if (given === 'goods') tx.prepare('INSERT INTO parcels VALUES (?)').run(id);
  }

  const handler = createWebhookHandler({
    secret,
    store,
    now,
    onPaid: (event, { commit }) => commit((tx) => book(tx, event)),
    onAdjusted: (event, { commit }) => commit((tx) => book(tx, event)),
    onCanceled: ({ order, renewal }, { commit }) =>
      commit((tx) => {
        known(order);
        const cancel = tx.prepare(`UPDATE orders
          SET renewal = $renewal, status = 'canceled', changed_at = $now
          WHERE id = $order AND renewal <= $renewal
            AND status IN ('new', 'pending')`);
        cancel.run({ order, renewal, now: ago(0) });
      }),
    onReport: ({ reason, order, message, error }) =>
      log(
        `${reason} ${order ?? ''} ${message} ` +
          `${error instanceof Error ? error.stack : ''}`,
      ),
  });

  async function ask(where: string, ...values: string[]): Promise<void> {
    const rows = db.prepare(`SELECT id FROM orders WHERE ${where}`);
    const orders = rows.all(...values).map(({ id }) => String(id));
    log(JSON.stringify(await handler.catchUp(merchant, { orders })));
  }
  /** Every ten minutes: plays what no webhook delivered. */
  const catchUp = () => ask(`status = 'pending'`);

  /** The orders of the last eight days, as `reconcile` takes them. */
  function compared(): ReconcileOrder[] {
    // a day more than the week: an invoice may be younger than its order
    const week = db.prepare(
      `SELECT id AS external_id, amount, currency, changed_at,
         CASE status WHEN 'pending' THEN 'open' WHEN 'paid' THEN 'fulfilled'
           WHEN 'check' THEN 'paid' ELSE status END AS state
       FROM orders WHERE status <> 'new' AND created_at > ?`,
    );
    const payments = db.prepare(
      'SELECT credited_usdt FROM payments WHERE order_id = ?',
    );
    const creditOf = (id: string) => {
      const credits = payments
        .all(id)
        .map((row) => String(row['credited_usdt']));
      return credits.length === 0 ? null : Decimal.sum(...credits);
    };
    // the members are those of the statement
    const rows = week.all(ago(8 * DAY)) as unknown as ReconcileOrder[];
    return rows.map((row) => {
      return { ...row, credited_usdt: creditOf(row.external_id) };
    });
  }

  /**
   * Each night: asks for late and second payments, and compares the orders of
   * the week with the service.
   */
  async function nightly(): Promise<void> {
    await ask(
      `status = 'pending' OR changed_at > ?
         AND (status = 'canceled' OR renewal > 0)`,
      ago(3 * DAY),
    );
    const orders = compared();
    const findings = reconcile({
      merchant,
      orders,
      since: new Date(now() - 7 * DAY),
    });
    // a person has to look
    for await (const finding of findings) log(JSON.stringify(finding));
  }

  function pageOf({ id, status }: Order): string {
    if (status === 'paid') return 'Paid. Your parcel is on its way.';
    if (status === 'check')
      return 'You have paid another amount. We will write to you.';
    return `${status === 'canceled' ? 'Not paid yet. ' : ''}
      <form method="post" action="/orders/${id}/pay">
      <button>Pay</button></form>`;
  }
  const formOf = ({ id, name, price, currency }: Record<string, unknown>) =>
    `<form method="post" action="/order/${id}">
      <button>${name}, ${price} ${currency}</button></form>`;

  const webhook = toNodeHandler(handler);
  const listener: RequestListener = async (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?');
    // before anything reads the body
    if (path === '/webhook') return webhook(request, response);
    const show = (status: number, html: string) =>
      response
        .writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
        .end(html);
    const goTo = (location: string) =>
      response.writeHead(303, { location }).end();
    const [, folder, id = '', action] = path.split('/');
    const isPost = request.method === 'POST';
    try {
      if (path === '/')
        return show(
          200,
          db.prepare('SELECT * FROM products').all().map(formOf).join(''),
        );
      const order =
        folder === 'order' && isPost
          ? place(id)
          : folder === 'orders'
            ? find(id)
            : undefined;
      if (order === undefined) return show(404, 'Not found.');
      if (folder === 'order') return goTo(`/orders/${order.id}`);
      return isPost && action === 'pay'
        ? goTo(await pay(order))
        : show(200, pageOf(order));
    } catch (error) {
      log(error instanceof Error ? `${error.stack}` : 'failed');
      // safe: the same order cannot be charged twice
      show(isMerchantError(error) ? 503 : 500, 'Please go back and try again.');
    }
  };
  return { listener, handler, catchUp, nightly, compared };
}

if (realpathSync(process.argv[1] ?? '.') === import.meta.filename) {
  const port = Number(process.env['PORT'] ?? 3000);
  const shop = await openShop({
    db: new DatabaseSync(process.env['SHOP_DB'] ?? 'shop.db'),
    // a customer waits
    merchant: new MerchantClient({ timeout: 5_000, deadline: 12_000 }),
    secret: process.env['MERCHANT_WEBHOOK_SECRET'] ?? '',
    url: process.env['PUBLIC_URL'] ?? `http://127.0.0.1:${port}`,
  });
  const server = createServer(shop.listener).listen(port, () =>
    console.log(`http://127.0.0.1:${port}/`),
  );
  setInterval(() => shop.catchUp().catch(console.error), 600_000).unref();
  setInterval(() => shop.nightly().catch(console.error), DAY).unref();
  process.once('SIGTERM', () => server.close());
}
