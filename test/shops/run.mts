// `npm run test:shops`: compiles the code of the guides against Medusa, Vendure and Prisma, checks the store in transactions of
// Prisma, and plays the plugin of Vendure end to end and under a storm.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '../../src/tools/sandbox/index.ts';
import { type StormService, type StormShop, storm } from '../../src/tools/storm/index.ts';
import { freePort } from '../support/free-port.ts';
import { openPool, startPostgres } from '../support/postgres.ts';

const FOLDER = import.meta.dirname;
const ROOT = join(FOLDER, '../..');
const CUSTOMERS = Number(process.env['CUSTOMERS'] ?? 30);
const began = performance.now();
const seconds = (): string => `${((performance.now() - began) / 1_000).toFixed(1)} s`;

const PRISMA = join(FOLDER, 'prisma');
/** Vendure and Prisma would tell their makers that they run. */
const QUIET = { PATH: process.env['PATH'] ?? '', VENDURE_DISABLE_TELEMETRY: 'true', CHECKPOINT_DISABLE: '1' };

/** Installs the dependencies of a folder, links the package into it, and compiles what `generate` has completed. */
function compile(folder: string, dependency: string, generate: () => void = () => {}): void {
  const run = (program: string, ...words: string[]) => execFileSync(program, words, { cwd: folder, stdio: 'inherit' });
  const installed = join(folder, 'node_modules', dependency);
  if (!existsSync(installed)) run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
  const self = join(folder, 'node_modules/merchant-invoicing');
  if (!existsSync(self)) symlinkSync(ROOT, self, 'junction');
  generate();
  run(process.execPath, 'node_modules/typescript/bin/tsc', '-p', '.');
  console.log('ok   the code of the guide compiles against', dependency, seconds());
}
compile(join(FOLDER, 'medusa'), '@medusajs/framework');
compile(FOLDER, '@vendure/core');
compile(PRISMA, 'prisma', () =>
  execFileSync(process.execPath, ['node_modules/prisma/build/index.js', 'generate', '--schema', 'schema.prisma'], {
    cwd: PRISMA,
    env: { ...QUIET, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath }, // any file: only migrations need that engine
    stdio: ['ignore', 'ignore', 'inherit'],
  }),
);

const engine = await startPostgres();
if (engine.missing !== null) throw new Error(engine.missing);
const { host } = engine.connection;
const temporary = mkdtempSync(join(tmpdir(), 'merchant-invoicing-shops-'));

/** The shop as a process that can be killed. */
class Shop {
  readonly port: number;
  readonly url: string;
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | null = null;

  constructor(
    port: number,
    { baseUrl, apiKey, webhookSecret }: Pick<StormService, 'baseUrl' | 'apiKey' | 'webhookSecret'>,
  ) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.#env = {
      ...QUIET,
      PGHOST: host,
      PORT: String(port),
      SHOP_URL: this.url,
      MERCHANT_BASE_URL: baseUrl,
      MERCHANT_API_KEY: apiKey,
      MERCHANT_WEBHOOK_SECRET: webhookSecret,
    };
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, ['dist/server.js'], {
      cwd: FOLDER,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    let said = '';
    child.stdout.on('data', (text) => {
      said += String(text);
    });
    while (!said.includes('up\n')) {
      await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
      if (child.exitCode !== null) throw new Error(`the shop ended with ${child.exitCode}: ${said}`);
    }
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

  readonly catchUp = async (): Promise<void> => {
    const response = await fetch(`${this.url}/catch-up`, { method: 'POST' });
    if (!response.ok) throw new Error(await response.text());
  };
}

/** A customer with a session of the Shop API. */
class Customer {
  readonly #shop: Shop;
  #token = '';
  /** The cart, made at the first click. */
  #cart: Promise<string> | null = null;

  constructor(shop: Shop) {
    this.#shop = shop;
  }

