import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../src/database.ts';
import { Orders } from '../src/orders.ts';

const LINES = [
  { product: 'tea', name: 'Green tea', price: '12.50', quantity: 2 },
];

const invoice = (external_id: string) => ({ external_id, amount: '25.00' });
const credit = (external_id: string, paid = '25') => ({
  ...invoice(external_id),
  paid,
  credited_usdt: '26.86',
});

// Another process of the shop may have changed the order since a page was made.
test('a placed order keeps its address, and a paid payment stays paid', () => {
  const db = openDatabase(':memory:');
  const orders = new Orders(db);
  const id = orders.draft(LINES);
  orders.place(id, 'Ada', '1 Harbour Street');
  orders.place(id, 'Mallory', 'elsewhere');
  assert.equal(orders.get(id)?.address, '1 Harbour Street');

  assert.equal(orders.keep(invoice(id)), true);
  orders.credit(credit(id));
  orders.end(invoice(id));
  assert.equal(orders.keep(invoice(id)), false);
  const { state, payments } = orders.get(id) ?? {};
  assert.deepEqual([state, payments?.[0]?.state], ['paid', 'paid']);
  for (const strange of ['stranger', `${id}x`, `${id}.0`, `${id}-x2`, '.2']) {
    assert.throws(() => orders.credit(credit(strange)), /no order has/);
    assert.throws(() => orders.end(invoice(strange)), /no order has/);
  }
  db.close();
});

test('an invoice that is paid after its end counts, and so does the one that replaced it', () => {
  const db = openDatabase(':memory:');
  const orders = new Orders(db);
  const id = orders.draft(LINES);
  orders.place(id, 'Ada', '1 Harbour Street');
  orders.keep(invoice(id));
  orders.end(invoice(id));
  assert.equal(orders.keep(invoice(`${id}--1`)), true);
  orders.credit(credit(id));
  assert.equal(orders.get(id)?.state, 'paid');
  assert.equal(orders.keep(invoice(`${id}--1`)), false);
  orders.credit(credit(`${id}--1`));
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
  orders.keep(invoice(id));
  orders.credit(credit(id, '17.499'));
  assert.equal(orders.get(id)?.missing.toFixed(), '7.51');
  orders.credit(credit(`${id}.2`, '7.51'));
  assert.equal(orders.get(id)?.state, 'paid');
  db.close();
});

test('a payment that a crash has left without a row is booked', () => {
  const db = openDatabase(':memory:');
  const orders = new Orders(db);
  for (const suffix of ['', '--1', '.2', '.2--2']) {
    const id = orders.draft(LINES);
    orders.place(id, 'Ada', '1 Harbour Street');
    orders.credit(credit(id + suffix));
    assert.equal(orders.get(id)?.state, 'paid');
  }
  db.close();
});

test('a late payment of less closes the renewed invoice, and the rest has its own', () => {
  const db = openDatabase(':memory:');
  const orders = new Orders(db);
  const id = orders.draft(LINES);
  orders.place(id, 'Ada', '1 Harbour Street');
  orders.keep(invoice(id));
  orders.keep(invoice(`${id}--1`));
  orders.credit(credit(id, '20'));
  const { state, chargeId, missing } = orders.get(id) ?? {};
  assert.deepEqual(
    [state, chargeId, missing?.toFixed()],
    ['underpaid', `${id}.2`, '5'],
  );
  assert.equal(orders.keep(invoice(`${id}--1`)), false); // a slow request
  assert.equal(orders.keep(invoice(`${id}.2`)), true);
  assert.equal(orders.get(id)?.state, 'waiting');
  db.close();
});
