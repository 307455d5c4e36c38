import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nightly } from '../src/nightly.ts';
import { openStage, type Stage } from './stage.ts';

async function nightOf({ db, merchant, shop }: Stage) {
  const lines: string[] = [];
  const findings = await nightly(db, merchant, shop.handler, (line) =>
    lines.push(line),
  );
  return {
    findings,
    told: lines.map((line): Record<string, unknown> => JSON.parse(line)),
  };
}

test('a payment whose webhook was lost is shipped in the night, once', async () => {
  const stage = await openStage();
  const { path, id } = await stage.order();
  stage.sandbox.faults.next('wrong_signature', { times: 7 });
  await stage.sandbox.pay(id);
  await stage.sandbox.advance('1d'); // all seven attempts fail
  assert.equal(stage.shipments(), 0);

  const first = await nightOf(stage);
  assert.deepEqual([first.findings, first.told[0]?.['played']], [0, 1]);
  assert.match((await stage.get(path)).text, /Paid\./);
  const second = await nightOf(stage);
  assert.deepEqual(
    [second.findings, second.told[0]?.['played'], stage.shipments()],
    [0, 0, 1],
  );
});

test('an order that was paid twice is shipped once, and the surplus is reported', async () => {
  const stage = await openStage();
  const { path, id } = await stage.order();
  await stage.sandbox.pay(id, { amount: '20.00' });
  await stage.post(`${path}/pay`, { number: '2' });
  await stage.sandbox.pay(`${id}.2`, { amount: '25.00' });
  const { findings, told } = await nightOf(stage);
  assert.deepEqual(
    [findings, told.at(-1)],
    [1, { kind: 'return_to_customer', order: id, amount: '20.00' }],
  );
  assert.equal(stage.shipments(), 1);
});

test('two paid invoices of one charge are found, and the surplus is reported', async () => {
  const stage = await openStage();
  const { path, id } = await stage.order();
  await stage.sandbox.advance('31m');
  await stage.post(`${path}/pay`, { number: '1' });
  await stage.sandbox.pay(`${id}--1`);
  stage.sandbox.faults.next('wrong_signature', { times: 7 });
  await stage.sandbox.pay(id, { late: true });
  await stage.sandbox.advance('1d');
  const { findings, told } = await nightOf(stage);
  assert.deepEqual(
    [findings, told[0]?.['played'], told.slice(1).map(({ kind }) => kind)],
    [2, 1, ['paid_twice', 'return_to_customer']],
  );
  assert.equal(stage.shipments(), 1);
});

test('a rest is not a second payment of its order', async () => {
  const stage = await openStage();
  const { path, id } = await stage.order();
  await stage.sandbox.pay(id, { amount: '20.00' });
  await stage.post(`${path}/pay`, { number: '2' });
  await stage.sandbox.pay(`${id}.2`);
  await stage.sandbox.advance('1h');
  assert.equal((await nightOf(stage)).findings, 0);
});

test('a correction that sends no webhook is reported', async () => {
  const stage = await openStage();
  const { id } = await stage.order();
  await stage.sandbox.pay(id);
  await stage.sandbox.adjust(id, '10.00');
  // a younger difference is left for the next night
  await stage.sandbox.advance('1h');
  const { findings, told } = await nightOf(stage);
  assert.ok(findings > 0);
  assert.ok(
    told.some(
      ({ kind, external_id }) =>
        kind === 'credited_differs' && external_id === id,
    ),
  );
});

test('old drafts are removed, and orders stay', async () => {
  const stage = await openStage();
  const draft = await stage.fillCart();
  const { path } = await stage.order();
  stage.db.exec(`UPDATE orders SET created_at = '2020-01-01T00:00:00.000Z'`);
  await nightOf(stage);
  assert.equal((await stage.get(draft)).status, 404);
  assert.equal((await stage.get(path)).status, 200);
});
