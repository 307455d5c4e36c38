import { createHmac } from 'node:crypto';
import type { Invoice } from '../../../src/index.ts';
import { reconcile } from '../../../src/reconcile/index.ts';
import type { StormFindingKind, StormMistake, StormSettings, StormShop } from '../../../src/tools/storm/index.ts';
import {
  createWebhookHandler,
  type InvoiceEvent,
  memoryStore,
  parseInvoiceEvent,
  sqliteStore,
} from '../../../src/webhooks/index.ts';
import type { Change, PaidEvent, Shop } from './shop.ts';

/** A mistake of a shop, and how the storm names it. */
export interface Planted {
  readonly kind: StormFindingKind;
  readonly mistake: StormMistake;
  readonly plant: (shop: Shop) => Change;
  readonly settings?: StormSettings;
}

const row = (
  kind: StormFindingKind,
  mistake: StormMistake,
  plant: Planted['plant'],
  settings: StormSettings = {},
): Planted => ({ kind, mistake, plant, settings });

/** A receiver without dedupe, which checks a signature in its own way and says nothing about it. */
const checking =
  (isGenuine: (shop: Shop, body: string, header: (name: string) => string) => boolean) => (shop: Shop) => {
    shop.receive = async (request) => {
      const body = await request.text();
      const header = (name: string): string => request.headers.get(`x-webhook-${name}`) ?? '';
      if (!isGenuine(shop, body, header)) return new Response(null, { status: 401 });
      shop.handle(once(shop, eventOf(body)));
      return new Response('ok');
    };
  };

const hmac = (secret: string, timestamp: string, body: string, encoding: 'hex' | 'base64' = 'hex'): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest(encoding);

/** The event of a body whose signature was not looked at. */
function eventOf(body: string): InvoiceEvent {
  const { event: type, ...members } = JSON.parse(body);
  const rest = { source: 'webhook', id: 'x', signed_at: null, secretIndex: 0, raw: {} };
  const credited_usdt = members.credited_usdt ?? null;
  return parseInvoiceEvent({ type, adjusted: false, original_amount: null, ...members, credited_usdt, ...rest });
}

/** An event that was seen before does nothing. */
function once(shop: Shop, event: InvoiceEvent): InvoiceEvent {
  const { changes } = shop.db
    .prepare('INSERT OR IGNORE INTO seen VALUES (?)')
    .run(`${event.invoice_uuid} ${event.type}`);
  return changes === 1 ? event : { ...event, type: 'unknown', event_name: 'seen' };
}

/** A turn of the event loop: where a shop awaits something else, others may run. */
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The event of a paid invoice that a job has read. */
function eventOfInvoice({ uuid, external_id, amount, settled_amount_usdt, adjustment }: Invoice): InvoiceEvent {
  const paid = adjustment === null ? amount : adjustment.actual_amount_fiat;
  const members = { event: 'invoice.paid', invoice_uuid: uuid, external_id, status: 'success', amount: paid.toFixed() };
  const other = adjustment === null ? {} : { adjusted: true, original_amount: amount.toFixed() };
  return eventOf(JSON.stringify({ ...members, credited_usdt: settled_amount_usdt?.toFixed() ?? null, ...other }));
}

/** A receiver that looks at the state of the order, and then waits for something else before it writes. */
function looksFirst(shop: Shop): void {
  shop.receive = async (request) => {
    const event = await shop.verify(request).catch(() => null);
    if (event === null) return new Response(null, { status: 401 });
    const id = shop.orderOf(event.external_id ?? '');
    if (event.type === 'invoice.paid' && shop.stateOf(id) === 'fulfilled') return new Response('again');
    await tick(); // the mail to the customer
    shop.handle(event);
    return new Response('ok');
  };
}

const withoutMembers =
  (...names: (keyof StormShop)[]) =>
  (): Partial<StormShop> =>
    Object.fromEntries(names.map((name) => [name, undefined]));

const gives = (shop: Shop, id: string): void => {
  shop.db.prepare(`UPDATE orders SET state = 'fulfilled' WHERE id = ?`).run(id);
  shop.give(id);
};

