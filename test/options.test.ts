import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { MerchantClient } from '../src/client.ts';
import { ConfigurationError } from '../src/errors/classes.ts';
import type { CallOptions } from '../src/options.ts';
import { serve } from './support/fault-server.ts';
import { ok } from './support/fault-steps.ts';
import { API_KEY, clientOf, errorOf } from './support/test-client.ts';

// Options that cannot be used are refused before the network: which one, why, and never the value of a text.

const fetch = vi.fn(async () => Response.json([]));
const given = { baseUrl: 'https://pay.example', apiKey: API_KEY, fetch };

/** Where options are given. Those of a call are looked at by the method, all others at once. */
const DOORS: Readonly<Record<string, (options: never) => PromiseLike<unknown>>> = {
  MerchantClient: async (options: object) => new MerchantClient({ ...given, ...options }),
  'MerchantClient.withOptions': async (options) => new MerchantClient(given).withOptions(options),
  'paymentMethods.list': (options) => new MerchantClient(given).paymentMethods.list(options),
  'rates.list': (options) => new MerchantClient(given).rates.list({}, options),
  'paymentMethods.list for a charge': (options) =>
    new MerchantClient(given).paymentMethods.forCharge({ currency: 'EUR', amount: '25.00' }, options),
  'invoices.get': (options) => new MerchantClient(given).invoices.get('order-1042', options),
  'invoices.list': (options) => new MerchantClient(given).invoices.list({}, options),
  'withdrawals.list': (options) => new MerchantClient(given).withdrawals.list({}, options),
  request: (options) => new MerchantClient(given).request({ method: 'GET', path: '/' }, options),
};
const [CLIENT, OVERRIDES, ...CALLS] = Object.keys(DOORS);
const ROWS = ['paymentMethods.list', 'rates.list', 'paymentMethods.list for a charge'];
const LISTS = ['invoices.list', 'withdrawals.list'];

async function expectRefused(doors: readonly (string | undefined)[], options: unknown, problem: string): Promise<void> {
  for (const door of doors) {
    if (door === undefined || DOORS[door] === undefined) throw new Error('no such door');
    const error = await errorOf(DOORS[door](options as never)); // wrong on purpose
    expect(error, door).toBeInstanceOf(ConfigurationError);
    const isCall = CALLS.includes(door);
    const code = isCall ? 'SDK_INVALID_ARGUMENT' : 'SDK_CONFIGURATION';
    expect(error, door).toMatchObject({ code, outcome: 'not_sent', attempts: [] });
    expect(error.message, door).toContain(problem);
    if (!isCall) continue;
    expect(door.startsWith(String(error.operation)), `${door}: ${error.operation}`).toBe(true);
    expect(error.message, door).toMatch(/^[\w.]+: .*\. No request was made\.$/);
  }
  expect(fetch).not.toHaveBeenCalled();
}

const TEXT = 'a string';
const LIMIT = 'must be a number of milliseconds above 0, not';
const DELAY = 'must be a number of milliseconds from 0, not';
const COUNT = 'must be a whole number from 1, not';
const RETRY = 'retry must be false or an object, not';
const UNSENDABLE = 'the value of x-tenant is not text that a header can carry';

/** What is no number of milliseconds anywhere, and how a message calls it. */
const NO_NUMBERS: readonly (readonly [unknown, string])[] = [
  ...[-1, Number.NaN, Number.POSITIVE_INFINITY].map((value) => [value, String(value)] as const),
  ...([
    [null, 'null'],
    ['5', TEXT],
    ['', 'an empty string'],
    [[5], 'an array'],
    [{}, 'an object'],
  ] as const),
];
const numbers = (name: string, rule: string, optionsOf: (value: unknown) => object, more: readonly number[] = []) =>
  [...NO_NUMBERS, ...more.map((value) => [value, String(value)] as const)].map(
    ([value, shown]) => [`${name} of ${inspect(value)}`, optionsOf(value), `${name} ${rule} ${shown}`] as const,
  );

