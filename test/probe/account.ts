import { isObject } from '../../src/contract/json.ts';
import type { Captured } from '../../src/probe/captured.ts';
import { type Door, type ProbeResult, runProbe } from '../../src/probe/run.ts';
import { type ProbeOptions, stepsOf } from '../../src/probe/steps.ts';
import { type Sighting, sightingsOf } from '../../src/probe/verdict.ts';
import { createSandbox, type Dialect, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';

/** A delivery as the receiver of the account got it. */
interface Arrived {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly at: number;
}

/** A sandbox in this process, as a service with an account. */
export interface Account {
  readonly sandbox: Sandbox;
  readonly arrived: readonly Arrived[];
  /** The path and method of each request that was made. */
  readonly asked: readonly string[];
}

const START = Date.parse('2026-01-31T12:00:00.120Z');
const CALLBACK = 'http://127.0.0.1/webhook';
const ORDER = { customer_id: 'customer-7', amount: '25.00', currency: 'EUR' };

/** An account without invoices. Methods, rates and withdrawals are those of the sandbox, unless options say otherwise. */
export function emptyAccount(dialect: Partial<Dialect>, options: SandboxOptions = {}): Account {
  const arrived: Arrived[] = [];
  const asked: string[] = [];
  const sandbox: Sandbox = createSandbox({
    seed: 7,
    now: START,
    dialect,
    deliveryTimestamp: 'sandbox',
    sleep: (_, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
    async fetch(_, init) {
      const headers = { ...(init.headers as Record<string, string>) }; // the sandbox sends a record
      arrived.push({ headers, body: String(init.body), at: sandbox.now().getTime() });
      return new Response(null, { status: String(init.body).includes('refused') ? 503 : 200 });
    },
    onEvent(event) {
      if (event.kind === 'request') asked.push(`${event.method} ${event.path}${event.query}`);
    },
    ...options,
  });
  return { sandbox, arrived, asked };
}

/** An account with every kind of invoice and delivery: paid, refused by the receiver and given up, waiting, silent. */
export async function livedInAccount(dialect: Partial<Dialect>, options: SandboxOptions = {}): Promise<Account> {
  const account = emptyAccount(dialect, options);
  const { sandbox } = account;
  const create = async (external_id: string, more: object = { callback_url: CALLBACK }): Promise<void> => {
    const body = JSON.stringify({ external_id, ...ORDER, ...more });
    const init = { method: 'POST', headers: { 'X-Api-Key': sandbox.apiKey }, body };
    await sandbox.fetch(`${sandbox.url}/api/v1/external/invoices`, init);
    await sandbox.advance(1_000);
  };
  await create('order-paid');
  await sandbox.pay('order-paid');
  await create('order-canceled');
  await sandbox.cancel('order-canceled');
  await create('order-refused-1');
  await sandbox.pay('order-refused-1');
  await sandbox.advance('21h'); // given up
  await create('order-silent', {});
  await sandbox.expire('order-silent');
  await create('order-refused-2');
  await sandbox.pay('order-refused-2');
  await sandbox.advance('2m'); // two attempts, the third is waiting
  await create('order-pending');
  return account;
}

/** A door without a network, whose waits end at once. Each wait is noted. */
export function doorTo({ sandbox }: Account, waits: number[] = [], signal = new AbortController().signal): Door {
  return {
    signal,
    async send(method, { path, body, hasWrongKey }) {
      const response = await sandbox.fetch(sandbox.url + path, {
        method,
        headers: { 'X-Api-Key': hasWrongKey ? 'wrong' : sandbox.apiKey },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    async wait(milliseconds) {
      if (milliseconds > 0) waits.push(milliseconds);
    },
  };
}

export function probe(account: Account, options: ProbeOptions = {}): Promise<ProbeResult> {
  return runProbe(stepsOf(options), doorTo(account), { pace: 0 });
}

/** The clues of every webhook that the account's receiver got. */
export function learned({ arrived }: Account, knownIds: readonly string[] = []): readonly Sighting[] {
  const seen: Captured[] = [];
  return arrived.flatMap(({ headers, body, at: arrivedAt }) => {
    const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const parsed: unknown = JSON.parse(body);
    if (!isObject(parsed)) return [];
    const earlier = seen.filter((each) => each.headers.get('x-webhook-id') === byName.get('x-webhook-id'));
    const captured = {
      at: 'POST {callback_url}',
      headers: byName,
      body: parsed,
      arrivedAt,
      earlier,
      knownIds: new Set(knownIds),
    };
    seen.push(captured);
    return sightingsOf(captured);
  });
}