  async #ask<Data>(query: string): Promise<Data> {
    const response = await fetch(`${this.#shop.url}/shop-api`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(this.#token !== '' && { Authorization: `Bearer ${this.#token}` }),
      },
      body: JSON.stringify({ query }),
    });
    this.#token ||= response.headers.get('vendure-auth-token') ?? '';
    const { data, errors } = (await response.json()) as { data: Data; errors?: { message: string }[] }; // as GraphQL says
    if (errors !== undefined) throw new Error(errors.map(({ message }) => message).join());
    const [failed] = Object.values(data as object).filter((each) => each?.errorCode !== undefined);
    if (failed !== undefined) throw new Error(failed.message);
    return data;
  }

  async #fill(): Promise<string> {
    const error = '... on ErrorResult { errorCode message }';
    const { addItemToOrder } = await this.#ask<{ addItemToOrder: { code: string } }>(
      `mutation { addItemToOrder(productVariantId: "1", quantity: 1) { ... on Order { code } ${error} } }`,
    );
    const email = `${addItemToOrder.code.toLowerCase()}@shop.test`;
    for (const mutation of [
      `setCustomerForOrder(input: { emailAddress: "${email}", firstName: "Ada", lastName: "L" }) { ... on Order { code } ${error} }`,
      `setOrderShippingAddress(input: { streetLine1: "1 Harbour Street", countryCode: "DE" }) { ... on Order { code } ${error} }`,
      `setOrderShippingMethod(shippingMethodId: ["1"]) { ... on Order { code } ${error} }`,
      `transitionOrderToState(state: "ArrangingPayment") { ... on Order { code } ${error} }`,
    ]) {
      await this.#ask(`mutation { ${mutation} }`);
    }
    return addItemToOrder.code;
  }

  /** Presses pay, and resolves to the address of the payment page. */
  async pay(): Promise<string> {
    this.#cart ??= this.#fill();
    await this.#cart.catch((error: unknown) => {
      this.#cart = null;
      throw error;
    });
    return (await this.#ask<{ createPaymentLink: string }>('mutation { createPaymentLink }')).createPaymentLink;
  }

  /** A second tab: back to the cart, and to the payment again. */
  async wander(): Promise<void> {
    for (const state of ['AddingItems', 'ArrangingPayment']) {
      await this.#ask(`mutation { transitionOrderToState(state: "${state}") { ... on ErrorResult { message } } }`);
    }
  }

  async settleForNothing(): Promise<unknown> {
    return await this.#ask(
      'mutation { addPaymentToOrder(input: { method: "merchant-invoicing", metadata: { event: { amount: 2510 } } }) { ... on Order { state } ... on ErrorResult { message } } }',
    );
  }
}

