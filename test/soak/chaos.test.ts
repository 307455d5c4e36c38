import { describe, expect, it } from 'vitest';
import { clientWithRuntime } from '../../src/client.ts';
import { type CreatedInvoice, isMerchantError, MerchantClient, type MerchantClientOptions } from '../../src/index.ts';
import type { Sandbox } from '../../src/tools/sandbox/index.ts';
import type { Runtime } from '../../src/transport/limits.ts';
import { below, oneOf, type Random, randomOf } from '../support/random.ts';
import { AGAIN, SEED } from '../support/seed.ts';
import { testSandbox } from '../support/test-sandbox.ts';
import { badNetwork, type Traffic } from './chaos/network.ts';
import { VirtualClock } from './chaos/virtual-clock.ts';
import { soaked } from './size.ts';

// Creations at the sandbox through a network that fails in every way: concurrent duplicates, aborts, orders that existed
// before, reused parameter objects, answers of other orders, wall clocks that jump by an hour, and backslashes in every
// text. What each call reported must be true.

type End =
  | { readonly ok: true; readonly invoice: CreatedInvoice; readonly created: boolean; readonly recovered: boolean }
  | { readonly ok: false; readonly kind: string; readonly outcome: string };

/** One call, and how it ended. Its purpose marks the invoice that it created, if it did. */
interface Played {
  readonly marker: string;
  readonly externalId: string;
  readonly amount: string;
  readonly end: End;
  readonly traffic: Traffic;
}

const CONCURRENT = 40;
const OLD_ORDERS = 60;
const SANDBOX_FAULTS = [
  ...([
    'rate_limit',
    'server_error',
    'html',
    'hang',
    'reset_before',
    'reset_after',
    'truncated',
    'malformed',
    'slow',
  ] as const),
  ...(['server_error', 'hang'] as const).map((type) => ({ type, afterWork: true })),
];

/** Backslashes, quotes and apparent escapes, in every text that a customer can choose. */
const hostile = (text: string) => `${text}\\\\"\\u002b${'\\'.repeat(18)}%5c&#92;'`;
const CUSTOMER = hostile('customer');
const URL = 'https://sandbox.invalid';

/** The clock of one merchant's machine: the wall clock may jump by an hour, durations do not. */
function jumping(clock: VirtualClock, random: Random): Runtime {
  let offset = 0;
  return {
    now: () => {
      if (random() < 0.1) offset += random() < 0.5 ? 3_600_000 : -3_600_000;
      return clock.now() + offset;
    },
    monotonic: () => clock.now(),
    random: () => clock.random(),
    timer: (milliseconds, callback) => clock.timer(milliseconds, callback),
  };
}

async function chaos(seed: number, calls: number) {
  const clock = new VirtualClock(randomOf(seed, 'clock'));
  const sandbox = testSandbox({
    seed,
    sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
    now: clock.now(),
    clock: 'real',
    lifetime: '300d',
    wallClock: () => clock.now(),
  });
  const owner = new MerchantClient({ baseUrl: URL, apiKey: sandbox.apiKey, fetch: sandbox.fetch });
  for (let index = 0; index < OLD_ORDERS; index += 1) {
    const order = { external_id: `old-${index}`, customer_id: CUSTOMER, amount: '25.00', currency: 'EUR' };
    await owner.invoices.create({ ...order, purpose: `before-${index}` });
    clock.pass(60_000);
  }
  for (const [at, fault] of SANDBOX_FAULTS.entries())
    sandbox.faults.next(fault, {
      rate: 0.15 / SANDBOX_FAULTS.length,
      times: Number.POSITIVE_INFINITY,
      seed: `${seed} ${at}`,
    });
  const played: Played[] = [];
  const random = randomOf(seed);
  let everybody = new AbortController();
  // One object for all calls: each changes it, calls, and leaves it to the next.
  const reused = { external_id: '', customer_id: '', amount: '', currency: 'EUR', purpose: '' };

  const playOne = async (index: number): Promise<void> => {
    const own = randomOf(seed, index); // so that its faults do not depend on the order of the others
    const traffic: Traffic = { sent: 0, unsent: 0 };
    const options: MerchantClientOptions = {
      baseUrl: URL,
      apiKey: sandbox.apiKey,
      retry: { attempts: 1 + below(own, 4) },
      deadline: 5_000 + own() * 60_000,
      fetch: badNetwork(sandbox, clock, own, traffic),
    };
    const { invoices } = clientWithRuntime(options, jumping(clock, own));
    // Half have an external_id of their own. The others meet a running neighbour, or an order that exists.
    const [ownId, shared, old] = [hostile(`order-${index}`), `shared-${index >> 3}`, `old-${below(own, OLD_ORDERS)}`];
    const externalId = oneOf(own, [ownId, ownId, ownId, shared, shared, old]);
    const amount = own() < 0.9 ? '25.00' : '26.00';
    const marker = hostile(`call-${index}`);
    const abort = new AbortController();
    const cancel = own() < 0.1 ? clock.timer(own() * 3_000, () => abort.abort(marker)) : () => {};
    Object.assign(reused, { external_id: externalId, customer_id: CUSTOMER, amount, purpose: marker });
    const callOptions = { signal: AbortSignal.any([everybody.signal, abort.signal]) };
    const called = own() < 0.5 ? invoices.createOrRenew(reused, callOptions) : invoices.create(reused, callOptions);
    const ended = called.withResponse().then(
      ({ data, response: { recovered } }): End =>
        'invoice' in data ? { ok: true, ...data, recovered } : { ok: true, invoice: data, created: true, recovered },
      (error): End => {
        if (!isMerchantError(error) || !('outcome' in error)) throw error; // a bug of the package
        return { ok: false, kind: error.kind, outcome: error.outcome };
      },
    );
    Object.assign(reused, { external_id: 'reused', customer_id: 'nobody', amount: '1.00', purpose: '' });
    const end = await ended;
    cancel();
    played[index] = { marker, externalId, amount, end, traffic };
  };
  let next = 0;
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
  const ends = played.map(({ end }) => {
    if (!end.ok) return `${end.kind}, ${end.outcome}`;
    return end.created ? (end.recovered ? 'recovered' : 'created') : 'found';
  });
  const report = { lies: lies(played, sandbox), ends, invoices: sandbox.invoices().length };
  await sandbox.close();
  return report;
}

