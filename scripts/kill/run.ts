import { setTimeout as pause } from 'node:timers/promises';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { Deliverer } from './deliverer.ts';
import { Locker } from './locker.ts';
import { Processes } from './processes.ts';
import type { ShopQueue } from './queues/queue.ts';
import type { Fault } from './receiver.ts';
import { type Shop, type ShopAddress, withShop } from './shop.ts';

export interface KillRunOptions {
  readonly shop: ShopAddress;
  readonly seed: string;
  readonly invoices: number;
  readonly fault?: Fault;
  /** Whether another process takes the lock of the SQLite file all the time, for random times. */
  readonly lock?: boolean;
}

export interface KillRunResult {
  readonly paid: number;
  readonly creditedOnce: number;
  /** external_id of each paid invoice without a credit. */
  readonly missing: readonly string[];
  /** external_id of each with more than one. */
  readonly twice: readonly string[];
  /** Credits of another amount or of no paid invoice, failed deliveries, and receivers that crashed. */
  readonly wrong: readonly string[];
  /** How many receivers died, by the place. `from_outside` counts those that were killed. */
  readonly deaths: Readonly<Record<string, number>>;
  readonly requests: number;
  /** The longest time that an answer took, and how many came after the handler's limit, in milliseconds. */
  readonly slowest: number;
  readonly late: number;
  /** How often another process took the lock. */
  readonly locks: number;
  readonly reports: Readonly<Record<string, number>>;
  /** The workers of a queue: how many died, by the place, and what they reported. */
  readonly workers: {
    readonly deaths: Readonly<Record<string, number>>;
    readonly reports: Readonly<Record<string, number>>;
  } | null;
}

const RECEIVERS = 3;
const WORKERS = 2;
const LEASE = 250;
/** The limit of the handler: the default of 12 seconds, or 2 where locks are held for longer. */
const LIMIT = 12_000;
const LIMIT_UNDER_LOCKS = 2_000;
/** The delay that a busy machine may add to an answer at the limit. A blocked receiver answers seconds later. */
const GRACE = 1_000;
/** Before this retry the other process lets the file go, so that the last of the seven attempts suffice. */
const FIRST_UNLOCKED_RETRY = '6h';
/** The waits of the service between its seven attempts. @see [Retries](../../docs/service-interface.md#retries) */
const RETRIES = ['1m', '5m', '30m', '2h', '6h', '12h'];

/**
 * Pays invoices, delivers them to receivers that are killed all the time, and counts the credits at the end. The same
 * seed makes the same decisions. The machine decides what runs at the same moment.
 */
export async function killRun(options: KillRunOptions): Promise<KillRunResult> {
  const { seed, fault = 'none', lock = false } = options;
  const address = fault === 'blocks' ? blocking(options.shop) : options.shop;
  const limit = lock ? LIMIT_UNDER_LOCKS : LIMIT;
  const shop = await withShop(address, (opened): Pick<Shop, 'setUp' | 'credits' | 'close' | 'queue'> => opened);
  await shop.setUp();
  const secret = 'whsec_kill_run';
  const receivers = new Processes('./receiver.ts', { shop: address, secret, lease: LEASE, limit, fault }, RECEIVERS);
  const workers =
    shop.queue === undefined ? null : new Processes('./queues/worker.ts', { shop: address, seed, fault }, WORKERS);
  const deliverer = new Deliverer(receivers, { seed, receivers: RECEIVERS, lease: LEASE });
  const locker = lock ? new Locker(address.at, seed) : null;
  const sandbox = createSandbox({ seed, webhookSecret: secret, fetch: deliverer.fetch });
  try {
    await sandbox.listen();
    const ids = await payInvoices(sandbox, options.invoices);
    const wait = async (): Promise<void> => {
      await deliverer.settle();
      await pause(LEASE * 2.5); // longer than a stalled handler and its lease
    };
    for (const retry of RETRIES) {
      await wait();
      if (retry === FIRST_UNLOCKED_RETRY) await locker?.stop();
      await sandbox.advance(retry);
    }
    await wait();
    await inParallel(ids, async (id) => void (await sandbox.resend(id)));
    await wait();
    const replayed = await inParallel(ids, (id) => deliverer.replay(id));
    if (shop.queue !== undefined) await drained(shop.queue);
    const dead = (await shop.queue?.jobs())?.dead ?? 0;
    const wrong = [...receivers.crashes, ...(workers?.crashes ?? [])];
    if (dead > 0) wrong.push(`${dead} jobs have no attempt left`);
    for (const id of ids) {
      const { status } = sandbox.deliveries(id)[0] ?? {};
      if (status !== 'delivered') wrong.push(`${id}: its delivery is ${status}`);
    }
    wrong.push(...replayed.filter((status) => status !== 200).map((status) => `a replay was answered ${status}`));
    return {
      ...balance(sandbox, ids, await shop.credits(), wrong),
      deaths: receivers.deaths,
      requests: deliverer.sent,
      slowest: Math.round(Math.max(...deliverer.answers)),
      late: deliverer.answers.filter((ms) => ms > limit + GRACE).length,
      locks: locker?.held ?? 0,
      reports: receivers.reports,
      workers,
    };
  } finally {
    await locker?.stop();
    await sandbox.close();
    await receivers.close();
    await workers?.close();
    await shop.close();
  }
}

