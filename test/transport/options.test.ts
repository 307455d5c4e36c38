import { describe, expect, it } from 'vitest';
import type { CallOptions } from '../../src/options.ts';
import { serve } from '../support/fault-server.ts';
import { ok } from '../support/fault-steps.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

// Options of a call, refused before the network: which one, why, and never the value of a text.

const SIGNAL = 'options.signal must be an AbortSignal, such as AbortSignal.timeout(5_000), not';
const CONTROLLER = 'options.signal must be an AbortSignal, not the AbortController';
const UNSENDABLE = 'options.headers: the value of X-Tenant is not text that a header can carry';
const CALL = 'signal, timeout, deadline, retry, headers, query, onInvalidItem';
const RETRY = 'attempts, baseDelay, maxDelay, maxRetryAfter';

const MILLISECONDS = 'must be a number of milliseconds above 0, not';
const TEXT = 'a value of type string';

describe('an unusable option of a call', () => {
  it.each<[string, unknown, string]>([
    ['null', null, 'options must be an object, not null'],
    ['text', 'fast', `options must be an object, not ${TEXT}`],
    ['an unknown name', { timeOut: 5 }, `options has no "timeOut"; it has ${CALL}`],
    ['a long unknown name', { ['x'.repeat(50)]: 5 }, `options has no "${'x'.repeat(40)}"; it has ${CALL}`],
    ['a signal of text', { signal: 'stop' }, `${SIGNAL} ${TEXT}`],
    ['a signal of an object', { signal: {} }, `${SIGNAL} a value of type object`],
    ['half a signal', { signal: { aborted: false } }, `${SIGNAL} a value of type object`],
    ['the other half', { signal: { addEventListener() {} } }, `${SIGNAL} a value of type object`],
    ['a deaf signal', { signal: { aborted: false, addEventListener: 1 } }, `${SIGNAL} a value of type object`],
    ['a controller', { signal: new AbortController() }, `${CONTROLLER}: pass controller.signal`],
    ['a timeout of zero', { timeout: 0 }, `options.timeout ${MILLISECONDS} 0`],
    ['a timeout of NaN', { timeout: Number.NaN }, `options.timeout ${MILLISECONDS} NaN`],
    ['a timeout of text', { timeout: '5' }, `options.timeout ${MILLISECONDS} ${TEXT}`],
    ['an empty deadline', { deadline: '' }, `options.deadline ${MILLISECONDS} an empty string`],
    ['a deadline of null', { deadline: null }, `options.deadline ${MILLISECONDS} null`],
    ['a deadline of a list', { deadline: [5] }, `options.deadline ${MILLISECONDS} an array`],
    ['an endless deadline', { deadline: Infinity }, `options.deadline ${MILLISECONDS} Infinity`],
    ['retries of a number', { retry: 5 }, 'retry must be false or an object, not 5'],
    ['retries of null', { retry: null }, 'retry must be false or an object, not null'],
    ['an unknown name in retry', { retry: { budget: 5 } }, `retry has no "budget"; it has ${RETRY}`],
    ['half an attempt', { retry: { attempts: 1.5 } }, 'retry.attempts must be a whole number from 1, not 1.5'],
    ['attempts of text', { retry: { attempts: '3' } }, `retry.attempts must be a whole number from 1, not ${TEXT}`],
    [
      'a delay below 0',
      { retry: { baseDelay: -1 } },
      'retry.baseDelay must be a number of milliseconds from 0, not -1',
    ],
    ['headers of text', { headers: 'x: 1' }, `options.headers must be an object of strings, not ${TEXT}`],
    ['headers of null', { headers: null }, 'options.headers must be an object of strings, not null'],
    ['a header of a number', { headers: { 'X-Tenant': 7 } }, UNSENDABLE],
    ['a header of two lines', { headers: { 'X-Tenant': 'a\nb' } }, UNSENDABLE],
    ['a bad name', { headers: { 'x tenant': 'a' } }, 'options.headers holds a name that is not a header name'],
    ['the key', { headers: { 'x-API-key': 'a' } }, 'options.headers cannot set x-API-key: the client does'],
    ['the host', { headers: { Host: 'a' } }, 'options.headers cannot set Host: the client does'],
    ['an upgrade', { headers: { Upgrade: 'a' } }, 'options.headers cannot set Upgrade: fetch does not send it'],
    ['a query of text', { query: 'a=1' }, `options.query must be an object of strings, not ${TEXT}`],
    ['a query of null', { query: null }, 'options.query must be an object of strings, not null'],
    ['a query of numbers', { query: { a: 1 } }, 'options.query: the value of a must be a string, not 1'],
    ['undefined in it', { query: { a: undefined } }, 'options.query: the value of a must be a string, not undefined'],
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

it.each<[string, CallOptions]>([
  ['nothing', {}],
  ['everything left out', { signal: undefined, timeout: undefined, retry: undefined, headers: undefined }],
  ['a header left out', { headers: { 'x-tenant': undefined as unknown as string } }],
  ['the smallest numbers', { timeout: 5_000.5, deadline: 1e9, retry: { attempts: 1, baseDelay: 0, maxDelay: 0 } }],
])('usable: %s', async (_name, options) => {
  const server = await serve(ok([]));
  expect(await clientOf(server.url).paymentMethods.list(options)).toEqual([]);
  expect(server.requests[0]?.headers).not.toHaveProperty('x-tenant');
});

it('headers may be Headers, a query is added, and a signal of another realm is one', async () => {
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

it('parameters that are wrong are named, the first five of them', async () => {
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
