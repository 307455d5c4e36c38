// A load in a process of its own: `loads.mjs NAME [COUNT]`. Prints its seconds and what else is worth a look, as JSON.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { page } from './answers.mjs';

const DIST = new URL('../../dist/', import.meta.url);
const SECRET = 'whsec_of_the_benchmarks';
const IN_FLIGHT = 50;
const PAGE = 100;

const peakMB = () => Math.round(process.resourceUsage().maxRSS / 1_000);
const secondsSince = (startedAt) => (performance.now() - startedAt) / 1_000;

function paidBody(id) {
  const money = { amount: '25.00', currency: 'EUR', credited_usdt: '26.861298', adjusted: false };
  return JSON.stringify({ event: 'invoice.paid', invoice_uuid: id, external_id: id, status: 'success', ...money });
}

/** Sends a delivery, and returns the milliseconds until its whole response. */
async function post(agent, port, { body, headers }, status) {
  const startedAt = performance.now();
  const sent = request({ port, host: '127.0.0.1', method: 'POST', agent, headers });
  sent.end(body);
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== status) throw new Error(`answered ${response.statusCode}`);
  return performance.now() - startedAt;
}

/** A webhook endpoint over `postgresStore`, which writes one row for each event. The parent hears its port, then its peak. */
async function receiver() {
  const { default: pg } = await import('pg');
  const { createWebhookHandler, postgresStore, toNodeHandler } = await import(new URL('webhooks.js', DIST));
  const pool = new pg.Pool({ host: process.env.BENCH_PG, user: 'postgres', database: 'postgres', max: 20 });
  const store = postgresStore(pool);
  await store.migrate();
  const credit = ({ invoice_uuid, credited_usdt }, { tx }) =>
    tx.query('INSERT INTO credits (event_key, usdt) VALUES ($1, $2)', [invoice_uuid, credited_usdt.toFixed()]);
  const ends = { onPaid: credit, onAdjusted: credit, onCanceled() {} };
  const server = createServer(toNodeHandler(createWebhookHandler({ secret: SECRET, store, ...ends })));
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.on('message', () => process.send(peakMB()));
  process.on('disconnect', () => process.exit());
}

/** A backlog of webhooks, as after an outage: all are waiting, and 50 are under way to each process. */
async function backlog(count, processes) {
  const { default: pg } = await import('pg');
  const { signWebhook } = await import(new URL('webhooks.js', DIST));
  const pool = new pg.Pool({ host: process.env.BENCH_PG, user: 'postgres', database: 'postgres', max: 1 });
  await pool.query('CREATE TABLE IF NOT EXISTS credits (event_key text, usdt text)');
  const children = Array.from({ length: processes }, () => fork(fileURLToPath(import.meta.url), ['receiver']));
  const ports = await Promise.all(children.map(async (child) => (await once(child, 'message'))[0]));
  const deliveries = [];
  for (let at = 0; at < count; at += 1) {
    const body = paidBody(randomUUID());
    deliveries.push({ body, headers: await signWebhook(body, SECRET) });
  }
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT * processes });
  const times = [];
  const send = async (delivery, port) => times.push(await post(agent, port, delivery, 200));
  const startedAt = performance.now();
  const lane = async (port) => {
    for (let next = deliveries.pop(); next !== undefined; next = deliveries.pop()) await send(next, port);
  };
  await Promise.all(ports.flatMap((port) => Array.from({ length: IN_FLIGHT }, () => lane(port))));
  const seconds = secondsSince(startedAt);
  const { rows } = await pool.query('SELECT count(*)::int AS booked FROM credits');
  if (rows[0].booked < count) throw new Error(`booked ${rows[0].booked} of ${count}`);
  const peaks = await Promise.all(
    children.map(async (child) => {
      child.send('peak');
      return (await once(child, 'message'))[0];
    }),
  );
  for (const child of children) child.disconnect();
  await pool.end();
  const slowest = times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)];
  return { seconds, peak: Math.max(...peaks), note: `99th percentile ${Math.round(slowest)} ms` };
}

/** A webhook endpoint that remembers events in memory: the handler, or what a merchant would write by hand. */
async function flooded(kind) {
  const server = createServer(kind === 'hand' ? await routeByHand() : await ourRoute());
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.on('message', () => process.send(peakMB()));
  process.on('disconnect', () => process.exit());
}

async function ourRoute() {
  const { createWebhookHandler, memoryStore, toNodeHandler } = await import(new URL('webhooks.js', DIST));
  const ends = { onPaid() {}, onAdjusted() {}, onCanceled() {} };
  return toNodeHandler(createWebhookHandler({ secret: SECRET, store: memoryStore(), ...ends }));
}

