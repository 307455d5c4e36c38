import { describe, expect, test } from 'vitest';
import type { CallOptions } from '../../src/options.ts';
import { serve } from '../support/fault-server.ts';
import { ok } from '../support/fault-steps.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

// Options of a call, refused before the network: which one, why, and never the value of a text.

const SIGNAL = 'options.signal must be an AbortSignal, such as AbortSignal.timeout(5_000), not';
const CALL = 'signal, timeout, deadline, retry, headers, query, onInvalidItem';
const RETRY = 'attempts, baseDelay, maxDelay, maxRetryAfter';

describe('an unusable option of a call', () => {
  test.each<[string, unknown, string]>([
    ['null', null, 'options must be an object, not null'],
    ['text', 'fast', 'options must be an object, not a value of type string'],
    ['an unknown name', { timeOut: 5 }, `options has no "timeOut"; it has ${CALL}`],
    ['a long unknown name', { ['x'.repeat(50)]: 5 }, `options has no "${'x'.repeat(40)}"; it has ${CALL}`],
    ['a signal of text', { signal: 'stop' }, `${SIGNAL} a value of type string`],
    ['a signal of an object', { signal: {} }, `${SIGNAL} a value of type object`],
    [
      'a controller in place of its signal',
      { signal: new AbortController() },
      'options.signal must be an AbortSignal, not the AbortController: pass controller.signal',
    ],
    ['half a signal', { signal: { aborted: false } }, `${SIGNAL} a value of type object`],
    ['the other half', { signal: { addEventListener() {} } }, `${SIGNAL} a value of type object`],
    [
      'a signal that cannot listen',
      { signal: { aborted: false, addEventListener: 1 } },
      `${SIGNAL} a value of type object`,
    ],
    ['a timeout of zero', { timeout: 0 }, 'options.timeout must be a number of milliseconds above 0, not 0'],
    [
      'a timeout of text',
      { timeout: '5' },
      'options.timeout must be a number of milliseconds above 0, not a value of type string',
    ],
    [
      'an empty deadline',
      { deadline: '' },
      'options.deadline must be a number of milliseconds above 0, not an empty string',
    ],
    ['a deadline of null', { deadline: null }, 'options.deadline must be a number of milliseconds above 0, not null'],
    [
      'a deadline of a list',
      { deadline: [5] },
      'options.deadline must be a number of milliseconds above 0, not an array',
    ],
    [
      'an endless deadline',
      { deadline: Infinity },
      'options.deadline must be a number of milliseconds above 0, not Infinity',
    ],
    ['retries of a number', { retry: 5 }, 'retry must be false or an object, not 5'],
    ['retries of null', { retry: null }, 'retry must be false or an object, not null'],
    ['an unknown name in retry', { retry: { budget: 5 } }, `retry has no "budget"; it has ${RETRY}`],
    ['half an attempt', { retry: { attempts: 1.5 } }, 'retry.attempts must be a whole number from 1, not 1.5'],
    [
      'attempts of text',
      { retry: { attempts: '3' } },
      'retry.attempts must be a whole number from 1, not a value of type string',
    ],
    [
      'a delay below zero',
      { retry: { baseDelay: -1 } },
      'retry.baseDelay must be a number of milliseconds from 0, not -1',
    ],
    [
      'a delay of text',
      { retry: { maxDelay: '1' } },
      'retry.maxDelay must be a number of milliseconds from 0, not a value of type string',
    ],
    [
      'headers of text',
      { headers: 'x: 1' },
      'options.headers must be an object of strings, not a value of type string',
    ],
    ['headers of null', { headers: null }, 'options.headers must be an object of strings, not null'],
    [
      'a header of a number',
      { headers: { 'X-Tenant': 7 } },
      'options.headers: the value of X-Tenant is not text that a header can carry',
    ],
    [
      'a header of two lines',
      { headers: { 'X-Tenant': 'a\nb' } },
      'options.headers: the value of X-Tenant is not text that a header can carry',
    ],
    [
      'a header that is no name',
      { headers: { 'x tenant': 'a' } },
      'options.headers holds a name that is not a header name',
    ],
    ['the key', { headers: { 'x-API-key': 'a' } }, 'options.headers cannot set x-API-key: the client does'],
    ['the host', { headers: { Host: 'a' } }, 'options.headers cannot set Host: the client does'],
    ['an upgrade', { headers: { Upgrade: 'a' } }, 'options.headers cannot set Upgrade: fetch does not send it'],
    ['a query of text', { query: 'a=1' }, 'options.query must be an object of strings, not a value of type string'],
    ['a query of null', { query: null }, 'options.query must be an object of strings, not null'],
    ['a query value of a number', { query: { a: 1 } }, 'options.query: the value of a must be a string, not 1'],
    [
      'a query value of undefined',
      { query: { a: undefined } },
      'options.query: the value of a must be a string, not undefined',
    ],
  ])('%s', async (_name, options, problem) => {
    const server = await serve(ok([]));
    const error = await errorOf(clientOf(server.url).paymentMethods.list(options as CallOptions)); // wrong on purpose
    expect(error).toMatchObject({
      kind: 'configuration',
      code: 'SDK_INVALID_ARGUMENT',
      operation: 'paymentMethods.list',
      outcome: 'not_sent',
    });
    expect(error.message).toBe(`paymentMethods.list: ${problem}. No request was made.`);
    expect(server.requests).toHaveLength(0);
  });
});

test.each<[string, CallOptions]>([
  ['nothing', {}],
  ['everything left out', { signal: undefined, timeout: undefined, retry: undefined, headers: undefined }],
  ['a header left out', { headers: { 'x-tenant': undefined as unknown as string } }],
  ['the smallest numbers', { timeout: 5_000.5, deadline: 1e9, retry: { attempts: 1, baseDelay: 0, maxDelay: 0 } }],
])('usable: %s', async (_name, options) => {
  const server = await serve(ok([]));
  expect(await clientOf(server.url).paymentMethods.list(options)).toEqual([]);
  expect(server.requests[0]?.headers).not.toHaveProperty('x-tenant');
});

test('headers may be Headers, a query is added, and a signal of another realm is one', async () => {
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

test('parameters that are wrong are named, the first five of them', async () => {
  const client = clientOf('https://pay.example');
  const wrong = { external_id: '', customer_id: '', amount: '', currency: '', purpose: 5, callback_url: 'x' };
  const error = await errorOf(client.invoices.create(wrong as never));
  expect(error.message).toBe(
    'invoices.create: external_id must not be empty; customer_id must not be empty; amount must be a decimal string ' +
      'greater than 0 with at most 2 decimals, such as "25.00", not ""; currency must not be empty; purpose must be a string, ' +
      'not a number. No request was made.',
  );
  expect(error).toMatchObject({ issues: { length: 6 } });
  const whole = await errorOf(client.invoices.create('order-1042' as never));
  expect(whole.message).toBe('invoices.create: the parameters must be an object. No request was made.');
});

test('nothing of what a request carries is hidden', async () => {
  const refused = await serve({
    play: ({ response }) =>
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"message":"no Five5 and no Sixsix"}'),
  });
  const order = { external_id: 'order-1042', customer_id: 'Five5', amount: '1', currency: 'EUR', purpose: 'Sixsix' };
  const error = await errorOf(clientOf(refused.url).invoices.create(order));
  expect(error).toMatchObject({ raw: '{"message":"no Five5 and no Sixsix"}' });
  expect(error.message).toContain('"no Five5 and no Sixsix"');
});