describe('an option of a client, of withOptions and of a call is refused', () => {
  it.each<readonly [string, object, string]>([
    ...['timeout', 'deadline'].flatMap((name) => numbers(name, LIMIT, (value) => ({ [name]: value }), [0])),
    ...['baseDelay', 'maxDelay', 'maxRetryAfter'].flatMap((name) =>
      numbers(`retry.${name}`, DELAY, (value) => ({ retry: { [name]: value } })),
    ),
    ...numbers('retry.attempts', COUNT, (attempts) => ({ retry: { attempts } }), [0, 1.5]),
    ['retry of a number', { retry: 5 }, `${RETRY} 5`],
    ['retry of null', { retry: null }, `${RETRY} null`],
    ['retry of true', { retry: true }, `${RETRY} a boolean`],
    ['an unknown name in retry', { retry: { attempt: 1 } }, 'retry has no "attempt"; it has attempts, baseDelay, '],
    ['headers of text', { headers: 'x: 1' }, `headers must be an object of strings, not ${TEXT}`],
    ['headers of null', { headers: null }, 'headers must be an object of strings, not null'],
    ['headers as a Map', { headers: new Map([['x-tenant', 'a']]) }, 'headers must be an object of strings, not a list'],
    ['headers as a list', { headers: ['x-tenant: a'] }, 'headers must be an object of strings, not a list'],
    ['a header of a number', { headers: { 'x-tenant': 7 } }, UNSENDABLE],
    ['a header of null', { headers: { 'x-tenant': null } }, UNSENDABLE],
    ['a header of two lines', { headers: { 'x-tenant': 'a\r\nb: c' } }, UNSENDABLE],
    ['a header with a NUL', { headers: { 'x-tenant': 'a\0' } }, UNSENDABLE],
    ['a header of wide letters', { headers: { 'x-tenant': '€' } }, UNSENDABLE],
    ['a header name with a blank', { headers: { 'x tenant': 'a' } }, 'headers holds a name that is not a header name'],
    ['an empty header name', { headers: { '': 'a' } }, 'headers holds a name that is not a header name'],
    ...['x-API-key', 'Host', 'Content-Length'].map(
      (name) => [name, { headers: { [name]: 'a' } }, `headers cannot set ${name}: the client does`] as const,
    ),
    ...['Transfer-Encoding', 'expect', 'Upgrade', 'keep-alive'].map(
      (name) => [name, { headers: { [name]: 'a' } }, `headers cannot set ${name}: fetch does not send it`] as const,
    ),
  ])('%s', async (_name, options, problem) => {
    await expectRefused([CLIENT, OVERRIDES, ...CALLS.slice(0, 1)], options, problem);
  });
});

