// A whole shop in one file: orders, pay button, webhook, catch-up and the
// nightly comparison.
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { isMerchantError, MerchantClient } from 'merchant-invoicing';
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
  id TEXT PRIMARY KEY, -- also the external_id of the invoice
  uuid TEXT, -- the uuid of the invoice
  customer_id TEXT NOT NULL,
  amount TEXT NOT NULL,
  currency TEXT NOT NULL,
  -- new, pending, paid, check (another amount was paid) or canceled
  status TEXT NOT NULL DEFAULT 'new',
  paid_amount TEXT,
  credited_usdt TEXT,
  created_at TEXT NOT NULL,
  changed_at TEXT
);
-- what the warehouse sends
CREATE TABLE IF NOT EXISTS parcels (order_id TEXT NOT NULL);
`;
/** What each status of an order is for `reconcile`. */
export const STATES = {
  new: 'open',
  pending: 'open',
  paid: 'fulfilled',
  check: 'paid',
  canceled: 'canceled',
} as const;
type Order = Record<
  'id' | 'customer_id' | 'amount' | 'currency' | 'created_at',
  string
> &
  Record<'credited_usdt' | 'changed_at', string | null> & {
    readonly status: keyof typeof STATES;
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
  db.exec(`PRAGMA journal_mode = WAL; ${SCHEMA}`);
  const store = sqliteStore(db, { now });
  await store.migrate();
  const ago = (time: number) => new Date(now() - time).toISOString();
  const select = db.prepare('SELECT * FROM orders WHERE id = ?');
  const orderOf = (id: string) =>
    select.get(id) as unknown as Order | undefined; // the columns of the table

  function place(product: string): Order | undefined {
    const id = randomUUID(); // whoever knows it sees the order
    const insert = `INSERT INTO orders
      (id, customer_id, amount, currency, created_at)
      SELECT ?, ?, price, currency, ? FROM products WHERE id = ?`;
    db.prepare(insert).run(id, `guest-${id}`, ago(0), product);
    return orderOf(id); // undefined if there is no such product
  }

  /**
   * The pay button: returns the address where the customer goes. A second click
   * finds the same invoice.
   */
  async function pay({
    id,
    customer_id,
    amount,
    currency,
    status,
  }: Order): Promise<string> {
    const home = `${url}/orders/${id}`;
    if (status !== 'new' && status !== 'pending') return home;
    db.prepare(
      `UPDATE orders SET status = 'pending' WHERE id = ? AND status = 'new'`,
    ).run(id); // now catch-up reads it
    const urls = {
      callback_url: `${url}/webhook`,
      success_url: home,
      fail_url: home,
    };
    const charge = { external_id: id, customer_id, amount, currency, ...urls };
    const { invoice } = await merchant.invoices.createOrGet(charge);
    db.prepare('UPDATE orders SET uuid = ? WHERE id = ?').run(invoice.uuid, id);
    // an invoice that ended has its webhook on the way
    return invoice.status === 'pending' ? invoice.payment_url : home;
  }

  /**
   * Books a payment, also of an order that is canceled (it was paid late) or
   * paid.
   */
  function book(
    tx: DatabaseSync,
    event: InvoicePaidEvent | InvoiceAdjustedEvent,
    status: 'paid' | 'check',
  ): void {
    const { external_id, invoice_uuid, amount, credited_usdt } = event;
    const update = `UPDATE orders SET status = ?, uuid = ?, paid_amount = ?,
      credited_usdt = ?, changed_at = ? WHERE id = ?`;
    const values = [
      status,
      invoice_uuid,
      amount.toFixed(),
      credited_usdt.toFixed(),
      ago(0),
      external_id,
    ];
    if (tx.prepare(update).run(...values).changes !== 1)
      throw new Error(`no order ${external_id}`); // sent again
  }

  const handler = createWebhookHandler({
    secret,
    store,
    now,
    onPaid: (event, { commit }) =>
      commit((tx) => {
        book(tx, event, 'paid');
        if (!event.amount.eq(orderOf(event.external_id)?.amount ?? 0))
          throw new Error('not the amount of the order');
        tx.prepare('INSERT INTO parcels VALUES (?)').run(event.external_id);
      }),
    // a person decides
    onAdjusted: (event, { commit }) => commit((tx) => book(tx, event, 'check')),
    onCanceled: ({ external_id }, { commit }) =>
      commit((tx) => {
        const update = `UPDATE orders SET status = 'canceled', changed_at = ?
          WHERE id = ? AND status = 'pending'`;
        tx.prepare(update).run(ago(0), external_id);
      }),
    onReport: ({ reason, external_id, message, error }) =>
      log(
        `${reason} ${external_id ?? ''} ${message} ` +
          `${error instanceof Error ? error.stack : ''}`,
      ),
  });

  async function ask(where: string, ...values: string[]): Promise<void> {
    const rows = db
      .prepare(`SELECT coalesce(uuid, id) AS ident FROM orders WHERE ${where}`)
      .all(...values);
    log(
      JSON.stringify(
        await handler.catchUp(merchant, {
          orders: rows.map(({ ident }) => String(ident)),
        }),
      ),
    );
  }
  /** Every ten minutes: plays what no webhook delivered. */
  const catchUp = () => ask(`status = 'pending' ORDER BY created_at`);

  /**
   * Each night: asks for late payments, and compares the orders of the week
   * with the service.
   */
  async function nightly(): Promise<void> {
    await ask(`status = 'canceled' AND changed_at > ?`, ago(3 * DAY));
    const week = db.prepare(
      `SELECT * FROM orders WHERE status <> 'new' AND created_at > ?`,
    );
    // a day more: an invoice may be younger than its order
    const rows = week.all(ago(8 * DAY)) as unknown as Order[];
    const orders = rows.map(
      (row): ReconcileOrder => ({
        ...row,
        external_id: row.id,
        state: STATES[row.status],
      }),
    );
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
    if (status === 'canceled') return 'Not paid. <a href="/">Order again</a>';
    return `<form method="post" action="/orders/${id}/pay">
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
            ? orderOf(id)
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
  return { listener, handler, catchUp, nightly };
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
