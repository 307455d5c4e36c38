import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/engine-process.ts';
import { startEngines } from '../support/engines.ts';
import { below, oneOf, type Random, randomOf } from '../support/random.ts';
import { AGAIN, SEED } from '../support/seed.ts';
import { testSandbox } from '../support/test-sandbox.ts';
import { openBetterSqlite3 } from '../webhooks/stores/better-sqlite3.ts';
import type { Fault, ReceiverSetup } from './kill/receiver.ts';
import { DRIVERS, type Driver, withShop } from './kill/shops.ts';
import { soaked } from './size.ts';

// Receivers die at random points while the service delivers, repeats and retries. In the end each paid invoice is credited
// once. The leases are the databases' own, so that this run waits for real ones, of a quarter of a second.

const POINTS = ['before_claim', 'after_claim', 'in_handler', 'after_write', 'before_answer'];
const RECEIVERS = 3;
const LEASE = 250;
/** From this attempt on nothing is killed, so that the service's seven attempts suffice. */
const FIRST_QUIET_ATTEMPT = 5;
/** The waits of the service between its seven attempts. @see [Retries](../../docs/service-interface.md#retries) */
const RETRIES = ['1m', '5m', '30m', '2h', '6h', '12h'];
const WITHOUT_FATE = { receiver: 0, dieAt: '', killed: false, stalls: false };
type Fate = typeof WITHOUT_FATE;

const engines = await startEngines();
const files = temporaryFolder('kill');
afterAll(async () => {
  await engines.stop();
  files.remove();
});

/** Some receivers, each started again whenever it was killed. */
class Receivers {
  readonly #setup: string;
  readonly #slots: { child: ChildProcess; port: Promise<number> }[] = [];
  #closing = false;
  /** Where each of them died. */
  readonly deaths: string[] = [];
  /** Unexpected ends: each is a defect. */
  readonly crashes: string[] = [];
  takenOver = 0;

  constructor(setup: ReceiverSetup) {
    this.#setup = JSON.stringify(setup);
    for (let slot = 0; slot < RECEIVERS; slot += 1) this.#start(slot);
  }

