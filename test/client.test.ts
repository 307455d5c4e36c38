import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MerchantClient } from '../src/client.ts';
import { ConfigurationError } from '../src/errors/classes.ts';
import type { MerchantClientOptions } from '../src/options.ts';
import { FakeRuntime } from './support/fake-runtime.ts';
import { serve } from './support/fault-server.ts';
import { ok } from './support/fault-steps.ts';
import { API_KEY, clientOf, errorOf } from './support/test-client.ts';

const given = { baseUrl: 'https://pay.example', apiKey: API_KEY };

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
  for (const name of ['MERCHANT_BASE_URL', 'MERCHANT_API_KEY']) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

describe('a key that no header can carry', () => {
  const keys = [
    ...['key\r\nX-Evil: 1', 'key\n', '\tkey', ' key', 'key ', 'ke\0y', 'schlüssel', 'k€y', 'a b'],
    'k'.repeat(1_025),
  ];

  it.each(keys)('%j is refused at once and not quoted', (key) => {
    const error = problemOf({ ...given, apiKey: key });
    expect(error.message).toContain('apiKey');
    expect(inspect(error, { showHidden: true, depth: 10 })).not.toContain(key);
  });

  it.each([...keys, '', undefined, null, 7, {}])('%j from a function costs no request', async (key) => {
    // wrong on purpose
    for (const apiKey of [() => key as string, async () => key as string]) {
      await expectNoKey(apiKey, /^rates\.list: the key that the apiKey function returned (?:is|has|must be) /);
    }
  });

  it('a function that throws or rejects costs no request', async () => {
    const fail = (): never => {
      throw new Error('sealed');
    };
    const message = /^rates\.list: the apiKey function failed \(Error\)\. No request was made with it\./;
    for (const apiKey of [() => fail(), async () => fail()]) await expectNoKey(apiKey, message);
  });

  it('a function that never settles is told by its name, and costs no request', async () => {
    const calls: string[] = [];
    const fetch = async (url: string) => {
      calls.push(url);
      return new Response();
    };
    const runtime = new FakeRuntime();
    const apiKey = () => {
      setImmediate(runtime.expire);
      return new Promise<never>(() => {});
    };
    const client = clientOf('https://pay.example', { apiKey, fetch, retry: false, runtime });
    const error = await errorOf(client.rates.list());
    expect(error).toMatchObject({ code: 'SDK_API_KEY', outcome: 'not_sent' });
    expect(error.message).toContain('the apiKey function gave no key within 10000 ms (option "timeout")');
    expect(calls).toEqual([]);
  });

  class VaultError extends Error {}
  it.each<[unknown, string]>([
    [new VaultError('sealed'), ' (VaultError)'],
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), ' (Error, ECONNREFUSED)'],
    [new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } }), ' (TypeError, ENOTFOUND)'],
    [new DOMException('late', 'TimeoutError'), ' (TimeoutError)'],
    [Object.assign(new Error('x'), { name: 'sk_live_1', code: 'sk_live_2' }), ''],
    [{ cause: { code: 'lower case' } }, ''],
    ['sk_live_3', ''],
    [undefined, ''],
  ])('a function that throws %o tells class and code, and no message', async (thrown, told) => {
    const message = new RegExp(`^rates\\.list: the apiKey function failed${told.replace(/[()]/g, '\\$&')}\\. No`);
    await expectNoKey(() => Promise.reject(thrown), message);
  });

  async function expectNoKey(apiKey: () => string | Promise<string>, message: RegExp): Promise<void> {
    const server = await serve(ok([]));
    const error = await errorOf(clientOf(server.url, { apiKey }).rates.list());
    expect(error).toMatchObject({ kind: 'configuration', code: 'SDK_API_KEY', outcome: 'not_sent' });
    expect(error).toMatchObject({ stoppedBy: 'not_retryable', message: expect.stringMatching(message) });
    expect(server.requests).toHaveLength(0);
  }
});

describe('what is usable', () => {
  it.each([
    ...['https://pay.example', 'https://pay.example:8443/prefix', 'HTTPS://PAY.EXAMPLE'],
    ...['http://localhost:3000', 'http://127.0.0.1:80', 'http://127.9.9.9', 'http://[::1]:3000'],
  ])('%s', (baseUrl) => {
    expect(() => new MerchantClient({ ...given, baseUrl })).not.toThrow();
  });

  it('plain http where it is allowed', () => {
    expect(() => new MerchantClient({ ...given, baseUrl: 'http://payments:8080', allowHttp: true })).not.toThrow();
  });

  it('undefined is an option left out', () => {
    const all = ['timeout', 'deadline', 'retry', 'fetch', 'headers', 'hooks', 'allowHttp'];
    const none = Object.fromEntries(all.map((name) => [name, undefined]));
    expect(() => new MerchantClient({ ...given, ...none })).not.toThrow();
  });
});