/** Jobs of dead workers come back after their lock. The bound is far above the last of them. */
async function drained(queue: ShopQueue): Promise<void> {
  for (let tries = 3_000; (await queue.jobs()).left > 0; tries -= 1) {
    if (tries === 0) throw new Error('The workers do not finish the jobs.');
    await pause(100);
  }
}

function blocking(shop: ShopAddress): ShopAddress {
  return { ...shop, sqlite: { driver: 'node:sqlite', journal: 'WAL', ...shop.sqlite, blocking: true } };
}

async function payInvoices(sandbox: Sandbox, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `order-${index + 1}`);
  return await inParallel(ids, async (id, index) => {
    const response = await fetch(`${sandbox.url}/api/v1/external/invoices`, {
      method: 'POST',
      headers: { 'X-Api-Key': sandbox.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        external_id: id,
        customer_id: `customer-${index % 7}`,
        amount: `${20 + (index % 50)}.00`,
        currency: 'EUR',
        callback_url: 'http://127.0.0.1/webhook', // the deliverer knows the way
      }),
    });
    if (!response.ok) throw new Error(`The sandbox answered ${response.status}: ${await response.text()}`);
    await sandbox.pay(id);
    return id;
  });
}

function balance(
  sandbox: Sandbox,
  ids: readonly string[],
  credits: readonly { readonly invoice: string; readonly usdt: string }[],
  wrong: string[],
) {
  const owed = new Map(ids.map((id) => [sandbox.invoice(id).uuid, sandbox.invoice(id)]));
  const counts = new Map<string, number>();
  for (const { invoice, usdt } of credits) {
    const due = owed.get(invoice);
    if (due === undefined) wrong.push(`a credit of ${usdt} for ${invoice}, which is not paid`);
    else if (Number(due.settled_amount_usdt) !== Number(usdt)) wrong.push(`${due.external_id}: credited ${usdt}`);
    counts.set(invoice, (counts.get(invoice) ?? 0) + 1);
  }
  const having = (test: (count: number) => boolean): string[] =>
    [...owed].filter(([uuid]) => test(counts.get(uuid) ?? 0)).map(([, { external_id }]) => external_id);
  return {
    paid: ids.length,
    creditedOnce: having((count) => count === 1).length,
    missing: having((count) => count === 0),
    twice: having((count) => count > 1),
    wrong,
  };
}

/** Four at a time, because each death ends all requests of its receiver. */
async function inParallel<In, Out>(
  items: readonly In[],
  work: (item: In, index: number) => Promise<Out>,
): Promise<Out[]> {
  const results: Out[] = [];
  const queue = items.entries(); // the workers share it
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return results;
}
