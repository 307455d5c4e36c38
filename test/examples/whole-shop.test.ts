import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MerchantClient } from 'merchant-invoicing';
import { type StormService, type StormShop, storm } from 'merchant-invoicing/storm';
import { toFetchHandler } from 'merchant-invoicing/webhooks';
import { expect, it, onTestFinished } from 'vitest';
import { openShop } from '../../examples/whole-shop.ts';
import { freePort } from '../support/free-port.ts';
import { testSandbox } from '../support/test-sandbox.ts';

const ROOT = join(import.meta.dirname, '../..');

const press = async (address: string): Promise<string> => {
  const response = await fetch(address, { method: 'POST', redirect: 'manual' });
  return new URL(response.headers.get('location') ?? `missing:${response.status}`, address).href;
};

it('docs/whole-shop.md shows the file as it is', () => {
  const file = readFileSync(join(ROOT, 'examples/whole-shop.ts'), 'utf8');
  expect(readFileSync(join(ROOT, 'docs/whole-shop.md'), 'utf8')).toContain(`\`\`\`ts\n${file}\`\`\`\n`);
});

it('sells a mug over HTTP, with the variables that the command sandbox prints', async () => {
  const sandbox = testSandbox({ webhookSecret: 'whsec_sandbox', clock: 'real' });
  const [baseUrl, port, folder] = [
    (await sandbox.listen()).url,
    await freePort(),
    mkdtempSync(join(tmpdir(), 'shop-')),
  ];
  const shop = `http://127.0.0.1:${port}`;
  const database = join(folder, 'shop.db');
  const child = spawn(process.execPath, [join(ROOT, 'examples/whole-shop.ts')], {
    env: {
      PATH: process.env['PATH'] ?? '',
      MERCHANT_BASE_URL: baseUrl,
      MERCHANT_API_KEY: sandbox.apiKey,
      MERCHANT_WEBHOOK_SECRET: sandbox.webhookSecret,
      MERCHANT_SANDBOX: '1',
      PORT: String(port),
      SHOP_DB: database,
    },
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  await once(child.stdout, 'data');
  expect(await (await fetch(shop)).text()).toContain('Mug, 18.00 EUR');
  expect((await fetch(`${shop}/orders/none/pay`, { method: 'POST' })).status).toBe(404);

  const order = await press(`${shop}/order/mug`);
  const link = await press(`${order}/pay`);
  expect(await press(`${order}/pay`)).toBe(link);
  const id = order.slice(order.lastIndexOf('/') + 1);
  const { delivery } = await sandbox.pay(id);
  expect(delivery).toMatchObject({ state: 'delivered' });
  await sandbox.resend(id);
  expect(await (await fetch(order)).text()).toContain('Paid.');
  expect(await press(`${order}/pay`)).toBe(order);

  const ended = once(child, 'close');
  child.kill('SIGTERM');
  expect([(await ended)[0], said]).toEqual([0, expect.stringMatching(/^(?:.*sandbox.*\n)?$/)]);
  const db = new DatabaseSync(database);
  expect(db.prepare('SELECT * FROM parcels').all()).toEqual([{ order_id: id }]);
  const [invoice] = sandbox.invoices();
  expect(db.prepare('SELECT amount, status FROM orders').all()).toEqual([{ amount: '18.00', status: 'paid' }]);
  expect(db.prepare('SELECT invoice_uuid, amount, credited_usdt, given FROM payments').all()).toEqual([
    { invoice_uuid: invoice?.uuid, amount: '18', credited_usdt: invoice?.settled_amount_usdt, given: 'goods' },
  ]);
  db.close();
});

/** The shop with its pay button over HTTP. Webhooks arrive in the process, so that they follow the clock of the storm. */
async function inStorm({ baseUrl, apiKey, webhookSecret, fetch: service, origin, now }: StormService) {
  const db = new DatabaseSync(':memory:');
  const merchant = new MerchantClient({ baseUrl, apiKey, fetch: service, retry: { baseDelay: 1 } });
  const open = () => openShop({ db, merchant, secret: webhookSecret, url: origin, now, log: () => {} });
  let shop = await open();
  const server = createServer((request, response) => shop.listener(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    async checkout({ id, customer_id, amount, currency }) {
      const insert = `INSERT OR IGNORE INTO orders (id, customer_id, amount, currency, created_at) VALUES (?, ?, ?, ?, ?)`;
      db.prepare(insert).run(id, customer_id, amount, currency, new Date(now()).toISOString());
      return await press(`${address}/orders/${id}/pay`);
    },
    receive: (request) => toFetchHandler(shop.handler)(request),
    orders: () => shop.compared(),
    fulfilments: () =>
      db.prepare('SELECT order_id AS external_id, given AS kind, credited_usdt FROM payments').all() as {
        external_id: string;
        kind: 'goods' | 'review';
      }[],
    async catchUp() {
      await shop.catchUp();
      await shop.nightly();
    },
    async restart() {
      shop = await open();
    },
    close() {
      server.close();
      db.close();
    },
  } satisfies StormShop;
}

it.each([1, 2, 3])('stands a storm of 100 customers (seed %i)', async (seed) => {
  const result = await storm({ seed, customers: 100, shop: inStorm });
  expect(result.findings).toEqual([]);
  expect(result.played.restarts).toBeGreaterThan(0);
});

it('sends one parcel for two invoices of an order, and tells the other shop that has its id', async () => {
  const db = new DatabaseSync(':memory:');
  const logged: string[] = [];
  const sandbox = testSandbox({
    deliverTo: ['eu.example'],
    fetch: (url, init) => toFetchHandler(shop.handler)(new Request(url, init)),
  });
  const { url: baseUrl, apiKey, fetch: service } = sandbox;
  const merchant = new MerchantClient({ baseUrl, apiKey, fetch: service });
  const given = { db, merchant, secret: sandbox.webhookSecret, now: () => sandbox.now().getTime() };
  const shop = await openShop({ ...given, url: 'https://eu.example', log: (line) => logged.push(line) });
  const insert = `INSERT INTO orders (id, customer_id, amount, currency, created_at) VALUES (?, 'c', '25.00', 'EUR', ?)`;
  const place = (id: string) => db.prepare(insert).run(id, sandbox.now().toISOString());
  const server = createServer((request, response) => shop.listener(request, response)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  place('eu-1');
  await press(`${address}/orders/eu-1/pay`);
  await sandbox.expire('eu-1');
  await press(`${address}/orders/eu-1/pay`);
  await sandbox.pay('eu-1', { late: true });
  await sandbox.pay('eu-1--1');
  expect(db.prepare('SELECT order_id, given FROM payments ORDER BY given').all()).toEqual([
    { order_id: 'eu-1', given: 'goods' },
    { order_id: 'eu-1', given: 'review' },
  ]);
  expect(db.prepare('SELECT order_id FROM parcels').all()).toEqual([{ order_id: 'eu-1' }]);
  await sandbox.advance('1h');
  await shop.nightly();
  expect(logged.join()).toContain('"paid_twice"');

  await merchant.invoices.create({
    external_id: 'eu-2',
    customer_id: 'c',
    amount: '25.00',
    currency: 'EUR',
    callback_url: 'https://us.example/webhook',
  });
  place('eu-2');
  const response = await fetch(`${address}/orders/eu-2/pay`, { method: 'POST' });
  expect([response.status, logged.at(-1)]).toEqual([500, expect.stringContaining('another shop has an invoice')]);
});
