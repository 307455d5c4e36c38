// `node scripts/chaos.ts --seed 7 [--calls 2000]`: creates invoices at the sandbox through a network that fails in every
// way. The calls include concurrent duplicates, aborts, orders that existed before, and reused parameter objects. They
// meet answers of other orders, wall clocks that jump by an hour, and backslashes in every text. At the end the script
// checks whether a call has reported something that is not true.
import { createHash } from 'node:crypto';
import { clientWithRuntime, MerchantClient } from '../src/client.ts';
import { isMerchantError } from '../src/errors/guards.ts';
import { createSandbox, type Sandbox } from '../src/sandbox/index.ts';
import { createRandom } from '../src/sandbox/state/random.ts';
import type { Runtime } from '../src/transport/runtime.ts';
import { VirtualClock } from './chaos/clock.ts';
import { badNetwork, type Traffic } from './chaos/network.ts';
import { lies, type Played } from './chaos/truth.ts';
import { below, type Random } from './random.ts';
import { countOne, readRun } from './runs.ts';

export interface ChaosReport {
  readonly lies: readonly string[];
  /** How many calls ended how. */
  readonly ends: Readonly<Record<string, number>>;
  readonly invoices: number;
  /** Of all calls, those that found no connection included. */
  readonly requests: number;
  /** Of all ends, in order: the same for the same seed. */
  readonly digest: string;
}

const CONCURRENT = 40;
const HOUR = 3_600_000;
/** Orders that exist before the first call, each a little younger than the one before. */
const OLD_ORDERS = 60;
const SANDBOX_FAULTS = [
  'rate_limit',
  'server_error',
  { type: 'server_error', afterWork: true },
  'html',
  'hang',
  { type: 'hang', afterWork: true },
  'reset_before',
  'reset_after',
  'truncated',
  'malformed',
  'slow',
] as const;

export async function chaos(seed: number, calls: number): Promise<ChaosReport> {
  const random = createRandom(seed).next;
  const clock = new VirtualClock(createRandom(seed + 1).next);
  const sandbox = createSandbox({
    seed,
    sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
    now: clock.now(),
    clock: 'real',
    lifetime: '300d',
    wallClock: () => clock.now(),
  });
  await createOldOrders(sandbox, clock);
  sandbox.faults.random(0.15, seed, SANDBOX_FAULTS);
  const played: Played[] = [];
  let everybody = new AbortController();
  let next = 0;
  // One object for all calls: each changes it, calls, and leaves it to the next.
  const reused = { external_id: '', customer_id: '', amount: '', currency: '', purpose: '' };

  const playOne = async (index: number): Promise<void> => {
    // Each call has separate random numbers, so that its faults do not depend on the order of the others.
    const own = createRandom(seed * 1_000_003 + index).next;
    const traffic: Traffic = { sent: 0, unsent: 0 };
    const client = clientWithRuntime(
      {
        baseUrl: 'https://sandbox.invalid',
        apiKey: sandbox.apiKey,
        retry: { attempts: 1 + below(own, 4), budget: false },
        deadline: 5_000 + own() * 60_000,
        fetch: badNetwork(sandbox, clock, own, 0.35, traffic),
      },
      jumping(clock, own),
    );
    // Half have a separate external_id. The others meet a running neighbour, some with another amount, or an existing
    // order.
    const kind = own();
    const externalId =
      kind < 0.5 ? hostile(`order-${index}`) : kind < 0.85 ? `shared-${Math.floor(index / 8)}` : oldId(own);
    const amount = own() < 0.9 ? '25.00' : '26.00';
    const marker = hostile(`call-${index}`);
    const ownAbort = new AbortController();
    const cancel = own() < 0.1 ? clock.timer(own() * 3_000, () => ownAbort.abort(marker)) : () => {};
    Object.assign(reused, { external_id: externalId, customer_id: CUSTOMER, amount, currency: 'EUR', purpose: marker });
    const options = { signal: AbortSignal.any([everybody.signal, ownAbort.signal]) };
    const orGet = own() < 0.5;
    const called = orGet
      ? client.invoices.createOrGet(reused, options).withResponse().then(found, failed)
      : client.invoices.create(reused, options).withResponse().then(made, failed);
    Object.assign(reused, { external_id: 'reused', customer_id: 'nobody', amount: '1.00', purpose: '' });
    const result = await called;
    cancel();
    played[index] = { marker, externalId, amount, result, traffic };
  };
  const worker = async (): Promise<void> => {
    while (next < calls) {
      next += 1;
      const index = next - 1;
      if (random() < 0.004) {
        everybody.abort('the process ends'); // all running calls at once
        everybody = new AbortController();
      }
      await playOne(index);
    }
  };
  await clock.run(Promise.all(Array.from({ length: CONCURRENT }, worker)));
  const ends = played.map(endOf);
  const counts: Record<string, number> = {};
  for (const end of [...ends].sort()) countOne(counts, end);
  const report = {
    lies: lies(played, sandbox),
    ends: counts,
    invoices: sandbox.invoices().length,
    requests: played.reduce((sum, { traffic }) => sum + traffic.sent + traffic.unsent, 0),
    digest: createHash('sha256').update(ends.join('\n')).digest('hex').slice(0, 16),
  };
  await sandbox.close();
  return report;
}

