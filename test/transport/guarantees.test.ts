import { afterEach, expect, test, vi } from 'vitest';
import { clientWithRuntime, MerchantClient } from '../../src/client.ts';
import { FakeRuntime, TIMEOUT } from '../support/fake-runtime.ts';
import { errorOf, order } from '../support/test-client.ts';

const options = { baseUrl: 'https://pay.example', apiKey: 'key_1', timeout: TIMEOUT };
const refuse = (status: number, error: object, headers = {}) =>
  Response.json({ success: false, error }, { status, headers });

afterEach(() => vi.unstubAllEnvs());

test('a call waits at the gate no longer than its own maxRetryAfter, and is told the rate limit at once', async () => {
  const runtime = new FakeRuntime(0.5);
  const fetch = vi.fn(async () => refuse(429, { code: 'SLOW_DOWN' }, { 'retry-after': '25' }));
  const { invoices, rates } = clientWithRuntime({ ...options, fetch }, runtime);
  await errorOf(rates.list({}, { retry: { maxRetryAfter: 60_000, attempts: 1 } }));
  const error = await errorOf(invoices.create(order));
  expect(error).toMatchObject({
    kind: 'rate_limit',
    outcome: 'not_sent',
    stoppedBy: 'retry_after',
    retryAfter: 25_000,
  });
  expect(error).toMatchObject({ operation: 'invoices.create', externalId: 'order-1042', attempts: [] });
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(runtime.waits).toEqual([]);
});

test('no attempt is sent after a wait that leaves it no time to be answered', async () => {
  const runtime = new FakeRuntime(0);
  const fetch = vi.fn(async () => refuse(429, { code: 'SLOW_DOWN' }, { 'retry-after': '8' }));
  const { invoices, rates } = clientWithRuntime({ ...options, fetch }, runtime);
  await errorOf(rates.list({}, { retry: false }));
  const error = await errorOf(invoices.create(order, { deadline: 8_300 }));
  expect(error).toMatchObject({ kind: 'rate_limit', outcome: 'not_sent', stoppedBy: 'deadline' });
  expect(fetch).toHaveBeenCalledTimes(1);
});

test.each([6_000, 200_000])('a refusal that is nested %i levels deep is a refusal', async (levels) => {
  const body = `{"error":{"code":"NO","details":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
  const fetch = vi.fn(async () => new Response(body, { status: 400 }));
  const error = await errorOf(new MerchantClient({ ...options, fetch }).invoices.create(order));
  expect(error).toMatchObject({ kind: 'request', status: 400, outcome: 'rejected' });
  expect(fetch).toHaveBeenCalledTimes(1);
});

test('a success that is nested too deeply is a contract error, which names its page and anchor', async () => {
  const fetch = async () => new Response(`{"data":${'['.repeat(6_000)}${']'.repeat(6_000)}}`);
  const client = new MerchantClient({ ...options, fetch });
  const message = /: the response is nested deeper than 100 levels \(HTTP 200\)\. See docs\/errors\.md#sdk_contract$/;
  for (const call of [client.rates.list(), client.request({ method: 'GET', path: '/' })]) {
    expect(await errorOf(call)).toMatchObject({ code: 'SDK_CONTRACT', message: expect.stringMatching(message) });
  }
});

test('each error of a burst hides the key of its own attempt', async () => {
  let given = 0;
  const client = new MerchantClient({
    ...options,
    apiKey: async () => {
      given += 1;
      return `key_rotated_${given}_9Lm`;
    },
    fetch: async (_, { headers }) => refuse(400, { code: 'NO', message: `you sent ${headers.get('x-api-key')}` }),
  });
  const errors = await Promise.all(Array.from({ length: 41 }, () => errorOf(client.rates.list())));
  for (const error of errors) {
    expect(error.message).toContain('you sent [redacted]');
    expect(JSON.stringify(error)).not.toContain('key_rotated');
    expect('raw' in error && error.raw).not.toContain('key_rotated');
  }
});

test('a conflict that names another order shows nothing of that order', async () => {
  const details = { external_id: 'order-9', customer_id: 'anna', payment_url: 'https://pay.example/p/9', uuid: 'u-9' };
  const fetch = async () => refuse(409, { code: 'INVOICE_ALREADY_EXISTS', message: 'order-9 exists', details });
  const error = await errorOf(new MerchantClient({ ...options, fetch }).invoices.create(order));
  expect(error).toMatchObject({ kind: 'conflict', outcome: 'unknown', details: null, raw: '', existingStatus: null });
  expect(JSON.stringify(error)).not.toMatch(/order-9|anna|u-9/);
});

test('a createOrGet that cannot read the invoice does not advise createOrGet', async () => {
  const fetch = async (_: string, { method }: { readonly method: string }) =>
    method === 'POST' ? refuse(409, { code: 'INVOICE_ALREADY_EXISTS' }) : refuse(404, { code: 'NO' });
  const error = await errorOf(new MerchantClient({ ...options, fetch }).invoices.createOrGet(order));
  expect(error.message).toContain('could not be read');
  expect(error.message).not.toContain('createOrGet returns');
});

test('the public secret of the sandbox is said loudly, once, whatever the environment is called', () => {
  const lines: string[] = [];
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line));
  vi.stubEnv('MERCHANT_SANDBOX', undefined);
  for (const name of ['production', 'prod', undefined]) {
    vi.stubEnv('NODE_ENV', name);
    new MerchantClient({ ...options, webhookSecret: ['whsec_5Tg8', 'whsec_sandbox'] });
    new MerchantClient(options).withOptions({ webhookSecret: 'whsec_sandbox' });
  }
  expect(lines).toEqual([expect.stringMatching(/whsec_sandbox, which everybody knows.*are refused/)]);
});