  #start(slot: number): void {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'kill', 'receiver.ts'), this.#setup], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'merchant-invoicing-kill-run-cache') }, // three times as fast
    });
    const port = new Promise<number>((resolve, reject) => {
      child.on('message', ({ port, report }: { port?: number; report?: string }) => {
        if (port !== undefined) resolve(port);
        if (report === 'taken_over') this.takenOver += 1;
      });
      child.once('exit', () => reject(new Error('The process died before it was up.')));
    });
    port.catch(() => undefined); // send() reports the failure
    let said = '';
    child.stdout?.on('data', (text) => {
      said += String(text);
    });
    child.once('close', (code, signal) => {
      if (this.#closing) return;
      this.deaths.push(said.trim() || 'from outside');
      if (signal !== 'SIGKILL') this.crashes.push(`a receiver ended with ${signal ?? code}`);
      if (this.crashes.length < 10) this.#start(slot);
    });
    this.#slots[slot] = { child, port };
  }

  async send({ receiver, dieAt, killed, stalls }: Fate, body: string, headers: object): Promise<Response> {
    const { child, port } = this.#slots[receiver % RECEIVERS] ?? {};
    const answer = fetch(`http://127.0.0.1:${await port}/webhook`, {
      method: 'POST',
      headers: { ...headers, 'x-die-at': dieAt, 'x-stall': String(stalls ? LEASE * 2 : 0) },
      body,
      signal: AbortSignal.timeout(14_000),
    });
    if (killed) setTimeout(() => child?.kill('SIGKILL'), 3);
    return answer;
  }

  async close(): Promise<void> {
    this.#closing = true;
    for (const { child } of this.#slots) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  }
}

function fateOf(random: Random, attempt: number): Fate {
  const quiet = attempt >= FIRST_QUIET_ATTEMPT;
  const [dies, killed, stalls] = [random() < 0.4, random() < 0.04, random() < 0.1];
  const dieAt = oneOf(random, POINTS);
  return {
    receiver: below(random, RECEIVERS),
    dieAt: dies && !quiet ? dieAt : '',
    killed: killed && !quiet,
    stalls: stalls && !quiet,
  };
}

const withAnotherId = (headers: object) => ({ ...headers, 'X-Webhook-Id': `replayed-${crypto.randomUUID()}` });

async function inFours<In>(items: readonly In[], work: (item: In) => Promise<unknown>): Promise<void> {
  const queue = items.values(); // the four share it, because each death ends all requests of its receiver
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}

async function killRun(driver: Driver, at: string, invoices: number, seed: number, fault: Fault = 'none') {
  const books = await withShop(driver, at, ({ setUp, credits, close }) => ({ setUp, credits, close }));
  await books.setUp();
  const secret = 'whsec_kill_run';
  const receivers = new Receivers({ driver, at, secret, lease: LEASE, fault });
  const [attempts, last, underway] = [
    new Map<string, number>(),
    new Map<string, [string, object]>(),
    new Set<Promise<unknown>>(),
  ];
  /** The road between the service and the receivers: it brings each delivery, unrequested copies, and death. */
  const road = async (_url: unknown, init: RequestInit = {}): Promise<Response> => {
    const [body, headers] = [String(init.body), { ...(init.headers as object) }]; // the sandbox gives a plain object
    const { external_id: id } = JSON.parse(body);
    const attempt = (attempts.get(id) ?? 0) + 1;
    attempts.set(id, attempt);
    last.set(id, [body, headers]);
    const random = randomOf(seed, id, attempt);
    const fate = fateOf(random, attempt);
    const copies = random() < 0.35 ? [fateOf(random, attempt), fateOf(random, attempt)] : [];
    // Another delivery must come while a handler waits. Otherwise no receiver takes the event over.
    if (fate.stalls) copies.push({ ...WITHOUT_FATE, receiver: fate.receiver + 1 });
    for (const [index, copy] of copies.entries()) {
      const sending = pause(index % 2 === 0 ? LEASE * 1.2 : 0)
        .then(() => receivers.send(copy, body, withAnotherId(headers)))
        .catch(() => undefined)
        .finally(() => underway.delete(sending));
      underway.add(sending);
    }
    return receivers.send(fate, body, headers);
  };
  const sandbox = testSandbox({ seed, webhookSecret: secret, fetch: road });
  const settle = async () => {
    await Promise.all(underway);
    await pause(LEASE * 2.5); // longer than a stalled handler and its lease
  };
  const ids = Array.from({ length: invoices }, (_, index) => `order-${index + 1}`);
  try {
    await inFours(ids, async (external_id) => {
      const order = {
        external_id,
        customer_id: 'c-7',
        amount: '25.00',
        currency: 'EUR',
        callback_url: 'http://127.0.0.1/webhook',
      };
      const init = { method: 'POST', headers: { 'X-Api-Key': sandbox.apiKey }, body: JSON.stringify(order) };
      await sandbox.fetch(`${sandbox.url}/api/v1/external/invoices`, init);
      await sandbox.pay(external_id);
    });
    for (const retry of RETRIES) {
      await settle();
      await sandbox.advance(retry);
    }
    await settle();
    await inFours(ids, async (id) => sandbox.resend(id));
    await settle();
    const wrong = [...receivers.crashes];
    await inFours(ids, async (id) => {
      const [body, headers] = last.get(id) ?? ['', {}];
      const { status } = await receivers.send(WITHOUT_FATE, body, withAnotherId(headers));
      const [delivery] = sandbox.deliveries(id);
      if (status !== 200 || delivery?.status !== 'delivered')
        wrong.push(`${id}: ${delivery?.status}, a replay ${status}`);
    });
    const credits = await books.credits();
    const owed = new Map(ids.map((id) => [sandbox.invoice(id).uuid, Number(sandbox.invoice(id).settled_amount_usdt)]));
    wrong.push(
      ...credits.flatMap(({ invoice, usdt }) => (owed.get(invoice) === Number(usdt) ? [] : [`${invoice}: ${usdt}`])),
    );
    const counts = [...owed.keys()].map((uuid) => credits.filter(({ invoice }) => invoice === uuid).length);
    const [once, missing, twice] = [1, 0, 2].map(
      (times) => counts.filter((count) => Math.min(count, 2) === times).length,
    );
    return { once, missing, twice, wrong, deaths: [...receivers.deaths], takenOver: receivers.takenOver };
  } finally {
    await sandbox.close();
    await receivers.close();
    await books.close();
  }
}

let databases = 0;
/** Where a fresh database of a driver is, or why there is none. */
async function placeOf(driver: Driver): Promise<{ readonly at: string } | { readonly missing: string }> {
  const { postgres, redis } = engines;
  if (driver === 'pg') return postgres.missing === null ? { at: postgres.connection.host } : postgres;
  if (driver === 'redis' || driver === 'ioredis') return redis.missing === null ? { at: redis.connection } : redis;
  if (driver === 'better-sqlite3' && (await openBetterSqlite3()) === null) return { missing: 'it does not load here' };
  databases += 1;
  return { at: join(files.folder, `shop-${databases}.db`) };
}

describe(`every paid invoice is credited once, though receivers are killed all the time, ${AGAIN}`, () => {
  it.concurrent.for(DRIVERS)('over %s', { timeout: 3_600_000 }, async (driver, { skip }) => {
    const place = await placeOf(driver);
    if ('missing' in place) return skip(place.missing);
    const invoices = soaked(8, 100);
    const run = await killRun(driver, place.at, invoices, SEED);
    expect(run).toMatchObject({ once: invoices, missing: 0, twice: 0, wrong: [] });
    expect(new Set(run.deaths).size).toBeGreaterThan(1); // or the run shows nothing
    console.log(
      `kill, ${driver}: ${invoices} paid, ${run.deaths.length} receivers killed (${[...new Set(run.deaths)].join(', ')}), ${run.takenOver} events taken over, ${run.missing} lost, ${run.twice} doubled`,
    );
  });
});

describe('the kill run finds', { timeout: 300_000 }, () => {
  it.concurrent.each([
    ['a receiver that remembers the event before it does the work', 'done_before_work', 'missing'],
    ['a receiver that writes outside of the transaction', 'write_outside', 'twice'],
  ] as const)('%s', async (_, fault, found) => {
    const place = await placeOf('node:sqlite');
    if ('missing' in place) return expect.fail(place.missing);
    const run = await killRun('node:sqlite', place.at, 20, 1, fault);
    expect(run[found]).toBeGreaterThan(0);
  });
});
