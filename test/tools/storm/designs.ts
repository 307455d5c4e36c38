import { Decimal, orderOf } from '../../../src/index.ts';
import type { StormOrder, StormSettings } from '../../../src/tools/storm/index.ts';
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
            state === 'open' || state === 'canceled' || shop.attemptsOf(external_id).length > 1
              ? shop.attemptsOf(external_id)
              : [],
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
            `SELECT external_id FROM attempts WHERE order_id NOT IN (SELECT id FROM orders WHERE state NOT IN ('open', 'canceled'))
             OR order_id IN (SELECT order_id FROM attempts GROUP BY order_id HAVING count(*) > 1)`,
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
  'a gift card': {
    change(shop) {
      const { paid } = shop;
      shop.paid = (event) => {
        paid.call(shop, event);
        // The card is what was sold. What it is worth is no second gift.
        shop.give(shop.orderOf(event.external_id), { kind: 'bonus', credited_usdt: shop.credit(event) });
      };
    },
  },
  'a market place that keeps a fee': {
    change(shop) {
      const pay = (event: PaidEvent): void => {
        const { id, credited } = shop.book(event);
        shop.set(id, 'fulfilled', credited);
        const fee = event.credited_usdt.times('0.1').toDecimalPlaces(6);
        shop.give(id, { kind: 'credit', credited_usdt: event.credited_usdt.minus(fee).toFixed() }); // to the seller
        shop.give(id, { kind: 'fee', credited_usdt: fee.toFixed() });
      };
      shop.paid = pay;
      shop.adjusted = pay;
    },
  },
  'a broken parcel is replaced': {
    change(shop) {
      const { paid } = shop;
      shop.paid = (event) => {
        paid.call(shop, event);
        const id = shop.orderOf(event.external_id);
        if (id.endsWith('3')) shop.give(id, { kind: 'bonus', item: 'replacement' });
      };
    },
  },
  'goods that come back are paid back': {
    change(shop) {
      const { paid } = shop;
      shop.paid = (event) => {
        const id = shop.orderOf(event.external_id);
        if (!id.endsWith('4')) return paid.call(shop, event);
        shop.give(id);
        shop.give(id, { kind: 'refund' });
        shop.set(id, 'refunded');
      };
    },
  },
  'a loyalty credit on top': {
    change(shop) {
      const { paid } = shop;
      shop.paid = (event) => {
        paid.call(shop, event);
        shop.give(shop.orderOf(event.external_id), { kind: 'bonus', credited_usdt: '1.00' });
      };
    },
  },
  'five percent less are accepted, by its terms': {
    change(shop) {
      const { adjusted } = shop;
      shop.adjusted = (event) =>
        event.amount.lt(event.original_amount ?? 0) && event.amount.gte(event.original_amount?.times('0.95') ?? 0)
          ? shop.paid(event)
          : adjusted.call(shop, event);
      return { accepts: { less: '10.00' } };
    },
  },
  'donations that are credited to a cause': {
    change(shop) {
      const donate = (event: PaidEvent): void => {
        const { id, credited } = shop.book(event);
        shop.set(id, 'paid', credited);
        shop.give(id, { kind: 'credit', credited_usdt: shop.credit(event) });
        shop.give(id, { kind: 'bonus', item: 'receipt' });
      };
      [shop.paid, shop.adjusted] = [donate, donate];
    },
  },
  'donations of any amount, for a sticker': {
    change(shop) {
      shop.adjusted = (event) => shop.paid(event);
      return { accepts: { less: '1000.00', surplus: '1000.00' } };
    },
  },
  'a subscription: each payment is a month': {
    change(shop) {
      shop.paid = (event) => {
        const { id, credited } = shop.book(event);
        const months = shop.db.prepare('SELECT count(*) AS months FROM given WHERE order_id = ?').get(id)?.['months'];
        shop.set(id, 'fulfilled', credited);
        shop.give(id, { item: `month ${Number(months) + 1}` });
      };
    },
  },
  'a deposit, and the rest when the goods are ready': {
    change(shop) {
      const partOf = (amount: string): Decimal => new Decimal(amount).times('0.3').toDecimalPlaces(2);
      const isRest = (external_id: string): boolean => external_id.endsWith('-rest');
      shop.orderOf = (external_id) => orderOf(external_id).order.replace(/-rest$/, '');
      shop.create = async (order) => {
        const hasDeposit = shop.stateOf(order.id) === 'paid';
        const rest = new Decimal(order.amount).minus(partOf(order.amount));
        const external_id = hasDeposit ? `${order.id}-rest` : order.id;
        const amount = (hasDeposit ? rest : partOf(order.amount)).toFixed(2);
        const created = await shop.merchant.invoices.createOrRenew({ ...shop.paramsOf(order), external_id, amount });
        shop.db.prepare('INSERT OR IGNORE INTO attempts VALUES (?, ?)').run(created.invoice.external_id, order.id);
        return created.invoice;
      };
      const odd = new Set<string>();
      const review = (event: PaidEvent): void => {
        const { id, credited } = shop.book(event);
        odd.add(id);
        shop.set(id, 'paid', credited);
        shop.give(id, { kind: 'review' });
      };
      shop.paid = (event) => {
        const { id, credited } = shop.book(event);
        if (odd.has(id)) review(event);
        else if (!isRest(event.external_id)) {
          if (shop.stateOf(id) !== 'open' && shop.stateOf(id) !== 'canceled') return review(event);
          shop.set(id, 'paid', credited);
          shop.give(id, { kind: 'review' }); // the rest is asked for when the goods are ready
        } else {
          shop.set(id, 'fulfilled', credited);
          shop.give(id);
        }
      };
      shop.adjusted = review;
    },
  },
  'ships on the next day': {
    change(shop) {
      shop.paid = (event) => shop.set(shop.orderOf(event.external_id), 'paid', shop.book(event).credited);
      const { catchUp } = shop;
      shop.catchUp = async () => {
        await catchUp.call(shop);
        const countOf = (table: 'payments' | 'given', id: string): number =>
          Number(shop.db.prepare(`SELECT count(*) AS rows FROM ${table} WHERE order_id = ?`).get(id)?.['rows']);
        for (const { external_id: id, state } of shop.orders()) {
          if (state !== 'paid') continue;
          const [due, done] = [countOf('payments', id), countOf('given', id)];
          if (due > done) shop.set(id, 'fulfilled', shop.creditOf(id));
          for (let parcel = done; parcel < due; parcel += 1) shop.give(id);
        }
      };
    },
  },
  'the result of createOrRenew, and rows with the id of the order': {
    change(shop) {
      const { fulfilments } = shop;
      shop.fulfilments = () => fulfilments.call(shop).map(({ external_id: order, ...rest }) => ({ ...rest, order }));
      shop.checkout = async (order) => {
        shop.insert(order);
        const created = await shop.merchant.invoices.createOrRenew(shop.paramsOf(order));
        shop.db.prepare('INSERT OR IGNORE INTO attempts VALUES (?, ?)').run(created.invoice.external_id, order.id);
        return created;
      };
    },
  },
  'carts with different parcels': {
    change(shop) {
      shop.paid = (event) => {
        const { id, isSecond, credited } = shop.book(event);
        const isDone = isSecond && shop.stateOf(id) === 'fulfilled';
        shop.set(id, 'fulfilled', credited);
        if (isDone) return shop.give(id, { kind: 'review' });
        for (const item of ['tea', 'mug', 'card'].slice(0, 1 + (Number(id.at(-1)) % 3))) shop.give(id, { item });
      };
    },
  },
  'some of the money goes back': {
    change(shop) {
      const { paid, orders } = shop;
      const back = new Set<string>();
      shop.paid = (event) => {
        paid.call(shop, event);
        const id = shop.orderOf(event.external_id);
        if (!id.endsWith('4') || back.has(id)) return;
        back.add(id);
        const credited_usdt = event.credited_usdt.times(10).div(event.amount).toFixed(6);
        shop.give(id, { kind: 'refund', credited_usdt });
      };
      shop.orders = () =>
        orders
          .call(shop)
          .map((row) => (back.has(String(row.external_id)) ? { ...row, refunded_amount: '10.00' } : row));
    },
  },
  'some of the articles for some of the money': {
    change(shop) {
      const { adjusted } = shop;
      const articles = (event: PaidEvent, count: number): void => {
        const { id, isSecond, credited } = shop.book(event);
        const isDone = isSecond && shop.stateOf(id) === 'fulfilled';
        shop.set(id, 'fulfilled', credited);
        if (isDone) shop.give(id, { kind: 'review' });
        for (let item = 1; item <= count && !isDone; item += 1) shop.give(id, { item: `article ${item}` });
      };
      shop.paid = (event) => articles(event, 10);
      shop.adjusted = (event) => {
        const part = event.amount.times(10).div(event.original_amount ?? event.amount);
        const count = Number(part.toDecimalPlaces(0, Decimal.ROUND_DOWN));
        if (count < 1 || count > 9) return adjusted.call(shop, event);
        articles(event, count);
        const left = event.credited_usdt.times(part.minus(count)).div(part).toFixed(6);
        shop.give(shop.orderOf(event.external_id), { kind: 'credit', credited_usdt: left });
      };
    },
  },
  'a wallet that takes a disputed credit back': {
    change(shop) {
      const credit = (event: PaidEvent): void => {
        const { id, credited } = shop.book(event);
        shop.set(id, 'fulfilled', credited);
        shop.give(id, { kind: 'credit', credited_usdt: shop.credit(event) });
      };
      [shop.paid, shop.adjusted] = [credit, credit];
      const { catchUp } = shop;
      shop.catchUp = async () => {
        await catchUp.call(shop);
        // The sandbox corrects days after the last payment.
        const isOver = shop.db.prepare(`SELECT 1 FROM orders WHERE state = 'open'`).get() === undefined;
        const rows = isOver ? shop.db.prepare('SELECT * FROM payments').all() : [];
        for (const { uuid, order_id, credited } of rows) {
          const { settled_amount_usdt: now } = await shop.merchant.invoices.get(String(uuid));
          if (now === null || now.eq(String(credited))) continue;
          shop.db.prepare('UPDATE payments SET credited = ? WHERE uuid = ?').run(now.toFixed(), String(uuid));
          const id = String(order_id);
          shop.set(id, 'fulfilled', shop.creditOf(id));
          shop.give(id, { kind: 'credit', credited_usdt: now.minus(String(credited)).toFixed() });
        }
      };
    },
    settings: { weights: { customers: { dispute: 20 } } },
  },
  'a rest whose invoice the job creates': {
    change(shop) {
      DESIGNS['a deposit, and the rest when the goods are ready'].change(shop);
      const { checkout, catchUp, orders } = shop;
      const pressed = new Map<string, StormOrder>();
      const rests = new Map<string, string>();
      shop.checkout = (order) => {
        pressed.set(order.id, order);
        return checkout.call(shop, order);
      };
      shop.catchUp = async () => {
        await catchUp.call(shop);
        for (const { external_id, state } of orders.call(shop)) {
          const order = pressed.get(String(external_id));
          if (state !== 'paid' || order === undefined || rests.has(order.id)) continue;
          const { amount } = await shop.create(order).catch(() => ({ amount: null }));
          if (amount !== null) rests.set(order.id, String(amount));
        }
      };
      shop.orders = () =>
        orders.call(shop).flatMap((row) => {
          const rest = rests.get(String(row.external_id));
          if (rest === undefined) return [row];
          const part = { ...row, part: true, order: row.external_id };
          const state = row.state === 'fulfilled' ? 'paid' : 'open';
          const own = { external_id: `${row.external_id}-rest`, amount: rest, state, credited_usdt: null } as const;
          return [part, { ...part, ...own }];
        });
    },
  },
  'some customers find the goods sold out': {
    change(shop) {
      const { checkout } = shop;
      shop.checkout = async (order) =>
        Number(order.id.slice(6)) % 4 === 0 ? { refused: 'sold out' } : await checkout.call(shop, order);
    },
  },
  'surplus is credited to the wallet': {
    change(shop) {
      const { adjusted } = shop;
      shop.adjusted = (event) => {
        const surplus = event.amount.minus(event.original_amount ?? event.amount);
        if (surplus.lte(0)) return adjusted.call(shop, event);
        shop.paid(event);
        const credited_usdt = surplus.div(event.amount).times(event.credited_usdt).toDecimalPlaces(6).toFixed();
        shop.give(shop.orderOf(event.external_id), { kind: 'credit', credited_usdt });
      };
    },
  },
  'the second payment of an order is returned': {
    change(shop) {
      const { paid } = shop;
      shop.paid = (event) => {
        const { id, isSecond, credited } = shop.book(event);
        if (!isSecond || shop.stateOf(id) !== 'fulfilled') return paid.call(shop, event);
        shop.set(id, 'fulfilled', credited);
        shop.give(id, { kind: 'refund' });
      };
    },
  },
  'two currencies': { change() {}, settings: { currencies: ['EUR', 'USD'] } },
  'prices of its own': { change() {}, settings: { amounts: ['12.50', '25.00'] } },
} satisfies Readonly<Record<string, Design>>;
