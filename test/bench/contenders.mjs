// The contenders of each row, by name: a function that makes the task ready and returns it. Each imports its library when it
// is chosen, so that its process loads nothing else. Plain JavaScript, because a process that strips types pays for that.
import { PAID_BODY, STRIPE_EVENT } from './answers.mjs';

const DIST = new URL('../../dist/', import.meta.url);
const KEY = 'sk_bench_0123456789';
const PATH = 'api/v1/external/invoices';
const ORDER = {
  external_id: 'order-1042',
  customer_id: 'customer-7',
  amount: '25.00',
  currency: 'EUR',
  purpose: 'Two tickets',
  callback_url: 'https://shop.example/webhooks/invoices',
  success_url: 'https://shop.example/paid',
  fail_url: 'https://shop.example/failed',
};

async function ourClient(baseUrl) {
  const { MerchantClient } = await import(new URL('index.js', DIST));
  return new MerchantClient({ baseUrl, apiKey: KEY });
}

/** ky as its documentation shows it: an instance with headers and a hook for the key. */
async function kyClient(address) {
  const { default: ky } = await import('ky');
  const setKey = ({ request }) => request.headers.set('x-api-key', KEY);
  return ky.create({ prefix: address, headers: { accept: 'application/json' }, hooks: { beforeRequest: [setKey] } });
}

