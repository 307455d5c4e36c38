import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { type StormService, type StormShop, storm } from '../../src/storm/index.ts';
import { installPacked, ROOT } from '../support/consumer.ts';
import { freePort } from '../support/free-port.ts';

// A storm over the example shop and the packed package: its pages, its webhook and its SQLite file, in a process that is
// killed and started again.

const CUSTOMERS = process.env['SOAK'] === undefined ? 30 : 1_000;
const project = installPacked();
afterAll(() => project.remove());
const SHOP = join(project.folder, 'shop');
cpSync(join(ROOT, 'examples/shop'), SHOP, { recursive: true, filter: (path) => !path.endsWith('node_modules') });

/** Plays what no webhook delivered, as the shop's nightly job does, in a process of its own. */
const CATCH_UP = `
import { MerchantClient } from 'merchant-invoicing';
import { openDatabase } from './src/database.ts';
import { Orders } from './src/orders.ts';
import { openReceiver } from './src/webhook.ts';
const db = openDatabase(process.env.SHOP_DB);
const handler = await openReceiver(db, new Orders(db), process.env.MERCHANT_WEBHOOK_SECRET, () => {});
const waiting = db.prepare("SELECT external_id FROM payments WHERE state <> 'paid'").all();
await handler.catchUp(new MerchantClient(), { orders: waiting.map((row) => row.external_id) });
`;

async function exampleShop(service: StormService): Promise<StormShop> {
  const folder = mkdtempSync(join(tmpdir(), 'merchant-invoicing-storm-'));
  const file = join(folder, 'shop.db');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const baseUrl = await service.listen();
  const env = {
    PATH: process.env['PATH'] ?? '',
    MERCHANT_BASE_URL: baseUrl,
    MERCHANT_API_KEY: service.apiKey,
    MERCHANT_WEBHOOK_SECRET: service.webhookSecret,
    PUBLIC_URL: url,
    PORT: String(port),
    SHOP_DB: file,
  };
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    child = spawn(process.execPath, ['src/main.ts'], {
      cwd: SHOP,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    if (child.stdout !== null) await once(child.stdout, 'data'); // it prints its address once it listens
  };
  const kill = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  onTestFinished(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const pages = new Map<string, string>();
  const post = (path: string, form: Readonly<Record<string, string>>) =>
    fetch(url + path, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
  const reader = new DatabaseSync(file, { readOnly: true });
  return {
    async checkout({ id }) {
      const path = pages.get(id) ?? (await post('/cart', { tea: '2' })).headers.get('location') ?? '';
      pages.set(id, path);
      const form = { number: '1', name: 'Ada', address: '1 Harbour Street' };
      const location = (await post(`${path}/pay`, form)).headers.get('location') ?? '';
      if (!location.includes('/pay/')) throw new Error('the shop shows no payment page');
      return location;
    },
    receive: `${url}/webhook`,
    visit: async (address) => await fetch(address),
    orders: () =>
      reader
        .prepare('SELECT payments.*, currency FROM payments JOIN orders ON orders.id = order_id')
        .all()
        .map(({ external_id, amount, paid, currency, state, credited_usdt }) => ({
          external_id: String(external_id),
          amount: String(paid ?? amount),
          currency: String(currency),
          state: state === 'paid' ? 'paid' : state === 'open' ? 'open' : 'canceled',
          credited_usdt: credited_usdt === null ? null : String(credited_usdt),
        })),
    fulfilments: () =>
      reader
        .prepare('SELECT order_id FROM shipments')
        .all()
        .map(({ order_id }) => ({ external_id: String(order_id) })),
    async catchUp() {
      await promisify(execFile)(process.execPath, ['--input-type=module', '-e', CATCH_UP], { cwd: SHOP, env });
    },
    restart: async () => {
      await kill();
      await start();
    },
    close: () => reader.close(),
  };
}

it(`the example shop passes a storm of ${CUSTOMERS} customers with kills`, { timeout: 3_600_000 }, async () => {
  const result = await storm({
    seed: 7,
    customers: CUSTOMERS,
    restartEvery: 10,
    timeLimit: 3_000_000,
    shop: exampleShop,
  });
  expect(result.findings.map((finding) => `${result.story(finding.order ?? '')}\n${finding.problem}`)).toEqual([]);
  expect(result.played.restarts).toBeGreaterThan(CUSTOMERS / 20);
});
