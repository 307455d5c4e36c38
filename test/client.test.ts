import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MerchantClient } from '../src/client.ts';
import { ConfigurationError } from '../src/errors/classes.ts';
import type { MerchantClientOptions } from '../src/options.ts';
import { signWebhook } from '../src/webhooks/index.ts';
import { serve } from './support/fault-server.ts';
import { ok } from './support/fault-steps.ts';
import { API_KEY, clientOf, errorOf } from './support/test-client.ts';

const given = { baseUrl: 'https://pay.example', apiKey: API_KEY };

function fail(): never {
  throw new Error('sealed');
}

/** The constructor's error for options of any type. */
function problemOf(options: unknown): ConfigurationError {
  try {
    new MerchantClient(options as MerchantClientOptions); // wrong on purpose
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('the client was made');
}

beforeEach(() => {
  for (const name of ['MERCHANT_BASE_URL', 'MERCHANT_API_KEY', 'MERCHANT_WEBHOOK_SECRET']) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

describe('an unusable option is a ConfigurationError that names it', () => {
  it.each<[string, unknown, string]>([
    ['no baseUrl', { apiKey: 'k' }, 'MERCHANT_BASE_URL'],
    ['an empty baseUrl', { ...given, baseUrl: '' }, 'baseUrl must be a string with an address, not an empty string'],
    ['a number as baseUrl', { ...given, baseUrl: 7 }, 'baseUrl must be a string with an address, not 7'],
    ['a URL as baseUrl', { ...given, baseUrl: new URL('https://pay.example') }, 'baseUrl must be a string'],
    ['no scheme', { ...given, baseUrl: 'pay.example' }, 'not an absolute address'],
    ['only a host and port', { ...given, baseUrl: 'localhost:3000' }, 'not an absolute address'],
    ['blanks', { ...given, baseUrl: ' https://pay.example' }, 'not an absolute address'],
    ['a line break', { ...given, baseUrl: 'https://pay.example\n' }, 'not an absolute address'],
    ['a back slash', { ...given, baseUrl: 'https://pay.example\\@evil.example' }, 'not an absolute address'],
    ['another scheme', { ...given, baseUrl: 'ftp://pay.example' }, 'scheme ftp:'],
    ['a file', { ...given, baseUrl: 'file:///etc/passwd' }, 'scheme file:'],
    ['plain http', { ...given, baseUrl: 'http://pay.example' }, 'allowHttp'],
    ['plain http that looks local', { ...given, baseUrl: 'http://localhost.evil.example' }, 'allowHttp'],
    ['plain http to a name that DNS decides', { ...given, baseUrl: 'http://shop.localhost' }, 'allowHttp'],
    ['plain http to an address that looks local', { ...given, baseUrl: 'http://127.0.0.1.evil.example' }, 'allowHttp'],
    ['the API path', { ...given, baseUrl: 'https://pay.example/api/v1/external' }, 'API path /api/v1/external'],
    ['the API path behind a prefix', { ...given, baseUrl: 'https://pay.example/gateway/api/v1/' }, 'API path /api/v1,'],
    [
      'the path of an endpoint',
      { ...given, baseUrl: 'https://pay.example/API/v1/external/invoices' },
      'the address before it',
    ],
    ['a mistyped hook', { ...given, hooks: { onRetries: () => {} } }, 'hooks has no "onRetries"; it has onRequest'],
    ['allowHttp as text', { ...given, allowHttp: 'false' }, 'allowHttp must be'],
    ['a query', { ...given, baseUrl: 'https://pay.example/?a=1' }, 'query'],
    ['a fragment', { ...given, baseUrl: 'https://pay.example/#a' }, 'fragment'],
    ['no key', { baseUrl: 'https://pay.example' }, 'MERCHANT_API_KEY'],
    ['an empty key', { ...given, apiKey: '' }, 'apiKey is empty'],
    ['a key of null', { ...given, apiKey: 7 }, 'apiKey must be a string'],
    ['a webhook secret of a number', { ...given, webhookSecret: 7 }, 'webhookSecret must be a string'],
    ['an empty webhook secret', { ...given, webhookSecret: '' }, 'webhookSecret'],
    ['a webhook secret without bytes', { ...given, webhookSecret: new Uint8Array() }, 'webhookSecret has no bytes'],
    [
      'a webhook secret in a buffer',
      { ...given, webhookSecret: new ArrayBuffer(32) },
      'webhookSecret must be a string',
    ],
    ['an empty list of webhook secrets', { ...given, webhookSecret: [] }, 'webhookSecret is an empty list'],
    ['an empty secret in a list', { ...given, webhookSecret: ['a', ''] }, 'webhookSecret'],
    ['fetch of text', { ...given, fetch: 'fetch' }, 'fetch must be a function'],
    ['hooks of null', { ...given, hooks: null }, 'hooks must be an object'],
    ['a hook of text', { ...given, hooks: { onRetry: 'log' } }, 'hooks.onRetry must be a function'],
    ['a mistyped name', { ...given, timeOut: 1_000 }, 'timeOut'],
    ['options of null', null, 'options must be an object, not null'],
    ['options of text', 'https://pay.example', 'options must be an object'],
  ])('%s', (_name, options, expected) => {
    const error = problemOf(options);
    expect(error.message).toContain(expected);
    expect(error).toMatchObject({
      kind: 'configuration',
      code: 'SDK_CONFIGURATION',
      outcome: 'not_sent',
      attempts: [],
    });
  });

  const numbers = [Number.NaN, -1, Number.POSITIVE_INFINITY, '1000', null, {}, true];

  it.each(['timeout', 'deadline'])('%s', (name) => {
    for (const value of [...numbers, 0]) expect(problemOf({ ...given, [name]: value }).message).toContain(name);
  });

  it.each(['attempts', 'baseDelay', 'maxDelay', 'maxRetryAfter', 'budget'])('retry.%s', (name) => {
    for (const value of numbers) {
      expect(problemOf({ ...given, retry: { [name]: value } }).message).toContain(`retry.${name}`);
    }
  });

  it('retry itself, and attempts that are none', () => {
    for (const retry of [true, null, 3, 'no']) expect(problemOf({ ...given, retry }).message).toContain('retry');
    for (const attempts of [0, 1.5]) expect(problemOf({ ...given, retry: { attempts } }).message).toContain('attempts');
    expect(problemOf({ ...given, retry: { budget: 1.5 } }).message).toContain('budget');
  });

  it.each([
    ['X-Api-Key', 'x'],
    ['host', 'x'],
    ['Content-Length', '1'],
    ['Transfer-Encoding', 'chunked'],
    ['expect', '100-continue'],
    ['bad name', 'x'],
    ['', 'x'],
    ['x-line', 'a\r\nb: c'],
    ['x-nul', 'a\0'],
    ['x-wide', '€'],
    ['x-number', 7],
    ['x-null', null],
  ])('the header "%s" of %j', (name, value) => {
    expect(problemOf({ ...given, headers: { [name]: value } }).message).toContain('headers');
  });
});

describe('a key that no header can carry', () => {
  const keys = [
    'key\r\nX-Evil: 1',
    'key\n',
    '\tkey',
    ' key',
    'key ',
    'ke\0y',
    'schlüssel',
    'k€y',
    'k'.repeat(1_025),
    'a b',
  ];

  it.each(keys)('%j is refused at once and not quoted', (key) => {
    const error = problemOf({ ...given, apiKey: key });
    expect(error.message).toContain('apiKey');
    expect(inspect(error, { showHidden: true, depth: 10 })).not.toContain(key);
  });

  it.each([...keys, '', undefined, null, 7, {}])('%j from a function costs no request', async (key) => {
    const server = await serve(ok([]));
    // wrong on purpose
    for (const apiKey of [() => key as string, async () => key as string]) {
      const error = await errorOf(clientOf(server.url, { apiKey }).rates.list());
      expect(error).toMatchObject({ kind: 'configuration', code: 'SDK_API_KEY', outcome: 'not_sent' });
      expect(error.message).toMatch(/^rates\.list: the key that the apiKey function returned (?:is|has|must be) /);
    }
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    ['throws', () => fail()],
    ['rejects', async () => fail()],
  ])('a function that %s costs no request', async (_name, apiKey) => {
    const server = await serve(ok([]));
    const error = await errorOf(clientOf(server.url, { apiKey }).rates.list());
    expect(error).toMatchObject({ code: 'SDK_API_KEY', outcome: 'not_sent', stoppedBy: 'not_retryable' });
    expect(error.message).toContain('rates.list: the apiKey function failed. No request was made with it.');
    expect(server.requests).toHaveLength(0);
  });
});

describe('what is usable', () => {
  it.each([
    'https://pay.example',
    'https://pay.example:8443/prefix',
    'http://localhost:3000',
    'http://127.0.0.1:80',
    'http://127.9.9.9',
    'http://[::1]:3000',
    'HTTPS://PAY.EXAMPLE',
  ])('%s', (baseUrl) => {
    expect(() => new MerchantClient({ ...given, baseUrl })).not.toThrow();
  });

  it('plain http where it is allowed', () => {
    expect(() => new MerchantClient({ ...given, baseUrl: 'http://payments:8080', allowHttp: true })).not.toThrow();
  });

  it('undefined is an option left out', () => {
    const all = ['webhookSecret', 'timeout', 'deadline', 'retry', 'fetch', 'headers', 'hooks', 'allowHttp'];
    const none = Object.fromEntries(all.map((name) => [name, undefined]));
    expect(() => new MerchantClient({ ...given, ...none })).not.toThrow();
  });

  it('a password in the address is refused and not quoted', () => {
    const error = problemOf({ ...given, baseUrl: 'https://user:hunter2@pay.example' });
    expect(error.message).toContain('credentials');
    expect(inspect(error, { showHidden: true })).not.toContain('hunter2');
  });
});

describe('the environment', () => {
  it('gives address, key and secret where the options do not', async () => {
    const server = await serve(ok([]));
    vi.stubEnv('MERCHANT_BASE_URL', server.url);
    vi.stubEnv('MERCHANT_API_KEY', 'key-of-environment');
    vi.stubEnv('MERCHANT_WEBHOOK_SECRET', 'secret-of-environment');
    const client = new MerchantClient();
    await client.rates.list();
    expect(server.requests[0]?.headers['x-api-key']).toBe('key-of-environment');
    await expect(client.webhooks.verify('{}', {})).rejects.toMatchObject({ kind: 'webhook' });
    await new MerchantClient({ apiKey: 'key-of-options' }).rates.list();
    expect(server.requests[1]?.headers['x-api-key']).toBe('key-of-options');
  });

  it('is named where it is wrong, and empty is none', () => {
    vi.stubEnv('MERCHANT_BASE_URL', 'pay.example');
    expect(problemOf({ apiKey: 'k' }).message).toContain('MERCHANT_BASE_URL');
    vi.stubEnv('MERCHANT_BASE_URL', '');
    expect(problemOf({ apiKey: 'k' }).message).toContain('the environment variable MERCHANT_BASE_URL is set and empty');
    vi.stubEnv('MERCHANT_API_KEY', '');
    expect(problemOf({ baseUrl: 'https://pay.example' }).message).toContain(
      'variable MERCHANT_API_KEY is set and empty',
    );
    vi.stubEnv('MERCHANT_BASE_URL', undefined);
    expect(problemOf({ apiKey: 'k' }).message).toContain('baseUrl is undefined');
    vi.stubEnv('MERCHANT_API_KEY', 'key\n');
    expect(problemOf({ baseUrl: 'https://pay.example' }).message).toContain('MERCHANT_API_KEY');
  });

  it('counts as unset where it may not be read, as in Deno without its permission', async () => {
    const server = await serve(ok([]));
    const denied = {
      get env(): never {
        throw new Error('NotCapable: Requires env access');
      },
    };
    vi.stubGlobal('process', denied);
    try {
      const client = new MerchantClient({ baseUrl: server.url, apiKey: 'k' });
      expect(problemOf({ apiKey: 'k' }).message).toContain('baseUrl is undefined');
      await expect(client.webhooks.verify('{}', {})).rejects.toMatchObject({ kind: 'configuration' });
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('no webhook secret is fine until one is needed', async () => {
    vi.stubEnv('MERCHANT_WEBHOOK_SECRET', '');
    const client = new MerchantClient(given);
    await expect(client.webhooks.verify('{}', {})).rejects.toMatchObject({ kind: 'configuration' });
    const handlers = { store: undefined, onPaid: () => {}, onCanceled: () => {} };
    // wrong on purpose: the secret is missed first
    expect(() => client.webhooks.handler(handlers as never)).toThrow(/MERCHANT_WEBHOOK_SECRET/);
    // wrong on purpose: it would be ignored, and deliveries be refused
    const two = { ...handlers, secret: 'whsec_another' } as never;
    expect(() => client.webhooks.handler(two)).toThrow('webhooks.handler takes the webhookSecret of the client');
  });
});

describe('the client', () => {
  const secrets = ['whsec_one-1', 'whsec_two-2'];
  const client = new MerchantClient({ ...given, webhookSecret: secrets, headers: { 'x-proxy': 'token-3' } });

  it('shows no secret when it is logged, inspected or serialised', () => {
    const views = [JSON.stringify(client), inspect(client, { showHidden: true, depth: 10 }), String(client)];
    for (const view of views) for (const text of [API_KEY, ...secrets, 'token-3']) expect(view).not.toContain(text);
  });

  it('takes webhook secrets as bytes, copies them and shows none', async () => {
    const key = Buffer.from('00ff80fe000102030405060708090a0b', 'hex');
    const bytes = new MerchantClient({ ...given, webhookSecret: ['whsec_one-1', key] });
    const body = JSON.stringify({
      invoice_uuid: '018f0000-0000-7000-8000-000000000001',
      external_id: 'order-1',
      status: 'expired',
      amount: '25.00',
    });
    const headers = { ...(await signWebhook(body, key)) };
    key.fill(0);
    expect(await bytes.webhooks.verify(body, headers)).toMatchObject({ secretIndex: 1, external_id: 'order-1' });
    expect(inspect(bytes, { showHidden: true, depth: 10 })).not.toMatch(/Uint8Array|Buffer|255, 128, 254/);
  });

  it('looks the global fetch up at each call', async () => {
    const late = new MerchantClient(given);
    vi.stubGlobal('fetch', async () => new Response('{"data":[]}'));
    expect(await late.rates.list()).toEqual([]);
    vi.unstubAllGlobals();
  });
});

it('the public secret of the sandbox is said loudly, once, whatever the environment is called', () => {
  const lines: string[] = [];
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line));
  vi.stubEnv('MERCHANT_SANDBOX', undefined);
  for (const name of ['production', 'prod', undefined]) {
    vi.stubEnv('NODE_ENV', name);
    new MerchantClient({ ...given, webhookSecret: ['whsec_5Tg8', 'whsec_sandbox'] });
    new MerchantClient(given).withOptions({ webhookSecret: 'whsec_sandbox' });
  }
  expect(lines).toEqual([expect.stringMatching(/whsec_sandbox, which everybody knows.*are refused/)]);
});