/** Backslashes, quotes and apparent escapes, in every text that a customer can choose. */
const hostile = (text: string) => `${text}\\\\"\\u002b${'\\'.repeat(18)}%5c&#92;'`;
const CUSTOMER = hostile('customer');

const oldId = (random: Random) => `old-${below(random, OLD_ORDERS)}`;

async function createOldOrders(sandbox: Sandbox, clock: VirtualClock): Promise<void> {
  const { invoices } = new MerchantClient({
    baseUrl: 'https://sandbox.invalid',
    apiKey: sandbox.apiKey,
    fetch: sandbox.fetch,
  });
  for (let index = 0; index < OLD_ORDERS; index += 1) {
    const order = { external_id: `old-${index}`, customer_id: CUSTOMER, amount: '25.00', currency: 'EUR' };
    await invoices.create({ ...order, purpose: `before-${index}` });
    clock.pass(60_000);
  }
}

/** The clock of one merchant's machine: the wall clock may jump by an hour, durations do not. */
function jumping(clock: VirtualClock, random: Random): Runtime {
  let offset = 0;
  const jump = (): void => {
    if (random() < 0.1) offset += random() < 0.5 ? HOUR : -HOUR;
  };
  return {
    now: () => {
      jump();
      return clock.now() + offset;
    },
    monotonic: () => clock.monotonic(),
    random: () => clock.random(),
    timer: (milliseconds, callback) => clock.timer(milliseconds, callback),
  };
}

type End = Played['result'];
type Client = InstanceType<typeof MerchantClient>['invoices'];
type Made = Awaited<ReturnType<ReturnType<Client['create']>['withResponse']>>;
type Found = Awaited<ReturnType<ReturnType<Client['createOrGet']>['withResponse']>>;

function made({ data, response: { recovered } }: Made): End {
  return { ok: true, value: { invoice: data, created: true, recovered } };
}

function found({ data, response: { recovered } }: Found): End {
  return { ok: true, value: { ...data, recovered } };
}

function failed(error: unknown): End {
  if (isMerchantError(error) && error.kind !== 'webhook') return { ok: false, error };
  throw error; // whatever is not an error of the package is a bug of the package
}

function endOf({ result }: Played): string {
  if (!result.ok) return `${result.error.kind}, ${result.error.outcome}`;
  if (!result.value.created) return 'found';
  return result.value.recovered ? 'recovered' : 'created';
}

if (import.meta.main) {
  const { seed, count: calls } = readRun('chaos', 'calls', 2_000);
  const report = await chaos(seed, calls);
  console.table(report.ends);
  console.log(`${report.invoices} invoices, ${report.requests} requests, digest ${report.digest}`);
  for (const lie of report.lies) console.error(`LIE: ${lie}`);
  console.log(report.lies.length === 0 ? 'Every call reported the truth.' : `${report.lies.length} lies.`);
  process.exitCode = report.lies.length === 0 ? 0 : 1;
}