async function routeByHand() {
  const { createHmac, timingSafeEqual } = await import('node:crypto');
  const done = new Set();
  return async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { 'x-webhook-signature': signature = '', 'x-webhook-timestamp': timestamp = '' } = request.headers;
    const digest = createHmac('sha256', SECRET).update(`${timestamp}.`).update(body).digest();
    const given = Buffer.from(signature, 'hex');
    if (given.length !== digest.length || !timingSafeEqual(given, digest)) return response.writeHead(401).end();
    done.add(JSON.parse(body.toString('utf8')).invoice_uuid);
    response.writeHead(200).end();
  };
}

const UNSIGNED_A_SECOND = 2_000;
const GENUINE_A_SECOND = 50;

/** Strangers who send unsigned requests, beside genuine deliveries, on one process. */
async function flood(seconds, kind) {
  const { signWebhook } = await import(new URL('webhooks.js', DIST));
  const child = fork(fileURLToPath(import.meta.url), ['flooded', kind], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const [port] = await once(child, 'message');
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const send = (body, headers, status) => post(agent, port, { body, headers }, status);
  const unsigned = { 'content-type': 'application/json', 'x-webhook-id': 'a', 'x-webhook-timestamp': '1798761600' };
  const forged = { ...unsigned, 'x-webhook-signature': 'a'.repeat(64) };
  const flow = async (rate, sendOne) => {
    const underWay = [];
    const startedAt = performance.now();
    for (let sent = 0; sent < rate * seconds; ) {
      const due = Math.min(rate * seconds, Math.floor((secondsSince(startedAt) + 0.01) * rate));
      for (; sent < due; sent += 1) underWay.push(sendOne());
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return await Promise.all(underWay);
  };
  const startedAt = performance.now();
  const [times] = await Promise.all([
    flow(GENUINE_A_SECOND, async () => {
      const body = paidBody(randomUUID());
      return await send(body, await signWebhook(body, SECRET), 200);
    }),
    flow(UNSIGNED_A_SECOND, () => send(paidBody('a'), forged, 401)),
  ]);
  const elapsed = secondsSince(startedAt);
  child.send('peak');
  const [peak] = await once(child, 'message');
  child.disconnect();
  const at = (part) => Math.round(times.sort((a, b) => a - b)[Math.floor(times.length * part)]);
  return { seconds: elapsed, peak, note: `genuine: median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms` };
}

/** As many orders as invoices, which agree. The pages are made in this process, so its peak holds them too. */
async function reconciled(count) {
  const { MerchantClient } = await import(new URL('index.js', DIST));
  const { reconcile } = await import(new URL('reconcile.js', DIST));
  const fetch = async (url) => {
    const { searchParams } = new URL(url);
    return Response.json({ success: true, data: page(Number(searchParams.get('page') ?? 1), PAGE, count) });
  };
  const merchant = new MerchantClient({ baseUrl: 'https://pay.example.com', apiKey: 'sk_of_the_benchmarks', fetch });
  const orders = (function* () {
    for (let at = 1; at <= count; at += 1) {
      const [{ external_id, amount, settled_amount_usdt }] = page(count - at + 1, 1, count).items;
      yield { external_id, amount, currency: 'EUR', state: 'fulfilled', credited_usdt: settled_amount_usdt };
    }
  })();
  const startedAt = performance.now();
  for await (const { kind } of reconcile({ merchant, orders })) throw new Error(kind);
  return { seconds: secondsSince(startedAt), peak: peakMB(), note: '' };
}

/** The right shop of the tests, over SQLite. */
async function stormed(customers) {
  const { storm } = await import(new URL('storm.js', DIST));
  const { shopWith } = await import('../tools/storm/shop.ts');
  const startedAt = performance.now();
  const { findings } = await storm({ seed: 1, customers, shop: shopWith() });
  if (findings.length > 0) throw new Error(`${findings.length} findings`);
  return { seconds: secondsSince(startedAt), peak: peakMB(), note: '' };
}

const LOADS = {
  backlog: (count) => backlog(count, 1),
  'backlog-of-three': (count) => backlog(count, 3),
  flood: (requests) => flood(requests / UNSIGNED_A_SECOND, 'ours'),
  'flood-by-hand': (requests) => flood(requests / UNSIGNED_A_SECOND, 'hand'),
  reconcile: reconciled,
  storm: stormed,
};
const [name, count] = process.argv.slice(2);
if (name === 'receiver') await receiver();
else if (name === 'flooded') await flooded(count);
else {
  console.log(JSON.stringify(await LOADS[name](Number(count))));
  process.exit();
}
