import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { MerchantClient } from '../../../src/index.ts';
import type { StormService, StormShop } from '../../../src/tools/storm/index.ts';
import type { InvoiceAdjustedEvent, InvoicePaidEvent, WebhookStore } from '../../../src/webhooks/index.ts';
import {
  createWebhookHandler,
  memoryStore,
  type SqliteCommit,
  sqliteStore,
  toFetchHandler,
  verifyWebhook,
} from '../../../src/webhooks/index.ts';

/** How a shop is wrong on purpose. */
export type Planted =
  | 'right'
  | 'renews in its handler'
  | 'no dedupe'
  | 'commit after the acknowledgement'
  | 'amount in place of credited_usdt'
  | 'adjusted treated as paid in full'
  | 'canceled UPDATE without its guard'
  | 'a fresh external_id a click'
  | 'fulfils on the success_url'
  | 'memoryStore with a restart'
  | 'gives up after an error'
  | 'never runs catchUp'
  | 'catchUp for open orders alone'
  | 'catchUp for first invoices alone'
  | 'forgets the order of a renewed invoice'
  | 'refuses every webhook'
  | 'no check of the signature';

const ENDED_UNPAID: ReadonlySet<string> = new Set(['expired', 'canceled', 'fail']);

type Commit = { readonly commit: SqliteCommit<DatabaseSync> };