export const MISTAKES = {
  'no dedupe': row('fulfilled_twice', 'no_dedupe', (shop) => {
    shop.receive = (request) => shop.plain(request);
  }),
  'memoryStore with a restart': row('fulfilled_twice', 'forgets', (shop) => {
    shop.start = async () => {
      const { secret, now } = shop;
      shop.handler = createWebhookHandler({
        secret,
        now,
        store: memoryStore({ now }),
        onPaid: (event) => shop.paid(event),
        onAdjusted: (event) => shop.adjusted(event),
        onCanceled: (event) => shop.canceled(event),
        onReport() {},
      });
    };
  }),
  'looks for the event, waits, and writes it': row('fulfilled_twice', 'race', (shop) => {
    shop.receive = async (request) => {
      const event = await shop.verify(request).catch(() => null);
      if (event === null) return new Response(null, { status: 401 });
      const key = `${event.invoice_uuid} ${event.type}`;
      if (shop.db.prepare('SELECT 1 FROM seen WHERE uuid = ?').get(key) !== undefined) return new Response('again');
      await new Promise((resolve) => setTimeout(resolve, 1));
      shop.db.prepare('INSERT OR IGNORE INTO seen VALUES (?)').run(key);
      shop.handle(event);
      return new Response('ok');
    };
  }),
  'a job of its own beside the handler': row('fulfilled_twice', 'catch_up_doubles', (shop) => {
    shop.catchUp = async () => {
      const page = await shop.merchant.invoices.list({ status: 'success', per_page: 20 });
      for (const invoice of page.items) if (!invoice.is_adjusted) gives(shop, shop.orderOf(invoice.external_id));
    };
  }),
  'a catch-up that has another store': row('fulfilled_twice', 'catch_up_doubles', (shop) => {
    shop.catchUp = async () => {
      const { secret, now } = shop;
      const [onPaid, onAdjusted] = [(event: PaidEvent) => shop.paid(event), () => {}];
      const other = createWebhookHandler({
        secret,
        now,
        store: memoryStore({ now }),
        onPaid,
        onAdjusted,
        onCanceled() {},
        onReport() {},
      });
      const rows = shop.db.prepare('SELECT external_id FROM attempts').all();
      await other.catchUp(shop.merchant, { orders: rows.map(({ external_id }) => String(external_id)) });
    };
  }),
  'a job beside the webhook, which looks first': row('fulfilled_twice', 'catch_up_doubles', (shop) => {
    looksFirst(shop);
    shop.catchUp = async () => {
      for (const id of shop.waiting()) {
        const invoice = await shop.merchant.invoices.get(id).catch(() => null);
        if (invoice?.status !== 'success' || shop.stateOf(shop.orderOf(id)) === 'fulfilled') continue;
        await tick();
        shop.handle(eventOfInvoice(invoice));
      }
    };
  }),
  'a success page that asks the service, and gives': row('fulfilled_twice', 'visit_gives', (shop) => {
    looksFirst(shop);
    shop.visit = async (url) => {
      const id = new URL(url).searchParams.get('order') ?? '';
      const invoice = await shop.merchant.invoices.get(shop.attemptsOf(id).at(-1) ?? id).catch(() => null);
      if (invoice?.status !== 'success' || invoice.is_adjusted || shop.stateOf(id) === 'fulfilled') return;
      await tick();
      gives(shop, id);
    };
  }),
  'a wallet that is read, changed and written': row('paid_not_fulfilled', 'lost_together', (shop) => {
    shop.db.exec('CREATE TABLE wallets (customer TEXT PRIMARY KEY, credits TEXT)');
    shop.db.exec('CREATE TABLE customers (order_id TEXT PRIMARY KEY, customer TEXT)');
    const { insert } = shop;
    shop.insert = (order) => {
      insert.call(shop, order);
      shop.db.prepare('INSERT OR IGNORE INTO customers VALUES (?, ?)').run(order.id, order.customer_id);
    };
    const creditsOf = (customer: string): object[] => {
      const row = shop.db.prepare('SELECT credits FROM wallets WHERE customer = ?').get(customer);
      return row === undefined ? [] : JSON.parse(String(row['credits']));
    };
    shop.receive = async (request) => {
      const event = await shop.verify(request).catch(() => null);
      if (event === null) return new Response(null, { status: 401 });
      const seen = once(shop, event);
      if (seen.type !== 'invoice.paid') {
        shop.handle(seen);
        return new Response('ok');
      }
      const id = shop.orderOf(seen.external_id);
      const customer = String(
        shop.db.prepare('SELECT customer FROM customers WHERE order_id = ?').get(id)?.['customer'],
      );
      const credits = creditsOf(customer);
      await tick(); // the rate of the day
      const credited_usdt = shop.credit(seen);
      const all = [...credits, { external_id: id, kind: 'credit', credited_usdt }];
      shop.db.prepare('INSERT OR REPLACE INTO wallets VALUES (?, ?)').run(customer, JSON.stringify(all));
      shop.set(id, 'paid', shop.book(seen).credited);
      return new Response('ok');
    };
    shop.fulfilments = () =>
      shop.db
        .prepare('SELECT credits FROM wallets')
        .all()
        .flatMap(({ credits }) => JSON.parse(String(credits)));
    return { catchUp: undefined };
  }),
  'goods before the commit': row('fulfilled_twice', 'not_atomic', (shop) => {
    let life = 0;
    const { restart } = shop;
    shop.restart = async () => {
      life += 1;
      await restart.call(shop);
    };
    shop.receive = async (request) => {
      const event = await shop.verify(request).catch(() => null);
      if (event === null) return new Response(null, { status: 401 });
      const mine = life;
      const key = `${event.invoice_uuid} ${event.type}`;
      if (shop.db.prepare('SELECT 1 FROM seen WHERE uuid = ?').get(key) !== undefined) return new Response('again');
      if (event.type !== 'invoice.paid') shop.handle(event);
      else shop.give(shop.orderOf(event.external_id), event.adjusted ? { kind: 'review' } : {});
      for (let step = 0; step < 5; step += 1) await tick();
      if (mine !== life) throw new Error('the process was killed');
      shop.db.prepare('INSERT OR IGNORE INTO seen VALUES (?)').run(key);
      if (event.type === 'invoice.paid')
        shop.set(shop.orderOf(event.external_id), 'fulfilled', shop.book(event).credited);
      return new Response('ok');
    };
    return { catchUp: undefined };
  }),
  'the record of the event before the goods': row('paid_not_fulfilled', 'not_atomic', (shop) => {
    let life = 0;
    const { restart } = shop;
    shop.restart = async () => {
      life += 1;
      await restart.call(shop);
    };
    shop.receive = async (request) => {
      const event = await shop.verify(request).catch(() => null);
      if (event === null) return new Response(null, { status: 401 });
      const mine = life;
      const seen = once(shop, event);
      if (seen.type === 'invoice.paid') shop.set(shop.orderOf(seen.external_id), 'paid', shop.book(seen).credited);
      for (let step = 0; step < 5; step += 1) await tick();
      if (mine !== life) throw new Error('the process was killed');
      shop.handle(seen);
      return new Response('ok');
    };
    return { catchUp: undefined };
  }),
  'a second payment is swallowed': row('payment_kept', 'second_payment_kept', (shop) => {
    const { paid } = shop;
    shop.paid = (event) => {
      if (shop.stateOf(shop.orderOf(event.external_id)) !== 'fulfilled') paid.call(shop, event);
    };
  }),
  'a payment of an order that a person has is swallowed': row('payment_kept', 'second_payment_kept', (shop) => {
    const { paid } = shop;
    shop.paid = (event) => {
      if (!shop.isPartly(shop.orderOf(event.external_id))) paid.call(shop, event);
    };
  }),
  'a credit that is read before the lock': row('credited_differs', 'lost_together', (shop) => {
    shop.receive = async (request) => {
      const event = await shop.verify(request).catch(() => null);
      if (event === null) return new Response(null, { status: 401 });
      const seen = once(shop, event);
      if (seen.type !== 'invoice.paid') {
        shop.handle(seen);
        return new Response('ok');
      }
      const id = shop.orderOf(seen.external_id);
      const before = shop.creditOf(id);
      await tick(); // the lock
      shop.handle(seen);
      const credited = seen.credited_usdt.plus(before).toFixed();
      shop.db.prepare('UPDATE orders SET credited = ? WHERE id = ?').run(credited, id);
      return new Response('ok');
    };
    shop.catchUp = async () => {
      for (const id of shop.waiting()) {
        const invoice = await shop.merchant.invoices.get(id).catch(() => null);
        if (invoice?.status === 'success') shop.handle(once(shop, eventOfInvoice(invoice)));
      }
    };
  }),
  'the job does not ask for a second payment': row('payment_kept', 'catch_up_paid', (shop) => {
    shop.waiting = () => {
      const rows = shop.db.prepare(`SELECT id FROM orders WHERE state IN ('open', 'canceled')`).all();
      return rows.flatMap(({ id }) => shop.attemptsOf(String(id)));
    };
  }),
  'the invoice of an old tab is forgotten': row('paid_not_fulfilled', 'old_tab_dropped', (shop) => {
    const { paid } = shop;
    shop.paid = (event) => {
      if (shop.attemptsOf(shop.orderOf(event.external_id)).at(-1) === event.external_id) paid.call(shop, event);
    };
  }),
  'a late cancellation cancels the renewal': row('paid_not_fulfilled', 'renewal_canceled', (shop) => {
    const { paid, checkout } = shop;
    // The press opens the order again, and the payment of an order that is canceled is not booked.
    shop.checkout = (order) => {
      shop.db.prepare(`UPDATE orders SET state = 'open' WHERE id = ? AND state = 'canceled'`).run(order.id);
      return checkout.call(shop, order);
    };
    shop.canceled = ({ external_id }) => {
      const id = shop.orderOf(external_id);
      shop.db.prepare(`UPDATE orders SET state = 'canceled' WHERE id = ? AND state = 'open'`).run(id);
    };
    shop.paid = (event) => {
      const id = shop.orderOf(event.external_id);
      const isLate = shop.attemptsOf(id).at(0) === event.external_id;
      if (isLate || shop.stateOf(id) !== 'canceled') paid.call(shop, event);
    };
  }),
  'the job takes an error for unpaid': row('paid_not_fulfilled', 'error_as_unpaid', (shop) => {
    const given = new Set<string>();
    shop.catchUp = async () => {
      for (const id of shop.waiting().filter((each) => !given.has(each))) {
        try {
          const invoice = await shop.merchant.invoices.get(id);
          if (invoice.status === 'success') await shop.handler.catchUp(shop.merchant, { orders: [id] });
        } catch {
          given.add(id); // given up
        }
      }
    };
  }),
  'the job cancels an order that it cannot read': row('paid_not_fulfilled', 'error_as_unpaid', (shop) => {
    shop.catchUp = async () => {
      const rows = shop.db.prepare(`SELECT id FROM orders WHERE state = 'open'`).all();
      for (const { id } of rows) {
        try {
          await shop.merchant.invoices.ofOrder(String(id), { retry: false });
          await shop.handler.catchUp(shop.merchant, { orders: [String(id)] });
        } catch {
          shop.set(String(id), 'canceled');
        }
      }
    };
  }),
  'the id of the invoice is taken for that of the order': row('paid_not_fulfilled', 'catch_up_dropped', (shop) => {
    shop.orderOf = (external_id) => external_id;
  }),
  'a surplus is kept': row('payment_kept', 'surplus_kept', (shop) => {
    const { adjusted } = shop;
    shop.adjusted = (event) => {
      if (event.original_amount !== null && event.amount.gt(event.original_amount)) shop.paid(event);
      else adjusted.call(shop, event);
    };
  }),
  'two workers with one queue': row('fulfilled_twice', 'own_repeat', (shop) => {
    shop.db.exec('CREATE TABLE queue (event TEXT, done INTEGER DEFAULT 0)');
    const keep = (event: InvoiceEvent): void =>
      void shop.db.prepare('INSERT INTO queue (event) VALUES (?)').run(JSON.stringify(event));
    const { paid, adjusted, canceled } = shop;
    const inside: Shop = Object.assign(Object.create(shop), { paid, adjusted, canceled });
    [shop.paid, shop.adjusted, shop.canceled] = [keep, keep, keep as never];
    const work = async (): Promise<void> => {
      for (;;) {
        const task = shop.db.prepare('SELECT rowid, event FROM queue WHERE done = 0').get();
        if (task === undefined) return;
        await tick();
        inside.handle(parseInvoiceEvent(JSON.parse(String(task['event']))));
        shop.db.prepare('UPDATE queue SET done = 1 WHERE rowid = ?').run(Number(task['rowid']));
      }
    };
    let working: Promise<unknown> = Promise.resolve();
    const { receive, catchUp } = shop;
    // Each delivery wakes a worker.
    shop.receive = async (request) => {
      const response = await receive.call(shop, request);
      working = Promise.all([working, work()]);
      return response;
    };
    shop.catchUp = async () => {
      await catchUp.call(shop);
      working = Promise.all([working, work()]);
    };
    shop.idle = async () => void (await working);
  }),
  'a worker in memory beside the job': row('fulfilled_twice', 'worker_repeats', (shop) => {
    const ship = async (id: string): Promise<void> => {
      if (!shop.db.isOpen) return;
      const isDone = shop.db.prepare('SELECT 1 FROM given WHERE order_id = ?').get(id) !== undefined;
      await new Promise((resolve) => setTimeout(resolve, 5)); // prints the label
      if (!isDone && shop.db.isOpen) shop.give(id);
    };
    shop.paid = (event) => {
      const { id, credited } = shop.book(event);
      shop.set(id, 'fulfilled', credited);
      setTimeout(() => void ship(id), 10);
    };
    const { catchUp } = shop;
    shop.catchUp = async () => {
      await catchUp.call(shop);
      const rows = shop.db.prepare(`SELECT id FROM orders WHERE state = 'fulfilled'`).all();
      await Promise.all(rows.map(({ id }) => ship(String(id))));
    };
    return { idle: undefined };
  }),
  'parcels one after the other': row('parcel_missing', 'not_atomic', (shop) => {
    let life = 0;
    const { restart } = shop;
    shop.restart = async () => {
      life += 1;
      await restart.call(shop);
    };
    shop.receive = async (request) => {
      const event = await shop.verify(request).catch(() => null);
      if (event === null) return new Response(null, { status: 401 });
      const mine = life;
      const seen = once(shop, event);
      if (seen.type !== 'invoice.paid' || seen.adjusted) {
        shop.handle(seen);
        return new Response('ok');
      }
      const id = shop.orderOf(seen.external_id);
      shop.set(id, 'fulfilled', shop.book(seen).credited);
      for (const item of ['tea', 'mug', 'card']) {
        shop.give(id, { item });
        for (let step = 0; step < 3; step += 1) await tick();
        if (mine !== life) throw new Error('the process was killed');
      }
      return new Response('ok');
    };
    return { catchUp: undefined };
  }),
  'a job of its own that keeps no record': row('fulfilled_twice', 'job_repeats', (shop) => {
    shop.paid = (event) => shop.set(shop.orderOf(event.external_id), 'paid', shop.book(event).credited);
    const { catchUp } = shop;
    shop.catchUp = async () => {
      await catchUp.call(shop);
      const rows = shop.db.prepare(`SELECT id FROM orders WHERE state = 'paid'`).all();
      for (const { id } of rows) {
        if (shop.stateOf(String(id)) === 'paid' && !shop.isPartly(String(id))) shop.give(String(id));
      }
    };
  }),
  'two turns of the job at once': row('fulfilled_twice', 'job_race', (shop) => {
    shop.paid = (event) => shop.set(shop.orderOf(event.external_id), 'paid', shop.book(event).credited);
    const { catchUp } = shop;
    shop.catchUp = async () => {
      await catchUp.call(shop);
      const rows = shop.db.prepare(`SELECT id FROM orders WHERE state = 'paid'`).all();
      for (const { id } of rows) {
        if (shop.isPartly(String(id))) continue;
        await tick();
        gives(shop, String(id));
      }
    };
  }),
  'a look-up by LIKE': row('fulfilled_twice', 'wrong_lookup', (shop) => {
    const { paid } = shop;
    shop.paid = (event) => {
      paid.call(shop, event);
      const own = shop.orderOf(event.external_id);
      // order-12 is like order-1, and an order on top is given to whoever is found
      const like = shop.db.prepare(`SELECT id FROM orders WHERE ? LIKE id || '%' AND id <> ?`).all(own, own);
      for (const { id } of like) shop.give(String(id));
    };
  }),
  'a key of the events without their type': row('paid_not_fulfilled', 'key_without_type', (shop) => {
    shop.receive = async (request) => {
      const event = await shop.verify(request).catch(() => null);
      if (event === null) return new Response(null, { status: 401 });
      const { changes } = shop.db.prepare('INSERT OR IGNORE INTO seen VALUES (?)').run(event.invoice_uuid);
      if (changes === 1) shop.handle(event);
      return new Response('ok');
    };
    return { catchUp: undefined };
  }),
  'gives by itself a second time': row('fulfilled_twice', 'own_repeat', (shop) => {
    const { paid } = shop;
    shop.paid = (event) => {
      paid.call(shop, event);
      if (Number(event.credited_usdt) % 3 < 1) shop.give(shop.orderOf(event.external_id));
    };
  }),
  'a job that reads one page of a list': row('paid_not_fulfilled', 'catch_up_lists', (shop) => {
    shop.catchUp = async () => {
      const page = await shop.merchant.invoices.list({ status: 'success', per_page: 2 });
      for (const invoice of page.items) shop.handle(once(shop, eventOfInvoice(invoice)));
    };
    shop.receive = async (request) => {
      const event = await shop.verify(request).catch(() => null);
      if (event === null) return new Response(null, { status: 401 });
      shop.handle(once(shop, event));
      return new Response('ok');
    };
  }),
  'everything is sold out': row('nobody_served', 'all_refused', () => ({
    checkout: async () => ({ refused: 'sold out' }),
  })),
  'half of the price is enough': row('fulfilled_for_less', 'adjusted_as_paid', (shop) => {
    const { adjusted } = shop;
    shop.adjusted = (event) =>
      event.amount.gte(event.original_amount?.div(2) ?? 0) && event.amount.lt(event.original_amount ?? 0)
        ? shop.paid(event)
        : adjusted.call(shop, event);
  }),
  'the same parcel twice': row('fulfilled_twice', 'no_dedupe', (shop) => {
    shop.receive = (request) => shop.plain(request);
    shop.paid = (event) => {
      const id = shop.orderOf(event.external_id);
      shop.set(id, 'fulfilled', shop.credit(event));
      for (const item of [1, 2]) shop.give(id, { item });
    };
  }),
  'a wallet without dedupe': row('fulfilled_twice', 'no_dedupe', (shop) => {
    shop.receive = (request) => shop.plain(request);
    shop.paid = (event) => {
      const id = shop.orderOf(event.external_id);
      shop.set(id, 'fulfilled', shop.credit(event));
      shop.give(id, { kind: 'credit', credited_usdt: shop.credit(event) });
    };
    shop.adjusted = (event) => shop.paid(event);
  }),
  'gives at the success_url too': row('fulfilled_twice', 'visit_gives', (shop) => {
    shop.visit = (url) => {
      const id = new URL(url).searchParams.get('order') ?? '';
      if (shop.stateOf(id) === 'fulfilled') gives(shop, id);
    };
  }),
  'goods and credit for one payment': row('fulfilled_twice', 'goods_and_credit', (shop) => {
    const { paid } = shop;
    shop.paid = (event) => {
      paid.call(shop, event);
      shop.give(shop.orderOf(event.external_id), { kind: 'credit', credited_usdt: shop.credit(event) });
    };
  }),
  'goods and the money back for one payment': row('fulfilled_twice', 'goods_and_credit', (shop) => {
    const { paid } = shop;
    shop.paid = (event) => {
      paid.call(shop, event);
      shop.give(shop.orderOf(event.external_id), { kind: 'refund' });
    };
  }),
  'credit and the money back for one payment': row('fulfilled_twice', 'goods_and_credit', (shop) => {
    shop.paid = (event) => {
      const id = shop.orderOf(event.external_id);
      shop.set(id, 'paid', shop.credit(event));
      for (const kind of ['credit', 'refund'] as const) shop.give(id, { kind, credited_usdt: shop.credit(event) });
    };
  }),
  'the money back at each delivery': row('fulfilled_twice', 'no_dedupe', (shop) => {
    shop.receive = (request) => shop.plain(request);
    shop.paid = (event) => {
      const id = shop.orderOf(event.external_id);
      shop.set(id, 'refunded');
      shop.give(id, { kind: 'refund' });
    };
  }),
  'ships for less, in a row without a kind': row('fulfilled_for_less', 'adjusted_as_paid', (shop) => {
    shop.adjusted = (event) => {
      const id = shop.orderOf(event.external_id);
      shop.set(id, 'fulfilled', shop.credit(event));
      shop.give(id, { credited_usdt: shop.credit(event) }); // the whole order, and what was paid for it
    };
  }),
  'a kind of its own': row('order_malformed', 'row', (shop) => {
    const { fulfilments } = shop;
    shop.fulfilments = () => fulfilments.call(shop).map((each) => ({ ...each, kind: 'shipment' as never })); // on purpose
  }),
  'commit after the acknowledgement': row('paid_not_fulfilled', 'acknowledged_early', (shop) => {
    let alive = { yes: true };
    const { restart, paid } = shop;
    shop.paid = (event) => {
      const life = alive;
      setTimeout(() => {
        if (life.yes) paid.call(shop, event);
      }, 1);
    };
    shop.restart = async () => {
      alive.yes = false;
      alive = { yes: true };
      await restart.call(shop);
    };
    shop.idle = () => new Promise((resolve) => setTimeout(resolve, 3));
    shop.close = () => {
      alive.yes = false;
    };
  }),
  'a cancellation that reads the state, and writes it later': row('state_differs', 'canceled_together', (shop) => {
    shop.start = async () => {
      const { secret, now } = shop;
      const store = sqliteStore(shop.db, { now });
      await store.migrate();
      shop.handler = createWebhookHandler({
        secret,
        now,
        store,
        onPaid: (event, { commit }) => commit(() => shop.paid(event)),
        onAdjusted: (event, { commit }) => commit(() => shop.adjusted(event)),
        onCanceled: async ({ external_id }) => {
          const id = shop.orderOf(external_id);
          const state = shop.stateOf(id);
          await tick(); // the stock
          if (state === 'open') shop.set(id, 'canceled');
        },
        onReport() {},
      });
    };
  }),
  'a press that saves the order as it read it': row('paid_not_fulfilled', 'press_overwrites', (shop) => {
    const { checkout } = shop;
    // The worker gives what is paid, so an order that is open again is never given.
    shop.paid = (event) => {
      const { id, credited } = shop.book(event);
      if (shop.stateOf(id) === 'fulfilled') return shop.give(id, { kind: 'review' });
      shop.set(id, 'paid', credited);
    };
    shop.adjusted = (event) => {
      const { id } = shop.book(event);
      shop.give(id, { kind: 'review' });
    };
    shop.checkout = async (order) => {
      shop.insert(order);
      const read = shop.stateOf(order.id);
      const link = await checkout.call(shop, order);
      shop.db.prepare('UPDATE orders SET state = ? WHERE id = ?').run(read, order.id);
      return link;
    };
    shop.idle = async () => {
      const rows = shop.db.prepare(`SELECT id FROM orders WHERE state = 'paid'`).all();
      for (const { id } of rows) gives(shop, String(id));
    };
  }),
  'knows the first renewal alone': row('paid_not_fulfilled', 'renewed_unknown', (shop) => {
    const { paid } = shop;
    shop.paid = (event) => {
      if (event.renewal < 2) paid.call(shop, event);
    };
  }),
  'returns the amount of the order': row('credited_differs', 'other_refund', (shop) => {
    shop.adjusted = (event) => {
      const { id } = shop.book(event);
      const rate = event.credited_usdt.div(event.amount);
      shop.set(id, 'refunded');
      shop.give(id, { kind: 'refund', credited_usdt: rate.times(event.original_amount ?? 0).toFixed(6) });
    };
  }),
  'returns a surplus of euro as USDT': row('credited_differs', 'amount_for_credit', (shop) => {
    const { adjusted } = shop;
    shop.adjusted = (event) => {
      const surplus = event.amount.minus(event.original_amount ?? event.amount);
      if (!surplus.gt(0)) return adjusted.call(shop, event);
      shop.paid(event);
      shop.give(shop.orderOf(event.external_id), { kind: 'refund', credited_usdt: surplus.toFixed(2) });
    };
  }),
  'a second payment of a refunded order is dropped': row('payment_kept', 'second_payment_kept', (shop) => {
    shop.paid = (event) => {
      const id = shop.orderOf(event.external_id);
      if (shop.stateOf(id) === 'refunded') return;
      const { credited } = shop.book(event);
      const isLate = shop.attemptsOf(id).length > 1;
      shop.set(id, isLate ? 'refunded' : 'fulfilled', credited);
      shop.give(id, isLate ? { kind: 'refund' } : {});
    };
  }),
  'canceled UPDATE without its guard': row('paid_not_fulfilled', 'turned_back', (shop) => {
    shop.canceled = ({ external_id }) => shop.set(shop.orderOf(external_id), 'canceled');
    return { fulfilments: undefined };
  }),
  'canceled UPDATE without its guard, where the goods stay given': row('state_differs', 'turned_back', (shop) => {
    shop.canceled = ({ external_id }) => shop.set(shop.orderOf(external_id), 'canceled');
  }),
  'a payment of a canceled order is acknowledged and dropped': row('paid_not_fulfilled', 'canceled_stays', (shop) => {
    const { paid } = shop;
    shop.paid = (event) => {
      if (shop.stateOf(shop.orderOf(event.external_id)) !== 'canceled') paid.call(shop, event);
    };
  }),
  'memoryStore, and no catch-up': row('fulfilled_twice', 'forgets', (shop) => {
    MISTAKES['memoryStore with a restart'].plant(shop);
    return { catchUp: undefined };
  }),
  'no catch-up': row('paid_not_fulfilled', 'no_catch_up', withoutMembers('catchUp')),
  'catchUp for open orders alone': row('paid_not_fulfilled', 'catch_up_canceled', (shop) => {
    shop.waiting = () => {
      const rows = shop.db.prepare(`SELECT id FROM orders WHERE state = 'open'`).all();
      return rows.flatMap(({ id }) => shop.attemptsOf(String(id)));
    };
  }),
  'catchUp for open orders alone, before a reconcile': row('paid_not_fulfilled', 'catch_up_canceled', (shop) => {
    MISTAKES['catchUp for open orders alone'].plant(shop);
    const { catchUp } = shop;
    // The nightly job of the guides: the comparison reads every invoice, and books none.
    shop.catchUp = async () => {
      await catchUp.call(shop);
      const { merchant, now } = shop;
      await reconcile({ merchant, now, orders: shop.orders() }).summary();
    };
  }),
  'a job of its own for first invoices alone': row('paid_not_fulfilled', 'catch_up_first', (shop) => {
    shop.receive = async (request) => {
      const event = await shop.verify(request).catch(() => null);
      if (event === null) return new Response(null, { status: 401 });
      shop.handle(once(shop, event));
      return new Response('ok');
    };
    shop.catchUp = async () => {
      for (const id of shop.waiting().filter((each) => shop.orderOf(each) === each)) {
        const invoice = await shop.merchant.invoices.get(id).catch(() => null);
        if (invoice?.status === 'success') shop.handle(once(shop, eventOfInvoice(invoice)));
      }
    };
  }),
  'forgets the order of a renewed invoice': row('paid_not_fulfilled', 'renewed_unknown', (shop) => {
    const { paid } = shop;
    shop.paid = (event) => {
      if (shop.orderOf(event.external_id) === event.external_id) paid.call(shop, event);
    };
  }),
  'paid for ever': row('paid_not_fulfilled', 'paid_for_ever', (shop) => {
    shop.paid = (event) => shop.set(shop.orderOf(event.external_id), 'paid', shop.credit(event));
  }),
  'paid for ever, a third of them': row('paid_not_fulfilled', 'paid_for_ever', (shop) => {
    const { paid } = shop;
    shop.paid = (event) => {
      const id = shop.orderOf(event.external_id);
      if (Number(id.slice(6)) % 3 === 0) shop.set(id, 'paid', shop.credit(event));
      else paid.call(shop, event);
    };
  }),
  'fulfilled without a row': row('paid_not_fulfilled', 'no_row', (shop) => {
    shop.give = () => {};
  }),
  'fulfilled without a row, a third of them': row('paid_not_fulfilled', 'no_row', (shop) => {
    const { give } = shop;
    shop.give = (id) => {
      if (Number(id.slice(6)) % 3 !== 0) give.call(shop, id);
    };
  }),
  'another amount is acknowledged and dropped': row('paid_not_fulfilled', 'adjusted_dropped', (shop) => {
    shop.adjusted = () => {};
  }),
  'rows of fulfilments with ids of the warehouse': row('fulfilment_unknown', 'other_ids', (shop) => {
    const { fulfilments } = shop;
    shop.fulfilments = () => fulfilments.call(shop).map((each, index) => ({ ...each, external_id: `parcel-${index}` }));
  }),
  'adjusted treated as paid in full': row('fulfilled_for_less', 'adjusted_as_paid', (shop) => {
    shop.adjusted = (event) => shop.paid(event);
  }),
  'five percent are forgiven': row('fulfilled_for_less', 'tolerance', (shop) => {
    const { adjusted } = shop;
    shop.adjusted = (event) =>
      event.amount.gte(event.original_amount?.times('0.95').toDecimalPlaces(2) ?? 0)
        ? shop.paid(event)
        : adjusted.call(shop, event);
  }),
  'a cent is forgiven': row('fulfilled_for_less', 'cent', (shop) => {
    const { adjusted } = shop;
    const near = (a: number, b: number): boolean => Math.abs(a - b) < 0.015;
    shop.adjusted = (event) =>
      near(Number(event.amount), Number(event.original_amount)) ? shop.paid(event) : adjusted.call(shop, event);
  }),
  'fulfils on the success_url': row('fulfilled_not_paid', 'visit_gives', (shop) => {
    shop.visit = (url) => {
      const id = new URL(url).searchParams.get('order') ?? '';
      if (shop.stateOf(id) !== 'fulfilled') gives(shop, id);
    };
  }),
  'fulfils on the success_url, whatever was paid': row('fulfilled_for_less', 'visit_gives', (shop) => {
    MISTAKES['fulfils on the success_url'].plant(shop);
  }),
  'fulfils at the checkout': row('fulfilled_not_paid', 'checkout_gives', (shop) => {
    const { checkout } = shop;
    shop.checkout = async (order) => {
      const link = await checkout.call(shop, order);
      if (shop.stateOf(order.id) === 'open') gives(shop, order.id);
      return link;
    };
  }),
  'each event gives': row('fulfilled_not_paid', 'unpaid_event_gives', (shop) => {
    shop.canceled = ({ external_id }) => gives(shop, shop.orderOf(external_id));
  }),
  'amount in place of credited_usdt': row('credited_differs', 'amount_for_credit', (shop) => {
    shop.credit = (event) => event.amount.toFixed();
  }),
  'credit rounded to cents': row('credited_differs', 'other_credit', (shop) => {
    shop.credit = (event) => event.credited_usdt.toFixed(1);
  }),
  'credit added at each delivery': row('credited_differs', 'booked_again', (shop) => {
    shop.receive = (request) => shop.plain(request);
    const { credit } = shop;
    shop.credit = (event) => {
      const id = shop.orderOf(event.external_id);
      const before = shop.orders().find(({ external_id }) => external_id === id)?.credited_usdt ?? 0;
      return event.credited_usdt.plus(String(before)).toFixed();
    };
    void credit;
    shop.paid = (event) => shop.set(shop.orderOf(event.external_id), 'fulfilled', shop.credit(event));
    return { fulfilments: undefined };
  }),
  'cents taken for units': row(
    'amount_differs',
    'cents',
    (shop) => {
      const { paramsOf } = shop;
      shop.paramsOf = (order) => ({ ...paramsOf.call(shop, order), amount: (Number(order.amount) * 100).toFixed(2) });
    },
    { amounts: ['12.50', '18.00'] },
  ),
  'a discount on the invoice alone': row('amount_differs', 'own_price', (shop) => {
    const { paramsOf } = shop;
    shop.paramsOf = (order) => ({ ...paramsOf.call(shop, order), amount: (Number(order.amount) / 2).toFixed(2) });
  }),
  'a fee on top': row('amount_differs', 'own_price', (shop) => {
    const { paramsOf } = shop;
    shop.paramsOf = (order) => ({ ...paramsOf.call(shop, order), amount: (Number(order.amount) + 1).toFixed(2) });
  }),
  'dollars for euro': row('currency_differs', 'own_currency', (shop) => {
    const { paramsOf } = shop;
    shop.paramsOf = (order) => ({ ...paramsOf.call(shop, order), currency: 'USD' });
  }),
  'euro for every currency': row(
    'currency_differs',
    'own_currency',
    (shop) => {
      const { paramsOf } = shop;
      shop.paramsOf = (order) => ({ ...paramsOf.call(shop, order), currency: 'EUR' });
    },
    { currencies: ['EUR', 'USD'] },
  ),
  'a fresh external_id a click': row('second_invoice', 'fresh_id', (shop) => {
    shop.create = async (order) => {
      const external_id = `${order.id}-c${shop.clicks}`;
      shop.db.prepare('INSERT OR IGNORE INTO attempts VALUES (?, ?)').run(external_id, order.id);
      return await shop.createOnce({ ...shop.paramsOf(order), external_id });
    };
    shop.orderOf = (external_id) => external_id.replace(/-c\d+$/, '');
  }),
  'an error at each second press': row('checkout_failed', 'error_shown', (shop) => {
    const pressed = new Map<string, number>();
    const { checkout } = shop;
    shop.checkout = (order) => {
      const times = (pressed.get(order.id) ?? 0) + 1;
      pressed.set(order.id, times);
      if (times === 2) throw new Error('this order is being paid');
      return checkout.call(shop, order);
    };
  }),
  'one order for each customer': row('checkout_stuck', 'wrong_link', (shop) => {
    shop.create = async (order) => {
      const { customer_id: external_id } = order;
      shop.db.prepare('INSERT OR IGNORE INTO attempts VALUES (?, ?)').run(external_id, order.id);
      return await shop.createOnce({ ...shop.paramsOf(order), external_id });
    };
    shop.orderOf = (external_id) =>
      String(shop.db.prepare('SELECT order_id FROM attempts WHERE external_id = ?').get(external_id)?.['order_id']);
  }),
  'gives up after an error': row('checkout_stuck', 'given_up', (shop) => {
    const broken = new Set<string>();
    shop.create = async (order) => {
      if (broken.has(order.id)) throw new Error('this order cannot be paid');
      try {
        return (await shop.merchant.invoices.createOrRenew(shop.paramsOf(order), { retry: false })).invoice;
      } catch (error) {
        broken.add(order.id);
        throw error;
      }
    };
  }),
  'nothing is ever to pay': row('checkout_stuck', 'wrong_link', (shop) => {
    shop.create = async () => null as never; // the result of a shop that lost its link
  }),
  'the link of a dead invoice': row('dead_link', 'ended_link', (shop) => {
    shop.create = (order) => shop.createOnce(shop.paramsOf(order));
  }),
  'a paid order leaves the table': row('order_missing', 'no_order', (shop) => {
    const { orders } = shop;
    shop.orders = () => orders.call(shop).filter(({ state }) => state !== 'fulfilled');
  }),
  'an amount as a number': row('order_malformed', 'row', (shop) => {
    const { orders } = shop;
    shop.orders = () => orders.call(shop).map((each) => ({ ...each, amount: Number(each.amount) as never })); // on purpose
  }),
  'an amount in cents': row('order_malformed', 'row', (shop) => {
    const { orders } = shop;
    shop.orders = () => orders.call(shop).map((each) => ({ ...each, amount: String(Number(each.amount) * 100) }));
  }),
  'no check of the signature': row(
    'forgery_accepted',
    'not_verified',
    checking(() => true),
  ),
  'checks a signature only where there is one': row(
    'forgery_accepted',
    'not_verified',
    checking(
      ({ secret }, body, header) =>
        header('signature') === '' || header('signature') === hmac(secret, header('timestamp'), body),
    ),
  ),
  'checks that there is a signature': row(
    'forgery_accepted',
    'not_verified',
    checking((_, __, header) => header('signature') !== ''),
  ),
  'another secret, and says nothing': row(
    'nothing_delivered',
    'signature_refused',
    checking((_, body, header) => header('signature') === hmac('whsec_another', header('timestamp'), body)),
  ),
  'another secret': row('nothing_delivered', 'signature_refused', (shop) => {
    shop.secret = 'whsec_another_0123456789';
  }),
  'the API key as secret': row(
    'nothing_delivered',
    'signature_refused',
    checking(({ service }, body, header) => header('signature') === hmac(service.apiKey, header('timestamp'), body)),
  ),
  'a body that was written again': row(
    'nothing_delivered',
    'signature_refused',
    checking(
      ({ secret }, body, header) =>
        header('signature') === hmac(secret, header('timestamp'), JSON.stringify(JSON.parse(body))),
    ),
  ),
  'base64 in place of hex': row(
    'nothing_delivered',
    'signature_refused',
    checking(({ secret }, body, header) => header('signature') === hmac(secret, header('timestamp'), body, 'base64')),
  ),
  'the clock of the machine, and says nothing': row(
    'nothing_delivered',
    'now_forgotten',
    checking(
      ({ secret }, body, header) =>
        header('signature') === hmac(secret, header('timestamp'), body) &&
        Math.abs(Date.now() / 1_000 - Number(header('timestamp'))) < 300,
    ),
  ),
  'the clock of the machine': row('nothing_delivered', 'now_forgotten', (shop) => {
    shop.now = Date.now;
  }),
  'a redirect': row('nothing_delivered', 'refused', (shop) => {
    shop.receive = async () =>
      new Response(null, { status: 307, headers: { location: 'https://shop.example/webhook' } });
  }),
  'a receive of Express': row('nothing_delivered', 'own_function', (shop) => {
    shop.receive = async () => undefined as never; // it writes to its second argument
  }),
  'another route': row('nothing_delivered', 'refused', (shop) => {
    shop.receive = async () => new Response('Not Found', { status: 404 });
  }),
  'no callback_url': row('nothing_delivered', 'no_address', (shop) => {
    const { paramsOf } = shop;
    shop.paramsOf = (order) => ({ ...paramsOf.call(shop, order), callback_url: undefined });
  }),
  'fails at each payment of another amount': row('nothing_delivered', 'refused', (shop) => {
    shop.adjusted = () => {
      throw new Error('not a function');
    };
  }),
  'fails at each end without a payment': row('nothing_delivered', 'refused', (shop) => {
    shop.canceled = () => {
      throw new Error('no such column');
    };
  }),
  'no order is caught up where catchUp fails': row('paid_not_fulfilled', 'own_function', (shop) => {
    shop.catchUp = () => Promise.reject(new Error('no such table: orders'));
  }),
  'a catch-up that always fails': row('catch_up_failed', 'own_function', (shop) => {
    shop.catchUp = () => Promise.reject(new Error('no such table: orders'));
  }),
  'a restart that always fails': row('restart_failed', 'own_function', (shop) => {
    shop.restart = () => Promise.reject(new Error('the port is taken'));
  }),
  'an idle that fails': row('not_idle', 'own_function', (shop) => {
    shop.idle = () => Promise.reject(new Error('the queue is closed'));
  }),
  'a wrong API key': row('request_refused', 'request', (shop) => {
    shop.create = async () => {
      const { fetch, baseUrl } = shop.service;
      const response = await fetch(`${baseUrl}/api/v1/external/invoices`, {
        method: 'POST',
        headers: { 'X-Api-Key': 'sk_other' },
        body: '{}',
      });
      throw new Error(`the service says ${response.status}`);
    };
  }),
} satisfies Readonly<Record<string, Planted>>;