describe('an option of a client is refused', () => {
  const ADDRESS = 'baseUrl must be a string';
  const NOT_ABSOLUTE = 'not an absolute address';

  it.each<[string, unknown, string]>([
    ['an empty baseUrl', { baseUrl: '' }, `${ADDRESS} with an address, not an empty string`],
    ['a number as baseUrl', { baseUrl: 7 }, `${ADDRESS} with an address, not 7`],
    ['a URL as baseUrl', { baseUrl: new URL('https://pay.example') }, ADDRESS],
    ['no scheme', { baseUrl: 'pay.example' }, NOT_ABSOLUTE],
    ['only a host and port', { baseUrl: 'localhost:3000' }, NOT_ABSOLUTE],
    ['blanks', { baseUrl: ' https://pay.example' }, 'baseUrl has white space around it'],
    ['a line break', { baseUrl: 'https://pay.example\n' }, 'baseUrl has white space around it'],
    [
      'a host of nothing',
      { baseUrl: 'https://undefined/pay' },
      'baseUrl has the host undefined, where a value was missing',
    ],
    ['a word for nothing', { baseUrl: 'undefined' }, 'baseUrl is the word undefined or null'],
    ['a back slash', { baseUrl: 'https://pay.example\\@evil.example' }, NOT_ABSOLUTE],
    ['another scheme', { baseUrl: 'ftp://pay.example' }, 'scheme ftp:'],
    ['a file', { baseUrl: 'file:///etc/passwd' }, 'scheme file:'],
    ['plain http', { baseUrl: 'http://pay.example' }, 'allowHttp'],
    ['plain http that looks local', { baseUrl: 'http://localhost.evil.example' }, 'allowHttp'],
    ['plain http to a name that DNS decides', { baseUrl: 'http://shop.localhost' }, 'allowHttp'],
    ['plain http to an address that looks local', { baseUrl: 'http://127.0.0.1.evil.example' }, 'allowHttp'],
    ['the API path', { baseUrl: 'https://pay.example/api/v1/external' }, 'API path /api/v1/external'],
    ['the API path behind a prefix', { baseUrl: 'https://pay.example/gateway/api/v1/' }, 'API path /api/v1,'],
    ['the path of an endpoint', { baseUrl: 'https://pay.example/API/v1/external/invoices' }, 'the address before it'],
    ['a query', { baseUrl: 'https://pay.example/?a=1' }, 'query'],
    ['a fragment', { baseUrl: 'https://pay.example/#a' }, 'fragment'],
    ['a password', { baseUrl: 'https://user:hunter2@pay.example' }, 'credentials'],
    ['allowHttp as text', { allowHttp: 'false' }, 'allowHttp must be'],
    ['fetch of text', { fetch: 'fetch' }, 'fetch must be a function'],
    ['hooks of null', { hooks: null }, 'hooks must be an object'],
    ['a hook of text', { hooks: { onRetry: 'log' } }, 'hooks.onRetry must be a function'],
    ['a mistyped hook', { hooks: { onRetries: () => {} } }, 'hooks has no "onRetries"; it has onRequest'],
    [
      'a written baseUrl of undefined',
      { baseUrl: undefined },
      'baseUrl is undefined: give a value, or leave the name out',
    ],
    ['a baseUrl of null', { baseUrl: null }, 'baseUrl must be a string with an address, not null'],
    ['a key of null', { apiKey: null }, 'apiKey must be a string, not null'],
    [
      'a written apiKey of undefined',
      { apiKey: undefined },
      'apiKey is undefined: give a value, or leave the name out',
    ],
    ['seconds as timeout', { timeout: 5 }, 'timeout is in milliseconds and at least 100, not 5'],
    ['seconds as deadline', { deadline: 30 }, 'deadline is in milliseconds and at least 100, not 30'],
    [
      'a moment as timeout',
      { timeout: Date.now() },
      'timeout is a duration in milliseconds, of at most 24 days, not 1',
    ],
    [
      'a moment as deadline',
      { deadline: Date.now() + 30_000 },
      'deadline is a duration in milliseconds, of at most 24',
    ],
    [
      'the key of the sandbox at a public address',
      { apiKey: 'sk_sandbox', fetch: undefined },
      "the sandbox's public key",
    ],
    ['a mistyped name', { timeOut: 1_000 }, 'options has no "timeOut"; it has baseUrl, '],
    ['query names of null', { withdrawalQuery: null }, 'withdrawalQuery must be an object, not null'],
    ['query names of a number', { withdrawalQuery: 5 }, 'withdrawalQuery must be an object, not 5'],
    ['a query name that is none', { withdrawalQuery: { page: 'a b' } }, 'withdrawalQuery.page must be a query name'],
    [
      'a query of another name',
      { withdrawalQuery: { pages: 'p' } },
      'withdrawalQuery has no "pages"; it has status, page, per_page',
    ],
    [
      'a webhook secret',
      { webhookSecret: 'whsec_5Tg8' },
      'options has no "webhookSecret": webhooks are received by createWebhookHandler({ secret, store, … }) of merchant-invoicing/webhooks',
    ],
    ['a key of a number', { apiKey: 7 }, 'apiKey must be a string'],
  ])('%s', async (_name, options, problem) => {
    await expectRefused([CLIENT], options, problem);
    const error = await errorOf(DOORS['MerchantClient']?.(options as never) ?? Promise.resolve()); // as above
    expect(inspect(error, { showHidden: true })).not.toContain('hunter2');
  });

  it.each([
    [null, 'null'],
    ['https://pay.example', TEXT],
  ])('options of %j', (options, shown) => {
    expect(() => new MerchantClient(options as never)).toThrow(`options must be an object, not ${shown}`);
  });
});

it.each<[string, unknown, string]>([
  ['no options', undefined, 'options must be an object'],
  ['a key of undefined', { apiKey: undefined }, 'apiKey is undefined: leave it out to keep the key of this client'],
  ['a key of null', { apiKey: null }, 'apiKey must be a string, not null'],
  ['an empty key', { apiKey: '' }, 'apiKey is empty'],
  ['a key with a line break', { apiKey: 'key-of-shop\n' }, 'apiKey has white space'],
  [
    'a key in quotes',
    { apiKey: '"key-of-shop"' },
    'apiKey has quotes around it. Remove them where the variable is set',
  ],
  ['a template that was not filled in', { apiKey: '<your key>' }, 'apiKey is a template that was not filled in'],
  ['a key that is a word', { apiKey: 'undefined' }, 'apiKey is the word undefined or null'],
  [
    'a key with its scheme',
    { apiKey: 'Bearer key-of-shop' },
    'apiKey has the word Bearer before it. Give the value alone',
  ],
  ['a key that a class does not have', new (class { get apiKey() { return undefined; } })(), 'apiKey is undefined'], // biome-ignore format: one row
  ['another address', { baseUrl: 'https://evil.example' }, 'options has no "baseUrl"; it has apiKey, timeout'],
  ['another fetch', { fetch }, 'options has no "fetch"'],
  ['a size of the budget', { retry: { budget: 5 } }, 'retry has no "budget"'],
  ['a webhook secret', { webhookSecret: 'whsec_5Tg8' }, 'options has no "webhookSecret"'],
])('withOptions refuses %s', (_name, options, problem) => expectRefused([OVERRIDES], options, problem));