/** A small shop over SQLite in the process, right or with one mistake. */
export async function plantedShop(service: StormService, planted: Planted): Promise<StormShop> {
  const db = new DatabaseSync(':memory:');
  db.exec(`CREATE TABLE orders (id TEXT PRIMARY KEY, amount TEXT, currency TEXT, state TEXT DEFAULT 'open', credited TEXT);
    CREATE TABLE attempts (external_id TEXT PRIMARY KEY, order_id TEXT);
    CREATE TABLE fulfilments (order_id TEXT)`);
  const sqlite = sqliteStore(db, { now: service.now });
  await sqlite.migrate();
  const { baseUrl, apiKey, fetch, webhookSecret: secret, now } = service;
  const merchant = new MerchantClient({ baseUrl, apiKey, fetch, retry: { baseDelay: 1 } });
  const orderOf = (external_id: string): string => {
    if (planted === 'forgets the order of a renewed invoice') return external_id;
    return String(db.prepare('SELECT order_id FROM attempts WHERE external_id = ?').get(external_id)?.['order_id']);
  };
  /** The external ids of the invoices of an order, the first one first. */
  const attemptsOf = (id: string): string[] => {
    const rows = db.prepare('SELECT external_id FROM attempts WHERE order_id = ? ORDER BY rowid').all(id);
    return rows.map(({ external_id }) => String(external_id));
  };

  /** Books a payment. Throws for an order that the database does not know. */
  const book = (event: InvoicePaidEvent | InvoiceAdjustedEvent, state: 'paid' | 'fulfilled'): void => {
    const credit = planted === 'amount in place of credited_usdt' ? event.amount : event.credited_usdt;
    const update = db.prepare('UPDATE orders SET state = ?, credited = ? WHERE id = ?');
    const { changes } = update.run(state, credit.toFixed(), orderOf(event.external_id));
    if (changes !== 1) throw new Error('no order has this id');
    if (state === 'fulfilled') db.prepare('INSERT INTO fulfilments VALUES (?)').run(orderOf(event.external_id));
  };
  const stateOf = ({ amount, original_amount }: InvoiceAdjustedEvent) =>
    planted === 'adjusted treated as paid in full' || (original_amount !== null && amount.gte(original_amount))
      ? 'fulfilled'
      : 'paid';
  const guard = planted === 'canceled UPDATE without its guard' ? '' : `AND state = 'open'`;
  /** The end of an earlier invoice says nothing about the order. */
  const cancel = (external_id: string): void => {
    const id = orderOf(external_id);
    if (guard !== '' && attemptsOf(id).at(-1) !== external_id) return;
    db.prepare(`UPDATE orders SET state = 'canceled' WHERE id = ? ${guard}`).run(id);
  };

  let isAlive = { yes: true };
  const commits: (() => void)[] = [];
  const open = () => {
    isAlive = { yes: true };
    const life = isAlive;
    if (planted === 'memoryStore with a restart') {
      const store = memoryStore({ now });
      return createWebhookHandler({
        secret,
        store,
        now,
        onPaid: (event) => book(event, 'fulfilled'),
        onAdjusted: (event) => book(event, stateOf(event)),
        onCanceled: (event) => cancel(event.external_id),
        onReport() {},
      });
    }
    const inCommit = async ({ commit }: Commit, work: () => void): Promise<void> => {
      if (planted !== 'commit after the acknowledgement') return await commit(work);
      // Acknowledged at once, and written a moment later, if the process lives that long.
      commits.push(() => {
        if (life.yes) work();
      });
    };
    const store = planted === 'commit after the acknowledgement' ? (sqlite as WebhookStore<Commit>) : sqlite;
    return createWebhookHandler<Commit>({
      secret: planted === 'refuses every webhook' ? 'whsec_another_0123456789' : secret,
      store,
      now,
      onPaid: (event, context) => inCommit(context, () => book(event, 'fulfilled')),
      onAdjusted: (event, context) => inCommit(context, () => book(event, stateOf(event))),
      onCanceled: async ({ external_id }, context) => {
        await inCommit(context, () => cancel(external_id));
        if (planted !== 'renews in its handler' || attemptsOf(external_id).length !== 1) return;
        const { amount, currency } = rows().find((row) => row.external_id === external_id) ?? expect.unreachable();
        await checkout({ id: external_id, customer_id: external_id.replace('order', 'customer'), amount, currency });
      },
      onReport() {},
    });
  };
  let handler = open();
  const withoutStore = async (request: Request): Promise<Response> => {
    const body = await request.arrayBuffer();
    const event = await verifyWebhook(body, request.headers, secret, { now }).catch(() => null);
    if (event === null) return new Response(null, { status: 401 });
    if (event.type === 'invoice.paid') book(event, event.adjusted ? stateOf(event) : 'fulfilled');
    else if (event.type === 'invoice.canceled') cancel(event.external_id);
    return new Response('ok');
  };
  const unsigned = async (request: Request): Promise<Response> => {
    const { status, external_id } = await request.json();
    if (status !== 'success') cancel(external_id);
    else db.prepare(`UPDATE orders SET state = 'fulfilled' WHERE id = ?`).run(orderOf(external_id));
    return new Response('ok');
  };
  const receive = async (request: Request): Promise<Response> => {
    if (planted === 'no dedupe') return await withoutStore(request);
    if (planted === 'no check of the signature') return await unsigned(request);
    const response = await toFetchHandler(handler)(request);
    setTimeout(() => commits.shift()?.(), 1);
    return response;
  };

  let clicks = 0;
  const checkout: StormShop['checkout'] = async ({ id, customer_id, amount, currency }) => {
    db.prepare('INSERT OR IGNORE INTO orders (id, amount, currency) VALUES (?, ?, ?)').run(id, amount, currency);
    const row = db.prepare('SELECT state FROM orders WHERE id = ?').get(id);
    if (row?.['state'] === 'broken') throw new Error('this order cannot be paid');
    clicks += 1;
    const urls = { callback_url: `${service.origin}/webhook`, success_url: `${service.origin}/thanks?order=${id}` };
    try {
      const options = planted === 'gives up after an error' ? ({ retry: false } as const) : {};
      for (let attempt = Math.max(1, attemptsOf(id).length); ; attempt += 1) {
        const number = planted === 'a fresh external_id a click' ? clicks : attempt;
        const external_id = number === 1 ? id : `${id}.${number}`;
        db.prepare('INSERT OR IGNORE INTO attempts VALUES (?, ?)').run(external_id, id);
        const params = { external_id, customer_id, amount, currency, ...urls };
        const { invoice } = await merchant.invoices.createOrGet(params, options);
        if (!ENDED_UNPAID.has(invoice.status)) return invoice;
      }
    } catch (error) {
      if (planted === 'gives up after an error') {
        db.prepare(`UPDATE orders SET state = 'broken' WHERE id = ?`).run(id);
      }
      throw error;
    }
  };
  const rows = () =>
    db
      .prepare('SELECT * FROM orders')
      .all()
      .map(({ id, amount, currency, state, credited }) => ({
        external_id: String(id),
        amount: String(amount),
        currency: String(currency),
        state: (state === 'broken' ? 'open' : state) as 'open' | 'paid' | 'fulfilled' | 'canceled', // of the table
        credited_usdt: credited === null ? null : String(credited),
      }));
  const waiting = () =>
    rows().flatMap(({ external_id, state }) => {
      const isAsked = state === 'open' || (state === 'canceled' && planted !== 'catchUp for open orders alone');
      if (!isAsked) return [];
      return planted === 'catchUp for first invoices alone' ? [external_id] : attemptsOf(external_id);
    });
  return {
    checkout,
    receive,
    orders: rows,
    fulfilments: () =>
      db
        .prepare('SELECT order_id FROM fulfilments')
        .all()
        .map(({ order_id }) => ({ external_id: String(order_id) })),
    visit(url) {
      if (planted !== 'fulfils on the success_url') return;
      db.prepare(`UPDATE orders SET state = 'fulfilled' WHERE id = ?`).run(new URL(url).searchParams.get('order'));
    },
    restart() {
      isAlive.yes = false;
      commits.length = 0;
      handler = open();
    },
    ...(planted === 'never runs catchUp'
      ? {}
      : { catchUp: async () => void (await handler.catchUp(merchant, { orders: waiting() })) }),
    close() {
      commits.length = 0;
      db.close();
    },
  };
}
