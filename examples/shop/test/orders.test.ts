import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../src/database.ts';
import { Orders } from '../src/orders.ts';

const LINES = [
  { product: 'tea', name: 'Green tea', price: '12.50', quantity: 2 },
];

type Placed = { orders: Orders; id: string };

function placed(): Placed & { close: () => void; shipments: () => unknown } {
  const db = openDatabase(':memory:');
  const orders = new Orders(db);
  const id = orders.draft(LINES);
  orders.place(id, 'Ada', '1 Harbour Street');
  const count = db.prepare('SELECT count(*) AS count FROM shipments');
  const shipments = () => count.get()?.['count'];
  return { orders, id, shipments, close: () => db.close() };
}

/** What the pay button writes, around the creation of the invoice. */
function offer({ orders, id }: Placed, renewal = 0): boolean {
  const order = orders.get(id);
  assert.ok(order !== null);
  orders.ask(order);
  return orders.offer(order.chargeId, renewal);
}

const payment = (order: string, invoice_uuid = 'A', paid = '25') => {
  return { order, invoice_uuid, paid, credited_usdt: '26.86' };
};

// Another process of the shop may have changed the order since a page was made.
test('a placed order keeps its address, and a paid charge stays paid', () => {
  const shop = placed();
  const { orders, id } = shop;
  orders.place(id, 'Mallory', 'elsewhere');
  assert.equal(orders.get(id)?.address, '1 Harbour Street');

  assert.equal(offer(shop), true);
  orders.credit(payment(id));
  orders.cancel(id, 0);
  assert.equal(orders.offer(id, 1), false);
  const { state, charges } = orders.get(id) ?? {};
  assert.deepEqual(
    [state, charges?.map(({ status }) => status)],
    ['paid', ['paid']],
  );
  for (const strange of ['stranger', `${id}x`, `${id}.0`, `${id}.2`, '.2']) {
    assert.throws(() => orders.credit(payment(strange)), /no order has/);
    assert.throws(() => orders.cancel(strange, 0), /no order has/);
  }
  shop.close();
});

test('an invoice that is paid after its end counts, and so does the one that replaced it', () => {
  const shop = placed();
  const { orders, id } = shop;
  offer(shop);
  orders.cancel(id, 0);
  assert.equal(orders.get(id)?.state, 'ended');
  assert.equal(offer(shop, 1), true);
  orders.credit(payment(id));
  assert.equal(orders.get(id)?.state, 'paid');
  assert.equal(orders.offer(id, 1), false);
  orders.credit(payment(id, 'B'));
  orders.credit(payment(id, 'b')); // the same invoice
  assert.equal(orders.get(id)?.surplus.toFixed(2), '25.00');
  assert.equal(shop.shipments(), 1);
  shop.close();
});

test('the end of an invoice cancels no later one, whichever tab wrote last', () => {
  const shop = placed();
  const { orders, id } = shop;
  offer(shop, 1);
  offer(shop, 0); // a tab that was slow
  orders.cancel(id, 0);
  assert.equal(orders.get(id)?.state, 'waiting');
  orders.cancel(id, 1);
  assert.equal(orders.get(id)?.state, 'ended');
  assert.equal(orders.offer(id, 1), false); // its end was told already
  assert.equal(orders.offer(id, 2), true);
  shop.close();
});

test('a payment asks for all that is missing, also for less than a cent', () => {
  const shop = placed();
  const { orders, id } = shop;
  offer(shop);
  orders.credit(payment(id, 'A', '17.499'));
  assert.equal(orders.get(id)?.missing.toFixed(), '7.51');
  offer(shop);
  orders.credit(payment(`${id}.2`, 'B', '7.51'));
  assert.equal(orders.get(id)?.state, 'paid');
  shop.close();
});

test('a payment whose link a crash has left unwritten is booked, and so is its end', () => {
  const shop = placed();
  const { orders, id } = shop;
  const order = orders.get(id);
  assert.ok(order !== null);
  orders.ask(order); // and no `offer`
  orders.cancel(id, 1);
  assert.equal(orders.get(id)?.state, 'ended');
  orders.credit(payment(id));
  assert.equal(orders.get(id)?.state, 'paid');
  shop.close();
});

test('a late payment of less closes the renewed invoice, and the rest has its own', () => {
  const shop = placed();
  const { orders, id } = shop;
  offer(shop);
  offer(shop, 1);
  orders.credit(payment(id, 'A', '20'));
  const { state, chargeId, missing } = orders.get(id) ?? {};
  assert.deepEqual(
    [state, chargeId, missing?.toFixed()],
    ['underpaid', `${id}.2`, '5'],
  );
  assert.equal(orders.offer(id, 2), false); // a slow request
  assert.equal(offer(shop), true);
  assert.equal(orders.get(id)?.state, 'waiting');
  orders.credit(payment(id, 'B', '20')); // the renewal as well: no rest
  const { surplus, charges } = orders.get(id) ?? {};
  assert.deepEqual(
    [surplus?.toFixed(), charges?.map(({ status }) => status)],
    ['15', ['paid', 'canceled']],
  );
  shop.close();
});
