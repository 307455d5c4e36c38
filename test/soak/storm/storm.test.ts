import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { type StormService, type StormShop, storm } from '../../../src/tools/storm/index.ts';
import { postgresStore } from '../../../src/webhooks/index.ts';
import { installPacked, ROOT } from '../../support/consumer.ts';
import { startEngines } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { openPool } from '../../support/postgres.ts';
import { ORDERS, SCHEMA } from './booking.ts';

// Storms over shops in processes that are killed and started again: the example shop with the packed package, its pages and
// its SQLite file, and a shop over PostgreSQL.

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
const waiting = db.prepare("SELECT id FROM charges WHERE status <> 'paid' OR renewal > 0").all();
await handler.catchUp(new MerchantClient(), { orders: waiting.map((row) => row.id) });
`;

/** A process that prints a line once it listens, and that can be killed. */
class Process {
  readonly #args: readonly string[];
  readonly #options: { readonly cwd?: string; readonly env: Readonly<Record<string, string>> };
  #child: ChildProcess | null = null;

  constructor(
    args: readonly string[],
    options: { readonly cwd?: string; readonly env: Readonly<Record<string, string>> },
  ) {
    this.#args = args;
    this.#options = options;
    onTestFinished(() => this.kill());
  }

  async start(): Promise<void> {
    this.#child = spawn(process.execPath, this.#args, { ...this.#options, stdio: ['ignore', 'pipe', 'ignore'] });
    if (this.#child.stdout !== null) await once(this.#child.stdout, 'data');
  }

  async kill(): Promise<void> {
    if (this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  readonly restart = async (): Promise<void> => {
    await this.kill();
    await this.start();
  };
}

async function exampleShop(service: StormService): Promise<StormShop> {
  const folder = mkdtempSync(join(tmpdir(), 'merchant-invoicing-storm-'));
  const file = join(folder, 'shop.db');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { url: baseUrl } = await service.listen();
  const env = {
    PATH: process.env['PATH'] ?? '',
    MERCHANT_BASE_URL: baseUrl,
    MERCHANT_API_KEY: service.apiKey,
    MERCHANT_WEBHOOK_SECRET: service.webhookSecret,
    PUBLIC_URL: url,
    PORT: String(port),
    SHOP_DB: file,
  };
  const shop = new Process(['src/main.ts'], { cwd: SHOP, env });
  await shop.start();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));

  const pages = new Map<string, Promise<string>>();
  const post = (path: string, form: Readonly<Record<string, string>>) =>
    fetch(url + path, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
  const reader = new DatabaseSync(file, { readOnly: true });
  return {
    async checkout({ id }) {
      const cart = pages.get(id) ?? post('/cart', { tea: '2' }).then(({ headers }) => headers.get('location') ?? '');
      pages.set(id, cart); // two tabs show the same one
      const path = await cart;
      const form = { number: '1', name: 'Ada', address: '1 Harbour Street' };
      const location = (await post(`${path}/pay`, form)).headers.get('location') ?? '';
      if (location === '') throw new Error('the shop shows an error');
      return location; // the payment page, or the page of the order
    },
    receive: `${url}/webhook`,
    visit: async (address) => await fetch(address),
    orders: () =>
      reader
        .prepare(
          `SELECT id AS external_id, currency, status, CASE count(paid) WHEN 1 THEN max(paid) ELSE amount END AS amount, sum(credited_usdt) AS usdt
             FROM (SELECT charges.*, currency FROM charges JOIN orders ON orders.id = order_id)
             LEFT JOIN payments ON charge_id = id GROUP BY id`,
        )
        .all()
        .map(({ external_id, amount, currency, status, usdt }) => ({
          external_id: String(external_id),
          amount: Number(amount).toFixed(2),
          currency: String(currency),
          state: status === 'paid' ? 'paid' : status === 'canceled' ? 'canceled' : 'open',
          credited_usdt: usdt === null ? null : Number(usdt).toFixed(6),
        })),
    // the nightly job tells a person of each surplus
    fulfilments: () =>
      reader
        .prepare(
          `SELECT order_id, 'goods' AS kind FROM shipments UNION ALL
             SELECT order_id, 'review' FROM payments JOIN charges ON charges.id = charge_id
             JOIN orders ON orders.id = order_id GROUP BY order_id HAVING sum(paid) > orders.amount + 0`,
        )
        .all()
        .map(({ order_id, kind }) => ({
          external_id: String(order_id),
          kind: kind === 'goods' ? 'goods' : 'review',
        })),
    async catchUp() {
      await promisify(execFile)(process.execPath, ['--input-type=module', '-e', CATCH_UP], { cwd: SHOP, env });
    },
    restart: shop.restart,
    close: () => reader.close(),
  };
}

const engines = await startEngines();
afterAll(() => engines.stop());
const postgresHost = engines.postgres.missing === null ? engines.postgres.connection.host : '';

const environmentOf = (service: StormService, url: string, port: number): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  MERCHANT_BASE_URL: url,
  MERCHANT_API_KEY: service.apiKey,
  MERCHANT_WEBHOOK_SECRET: service.webhookSecret,
  PGHOST: postgresHost,
  PORT: String(port),
});

/** A shop over PostgreSQL: a file that runs in one process for each of the roles. */
async function shopOver(
  service: StormService,
  file: string,
  roles: readonly string[],
  engine = '',
): Promise<StormShop> {
  const pool = openPool({ host: postgresHost, user: 'postgres', database: 'postgres' });
  await pool.query(SCHEMA);
  await pool.query('DROP SCHEMA IF EXISTS pgboss CASCADE');
  await postgresStore(pool).migrate();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const redis = engines.redis.missing === null ? engines.redis.connection : '';
  const env = { ...environmentOf(service, (await service.listen()).url, port), ENGINE: engine, REDIS: redis };
  const connection = engine === 'bullmq' ? new Redis(redis, { maxRetriesPerRequest: null }) : null;
  await connection?.flushall(); // the same seed has the same events
  const queue = connection && new Queue('storm-events', { connection });
  const path = fileURLToPath(new URL(file, import.meta.url));
  const processes = roles.map((role) => new Process([path], { env: { ...env, ROLES: role } }));
  for (const each of processes) await each.start();
  const post = async (to: string, body = ''): Promise<string> => {
    const response = await fetch(url + to, { method: 'POST', body });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  };
  const left = async (): Promise<number> => {
    if (queue !== null) {
      const counts = await queue.getJobCounts('waiting', 'active', 'delayed');
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    }
    const { rows } = await pool.query(`SELECT count(*) AS jobs FROM pgboss.job WHERE state < 'completed'`);
    return Number(rows[0]['jobs']);
  };
  const idle = async (): Promise<void> => {
    while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  return {
    checkout: (order) => post('/checkout', JSON.stringify(order)),
    receive: `${url}/webhook`,
    visit: (address) => fetch(address),
    orders: async () => (await pool.query(ORDERS)).rows,
    fulfilments: async () => (await pool.query('SELECT order_id AS external_id, kind FROM fulfilments')).rows,
    catchUp: () => post('/catch-up'),
    restart: async () => {
      await Promise.all(processes.map((each) => each.kill()));
      for (const each of processes) await each.start();
    },
    ...(engine !== '' && { idle }),
    close: async () => {
      await queue?.close();
      connection?.disconnect();
      await pool.end();
    },
  };
}

const queueShop = (engine: string, roles: readonly string[]) => (service: StormService) =>
  shopOver(service, 'queue-shop.ts', roles, engine);

it.for([
  ['the example shop over SQLite', exampleShop, ['25.00']],
  ['a shop over PostgreSQL', (service: StormService) => shopOver(service, 'postgres-shop.ts', ['receive']), undefined],
  ['a shop over PostgreSQL and pg-boss', queueShop('pg-boss', ['receive work']), undefined],
  ['a shop over PostgreSQL and pg-boss in two processes', queueShop('pg-boss', ['receive', 'work']), undefined],
  ['a shop over PostgreSQL and BullMQ', queueShop('bullmq', ['receive work']), undefined],
  ['a shop over PostgreSQL and BullMQ in two processes', queueShop('bullmq', ['receive', 'work']), undefined],
] as const)(
  `%s passes a storm of ${CUSTOMERS} customers with kills`,
  { timeout: 3_600_000 },
  async ([name, shop, amounts], { skip }) => {
    if (name.includes('PostgreSQL') && engines.postgres.missing !== null) return skip(engines.postgres.missing);
    if (name.includes('BullMQ') && engines.redis.missing !== null) return skip(engines.redis.missing);
    const result = await storm({
      seed: 7,
      customers: CUSTOMERS,
      restartEvery: 10,
      timeLimit: 3_000_000,
      amounts,
      shop,
    });
    expect(result.findings.map((finding) => `${result.story(finding.order ?? '')}\n${finding.problem}`)).toEqual([]);
    console.info(name, result.played.kills, result.played.together);
    expect(result.played.restarts).toBeGreaterThan(0);
  },
);
