import { Decimal } from '../../../src/index.ts';
import type { StormSettings } from '../../../src/tools/storm/index.ts';
import { type InvoiceEvent, parseInvoiceEvent } from '../../../src/webhooks/index.ts';
import type { Change, PaidEvent, Shop } from './shop.ts';

/** A right shop of another design than the usual one. */
export interface Design {
  readonly change: (shop: Shop) => Change;
  readonly settings?: StormSettings;
}

/** Events wait in a table, and a worker plays them: the webhook writes the row and answers. */
function inbox(shop: Shop, after: number) {
  shop.db.exec('CREATE TABLE inbox (uuid TEXT PRIMARY KEY, event TEXT, done INTEGER DEFAULT 0)');
  let isWaiting = false;
  const keep = (event: InvoiceEvent): void => {
    const values = [`${event.invoice_uuid} ${event.type}`, JSON.stringify(event)];
    shop.db.prepare('INSERT OR IGNORE INTO inbox (uuid, event) VALUES (?, ?)').run(...values);
    if (!isWaiting) setTimeout(work, after);
    isWaiting = true;
  };
  // The shop as it was, for the worker.
  const { paid, adjusted, canceled } = shop;
  const worker: Shop = Object.assign(Object.create(shop), { paid, adjusted, canceled });
  const work = (): void => {
    isWaiting = false;
    if (!shop.db.isOpen) return;
    for (const { uuid, event } of shop.db.prepare('SELECT * FROM inbox WHERE done = 0 ORDER BY rowid').all()) {
      const read = parseInvoiceEvent(JSON.parse(String(event)));
      worker.handle(read);
      shop.db.prepare('UPDATE inbox SET done = 1 WHERE uuid = ?').run(String(uuid));
    }
  };
  [shop.paid, shop.adjusted, shop.canceled] = [keep, keep, keep as never];
  const isIdle = (): boolean => shop.db.prepare('SELECT 1 FROM inbox WHERE done = 0').get() === undefined;
  return { isIdle };
}

const walletRow = (shop: Shop, event: PaidEvent, credited_usdt = event.credited_usdt.toFixed()): void => {
  const id = shop.orderOf(event.external_id);
  shop.set(id, 'fulfilled', event.credited_usdt.toFixed());
  shop.give(id, { kind: 'credit', credited_usdt });
};