const admin = openPool({ host, user: 'postgres', database: 'postgres' });
const csv = join(temporary, 'products.csv');
writeFileSync(
  csv,
  `name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets
Tea,tea,Tea,,,,,tea-1,25.10,standard,0,false,,
`,
);
/** An empty shop. The tables are made once, and copied. */
async function emptyShop(): Promise<void> {
  await admin.query('DROP DATABASE IF EXISTS vendure WITH (FORCE)');
  const { rows } = await admin.query("SELECT 1 FROM pg_database WHERE datname = 'template_vendure'");
  if (rows.length === 0) {
    await admin.query('CREATE DATABASE vendure');
    execFileSync(process.execPath, ['dist/server.js'], {
      cwd: FOLDER,
      // no secrets, as in a build or a migration
      env: { ...QUIET, PGHOST: host, PORT: String(await freePort()), POPULATE: csv },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await admin.query('ALTER DATABASE vendure RENAME TO template_vendure');
  }
  await admin.query('CREATE DATABASE vendure TEMPLATE template_vendure');
}

const ORDERS = `SELECT o.code, o.state, o."subTotalWithTax" + o."shippingWithTax" AS total, o."currencyCode" AS currency,
  p."transactionId" AS invoice, p.amount AS paid, p.metadata::json->>'credited_usdt' AS credited
  FROM "order" o LEFT JOIN payment p ON p."orderId" = o.id AND p.state = 'Settled'`;
/** A row for each order, with the sum of its payments. */
const SUMS = `SELECT code, state, total, currency, sum(paid) AS paid, count(paid)::int AS payments, sum(credited::numeric)::text AS credited
  FROM (${ORDERS}) AS payments GROUP BY code, state, total, currency`;
type Sum = Omit<Row, 'invoice'> & { readonly payments: number };
interface Row {
  readonly code: string;
  readonly state: string;
  readonly total: number;
  readonly currency: string;
  readonly invoice: string | null;
  readonly paid: number | null;
  readonly credited: string | null;
}

function equal(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`${what}: ${found}, not ${wanted}`);
  console.log('ok  ', what);
}

async function endToEnd(): Promise<void> {
  await emptyShop();
  const sandbox = createSandbox();
  const { url } = await sandbox.listen();
  const shop = new Shop(await freePort(), { ...sandbox, baseUrl: url });
  await shop.start();
  const pool = openPool({ host, user: 'postgres', database: 'vendure' });
  const rows = async (): Promise<Row[]> => (await pool.query<Row>(`${ORDERS} ORDER BY o.id, p.id`)).rows;
  try {
    const uuidOf = (address: string): string => new URL(address).pathname.split('/').at(-1) ?? '';
    const exact = uuidOf(await new Customer(shop).pay());
    await sandbox.pay(exact);
    await sandbox.resend(exact);
    await sandbox.settle();
    equal(
      (await rows()).map((row) => [row.state, row.paid]),
      [['PaymentSettled', 2510]],
      'a payment settles its order, once',
    );
    const less = uuidOf(await new Customer(shop).pay());
    await sandbox.pay(less, { amount: '10.00' });
    await sandbox.settle();
    equal(
      (await rows()).slice(1).map((row) => [row.state, row.paid]),
      [['ArrangingPayment', 1000]],
      'less money does not settle it',
    );
    const customer = new Customer(shop);
    const first = uuidOf(await customer.pay());
    await sandbox.expire(first);
    const second = uuidOf(await customer.pay());
    await sandbox.pay(second);
    await sandbox.pay(first, { late: true });
    await sandbox.settle();
    const renewed = (await rows()).slice(2);
    equal(
      renewed.map((row) => [row.state, row.invoice]),
      [
        ['PaymentSettled', second],
        ['PaymentSettled', first],
      ],
      'a renewed order that is paid twice has both payments',
    );
    const thief = new Customer(shop);
    await thief.pay();
    await thief.settleForNothing().catch(() => undefined);
    equal(
      (await rows()).slice(4).map((row) => row.state),
      ['ArrangingPayment'],
      'the Shop API settles nothing',
    );
    const tabs = Array.from({ length: 10 }, () => new Customer(shop));
    const invoices: string[] = [];
    for (const tab of tabs) invoices.push(uuidOf(await tab.pay()));
    await Promise.all([
      ...invoices.map((invoice) => sandbox.pay(invoice)),
      ...tabs.map((tab) => tab.wander().catch(() => undefined)),
    ]);
    await sandbox.settle();
    const raced = (await rows())
      .slice(5)
      .filter(({ total }) => total > 0)
      .map((row) => [row.state, row.paid]);
    equal(
      raced,
      invoices.map(() => ['PaymentSettled', 2510]),
      'a second tab cuts no payment off its order',
    );
    equal(
      sandbox.deliveries().filter(({ status }) => status !== 'delivered').length,
      0,
      'every webhook is acknowledged',
    );
  } finally {
    await pool.end();
    await shop.kill();
    await sandbox.close();
  }
}

async function open(service: StormService): Promise<StormShop> {
  await emptyShop();
  const { url: baseUrl } = await service.listen();
  const shop = new Shop(await freePort(), { ...service, baseUrl });
  await shop.start();
  const pool = openPool({ host, user: 'postgres', database: 'vendure' });
  const customers = new Map<string, Customer>();
  const rows = async (): Promise<Sum[]> => (await pool.query<Sum>(SUMS)).rows;
  return {
    async checkout({ id }) {
      const customer = customers.get(id) ?? new Customer(shop);
      customers.set(id, customer);
      return await customer.pay();
    },
    receive: `${shop.url}/webhook`,
    visit: async (address) => {
      await Promise.all([...customers.values()].slice(-3).map((customer) => customer.wander().catch(() => undefined)));
      await fetch(address);
    },
    orders: async () =>
      (await rows())
        .filter(({ state, paid }) => state !== 'AddingItems' || paid !== null)
        .map(({ code, state, total, currency, paid, credited }) => ({
          external_id: code,
          amount: (total / 100).toFixed(2),
          currency,
          state:
            state === 'PaymentSettled' ? ('fulfilled' as const) : paid === null ? ('open' as const) : ('paid' as const),
          credited_usdt: credited,
        })),
    // A person returns what came above the order: Vendure shows its payments beside its total.
    fulfilments: async () =>
      (await rows())
        .filter(({ state }) => state === 'PaymentSettled')
        .flatMap(({ code: external_id, total, paid, payments }) => {
          const above = Number(paid) > Number(total) ? Math.max(payments - 1, 1) : 0;
          const reviews = Array.from({ length: above }, () => ({ external_id, kind: 'review' as const }));
          return [{ external_id }, ...reviews];
        }),
    catchUp: shop.catchUp,
    restart: shop.restart,
    close: async () => {
      await pool.end();
      await shop.kill();
    },
  };
}

try {
  execFileSync(process.execPath, ['check.ts'], { cwd: PRISMA, env: { ...QUIET, PGHOST: host }, stdio: 'inherit' });
  console.log('     Prisma', seconds());
  await endToEnd();
  console.log('     end to end', seconds());
  const result = await storm({
    seed: 7,
    customers: CUSTOMERS,
    amounts: ['25.10'], // the shop has its own price
    currencies: ['USD'],
    restartEvery: 10,
    timeLimit: 3_000_000,
    shop: open,
  });
  for (const { order, problem } of result.findings) console.log(`${result.story(order ?? '')}\n${problem}`);
  console.log(
    `${result.findings.length === 0 ? 'ok  ' : 'FAIL'} a storm of ${CUSTOMERS} customers, ${result.played.restarts} kills`,
    seconds(),
  );
  if (result.findings.length > 0) process.exitCode = 1;
} finally {
  await admin.end();
  await engine.stop();
  rmSync(temporary, { recursive: true, force: true });
}
