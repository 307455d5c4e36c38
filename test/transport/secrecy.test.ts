import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { MerchantClient } from '../../src/client.ts';
import { InvoiceMismatchError } from '../../src/errors.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { closedPort, type Step, serve } from '../support/fault-server.ts';
import * as steps from '../support/fault-steps.ts';
import { pendingInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';
import { untrusted } from '../support/tls-server.ts';

const KEY = 'key/7Hq2<Zx>&"9Lm+secret';
const SECRET = 'whsec_5Tg8/kQ"p1';
const HEADER = 'tenant-token-4Wd7';
const CLIENT_HEADER = 'proxy-token-8Rk3';
const PURPOSE = 'Zwei Karten für "Søren"';
const CUSTOMER = 'anna.b@customer.example';
const CALLBACK = 'https://shop.example/hook?token=cb_2Yx6';
const MARKERS = [KEY, SECRET, HEADER, CLIENT_HEADER, PURPOSE, CUSTOMER, CALLBACK];

/** What of a marker may not be seen in any spelling: each has one run of letters that is in no other text. */
const TRACES = ['7Hq2', '9Lm', '5Tg8', 'kQ', '4Wd7', '8Rk3', 'Zwei Karten', 'anna.b', 'cb_2Yx6'];

const params = { ...order, customer_id: CUSTOMER, purpose: PURPOSE, callback_url: CALLBACK };
const options = { headers: { 'x-tenant': HEADER } };

const CALLS = {
  create: (client: MerchantClient) => client.invoices.create(params, options),
  createOrGet: (client: MerchantClient) => client.invoices.createOrGet(params, options),
  list: (client: MerchantClient) => client.invoices.list({}, options),
  resend: (client: MerchantClient) => client.webhooks.resend('order-1042', options),
};

/** Every way in which somebody could come to see the inside of a value. */
function everyView(value: unknown): string {
  const views = [
    JSON.stringify(value),
    inspect(value, { showHidden: true, depth: 10, maxArrayLength: null, maxStringLength: null }),
    String(value),
    ...walk(value, new Set()),
  ];
  try {
    views.push(inspect(structuredClone(value), { showHidden: true, depth: 10 }));
  } catch {
    // functions and class instances cannot be cloned: nothing to see
  }
  return views.join('\n');
}

function walk(value: unknown, seen: Set<unknown>): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || seen.has(value) || seen.size > 5_000) return [];
  seen.add(value);
  return Reflect.ownKeys(value).flatMap((key) => [String(key), ...walk(Reflect.get(value, key), seen)]);
}

function expectNoTrace(what: string, value: unknown): void {
  const view = everyView(value);
  for (const trace of TRACES) {
    const at = view.indexOf(trace);
    expect(at === -1 ? '' : `${what}: …${view.slice(Math.max(0, at - 80), at + 80)}…`).toBe('');
  }
}

/** All errors that a client has in each of the calls, with what its hooks and its logger were told. */
async function expectSecrecy(address: string, runtime: FakeRuntime, apiKey: string | (() => string) = KEY) {
  const told: unknown[] = [];
  const note = (...args: unknown[]) => void told.push(args);
  const client = clientOf(address, {
    apiKey,
    webhookSecret: SECRET,
    headers: { 'x-proxy': CLIENT_HEADER },
    hooks: { onRequest: note, onResponse: note, onRetry: note, onError: note },
    logger: { debug: note, info: note, warn: note, error: note },
    runtime,
  });
  for (const [name, call] of Object.entries(CALLS)) expectNoTrace(name, await errorOf(call(client)));
  expectNoTrace('client', client);
  expectNoTrace('hooks and logger', told);
  expect(told.length).toBeGreaterThan(0);
}

const echoing = (status: number): Step => steps.echo(status);
const endlessEcho = (tail: (text: string) => string, end: 'reset' | 'end' | 'stall', status: number) => {
  return (runtime: FakeRuntime): Step => ({
    play({ request, response }) {
      const text = tail(`${request.headers['x-api-key']}`);
      response.writeHead(status, { 'content-type': 'text/plain', 'content-length': '9999' });
      response.write(text, () =>
        setTimeout(() => {
          if (end === 'stall') runtime.expire();
          else if (end === 'reset') response.socket?.resetAndDestroy();
          else response.socket?.end();
        }, 20),
      );
    },
  });
};

