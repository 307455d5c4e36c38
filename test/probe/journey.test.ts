import { expect, it } from 'vitest';
import type { DialectSource } from '../../src/dialect-file/dialect-file.ts';
import { withVerdicts } from '../../src/probe/dialect-content.ts';
import { verdictsOf } from '../../src/probe/verdict.ts';
import { createSandbox, type Dialect } from '../../src/sandbox/index.ts';
import { randomDialects } from '../behaviour/random-dialects.ts';
import { scaled } from '../support/scaled.ts';
import { AGAIN } from '../support/seed.ts';
import { livedInAccount } from './account.ts';
import { everythingOf } from './truth.ts';

// A service is probed with everything at hand. A sandbox with the file must then answer as the service does.

const ROOT = '/api/v1/external';
const ORDER = {
  external_id: 'order-1',
  customer_id: 'c-7',
  amount: '25.00',
  currency: 'EUR',
  callback_url: 'http://127.0.0.1/webhook',
};

/** One exchange of the journey, with ids and times replaced by their kind. */
interface Recorded {
  readonly what: string;
  readonly status: number | null;
  readonly headers: readonly string[];
  readonly body: string;
}

const withoutIds = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(uuid)')
    .replace(/[0-9a-f]{64}/g, '(hex)')
    .replace(/[0-9A-F]{64}/g, '(HEX)');

/** Plays the same calls against a sandbox and writes down what it answers and sends. */
async function journey(dialect: Partial<Dialect> | DialectSource): Promise<readonly Recorded[]> {
  const recorded: Recorded[] = [];
  const sandbox = createSandbox({
    seed: 3,
    now: Date.parse('2026-01-31T12:00:00.120Z'),
    deliveryTimestamp: 'sandbox',
    wallClock: () => Date.parse('2026-01-31T12:00:00.120Z'),
    sleep: (_, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
    dialect,
    async fetch(_, init) {
      const headers = { ...(init.headers as Record<string, string>) }; // the sandbox sends a record
      const shown = Object.entries(headers).map(([name, value]) => `${name}: ${value.slice(0, 8)} ${value.length}`);
      recorded.push({ what: 'webhook', status: null, headers: shown, body: String(init.body) });
      return new Response(null, { status: recorded.length % 2 === 0 ? 503 : 200 });
    },
  });
  const ask = async (what: string, body?: object, key = sandbox.apiKey): Promise<void> => {
    const [method = '', path = ''] = what.split(' ');
    const init = { method, headers: { 'X-Api-Key': key }, ...(body && { body: JSON.stringify(body) }) };
    const answer = await sandbox.fetch(sandbox.url + ROOT + path, init);
    const names = [...answer.headers]
      .filter(([name]) => name !== 'x-request-id')
      .map(([name, value]) => `${name}: ${value}`);
    recorded.push({ what, status: answer.status, headers: names, body: withoutIds(await answer.text()) });
  };
  await ask('POST /invoices', ORDER);
  await ask('POST /invoices', ORDER);
  await ask('POST /invoices', { ...ORDER, external_id: 'order-2', callback_url: undefined });
  await ask('GET /invoices/order-1');
  const { uuid } = sandbox.invoice('order-1');
  await sandbox.pay('order-1');
  await sandbox.expire('order-2');
  await sandbox.advance('2m');
  for (const path of [
    '/invoices',
    '/invoices?status=success',
    '/invoices?page=9',
    '/invoices?per_page=0',
    `/invoices/${uuid}`,
  ])
    await ask(`GET ${path}`);
  for (const path of ['/invoices/order-1/webhooks', '/invoices/order-2/webhooks', '/invoices/none/webhooks'])
    await ask(`GET ${path}`);
  for (const path of [
    '/withdrawals',
    '/withdrawals?state=approved&limit=2&p=2',
    '/withdrawals?status=approved&per_page=2&page=2',
  ])
    await ask(`GET ${path}`);
  await ask('GET /withdrawals/5eed0000-0000-4000-8000-000000000003');
  await ask('GET /payment-methods');
  await ask('GET /rates');
  await ask('GET /rates', undefined, 'wrong');
  await ask('POST /invoices/order-1/resend-webhook');
  sandbox.faults.next({ type: 'rate_limit', retryAfter: 3 });
  await ask('GET /rates');
  await sandbox.advance('3m');
  await sandbox.close();
  return recorded;
}

/** Bodies that a proxy sends as well hide the code of a failure, and the status of a rate limit that is not 429. */
const VISIBLE: Partial<Dialect> = { rateLimitStatus: 429, retryAfterForm: 'seconds' };
const mixes = randomDialects(scaled(40)).map(([at, dialect]) => [at, { ...dialect, ...VISIBLE }] as const);

it.each(mixes)(`a sandbox with the file answers as service %i of ${AGAIN}`, async (_, dialect) => {
  const account = await livedInAccount(dialect);
  const verdicts = verdictsOf(await everythingOf(account));
  await account.sandbox.close();
  const copy = JSON.parse(JSON.stringify(withVerdicts(null, verdicts))) as DialectSource; // as it is read from disk
  // All signatures of a run may lack the two characters that tell base64url from base64.
  const { signatureEncoding: _masked, ...others } = dialect;
  expect(await journey(copy)).toEqual(await journey(verdicts.signatureEncoding.kind === 'known' ? dialect : others));
});