export const DESIGNS = {
  'the usual one': { change() {} },
  'no idle': { change: () => ({ idle: undefined }) },
  'polling only': {
    change(shop) {
      const { paramsOf } = shop;
      shop.paramsOf = (order) => ({ ...paramsOf.call(shop, order), callback_url: undefined });
      return { receive: undefined };
    },
  },
  'an inbox with a worker that is slow': {
    change(shop) {
      inbox(shop, 150);
      return { idle: undefined };
    },
  },
  'an inbox with a worker that says when it is idle': {
    change(shop) {
      const { isIdle } = inbox(shop, 1);
      shop.idle = async () => {
        while (!isIdle()) await new Promise((resolve) => setTimeout(resolve, 1));
      };
    },
  },
  'event sourcing': {
    change(shop) {
      shop.db.exec('CREATE TABLE events (order_id TEXT, name TEXT, credited TEXT)');
      const add = (id: string, name: string, credited: string | null = null): void =>
        void shop.db.prepare('INSERT INTO events VALUES (?, ?, ?)').run(id, name, credited);
      const namesOf = (id: string): string[] =>
        shop.db
          .prepare('SELECT name FROM events WHERE order_id = ? ORDER BY rowid')
          .all(id)
          .map(({ name }) => String(name));
      shop.set = (id, state, credited = null) => add(id, state, credited);
      shop.canceled = ({ external_id }) => {
        const id = shop.orderOf(external_id);
        if (namesOf(id).length === 0 && shop.attemptsOf(id).at(-1) === external_id) add(id, 'canceled');
      };
      const { orders } = shop;
      shop.orders = () =>
        orders.call(shop).map((order) => {
          const names = namesOf(order.external_id);
          const state = (['fulfilled', 'paid', 'canceled'] as const).find((name) => names.includes(name)) ?? 'open';
          const credited = shop.db
            .prepare('SELECT credited FROM events WHERE order_id = ? AND credited IS NOT NULL')
            .get(order.external_id);
          return { ...order, state, credited_usdt: credited === undefined ? null : String(credited['credited']) };
        });
      shop.waiting = () =>
        shop
          .orders()
          .flatMap(({ external_id, state }) =>
            state === 'open' || state === 'canceled' ? shop.attemptsOf(external_id) : [],
          );
    },
  },
  'a wallet': {
    change(shop) {
      shop.paid = (event) => walletRow(shop, event);
      shop.adjusted = (event) => walletRow(shop, event);
    },
  },
  'wallet credit for late and partial payments, at the rate of the invoice': {
    change(shop) {
      const { paid } = shop;
      shop.paid = (event) =>
        shop.stateOf(shop.orderOf(event.external_id)) === 'canceled'
          ? shop.adjusted(event as never)
          : paid.call(shop, event);
      shop.adjusted = (event) => {
        const id = shop.orderOf(event.external_id);
        const credit = new Decimal(event.credited_usdt).toFixed(2);
        shop.set(id, 'paid', event.credited_usdt.toFixed());
        shop.give(id, { kind: 'credit', credited_usdt: credit });
      };
    },
  },
  'several parcels of one order': {
    change(shop) {
      shop.paid = (event) => {
        const id = shop.orderOf(event.external_id);
        shop.set(id, 'fulfilled', shop.credit(event));
        for (const item of ['tea', 'mug', 'card']) shop.give(id, { item });
      };
    },
  },
  'some of the parcels for a partial payment': {
    change(shop) {
      const { adjusted } = shop;
      shop.paid = (event) => {
        const id = shop.orderOf(event.external_id);
        shop.set(id, 'fulfilled', shop.credit(event));
        for (const item of [1, 2]) shop.give(id, { item });
      };
      shop.adjusted = (event) => {
        adjusted.call(shop, event);
        const id = shop.orderOf(event.external_id);
        if (shop.stateOf(id) === 'paid' && event.amount.gte(event.original_amount?.div(2) ?? 0))
          shop.give(id, { item: 1 });
      };
    },
  },
  'a person reviews what is not as ordered': {
    change(shop) {
      const { paid } = shop;
      const review = (event: PaidEvent): void => {
        shop.set(shop.orderOf(event.external_id), 'paid', shop.credit(event));
        shop.give(shop.orderOf(event.external_id), { kind: 'review' });
      };
      shop.paid = (event) =>
        shop.stateOf(shop.orderOf(event.external_id)) === 'open' ? paid.call(shop, event) : review(event);
      shop.adjusted = review;
    },
  },
  'late payments are returned': {
    change(shop) {
      const { paid } = shop;
      shop.paid = (event) => {
        const id = shop.orderOf(event.external_id);
        if (shop.stateOf(id) === 'open') return paid.call(shop, event);
        shop.set(id, 'refunded');
        shop.give(id, { kind: 'refund' });
      };
    },
  },
  'what was paid above the order is returned': {
    change(shop) {
      const { paid } = shop;
      shop.paid = (event) => {
        paid.call(shop, event);
        if (event.original_amount !== null && event.amount.gt(event.original_amount))
          shop.give(shop.orderOf(event.external_id), { kind: 'refund' });
      };
    },
  },
  'a person takes the goods back, and returns the money': {
    change(shop) {
      const { paid } = shop;
      shop.paid = (event) => {
        paid.call(shop, event);
        for (const kind of ['review', 'refund'] as const) shop.give(shop.orderOf(event.external_id), { kind });
      };
    },
  },
  'a parcel that is not in stock is returned': {
    change(shop) {
      shop.paid = (event) => {
        const id = shop.orderOf(event.external_id);
        shop.set(id, 'fulfilled', shop.credit(event));
        for (const item of ['tea', 'mug']) shop.give(id, { item });
        shop.give(id, { kind: 'refund' });
      };
    },
  },
  'a row for each invoice of an order': {
    change(shop) {
      const { orders } = shop;
      shop.orders = () =>
        orders.call(shop).flatMap((order) => {
          const ids = shop.attemptsOf(order.external_id);
          return ids.map((external_id, index) => {
            const isLast = index === ids.length - 1;
            return {
              ...order,
              external_id,
              order: order.external_id,
              ...(isLast ? {} : { state: 'canceled' as const, credited_usdt: null }),
            };
          });
        });
    },
  },
  'old rows in the tables': {
    change(shop) {
      for (let number = 1; number <= 30; number += 1) {
        const id = `old-${number}`;
        shop.db.prepare(`INSERT INTO orders VALUES (?, '10.00', 'EUR', 'fulfilled', '10')`).run(id);
        shop.give(id);
        shop.give(`lost-${number}`);
      }
    },
  },
  'no fulfilments': { change: () => ({ fulfilments: undefined }) },
  'unpaid carts are deleted': {
    change(shop) {
      shop.canceled = ({ external_id }) => {
        const id = shop.orderOf(external_id);
        shop.db.prepare(`DELETE FROM orders WHERE id = ? AND state = 'open'`).run(id);
      };
      const { paid, adjusted } = shop;
      const restore = (event: PaidEvent): void => {
        const [id, amount] = [shop.orderOf(event.external_id), event.amount.toFixed()];
        shop.db.prepare(`INSERT OR IGNORE INTO orders (id, amount, currency) VALUES (?, ?, 'EUR')`).run(id, amount);
      };
      shop.paid = (event) => {
        restore(event);
        paid.call(shop, event);
      };
      shop.adjusted = (event) => {
        restore(event);
        adjusted.call(shop, event);
      };
      // The carts that are gone are asked for by their invoices.
      shop.waiting = () =>
        shop.db
          .prepare(
            `SELECT external_id FROM attempts WHERE order_id NOT IN (SELECT id FROM orders WHERE state NOT IN ('open', 'canceled'))`,
          )
          .all()
          .map(({ external_id }) => String(external_id));
    },
  },
  'ids of its own': {
    change(shop) {
      const own = (id: string): string => `T${Number(id.replace(/\D/g, '')) + 70_000}`;
      const { checkout } = shop;
      shop.checkout = (order) => checkout.call(shop, { ...order, id: own(order.id) });
    },
  },
  'an order that is over is not renewed': {
    change(shop) {
      shop.create = async (order) => {
        const invoice = await shop.createOnce(shop.paramsOf(order));
        return invoice.status === 'pending' ? invoice : (null as never); // nothing is to pay
      };
    },
  },
  'the next invoice is created in the handler': {
    change(shop) {
      const { canceled } = shop;
      const created: string[] = [];
      shop.canceled = (event) => {
        canceled.call(shop, event);
        const id = shop.orderOf(event.external_id);
        if (shop.stateOf(id) === 'canceled' && shop.attemptsOf(id).length === 1) created.push(id);
      };
      const { receive } = shop;
      shop.receive = async (request) => {
        const response = await receive.call(shop, request);
        for (const id of created.splice(0)) {
          const order = shop.orders().find(({ external_id }) => external_id === id);
          if (order !== undefined)
            await shop.create({
              id,
              customer_id: id.replace('order', 'customer'),
              amount: String(order.amount),
              currency: order.currency,
            });
        }
        return response;
      };
    },
  },
  'two currencies': { change() {}, settings: { currencies: ['EUR', 'USD'] } },
  'prices of its own': { change() {}, settings: { amounts: ['12.50', '25.00'] } },
} satisfies Readonly<Record<string, Design>>;
