import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../src/database.ts';
import { Orders } from '../src/orders.ts';

const LINES = [
  { product: 'tea', name: 'Green tea', price: '12.50', quantity: 2 },
];

// Another process of the shop may have changed the order since a page was made.
test('a placed order keeps its address, and a paid payment stays paid', () => {
  const db = openDatabase(':memory:');
  const orders = new Orders(db);
  const id = orders.draft(LINES);
  orders.place(id, 'Ada', '1 Harbour Street');
  orders.place(id, 'Mallory', 'elsewhere');
  assert.equal(orders.get(id)?.address, '1 Harbour Street');

  orders.openPayment(id, 1);
  orders.credit({ external_id: id, paid: '25', credited_usdt: '26.86' });
  orders.end(id);
  const { state, payments } = orders.get(id) ?? {};
  assert.deepEqual(
    [state, payments?.[0]?.state, orders.openPayment(id, 2)],
    ['paid', 'paid', null],
  );
  assert.throws(
    () =>
      orders.credit({
        external_id: 'stranger',
        paid: '25',
        credited_usdt: '26.86',
      }),
    /no order has/,
  );
  db.close();
});

test('an invoice that is paid after its end counts, and so does the one that replaced it', () => {
  const db = openDatabase(':memory:');
  const orders = new Orders(db);
  const id = orders.draft(LINES);
  orders.place(id, 'Ada', '1 Harbour Street');
  orders.openPayment(id, 1);
  orders.end(id);
  assert.equal(orders.openPayment(id, 2)?.external_id, `${id}.2`);
  orders.credit({ external_id: id, paid: '25', credited_usdt: '26.86' });
  assert.deepEqual(
    [
      orders.get(id)?.state,
      orders.openPayment(id, 2),
      orders.openPayment(id, 3),
    ],
    ['paid', null, null],
  );
  orders.credit({ external_id: `${id}.2`, paid: '25', credited_usdt: '26.86' });
  assert.equal(orders.get(id)?.surplus.toFixed(2), '25.00');
  assert.equal(
    db.prepare('SELECT count(*) AS count FROM shipments').get()?.['count'],
    1,
  );
  db.close();
});

test('a payment asks for all that is missing, also for less than a cent', () => {
  const db = openDatabase(':memory:');
  const orders = new Orders(db);
  const id = orders.draft(LINES);
  orders.place(id, 'Ada', '1 Harbour Street');
  orders.openPayment(id, 1);
  orders.credit({ external_id: id, paid: '17.499', credited_usdt: '18.8' });
  const rest = orders.openPayment(id, 2);
  assert.equal(rest?.amount, '7.51');
  orders.credit({ external_id: `${id}.2`, paid: '7.51', credited_usdt: '8' });
  assert.equal(orders.get(id)?.state, 'paid');
  db.close();
});