/** The reports that are not true. Empty if the end of every call agrees with the service. */
function lies(played: readonly Played[], sandbox: Pick<Sandbox, 'invoices'>): string[] {
  const found: string[] = [];
  const invoices = new Map<string, ReturnType<Sandbox['invoices']>[number]>();
  for (const invoice of sandbox.invoices()) {
    if (invoices.has(invoice.external_id)) found.push(`${invoice.external_id} was created twice`);
    invoices.set(invoice.external_id, invoice);
  }
  for (const { marker, externalId, amount, end, traffic } of played) {
    const truth = invoices.get(externalId);
    const byThisCall = truth?.purpose === marker;
    const isSame = Number(truth?.amount) === Number(amount);
    const lie = (condition: boolean, text: string) => condition && found.push(`${marker} (${externalId}): ${text}`);
    if (end.ok) {
      lie(truth === undefined, 'reported as created, and does not exist');
      lie(truth !== undefined && truth.uuid !== end.invoice.uuid, 'another invoice than the one that exists');
      lie(end.invoice.external_id !== externalId, 'the invoice of another order');
      lie(truth !== undefined && !isSame, 'reported as this order, and has another amount');
      lie(end.created !== byThisCall, `reported as ${end.created ? 'created' : 'found'}, and is not`);
      continue;
    }
    const { kind, outcome } = end;
    lie(byThisCall && outcome !== 'unknown', `reported as ${outcome}, and this call created it`);
    lie(outcome === 'not_sent' && traffic.sent > 0, 'reported as not sent, and requests were running');
    // An abort may come between a failed connection and its report. Then the outcome cannot be known.
    lie(outcome === 'unknown' && traffic.sent === 0 && kind !== 'aborted', 'reported as unknown, and nothing was sent');
    lie(kind === 'conflict' && truth === undefined, 'a conflict with an invoice that does not exist');
    lie(kind === 'mismatch' && (truth === undefined || isSame), 'reported as a mismatch, but the amounts agree');
  }
  return found;
}

describe(`creations through a network that fails in every way, ${AGAIN}`, () => {
  it('report the truth', { timeout: 3_600_000 }, async () => {
    const calls = soaked(400, 8_000);
    const report = await chaos(SEED, calls);
    expect(report.lies).toEqual([]);
    const ends = new Map(
      [...new Set(report.ends)].sort().map((end) => [end, report.ends.filter((each) => each === end).length]),
    );
    // A run in which nothing went wrong would prove nothing.
    const expected = ['created', 'recovered', 'found', 'aborted, unknown', 'conflict, rejected', 'server, unknown'];
    expect([...ends.keys()]).toEqual(expect.arrayContaining(expected));
    console.log(
      `chaos: ${calls} calls, ${report.invoices} invoices, ${report.lies.length} lies: ${[...ends].map((each) => each.join(' ')).join('; ')}`,
    );
  });

  it('repeat with their seed', async () => {
    const [first, again, another] = [await chaos(7, 120), await chaos(7, 120), await chaos(8, 120)];
    expect(again).toEqual(first);
    expect(another.ends).not.toEqual(first.ends);
  });
});
