import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { MerchantClient } from '../../src/client.ts';
import { hasCode } from '../../src/errors/guards.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { closedPort, type SeenRequest, type Step, serve } from '../support/fault-server.ts';
import * as steps from '../support/fault-steps.ts';
import { pendingInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';
import { untrusted } from '../support/tls-server.ts';

const KEY = 'key/7Hq2<Zx>&"9Lm+secret';
/** The key of an earlier client, of which `withOptions` made the one that calls. */
const SECRET = 'key_5Tg8/kQ"p1';
const HEADER = 'tenant-token-4Wd7';
const CLIENT_HEADER = 'proxy-token-8Rk3';
const PURPOSE = 'Zwei Karten für "Søren"';
const CUSTOMER = 'anna.b@customer.example';
const CALLBACK = 'https://shop.example/hook?token=cb_2Yx6';

/** What of the keys may not be seen in any spelling: each has one run of letters that is in no other text. */
const TRACES = ['7Hq2', '9Lm', '5Tg8', 'kQ'];
/** What of a request is in no error of ours: only where the service echoes it. */
const REQUEST_TRACES = ['4Wd7', '8Rk3', 'Zwei Karten', 'anna.b', 'cb_2Yx6'];

const params = { ...order, customer_id: CUSTOMER, purpose: PURPOSE, callback_url: CALLBACK };
const options = { headers: { 'x-tenant': HEADER } };

const CALLS = {
  create: (client: MerchantClient) => client.invoices.create(params, options),
  createOrRenew: (client: MerchantClient) => client.invoices.createOrRenew(params, options),
  ofOrder: (client: MerchantClient) => client.invoices.ofOrder('order-1042', options),
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

function expectNoTrace(what: string, value: unknown, traces: readonly string[] = [...TRACES, ...REQUEST_TRACES]): void {
  const view = everyView(value);
  for (const trace of traces) {
    const at = view.indexOf(trace);
    expect(at === -1 ? '' : `${what}: …${view.slice(Math.max(0, at - 80), at + 80)}…`).toBe('');
  }
}

/** The errors that a client has in each of these calls, and what its hooks were told. */
async function expectSecrecy(
  address: string,
  runtime: FakeRuntime,
  traces: readonly string[] = [...TRACES, ...REQUEST_TRACES],
  calls: readonly ((client: MerchantClient) => PromiseLike<unknown>)[] = Object.values(CALLS),
) {
  const told: unknown[] = [];
  const note = (...args: unknown[]) => void told.push(args);
  const client = clientOf(address, {
    apiKey: SECRET,
    headers: { 'x-proxy': CLIENT_HEADER },
    hooks: { onRequest: note, onResponse: note, onRetry: note, onEnd: note },
    runtime,
  }).withOptions({ apiKey: KEY });
  for (const call of calls) expectNoTrace(String(call), await errorOf(call(client)), traces);
  expectNoTrace('client', client);
  expectNoTrace('hooks', told, traces);
  expect(told.length).toBeGreaterThan(0);
}

/** A body of an announced length that does not come whole: it breaks off inside the key. */
const cutInKey = (end: 'reset' | 'end' | 'stall', status: number) => {
  return (runtime: FakeRuntime): Step => ({
    play({ request, response }) {
      const ends = {
        stall: () => runtime.expire(),
        reset: () => response.socket?.resetAndDestroy(),
        end: () => response.socket?.end(),
      };
      response.writeHead(status, { 'content-type': 'text/plain', 'content-length': '9999' });
      response.write(`you sent ${keyOf(request).slice(0, 12)}`, () => steps.onceRead(ends[end]));
    },
  });
};
const keyOf = ({ headers }: SeenRequest): string => headers['x-api-key'] ?? '';
const everything = ({ headers, body }: SeenRequest): string =>
  JSON.stringify({ ...headers, body: Buffer.from(body, 'latin1').toString() });
const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };
/** A response made of the request. */
const echo = (status: number, text: (request: SeenRequest) => string, location?: (request: SeenRequest) => string) => {
  return (): Step => ({
    play: ({ request, response }) =>
      response.writeHead(status, location && { location: location(request) }).end(text(request)),
  });
};

/** What happens to a call. A service that echoes the request may: only the keys must not be seen then. */
const FAULTS: Readonly<Record<string, (runtime: FakeRuntime) => Step>> = {
  ...Object.fromEntries(
    [200, 302, 400, 401, 403, 404, 408, 409, 422, 429, 500, 501, 503, 520].map((status) => [
      `an echo under ${status}`,
      () => steps.echo(status),
    ]),
  ),
  'an echo as a success': () => steps.echo(200, true),
  'an echo of the conflict': () => ({
    play({ request, response }) {
      const details = { ...request.headers, external_id: keyOf(request), status: keyOf(request) };
      steps.refuse(409, 'INVOICE_ALREADY_EXISTS', details).play({ request, response });
    },
  }),
  'an echo as a page': echo(500, (request) => everything(request).replace(/[<>&"]/g, (sign) => ENTITIES[sign] ?? '')),
  'an echo with escaped slashes and letters': echo(500, (request) =>
    everything(request)
      .replaceAll('/', '\\/')
      .replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ),
  'an echo of the key many times': echo(500, (request) => keyOf(request).repeat(2_000)),
  'a body that breaks inside the echoed key': cutInKey('reset', 500),
  'a body that ends inside the echoed key': cutInKey('end', 401),
  'a body that stalls inside the echoed key': cutInKey('stall', 403),
  'a success that breaks inside the echoed key': cutInKey('reset', 200),
  'an echo in a redirect': echo(
    302,
    keyOf,
    (request) => `https://elsewhere.example/${encodeURIComponent(keyOf(request))}`,
  ),
  'a reset before reading': () => steps.resetBeforeReading,
  'a reset after reading': () => steps.resetAfterReading,
  'a stall': (runtime) => steps.stall(runtime.expire),
  'another shape': () => steps.ok({ items: KEY, page: SECRET }),
};

describe('no error, hook or log line shows a key', () => {
  it.each(Object.entries(FAULTS))('%s', async (name, fault) => {
    const runtime = new FakeRuntime();
    const server = await serve(fault(runtime));
    // A resend takes any success for one.
    const calls = /success$|another shape/.test(name) ? [CALLS.create] : Object.values(CALLS);
    await expectSecrecy(server.url, runtime, /echo|shape/.test(name) ? TRACES : undefined, calls);
    const sent = server.requests[0];
    expect(sent?.headers['x-api-key'], 'the key did travel').toBe(KEY);
    expect(sent?.headers['x-tenant']).toBe(HEADER);
    expect(sent?.headers['x-proxy']).toBe(CLIENT_HEADER);
  });

  it('a refused connection and an untrusted certificate show no secret', async () => {
    await expectSecrecy(await closedPort(), new FakeRuntime());
    await expectSecrecy(await untrusted(() => {}), new FakeRuntime());
    await expectSecrecy('https://pay.example:6000', new FakeRuntime());
  });

  it('a fetch that fails with all it was given', async () => {
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

  it('a key function that fails with the key in its error', async () => {
    const apiKey = () => Promise.reject(new Error(`vault said ${KEY}`));
    for (const call of Object.values(CALLS)) {
      const error = await errorOf(call(clientOf('https://pay.example', { apiKey, runtime: new FakeRuntime() })));
      expect(error).toMatchObject({ code: 'SDK_API_KEY', kind: 'configuration' });
      expect(error.message).toContain('the apiKey function failed');
      expectNoTrace('key function', error);
    }
  });

  it('local checks never quote a key', async () => {
    const client = clientOf('https://pay.example', { apiKey: KEY });
    const bad = { ...params, amount: KEY, currency: KEY, callback_url: `ftp://${KEY}`, external_id: KEY.repeat(9) };
    expectNoTrace('parameters', await errorOf(client.invoices.create(bad)));
    expectNoTrace('headers', await errorOf(client.rates.list({}, { headers: { 'x-tenant': `${KEY}\r\nx: y` } })));
    expectNoTrace('X-Api-Key', await errorOf(client.rates.list({}, { headers: { 'X-Api-Key': KEY } })));
  });

  it('the error of a mismatch has the existing invoice, and not the request', async () => {
    const found = { ...pendingInvoice, amount: '99.00', purpose: `key ${KEY}`, note: { [KEY]: [KEY] } };
    const server = await serve(steps.refuse(409, 'INVOICE_ALREADY_EXISTS'), steps.ok(found));
    const error = await errorOf(CALLS.createOrRenew(clientOf(server.url, { apiKey: KEY })));
    if (!hasCode(error, 'SDK_INVOICE_MISMATCH')) throw error;
    expect(error.existing).toMatchObject({ purpose: 'key [redacted]', created_at: expect.any(Date) });
    expect(error.existing.amount.toFixed()).toBe('99');
    expectNoTrace('mismatch', error);
  });

  it('each error of a burst hides the key of its own attempt', async () => {
    let given = 0;
    const client = clientOf('https://pay.example', {
      apiKey: async () => {
        given += 1;
        return `key_rotated_${given}_9Lm`;
      },
      fetch: async (_, { headers }) =>
        new Response(`{"message":"you sent ${headers.get('x-api-key')}"}`, { status: 400 }),
    });
    const errors = await Promise.all(Array.from({ length: 41 }, () => errorOf(client.rates.list())));
    for (const error of errors) {
      expect(error.message).toContain('you sent [redacted]');
      expectNoTrace('burst', [error, 'raw' in error && error.raw], ['key_rotated']);
    }
  });
});

describe('nothing of a request is hidden', () => {
  it.each<[string, object]>([
    ['a customer id that is the code', { customer_id: 'INVOICE_ALREADY_EXISTS' }],
    ['a purpose that is the code', { purpose: 'invoice_already_exists' }],
    ['a purpose that is the status', { purpose: 'pending' }],
    ['a purpose that is a name of the details', { purpose: 'external_id' }],
    ['a customer id inside the external_id', { customer_id: 'ORDER-10' }],
    ['a purpose of back slashes', { purpose: '\\'.repeat(255) }],
  ])('%s changes no code and no status', async (_name, given) => {
    const details = { external_id: 'order-1042', status: 'pending' };
    const server = await serve(steps.refuse(409, 'INVOICE_ALREADY_EXISTS', details));
    const error = await errorOf(clientOf(server.url).invoices.create({ ...order, ...given }, options));
    expect(error).toMatchObject({ kind: 'conflict', code: 'INVOICE_ALREADY_EXISTS', details });
    expect(error).toMatchObject({ externalId: 'order-1042', existingStatus: 'pending' });
  });

  it('numbers, codes, ids and words of the response are as the service wrote them', async () => {
    const said = 'customer 100000 of tenant-token: at most 1000000.00';
    const body = { error: { code: 'AMOUNT_100000', message: said, details: { amount: [said] } } };
    const server = await serve(steps.answer(422, body, { 'x-request-id': 'r-100000' }));
    const given = { ...order, customer_id: '100000', purpose: 'at most' };
    const call = clientOf(server.url).invoices.create(given, { headers: { 'x-tenant': 'tenant-token' } });
    const error = await errorOf(call);
    expect(error).toMatchObject({ code: 'AMOUNT_100000', requestId: 'r-100000', raw: JSON.stringify(body) });
    expect(error).toMatchObject({ details: { amount: [said] }, fields: { amount: [said] } });
    expect(error.message).toContain(`"${said}"`);
  });
});

it.each(['a', 'k', 'k-1'])('a key of few letters, as tests have it, redacts nothing: %s', async (apiKey) => {
  const server = await serve(steps.refuse(400, 'NOT_ALLOWED', { note: 'a kiwi, k-1' }));
  const error = await errorOf(clientOf(server.url, { apiKey }).invoices.create(params));
  expect(error).toMatchObject({ code: 'NOT_ALLOWED', details: { note: 'a kiwi, k-1' } });
  expect(error.message).not.toContain('[redacted]');
});

describe('what could forge a line or hide a word', () => {
  const EVIL = 'a\u001b[2Jb\r\nc\u009b31md\u202ee\u0000f\u2028g';
  const SHOWN = 'a\\u001b[2Jb\\u000d\\u000ac\\u009b31md\\u202ee\\u0000f\\u2028g';

  it('is escaped in messages, issues, fields, details, hooks, log lines and request ids; codes stay', async () => {
    const told: unknown[][] = [];
    const note = (...args: unknown[]) => void told.push(args);
    const error = { code: EVIL, message: EVIL, details: { [EVIL]: [EVIL] } };
    const server = await serve(
      {
        play: ({ response }) => response.writeHead(422, { 'x-request-id': 'r\u009b1' }).end(JSON.stringify({ error })),
      },
      steps.refuse(503, EVIL),
    );
    const client = clientOf(server.url, {
      hooks: { onResponse: note, onRetry: note, onEnd: ({ error: _asItIs, ...event }) => note(event) },
    });
    const invalid = await errorOf(client.invoices.create(order));
    expect(invalid).toMatchObject({
      code: EVIL,
      requestId: null,
      details: { [SHOWN]: [SHOWN] },
      issues: [{ path: SHOWN, message: SHOWN }],
    });
    expect(invalid.message).toBe(
      `invoices.create: HTTP 422 ${SHOWN} "${SHOWN}" (${SHOWN}: ${SHOWN}). Correct the fields named in error.fields.`,
    );
    await errorOf(client.invoices.create(order));
    for (const text of walk(told, new Set())) expect(text).not.toMatch(/[\p{Cc}\u202e\u2028]/u);
    expect(told.length).toBeGreaterThan(4);
  });

  it('control characters are escaped in the message of a conflict, and kept in its externalId', async () => {
    const details = { external_id: EVIL, status: EVIL };
    const server = await serve(steps.refuse(409, 'INVOICE_ALREADY_EXISTS', details));
    const error = await errorOf(clientOf(server.url).invoices.create({ ...order, external_id: EVIL }));
    expect(error).toMatchObject({ externalId: EVIL, existingStatus: EVIL });
    expect(error.message).toContain(`The order "${SHOWN}" exists with the status "${SHOWN}".`);
  });

  it('is escaped in what a fetch fails with', async () => {
    const cause = Object.assign(new Error(EVIL), { code: `E\u001b${'x'.repeat(900)}` });
    const client = clientOf('https://pay.example', {
      retry: false,
      fetch: () => Promise.reject(new TypeError('no', { cause })),
    });
    const error = await errorOf(client.rates.list());
    expect(error.message).toContain(SHOWN);
    expect(error.message.length).toBeLessThan(600);
    expect(error.cause).toHaveProperty('code', `E\\u001b${'x'.repeat(57)}`);
    for (const text of walk(error.cause, new Set())) expect(text.split('\n')[0]).not.toMatch(/\p{Cc}/u);
  });
});

it('the body of a refusal is on raw, and in no view of the error', async () => {
  const body = { error: { code: 'ON_HOLD', message: 'No' }, customer: { email: CUSTOMER, key: KEY } };
  const server = await serve(steps.answer(400, body), steps.answer(200, { data: { email: CUSTOMER, key: KEY } }));
  const client = clientOf(server.url, { apiKey: KEY });
  for (let round = 0; round < 2; round += 1) {
    const error = await errorOf(client.invoices.create(order));
    if (!('raw' in error)) throw new Error('has a body');
    expect(error.raw).toContain(CUSTOMER);
    expect(error.raw).toContain('[redacted]');
    expectNoTrace('error', error);
  }
});

it.each([
  ['a line break in JSON', '{"error":{"code":"BAD_KEY","message":"no such key:\\nsk_test_secret"}}'],
  ['an encoded sign', 'q=key%3Dsk_test_secret'],
  ['other letters', '{"error":{"code":"NO_sk_test_secret_here"}}'],
])('a key of letters alone is hidden behind %s', async (_name, body) => {
  const server = await serve(steps.answer(400, body));
  const error = await errorOf(clientOf(server.url, { apiKey: 'sk_test_secret' }).rates.list());
  expect(error).toMatchObject({ kind: 'request', raw: expect.stringContaining('[redacted]') });
  expect(everyView([error, 'raw' in error && error.raw])).not.toContain('sk_test_secret');
});

it.each<[string, (key: string) => string]>([
  ['as it is', (key) => key],
  ['percent-encoded', encodeURIComponent],
  ['JSON-escaped', JSON.stringify],
  ['in base64', btoa],
])('a key that comes back %s is hidden in raw too', async (_name, form) => {
  const server = await serve(steps.answer(400, `you sent ${form(KEY)} to us`));
  const error = await errorOf(clientOf(server.url, { apiKey: KEY }).rates.list());
  expect(error).toMatchObject({ raw: expect.stringMatching(/^you sent "?\[redacted\][\w=]{0,3}"? to us$/) });
});

it('the key of an earlier client is hidden too', async () => {
  const server = await serve(steps.refuse(403, 'FROZEN', { signed_with: SECRET }));
  const client = clientOf(server.url, { apiKey: SECRET }).withOptions({ apiKey: KEY }).withOptions({ timeout: 10_000 });
  const error = await errorOf(client.rates.list());
  expect(error).toMatchObject({ details: { signed_with: '[redacted]' } });
});