async function stripeClient(address) {
  const { default: Stripe } = await import('stripe');
  const { hostname, port } = new URL(address);
  return new Stripe(KEY, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
}

async function openaiClient(address) {
  const { default: OpenAI } = await import('openai');
  return new OpenAI({ apiKey: KEY, baseURL: `${address}/openai`, maxRetries: 0 });
}

async function polarClient(address) {
  const { createPolar } = await import('@polar-sh/sdk/2026-10');
  return createPolar({ accessToken: KEY, baseUrl: address });
}

async function fetchJson(url, init) {
  const response = await fetch(url, {
    ...init,
    headers: { ...init?.headers, 'x-api-key': KEY, accept: 'application/json' },
  });
  if (!response.ok) throw new Error(String(response.status));
  return await response.json();
}

const kyCreation = async (address) => {
  const ky = await kyClient(address);
  return () => ky.post(PATH, { json: ORDER }).json();
};

const create = {
  'merchant-invoicing': async (address) => {
    const merchant = await ourClient(address);
    return () => merchant.invoices.create(ORDER);
  },
  ky: kyCreation,
  'raw fetch': (address) => () =>
    fetchJson(`${address}/${PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ORDER),
    }),
  stripe: async (address) => {
    const { paymentIntents } = await stripeClient(address);
    const metadata = { order: 'order-1042' };
    return () =>
      paymentIntents.create({
        amount: 2_500,
        currency: 'eur',
        customer: 'cus_7',
        description: 'Two tickets',
        metadata,
      });
  },
  openai: async (address) => {
    const { vectorStores } = await openaiClient(address);
    const metadata = { customer: 'customer-7', purpose: 'Two tickets' };
    return () => vectorStores.create({ name: 'order-1042', metadata });
  },
  polar: async (address) => {
    const { checkouts } = await polarClient(address);
    const order = { products: ['p-1'], external_customer_id: 'customer-7', success_url: ORDER.success_url };
    return () => checkouts.create(order);
  },
};

const page = {
  'merchant-invoicing': async (address) => {
    const merchant = await ourClient(address);
    return () => merchant.invoices.list({ per_page: 100 });
  },
  'fetch and a decoder by hand': async (address) => {
    const { readPage } = await import('./by-hand.mjs');
    return async () => readPage((await fetchJson(`${address}/${PATH}?per_page=100`)).data);
  },
  'ky and zod': async (address) => {
    const { pageSchema } = await import('./by-hand.mjs');
    const [ky, schema] = await Promise.all([kyClient(address), pageSchema()]);
    return async () => schema.parse((await ky.get(PATH, { searchParams: { per_page: 100 } }).json()).data);
  },
  'openai, without decimals and dates': async (address) => {
    const { files } = await openaiClient(address);
    return () => files.list({ limit: 100 });
  },
  'polar, without decimals': async (address) => {
    const { checkouts } = await polarClient(address);
    return () => checkouts.list({ limit: 100 });
  },
};

/** Standard Webhooks: a secret in base64, and three headers. */
async function standardWebhook(library) {
  const { Webhook } = await library;
  const webhook = new Webhook(`whsec_${Buffer.from('bench-0123456789-0123456789-0123').toString('base64')}`);
  const now = new Date();
  const headers = {
    'webhook-id': 'msg_01',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': webhook.sign('msg_01', now, PAID_BODY),
  };
  return () => webhook.verify(PAID_BODY, headers);
}

const SECRET = 'whsec_bench_0123456789';

const verify = {
  'merchant-invoicing': async () => {
    const { signWebhook, verifyWebhook } = await import(new URL('webhooks.js', DIST));
    const body = Buffer.from(PAID_BODY);
    const headers = { ...(await signWebhook(body, SECRET)) };
    return () => verifyWebhook(body, headers, SECRET);
  },
  'node:crypto and JSON.parse': async () => {
    const { createHmac, timingSafeEqual } = await import('node:crypto');
    const body = Buffer.from(PAID_BODY);
    const now = Math.floor(Date.now() / 1_000);
    const signature = createHmac('sha256', SECRET).update(`${now}.${PAID_BODY}`).digest('hex');
    return () => {
      const digest = createHmac('sha256', SECRET).update(`${now}.`).update(body).digest();
      if (!timingSafeEqual(digest, Buffer.from(signature, 'hex'))) throw new Error('forged');
      return JSON.parse(body.toString('utf8'));
    };
  },
  stripe: async () => {
    const { webhooks } = await stripeClient('http://127.0.0.1:1');
    const body = Buffer.from(STRIPE_EVENT);
    const header = webhooks.generateTestHeaderString({ payload: STRIPE_EVENT, secret: SECRET });
    return () => webhooks.constructEvent(body, header, SECRET);
  },
  svix: () => standardWebhook(import('svix')),
  standardwebhooks: () => standardWebhook(import('standardwebhooks')),
};

const SIZE = 100;
const PAGES = 50;

/** A walk must see each item. */
async function count(items) {
  let seen = 0;
  for await (const _ of items) seen += 1;
  if (seen !== PAGES * SIZE) throw new Error(`the walk saw ${seen} items`);
}

const walkOurs = (options) => async (address) => {
  const merchant = await ourClient(address);
  return () => count(merchant.invoices.list({ per_page: SIZE }, options));
};

const walkByHand = (atOnce) => async (address) => {
  const { readPage } = await import('./by-hand.mjs');
  return async () => {
    const items = [];
    let next = 1;
    const lane = async () => {
      while (next <= PAGES) {
        next += 1;
        const { data } = await fetchJson(`${address}/${PATH}?page=${next - 1}&per_page=${SIZE}`);
        items.push(...readPage(data).items);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    await count(items);
  };
};

const walk = {
  'merchant-invoicing': walkOurs({}),
  'merchant-invoicing, prefetch 4': walkOurs({ prefetch: 4 }),
  'one page after the other by hand': walkByHand(1),
  '4 requests at once by hand': walkByHand(4),
  stripe: async (address) => {
    const { paymentIntents } = await stripeClient(address);
    return () => count(paymentIntents.list({ limit: SIZE }));
  },
  openai: async (address) => {
    const { files } = await openaiClient(address);
    return () => count(files.list({ limit: SIZE }));
  },
};

const importing = (specifier) => () => () => import(specifier);

const imports = {
  'merchant-invoicing': importing(new URL('index.js', DIST)),
  'merchant-invoicing/webhooks': importing(new URL('webhooks.js', DIST)),
  'merchant-invoicing/sandbox': importing(new URL('sandbox.js', DIST)),
  ky: importing('ky'),
  stripe: importing('stripe'),
  openai: importing('openai'),
  polar: importing('@polar-sh/sdk/2026-10'),
};

/** Everything from the import to the first page, because the process is new. */
const cold = Object.fromEntries(
  Object.entries({
    'merchant-invoicing': page['merchant-invoicing'],
    'raw fetch': (address) => () => fetchJson(`${address}/${PATH}?per_page=100`),
    'fetch and a decoder by hand': page['fetch and a decoder by hand'],
    'ky and zod': page['ky and zod'],
    stripe: async (address) => {
      const { paymentIntents } = await stripeClient(address);
      return () => paymentIntents.list({ limit: 100 });
    },
    openai: page['openai, without decimals and dates'],
  }).map(([name, start]) => [name, (address) => async () => await (await start(address))()]),
);

/** An event that is written once beside the merchant's own row. The database is that of BENCH_PG, a folder with a socket. */
async function eventPool() {
  const { Pool } = await import('pg');
  const pool = new Pool({ host: process.env.BENCH_PG, user: 'postgres', database: 'postgres', max: 30 });
  await pool.query('CREATE TABLE IF NOT EXISTS credits (event_key text, usdt text)');
  return pool;
}

const CREDIT = 'INSERT INTO credits (event_key, usdt) VALUES ($1, $2)';
const event = {
  async 'the same SQL by hand'() {
    const pool = await eventPool();
    await pool.query('CREATE TABLE IF NOT EXISTS events (key text PRIMARY KEY, digest text, done_at timestamptz)');
    return async () => {
      const client = await pool.connect();
      const key = crypto.randomUUID();
      try {
        await client.query('BEGIN');
        const insert =
          'INSERT INTO events (key, digest, done_at) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING RETURNING key';
        const { rowCount } = await client.query(insert, [key, 'digest']);
        if (rowCount === 1) await client.query(CREDIT, [key, '26.861298']);
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
    };
  },
  async 'merchant-invoicing, postgresStore'() {
    const { postgresStore } = await import(new URL('webhooks.js', DIST));
    const store = postgresStore(await eventPool());
    await store.migrate();
    const { signal } = new AbortController();
    return async () => {
      const key = crypto.randomUUID();
      const { state } = await store.runOnce({ key, digest: 'digest', signal }, ({ tx }) =>
        tx.query(CREDIT, [key, '26.861298']),
      );
      if (state !== 'committed') throw new Error(state);
    };
  },
};

export const CONTENDERS = { create, page, verify, walk, imports, cold, event };