const FAULTS: Readonly<Record<string, (runtime: FakeRuntime) => Step>> = {
  ...Object.fromEntries(
    [200, 302, 400, 401, 403, 404, 408, 409, 422, 429, 500, 501, 503, 520].map((status) => [
      `an echo under ${status}`,
      () => echoing(status),
    ]),
  ),
  'an echo as a success': () => steps.echo(200, true),
  'an echo of the conflict': () => ({
    play({ request, response }) {
      const details = {
        ...request.headers,
        external_id: request.headers['x-api-key'],
        status: request.headers['x-api-key'],
      };
      steps.refuse(409, 'INVOICE_ALREADY_EXISTS', details).play({ request, response });
    },
  }),
  'an echo as a page': () => ({
    play({ request, response }) {
      const text = `${JSON.stringify(request.headers)}${Buffer.from(request.body, 'latin1')}`;
      const html = text.replace(/[<>&"]/g, (c) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;' })[c] ?? '&quot;');
      response.writeHead(500, { 'content-type': 'text/html' }).end(`<pre>${html}</pre>`);
    },
  }),
  'an echo with escaped slashes and letters': () => ({
    play({ request, response }) {
      const text = JSON.stringify({ ...request.headers, body: Buffer.from(request.body, 'latin1').toString() });
      const escaped = text
        .replaceAll('/', '\\/')
        .replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
      response.writeHead(500, { 'content-type': 'application/json' }).end(escaped);
    },
  }),
  'a key many times': () => ({
    play: ({ request, response }) =>
      response.writeHead(500).end(`${request.headers['x-api-key']}${request.headers['x-tenant']}`.repeat(2_000)),
  }),
  'a body that breaks inside the key': endlessEcho((key) => `you sent ${key.slice(0, 12)}`, 'reset', 500),
  'a body that ends inside the key': endlessEcho((key) => `you sent ${key.slice(0, 12)}`, 'end', 401),
  'a body that stalls inside the key': endlessEcho((key) => `you sent ${key.slice(0, 12)}`, 'stall', 403),
  'a success that breaks inside the key': endlessEcho((key) => `you sent ${key.slice(0, 12)}`, 'reset', 200),
  'a redirect that names the key': () => ({
    play: ({ request, response }) =>
      response
        .writeHead(302, {
          location: `https://elsewhere.example/${encodeURIComponent(request.headers['x-api-key'] ?? '')}`,
        })
        .end(request.headers['x-api-key']),
  }),
  'a reset before reading': () => steps.resetBeforeReading,
  'a reset after reading': () => steps.resetAfterReading,
  'a stall': (runtime) => steps.stall(runtime.expire),
  'another shape': () => steps.ok({ items: KEY, page: SECRET }),
};

describe('no error, hook or log line shows key, secret, headers or body', () => {
  test.each(Object.entries(FAULTS))('%s', async (_name, fault) => {
    const runtime = new FakeRuntime();
    const server = await serve(fault(runtime));
    // Resend takes any success for one.
    const resendSucceeds = /success$|another shape/.test(_name);
    if (resendSucceeds) {
      const client = clientOf(server.url, {
        apiKey: KEY,
        webhookSecret: SECRET,
        headers: { 'x-proxy': CLIENT_HEADER },
        runtime,
      });
      const error = await errorOf(CALLS.create(client));
      return expectNoTrace('create', error);
    }
    await expectSecrecy(server.url, runtime);
    const sent = server.requests[0];
    expect(sent?.headers['x-api-key'], 'the key did travel').toBe(KEY);
    expect(sent?.headers['x-tenant']).toBe(HEADER);
    expect(sent?.headers['x-proxy']).toBe(CLIENT_HEADER);
  });

  test('nobody listens, or nobody trusts', async () => {
    await expectSecrecy(await closedPort(), new FakeRuntime());
    await expectSecrecy(await untrusted(() => {}), new FakeRuntime());
    await expectSecrecy('https://pay.example:6000', new FakeRuntime());
  });

  test('keys that a function gives, also after a hundred others', async () => {
    const server = await serve(echoing(400));
    let given = 0;
    const apiKey = () => {
      given += 1;
      return `7Hq2-${'rotated'.repeat(8)}-${given}-9Lm`;
    };
    const runtime = new FakeRuntime();
    for (let round = 0; round < 25; round += 1) await expectSecrecy(server.url, runtime, apiKey);
    const client = clientOf(server.url, { apiKey, webhookSecret: SECRET, retry: false });
    for (let call = 0; call < 100; call += 1) await errorOf(client.rates.list());
    server.script = [
      steps.answer(400, { error: { message: `${SECRET} 7Hq2-${'rotated'.repeat(8)}-${given + 1}-9Lm` } }),
    ];
    expectNoTrace('after rotation', await errorOf(client.rates.list()));
  });

  test('a fetch that fails with all it was given', async () => {
    const client = clientOf('https://pay.example', {
      apiKey: KEY,
      runtime: new FakeRuntime(),
      fetch: (url, init) =>
        Promise.reject(
          Object.assign(new Error(`${url} ${JSON.stringify([...init.headers])} ${init.body}`), {
            request: init,
            cause: Object.assign(new Error(`cause ${init.headers.get('x-api-key')}`), { code: 'ECONNRESET', init }),
          }),
        ),
    });
    for (const call of Object.values(CALLS)) expectNoTrace('fetch', await errorOf(call(client)));
  });

  test('a key function that fails with the key in its error', async () => {
    const apiKey = () => Promise.reject(new Error(`vault said ${KEY}`));
    for (const call of Object.values(CALLS)) {
      const error = await errorOf(call(clientOf('https://pay.example', { apiKey, runtime: new FakeRuntime() })));
      expect(error).toMatchObject({ code: 'SDK_API_KEY', kind: 'configuration' });
      expectNoTrace('key function', error);
    }
  });

  test('local checks never quote a value', async () => {
    const client = clientOf('https://pay.example', { apiKey: KEY });
    const bad = { ...params, amount: KEY, currency: KEY, callback_url: `ftp://${KEY}`, external_id: KEY.repeat(9) };
    expectNoTrace('parameters', await errorOf(client.invoices.create(bad)));
    expectNoTrace('headers', await errorOf(client.rates.list({}, { headers: { 'x-tenant': `${KEY}\r\nx: y` } })));
    expectNoTrace('X-Api-Key', await errorOf(client.rates.list({}, { headers: { 'X-Api-Key': KEY } })));
  });

  test('the error of a mismatch shows the existing invoice and not the request', async () => {
    const server = await serve(steps.refuse(409, 'INVOICE_ALREADY_EXISTS'), steps.ok(pendingInvoice));
    const error = await errorOf(CALLS.createOrGet(clientOf(server.url, { apiKey: KEY })));
    expect(error).toBeInstanceOf(InvoiceMismatchError);
    expectNoTrace('mismatch', error);
  });
});

test.each([
  ['back slashes', '\\'],
  ['what a hidden value begins with', '+'],
  ['a beginning that goes on', '\\u002b'],
])('a body of nothing but %s is looked through once', async (_name, piece) => {
  // Looked through once for each place in it, this would take minutes.
  const server = await serve(steps.answer(500, piece.repeat(200_000)));
  const client = clientOf(server.url, { apiKey: '+k', retry: false });
  const error = await errorOf(client.invoices.create({ ...order, customer_id: '+79001234567', purpose: 'Два билета' }));
  expect(error).toMatchObject({ kind: 'server' });
});

test.each([1, 2, 3, 4])('a hidden value is found in JSON inside JSON, %i deep', async (depth) => {
  let text = 'to +7900"12';
  for (let level = 0; level < depth; level += 1) text = JSON.stringify(text);
  const server = await serve(steps.answer(400, `{"error":${text}}`));
  const error = await errorOf(clientOf(server.url).invoices.create({ ...order, customer_id: '+7900"12' }));
  expect(error).toMatchObject({ raw: expect.stringContaining('[redacted]') });
  expect(everyView(error)).not.toContain('7900');
});

test('what hides and what does not', async () => {
  const server = await serve(
    steps.answer(422, { detail: [{ loc: ['body', 'purpose'], msg: `"purpose" is bad for order-1042 of 25.00 EUR` }] }),
  );
  const error = await errorOf(clientOf(server.url).invoices.create({ ...order, purpose: 'purpose' }));
  expect(error).toMatchObject({ issues: [{ path: 'purpose' }] });
  expect(error.message).toContain('order-1042 of 25.00 EUR');
  expect(MARKERS).toHaveLength(7);
});

test.each<[string, object, Record<string, string>, object]>([
  ['a customer id inside the external_id', { customer_id: 'ORDER-10' }, {}, { externalId: 'order-1042' }],
  ['a customer id that is the external_id', { customer_id: 'order-1042' }, {}, { externalId: 'order-1042' }],
  ['an own header that repeats it', {}, { 'idempotency-key': 'order-1042' }, { externalId: 'order-1042' }],
  ['a purpose that is the status', { purpose: 'pending' }, {}, { existingStatus: 'pending' }],
])('%s does not hide what names the charge', async (_name, given, headers, expected) => {
  const details = { external_id: 'order-1042', status: 'pending' };
  const server = await serve(steps.refuse(409, 'INVOICE_ALREADY_EXISTS', details));
  const error = await errorOf(clientOf(server.url).invoices.create({ ...order, ...given }, { headers }));
  expect(error).toMatchObject({ kind: 'conflict', details, ...expected });
});

test.each([
  ['a line break in JSON', '{"error":{"code":"BAD_KEY","message":"no such key:\\nsk_test_secret"}}'],
  ['an encoded sign', 'q=key%3Dsk_test_secret'],
  ['other letters', '{"error":{"code":"NO_sk_test_secret_here"}}'],
])('a key of letters alone is hidden behind %s', async (_name, body) => {
  const server = await serve(steps.answer(400, body));
  const error = await errorOf(clientOf(server.url, { apiKey: 'sk_test_secret' }).rates.list());
  expect(error).toMatchObject({ kind: 'request', raw: expect.stringContaining('[redacted]') });
  expect(everyView(error)).not.toContain('sk_test_secret');
});