it.each(['handler', 'verify'])('merchant.webhooks.%s of old code names what receives webhooks', (name) => {
  const { webhooks } = new MerchantClient(given);
  expect(() => Reflect.get(webhooks, name)({})).toThrow(
    /^merchant\.webhooks receives nothing: .*createWebhookHandler.* of merchant-invoicing\/webhooks\.$/,
  );
  expect(Object.keys(webhooks)).not.toContain(name);
});

describe('the environment', () => {
  it('gives address and key where the options do not', async () => {
    const server = await serve(ok([]));
    vi.stubEnv('MERCHANT_BASE_URL', server.url);
    vi.stubEnv('MERCHANT_API_KEY', 'key-of-environment');
    const client = new MerchantClient();
    await client.rates.list();
    expect(server.requests[0]?.headers['x-api-key']).toBe('key-of-environment');
    await new MerchantClient({ apiKey: 'key-of-options' }).rates.list();
    expect(server.requests[1]?.headers['x-api-key']).toBe('key-of-options');
  });

  it.each<[name: string, value: string | undefined, problem: string]>([
    ['MERCHANT_BASE_URL', 'pay.example', 'MERCHANT_BASE_URL'],
    ['MERCHANT_BASE_URL', '', 'the environment variable MERCHANT_BASE_URL is set and empty'],
    ['MERCHANT_BASE_URL', undefined, 'baseUrl is undefined'],
    ['MERCHANT_API_KEY', undefined, 'MERCHANT_API_KEY (Node reads an .env file only with --env-file)'],
    ['MERCHANT_API_KEY', 'key\n', 'MERCHANT_API_KEY'],
    ['MERCHANT_API_KEY', '', 'variable MERCHANT_API_KEY is set and empty'],
    ['MERCHANT_API_KEY', undefined, 'MERCHANT_API_KEY'],
  ])('is named where it is wrong: %s=%j', (name, value, problem) => {
    vi.stubEnv('MERCHANT_BASE_URL', 'https://pay.example');
    vi.stubEnv('MERCHANT_API_KEY', 'k');
    vi.stubEnv(name, value);
    expect(problemOf({}).message).toContain(problem);
  });

  it('is named where it is there behind the byte order mark of its file', () => {
    for (const [name, ...wrong] of [
      ['MERCHANT_BASE_URL', {}, { baseUrl: undefined }],
      ['MERCHANT_API_KEY', { baseUrl: 'https://pay.example' }, { baseUrl: 'https://pay.example', apiKey: undefined }],
      ['MERCHANT_SANDBOX', { baseUrl: 'https://pay.example', apiKey: 'sk_sandbox' }],
    ] as const) {
      for (const mark of ['\uFEFF', '\u00ef\u00bb\u00bf']) {
        vi.stubEnv(mark + name, 'x');
        for (const options of wrong)
          expect(problemOf(options).message).toContain(
            `${name} is there under another name, because its file begins with a byte`,
          );
        vi.unstubAllEnvs();
        vi.stubEnv(name, undefined);
        vi.stubEnv(`MY_${name}`, 'x'); // of another program
        for (const options of wrong) expect(problemOf(options).message).not.toContain('under another name');
        vi.unstubAllEnvs();
      }
    }
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
      new MerchantClient({ baseUrl: server.url, apiKey: 'k' });
      expect(problemOf({ apiKey: 'k' }).message).toContain('baseUrl is undefined');
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe('the client', () => {
  it('looks the global fetch up at each call', async () => {
    const late = new MerchantClient(given);
    vi.stubGlobal('fetch', async () => new Response('{"data":[]}'));
    expect(await late.rates.list()).toEqual([]);
    vi.unstubAllGlobals();
  });
});

it('a client in a page says once that everybody can read its key', () => {
  const lines: string[] = [];
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line));
  vi.stubGlobal('document', {});
  new MerchantClient(given);
  new MerchantClient(given);
  vi.unstubAllGlobals();
  expect(lines).toEqual([expect.stringContaining('in a page, where everybody can read the API key')]);
});
