import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MerchantClient } from 'merchant-invoicing';
import { startPayment } from '../src/checkout.ts';
import { startShop } from '../src/shop.ts';
import { invoicesOf, openStage, TYPED } from './stage.ts';

test('a paid order is shipped once, also if its webhook comes twice', async () => {
  const stage = await openStage();
  const { path, id, paymentPage } = await stage.order();
  assert.match(paymentPage, /^https:\/\/sandbox\.invalid\/pay\//);
  assert.match(
    (await stage.get(path)).text,
    /We wait for your payment of 25\.00 EUR/,
  );

  await stage.sandbox.pay(id);
  await stage.sandbox.resend(id);
  assert.match((await stage.get(path)).text, /Paid\. We will send your parcel/);
  assert.equal(stage.shipments(), 1);
});

test('a customer who returns before the webhook sees that the shop waits', async () => {
  const stage = await openStage();
  const { path } = await stage.order();
  for (const [visit, refresh] of [
    ['1', `3; url=${path}?returned=2`],
    ['20', `60; url=${path}?returned=21`],
    ['21', null], // it does not reload indefinitely, and offers to pay again
    ['0', null],
    ['-1', null],
  ] as const) {
    const answer = await fetch(`${stage.shop.url}${path}?returned=${visit}`);
    assert.equal(answer.headers.get('refresh'), refresh);
    assert.match(
      await answer.text(),
      refresh === null ? /Pay now/ : /We wait for the confirmation/,
    );
  }
});

test('clicks, tabs and the back button lead to one invoice', async () => {
  const stage = await openStage();
  const path = await stage.fillCart();
  const clicks = await Promise.all(
    Array.from({ length: 5 }, () => stage.post(`${path}/pay`, TYPED)),
  );
  const again = await stage.post(`${path}/pay`, {
    ...TYPED,
    name: 'Mallory',
    address: 'elsewhere',
  });
  const targets = new Set([...clicks, again].map(({ location }) => location));
  assert.equal(targets.size, 1);
  assert.equal((await invoicesOf(stage)).length, 1);
  assert.match((await stage.get(path)).text, /Ada\n1 Harbour Street/);
});

test('the button of an old tab changes nothing once the order is paid', async () => {
  const stage = await openStage();
  const { path, id } = await stage.order();
  await stage.sandbox.pay(id);
  for (const number of ['1', '2', '-1', 'NaN', '']) {
    assert.equal(
      (await stage.post(`${path}/pay`, { ...TYPED, number })).location,
      path,
    );
  }
  assert.equal((await invoicesOf(stage)).length, 1);
});

test('an expired invoice is renewed once, also from an old tab', async () => {
  const stage = await openStage();
  const { path, id } = await stage.order();
  await stage.sandbox.advance('31m');
  assert.match(
    (await stage.get(path)).text,
    /You were not charged[\s\S]*name="number" value="1"/,
  );

  const clicks = await Promise.all(
    [1, 2, 3].map(() => stage.post(`${path}/pay`, { number: '1' })),
  );
  const targets = new Set(clicks.map(({ location }) => location));
  assert.match([...targets].join(), /^[^,]*\/pay\/[^,]*$/);
  assert.deepEqual(
    (await invoicesOf(stage)).map(({ external_id }) => external_id).sort(),
    [id, `${id}--1`],
  );

  await stage.sandbox.pay(`${id}--1`);
  assert.match((await stage.get(path)).text, /Paid\./);
});

test('an expired invoice that is paid late ships, and the renewed one is too much', async () => {
  const stage = await openStage();
  const { path, id } = await stage.order();
  await stage.sandbox.advance('31m');
  await stage.post(`${path}/pay`, { number: '1' });
  stage.sandbox.faults.next('wrong_signature', { times: 7 });
  await stage.sandbox.pay(id, { late: true });
  const early = await stage.post(`${path}/pay`, { number: '1' });
  assert.equal(early.location, path); // no third invoice, and no payment page
  assert.match((await stage.get(path)).text, /We wait for your payment/);
  stage.sandbox.faults.clear();
  await stage.sandbox.resend(id);
  assert.match((await stage.get(path)).text, /Paid\./);
  assert.equal(stage.shipments(), 1);

  await stage.sandbox.pay(`${id}--1`); // the page that is still open
  assert.match((await stage.get(path)).text, /You paid 25\.00 EUR too much/);
  assert.equal(stage.shipments(), 1);
});

test('an invoice that is created while the order is paid leads to no payment page', async () => {
  const { sandbox, shop, ...stage } = await openStage();
  const { id } = await stage.order();
  await sandbox.advance('31m');
  const order = shop.orders.get(id);
  assert.ok(order !== null);
  const merchant = new MerchantClient({
    baseUrl: sandbox.url,
    apiKey: sandbox.apiKey,
    fetch: async (input, init) => {
      const response = await sandbox.fetch(input, init);
      if (response.status === 201) await sandbox.pay(id, { late: true });
      return response;
    },
  });
  const desk = { ...shop, merchant, url: () => shop.url, isSandbox: false };
  assert.deepEqual(await startPayment(desk, order, 1), { kind: 'order' });
  const { state, payments } = shop.orders.get(id) ?? {};
  assert.deepEqual([state, payments], ['paid', ['25']]);
});

test('an invoice with the webhook of another shop takes no payment', async () => {
  const { merchant, db, ...stage } = await openStage();
  const { path, id } = await stage.order();
  const options = { db, merchant, webhookSecret: 'whsec_0123456789abcdef' };
  for (const [isSandbox, status] of [
    [false, 500],
    [true, 303],
  ] as const) {
    const log: string[] = [];
    const other = await startShop({
      ...options,
      isSandbox,
      log: (line) => log.push(line),
    });
    const { status: got } = await fetch(`${other.url}${path}/pay`, {
      method: 'POST',
      body: new URLSearchParams(TYPED),
      redirect: 'manual',
    });
    await other.close();
    const told = log.some((line) => line.includes(`id ${id}, and would get`));
    assert.deepEqual([got, told], [status, !isSandbox]);
  }
});

test('an invoice that expired while its webhook was lost is renewed as well', async () => {
  const stage = await openStage();
  const { path, id } = await stage.order();
  stage.sandbox.faults.next('wrong_signature', { times: 7 });
  await stage.sandbox.advance('31m');
  assert.match((await stage.get(path)).text, /We wait for your payment/);
  const { location } = await stage.post(`${path}/pay`, { number: '1' });
  assert.match(location ?? '', /\/pay\//);
  stage.sandbox.faults.clear();
  await stage.sandbox.resend(id); // the end of the first one closes no other
  assert.match((await stage.get(path)).text, /We wait for your payment/);
  await stage.sandbox.pay(`${id}--1`);
  assert.equal(stage.shipments(), 1);
});

test('a customer who pays less pays the rest with a second invoice', async () => {
  const stage = await openStage();
  const { path, id } = await stage.order();
  await stage.sandbox.pay(id, { amount: '17.50' });
  assert.match(
    (await stage.get(path)).text,
    /We received 17\.50 EUR\. 7\.50 EUR are missing/,
  );
  assert.equal(stage.shipments(), 0);

  await stage.post(`${path}/pay`, { number: '1' }); // the form of an old tab
  assert.equal((await invoicesOf(stage)).length, 1);
  await stage.post(`${path}/pay`, { number: '2' });
  assert.equal(
    (await stage.merchant.invoices.get(`${id}.2`)).amount.toFixed(2),
    '7.50',
  );
  await stage.sandbox.pay(`${id}.2`);
  assert.match((await stage.get(path)).text, /Paid\./);
  assert.equal(stage.shipments(), 1);
});

test('a customer who paid less, and presses the button before the webhook, waits for it', async () => {
  const stage = await openStage();
  const { path, id } = await stage.order();
  stage.sandbox.faults.next('wrong_signature', { times: 7 });
  await stage.sandbox.pay(id, { amount: '17.50' });
  assert.equal(
    (await stage.post(`${path}/pay`, { number: '1' })).location,
    path,
  );
  stage.sandbox.faults.clear();
  await stage.sandbox.resend(id);
  assert.match((await stage.get(path)).text, /We received 17\.50 EUR/);
});

test('a customer who pays more gets the parcel and reads about the rest', async () => {
  const stage = await openStage();
  const { path, id } = await stage.order();
  await stage.sandbox.pay(id, { amount: '30.00' });
  assert.match((await stage.get(path)).text, /You paid 5\.00 EUR too much/);
  assert.equal(stage.shipments(), 1);
});

test('a lost response of the service leads to the same invoice', async () => {
  const stage = await openStage();
  const path = await stage.fillCart();
  stage.sandbox.faults.next('reset_after', {
    operation: 'invoices.create',
    times: 2,
  });
  const lost = await stage.post(`${path}/pay`, TYPED);
  assert.equal(lost.status, 503);
  assert.match(lost.text, /could not be started[\s\S]*name="number" value="1"/);
  assert.match(
    (await stage.post(`${path}/pay`, { number: '1' })).location ?? '',
    /\/pay\//,
  );
  assert.equal((await invoicesOf(stage)).length, 1);
});

test('a service that is down places the order, and starts its payment later', async () => {
  const stage = await openStage();
  const path = await stage.fillCart();
  stage.sandbox.faults.next('reset_before', { times: 2 });
  assert.equal((await stage.post(`${path}/pay`, TYPED)).status, 503);
  assert.match(
    (await stage.get(path)).text,
    /We wait for your payment of 25\.00 EUR[\s\S]*name="number" value="1"/,
  );
  assert.match(
    (await stage.post(`${path}/pay`, { number: '1' })).location ?? '',
    /\/pay\//,
  );
});

test('a customer who has paid does not read otherwise while the service is down', async () => {
  const stage = await openStage();
  const { path, id } = await stage.order();
  stage.sandbox.faults.next('wrong_signature', { times: 7 });
  await stage.sandbox.pay(id);
  stage.sandbox.faults.next('reset_before', { times: 2 });
  const { status, text } = await stage.post(`${path}/pay`, { number: '1' });
  assert.equal(status, 503);
  assert.match(text, /could not be started/);
  assert.doesNotMatch(text, /not charged/);
});

test('an amount that no method takes creates no invoice', async () => {
  const stage = await openStage();
  const path = await stage.fillCart({ tea: '20', mug: '20', kettle: '20' });
  stage.db.prepare('UPDATE orders SET amount = ?').run('99999.00');
  const answer = await stage.post(`${path}/pay`, TYPED);
  assert.deepEqual([answer.status, (await invoicesOf(stage)).length], [409, 0]);
  assert.match(answer.text, /cannot be paid online/);
});

test('a forged webhook ships nothing, and an invoice without an order is not acknowledged', async () => {
  const stage = await openStage();
  const { id } = await stage.order();
  const body = JSON.stringify({
    invoice_uuid: 'u',
    external_id: id,
    status: 'success',
    amount: '25',
    credited_usdt: '26',
  });
  const forged = await fetch(`${stage.shop.url}/webhook`, {
    method: 'POST',
    body,
  });
  assert.deepEqual([forged.status, stage.shipments()], [401, 0]);

  const stranger = {
    external_id: 'stranger',
    customer_id: 'c',
    amount: '25.00',
    currency: 'EUR',
  };
  await stage.merchant.invoices.create({
    ...stranger,
    callback_url: `${stage.shop.url}/webhook`,
  });
  await stage.merchant.invoices.create({
    ...stranger,
    external_id: 'expires',
    callback_url: `${stage.shop.url}/webhook`,
  });
  await stage.sandbox.pay('stranger');
  await stage.sandbox.advance('31m');
  for (const external_id of ['stranger', 'expires']) {
    const [delivery] = await stage.merchant.webhooks.deliveries(external_id);
    assert.equal(delivery?.attempt_log[0]?.status_code, 500);
  }
});
