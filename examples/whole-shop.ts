// A whole shop in one file: orders, pay button, webhook, catch-up and the
// nightly comparison.
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { isMerchantError, MerchantClient, orderOf } from 'merchant-invoicing';
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
  created_at TEXT NOT NULL
);
-- An order that is tried again has several.
CREATE TABLE IF NOT EXISTS invoices (
  external_id TEXT PRIMARY KEY,
  uuid TEXT NOT NULL,
  order_id TEXT NOT NULL REFERENCES orders (id),
  state TEXT NOT NULL, -- open, paid or canceled
  paid_amount TEXT,
  credited_usdt TEXT,
  changed_at TEXT NOT NULL
);
-- What the warehouse sends: one for each order, whatever happens.
CREATE TABLE IF NOT EXISTS parcels (order_id TEXT PRIMARY KEY);
`;
type Order = Record<'id' | 'customer_id' | 'amount' | 'currency', string> & {
  readonly status: 'new' | 'pending' | 'paid' | 'check' | 'canceled';
};

type InvoiceIds = Pick<InvoicePaidEvent, 'external_id' | 'invoice_uuid'>;

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

  /** What is known of an invoice. A paid one stays paid. */
  function note(
    tx: DatabaseSync,
    { external_id, invoice_uuid: uuid }: InvoiceIds,
    state: 'open' | 'paid' | 'canceled',
    credit?: InvoicePaidEvent | InvoiceAdjustedEvent,
  ): string {
    const { order } = orderOf(external_id);
    if (find(order) === undefined) throw new Error(`no order ${external_id}`);
    const upsert = `INSERT INTO invoices VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (external_id) DO UPDATE SET state = excluded.state,
        paid_amount = excluded.paid_amount,
        credited_usdt = excluded.credited_usdt,
        changed_at = excluded.changed_at
      WHERE excluded.state = 'paid'
        OR (invoices.state = 'open' AND excluded.state = 'canceled')`;
    const paid = credit?.amount.toFixed() ?? null;
    const usdt = credit?.credited_usdt.toFixed() ?? null;
    tx.prepare(upsert).run(external_id, uuid, order, state, paid, usdt, ago(0));
    return order;
  }

  /**
   * The pay button: returns the address where the customer goes. A second click
   * finds the same invoice, and an order that was not paid gets another one.
   */
  async function pay(order: Order): Promise<string> {
    const { id, customer_id, amount, currency, status } = order;
    const home = `${url}/orders/${id}`;
    if (status === 'paid' || status === 'check') return home;
    const { invoice, differences } = await merchant.invoices.createOrRenew({
      external_id: id,
      customer_id,
      amount,
      currency,
      callback_url: `${url}/webhook`,
      success_url: home,
      fail_url: home,
    });
    // in the sandbox, a new tunnel has another address
    const isOurs = !differences.includes('callback_url');
    if (!isOurs && process.env['MERCHANT_SANDBOX'] !== '1')
      throw new Error(
        `another shop has an invoice with the id ${id}, and would get its ` +
          'webhook: begin the ids of each shop with a prefix',
      );
    // before the customer has the link, so that catch-up asks about it
    note(db, { ...invoice, invoice_uuid: invoice.uuid }, 'open');
    db.prepare(
      `UPDATE orders SET status = 'pending'
       WHERE id = ? AND status IN ('new', 'canceled')`,
    ).run(id);
    // a paid invoice has its webhook on the way
    return invoice.status === 'pending' ? invoice.payment_url : home;
  }

  /** Books a payment, also of an order that is canceled or paid already. */
  function book(
    tx: DatabaseSync,
    event: InvoicePaidEvent | InvoiceAdjustedEvent,
    status: 'paid' | 'check',
  ): void {
    const id = note(tx, event, 'paid', event);
    const isWhole = event.amount.eq(find(id)?.amount ?? 0);
    if (status === 'paid' && !isWhole)
      throw new Error(`${id}: not the amount of the order`);
    const update = `UPDATE orders SET status = ? WHERE id = ?
      AND status IN ('new', 'pending', 'canceled', 'check')`;
    const { changes } = tx.prepare(update).run(status, id);
    // a second payment sends no second parcel: the nightly comparison finds it
    if (changes === 1 && status === 'paid')
      tx.prepare('INSERT OR IGNORE INTO parcels VALUES (?)').run(id);
  }

  const handler = createWebhookHandler({
    secret,
    store,
    now,
    onPaid: (event, { commit }) => commit((tx) => book(tx, event, 'paid')),
    // a person decides
    onAdjusted: (event, { commit }) => commit((tx) => book(tx, event, 'check')),
    onCanceled: (event, { commit }) =>
      commit((tx) => {
        const id = note(tx, event, 'canceled');
        const update = `UPDATE orders SET status = 'canceled'
          WHERE id = ? AND status = 'pending' AND NOT EXISTS
          (SELECT 1 FROM invoices WHERE order_id = ? AND state = 'open')`;
        tx.prepare(update).run(id, id);
      }),
    onReport: ({ reason, external_id, message, error }) =>
      log(
        `${reason} ${external_id ?? ''} ${message} ` +
          `${error instanceof Error ? error.stack : ''}`,
      ),
  });

  async function ask(where: string, ...values: string[]): Promise<void> {
    const rows = db.prepare(`SELECT uuid FROM invoices WHERE ${where}`);
    const orders = rows.all(...values).map(({ uuid }) => String(uuid));
    log(JSON.stringify(await handler.catchUp(merchant, { orders })));
  }
  /** Every ten minutes: plays what no webhook delivered. */
  const catchUp = () => ask(`state = 'open'`);

  /** The invoices of the last eight days, as `reconcile` takes them. */
  function compared(): ReconcileOrder[] {
    // a day more than the week: an invoice may be younger than its order
    const week = db.prepare(
      `SELECT external_id, order_id AS "order", amount, currency, credited_usdt,
         changed_at, CASE state WHEN 'open' THEN 'open'
           WHEN 'canceled' THEN 'canceled'
           ELSE CASE status WHEN 'paid' THEN 'fulfilled' ELSE 'paid' END
         END AS state
       FROM invoices JOIN orders ON orders.id = order_id WHERE created_at > ?`,
    );
    // the members are those of the statement
    return week.all(ago(8 * DAY)) as unknown as ReconcileOrder[];
  }

  /**
   * Each night: asks for late payments, and compares the orders of the week
   * with the service.
   */
  async function nightly(): Promise<void> {
    await ask(`state = 'canceled' AND changed_at > ?`, ago(3 * DAY));
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
      // safe: one order has one invoice
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