describe('an option of a call is refused', () => {
  const SIGNAL = 'options.signal must be an AbortSignal, such as AbortSignal.timeout(5_000), not';
  const CONTROLLER = 'options.signal must be an AbortSignal, not the AbortController: pass controller.signal';
  const QUERY = 'options.query must be an object of strings, not';

  it.each<[string, unknown, string]>([
    ['options of null', null, 'options must be an object, not null'],
    ['options of text', 'fast', `options must be an object, not ${TEXT}`],
    ['an unknown name', { timeOut: 5 }, 'options has no "timeOut"; it has signal, timeout, deadline, retry, headers,'],
    ['a long unknown name', { ['x'.repeat(50)]: 5 }, `options has no "${'x'.repeat(40)}"; it has signal, `],
    ['a signal of text', { signal: 'stop' }, `${SIGNAL} ${TEXT}`],
    ['a signal of an object', { signal: {} }, `${SIGNAL} an object`],
    [
      'the signal itself',
      AbortSignal.abort(),
      'options must be an object with names, not an AbortSignal: pass { signal }',
    ],
    ['the controller', new AbortController(), 'not an AbortController: pass { signal: controller.signal }'],
    ['a promise of options', Promise.resolve({}), 'options must be an object with names, not a Promise: await it'],
    ['a Map', new Map([['timeout', 5_000]]), 'options must be an object with names, not a Map'],
    ['half a signal', { signal: { aborted: false } }, `${SIGNAL} an object`],
    ['the other half', { signal: { addEventListener() {} } }, `${SIGNAL} an object`],
    ['a deaf signal', { signal: { aborted: false, addEventListener: 1 } }, `${SIGNAL} an object`],
    ['a controller', { signal: new AbortController() }, CONTROLLER],
    ['a query of text', { query: 'a=1' }, `${QUERY} ${TEXT}`],
    ['a query of null', { query: null }, `${QUERY} null`],
    ['a query as URLSearchParams', { query: new URLSearchParams('a=1') }, `${QUERY} a list or a map`],
    ['a query of numbers', { query: { a: 1 } }, 'options.query: the value of a must be a string, not 1'],
    ['undefined in it', { query: { a: undefined } }, 'options.query: the value of a must be a string, not undefined'],
  ])('%s', (_name, options, problem) => expectRefused(CALLS, options, problem));

  it('which is one of another kind of call', async () => {
    await expectRefused(['invoices.get', 'request'], { onInvalidItem: () => {} }, 'options has no "onInvalidItem"');
    await expectRefused(['invoices.get', ...ROWS], { prefetch: 2 }, 'options has no "prefetch"');
  });

  it('which a list cannot use', async () => {
    const problem = 'options.onInvalidItem must be a function, not 5';
    await expectRefused([...ROWS, ...LISTS], { onInvalidItem: 5 }, problem);
    for (const prefetch of [0, 33, 1.5, '2']) {
      await expectRefused(LISTS, { prefetch }, 'options.prefetch must be a whole number from 1 to 32, not ');
    }
  });
});

it.each<[string, CallOptions]>([
  ['nothing', {}],
  ['everything left out', { signal: undefined, timeout: undefined, retry: undefined, headers: undefined }],
  ['a header left out', { headers: { 'x-tenant': undefined as unknown as string } }],
  ['the smallest numbers', { timeout: 5_000.5, deadline: 1e9, retry: { attempts: 1, baseDelay: 0, maxDelay: 0 } }],
])('a call may have as its options %s', async (_name, options) => {
  const server = await serve(ok([]));
  expect(await clientOf(server.url).paymentMethods.list(options)).toEqual([]);
  expect(server.requests[0]?.headers).not.toHaveProperty('x-tenant');
});

it('headers of a call may be Headers, a query is added, and a signal of another realm is one', async () => {
  const server = await serve(ok([]));
  const { signal } = new AbortController();
  const foreign = {
    aborted: false,
    reason: undefined,
    addEventListener: signal.addEventListener.bind(signal),
    removeEventListener: signal.removeEventListener.bind(signal),
  } as unknown as AbortSignal; // what a polyfill gives
  const headers = new Headers({ 'X-Tenant': 'seven' }) as unknown as Record<string, string>; // also taken
  await clientOf(server.url).paymentMethods.list({ headers, query: { debug: 'a b' }, signal: foreign });
  expect(server.requests[0]).toMatchObject({ headers: { 'x-tenant': 'seven' } });
  expect(server.requests[0]?.url).toBe('/api/v1/external/payment-methods?debug=a+b');
});
