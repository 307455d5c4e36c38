// `node scripts/chaos.ts --seed 7 [--calls 2000]`: creates against the sandbox through a network that fails in every
// way, with concurrent duplicates and aborts, and then asks whether any call has told something that is not true.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MerchantClient } from '../src/client.ts';
import { isMerchantError } from '../src/errors.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { randomOf, VirtualClock } from './chaos/clock.ts';
import { badNetwork, type Traffic } from './chaos/network.ts';
import { lies, type Played } from './chaos/truth.ts';

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
  const random = randomOf(seed);
  const clock = new VirtualClock(randomOf(seed + 1));
  const sandbox = createSandbox({
    seed,
    sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
    now: clock.now(),
    wallClock: () => clock.now(),
  });
  sandbox.faults.random(0.15, seed, SANDBOX_FAULTS);
  const played: Played[] = [];
  let everybody = new AbortController();
  let next = 0;

  const playOne = async (index: number): Promise<void> => {
    // A call has numbers of its own, so that what befalls it does not hang on the order of the others.
    const own = randomOf(seed * 1_000_003 + index);
    const traffic: Traffic = { sent: 0, unsent: 0 };
    const client = new MerchantClient({
      baseUrl: 'https://sandbox.invalid',
      apiKey: sandbox.apiKey,
      runtime: clock,
      retry: { attempts: 1 + Math.floor(own() * 4), budget: false },
      deadline: 5_000 + own() * 60_000,
      fetch: badNetwork(sandbox, clock, own, 0.35, traffic),
    });
    // Six in ten have an external_id of their own; the others meet a neighbour that is under way, some with another amount.
    const externalId = `order-${own() < 0.6 ? index : `shared-${Math.floor(index / 8)}`}`;
    const amount = own() < 0.9 ? '25.00' : '26.00';
    const marker = `call-${index}`;
    const ownAbort = new AbortController();
    const cancel = own() < 0.1 ? clock.timer(own() * 3_000, () => ownAbort.abort(marker)) : () => {};
    const params = { external_id: externalId, customer_id: 'customer', amount, currency: 'EUR', purpose: marker };
    const options = { signal: AbortSignal.any([everybody.signal, ownAbort.signal]) };
    const orGet = own() < 0.5;
    const result = orGet
      ? await client.invoices.createOrGet(params, options).withResponse().then(found, failed)
      : await client.invoices.create(params, options).withResponse().then(made, failed);
    cancel();
    played[index] = { marker, externalId, amount, result, traffic };
  };
  const worker = async (): Promise<void> => {
    while (next < calls) {
      next += 1;
      const index = next - 1;
      if (random() < 0.004) {
        everybody.abort('the process ends'); // all calls under way at once
        everybody = new AbortController();
      }
      await playOne(index);
    }
  };
  await clock.run(Promise.all(Array.from({ length: CONCURRENT }, worker)));
  const ends = played.map(endOf);
  const report = {
    lies: lies(played, sandbox),
    ends: count(ends),
    invoices: sandbox.invoices().length,
    requests: played.reduce((sum, { traffic }) => sum + traffic.sent + traffic.unsent, 0),
    digest: createHash('sha256').update(ends.join('\n')).digest('hex').slice(0, 16),
  };
  await sandbox.close();
  return report;
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

function count(ends: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const end of [...ends].sort()) counts[end] = (counts[end] ?? 0) + 1;
  return counts;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { seed: { type: 'string' }, calls: { type: 'string', default: '2000' } } });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
  const calls = Number(values.calls);
  if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(calls) || calls < 1) {
    throw new Error('--seed and --calls take whole numbers');
  }
  console.log(`chaos: ${calls} calls, seed ${seed} (repeat with --seed ${seed} --calls ${calls})`);
  const report = await chaos(seed, calls);
  console.table(report.ends);
  console.log(`${report.invoices} invoices, ${report.requests} requests, digest ${report.digest}`);
  for (const lie of report.lies) console.error(`LIE: ${lie}`);
  console.log(report.lies.length === 0 ? 'Every call told the truth.' : `${report.lies.length} lies.`);
  process.exitCode = report.lies.length === 0 ? 0 : 1;
}
