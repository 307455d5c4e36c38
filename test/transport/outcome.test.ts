import { describe, expect, test } from 'vitest';
import type { MerchantClient } from '../../src/client.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { closedPort, type Step, serve } from '../support/fault-server.ts';
import * as steps from '../support/fault-steps.ts';
import { API_KEY, clientOf, errorOf, order } from '../support/test-client.ts';

// "Did it happen?", for one attempt and for the whole call.

const create = (client: MerchantClient) => client.invoices.create(order);
const read = (client: MerchantClient) => client.invoices.get('order-1042');
const resend = (client: MerchantClient) => client.webhooks.resend('order-1042');

async function outcomeOf(call: (client: MerchantClient) => PromiseLike<unknown>, step: Step): Promise<string> {
  const server = await serve(step);
  return (await errorOf(call(clientOf(server.url, { retry: false })))).outcome;
}

describe('of one attempt', () => {
  test.each([
    // status, a write, a read
    [408, 'unknown', 'unknown'],
    [500, 'unknown', 'rejected'],
    [502, 'unknown', 'rejected'],
    [503, 'unknown', 'rejected'],
    [504, 'unknown', 'rejected'],
    [520, 'unknown', 'rejected'],
    [501, 'rejected', 'rejected'],
    [505, 'rejected', 'rejected'],
    [400, 'rejected', 'rejected'],
    [401, 'rejected', 'rejected'],
    [404, 'rejected', 'rejected'],
    [409, 'rejected', 'rejected'],
    [422, 'rejected', 'rejected'],
    [425, 'rejected', 'rejected'],
    [429, 'rejected', 'rejected'],
    [301, 'unknown', 'rejected'],
    [304, 'unknown', 'rejected'],
    [307, 'unknown', 'rejected'],
  ])('HTTP %i', async (status, write, readOutcome) => {
    const step = steps.answer(status, '');
    expect(await outcomeOf(create, step)).toBe(write);
    expect(await outcomeOf(resend, step)).toBe(write);
    expect(await outcomeOf(read, step)).toBe(readOutcome);
  });

  test.each([
    ['a reset before reading', steps.resetBeforeReading],
    ['a reset after reading', steps.resetAfterReading],
    ['a reset in the body', steps.resetMidBody()],
    ['a truncated success', steps.truncate()],
    ['HTML as success', steps.answer(200, '<p>')],
    ['another shape', steps.ok({ uuid: 7 })],
  ])('%s', async (_name, step) => {
    expect(await outcomeOf(create, step)).toBe('unknown');
  });

  test.each<[string, object | undefined, string]>([
    ['that is missing', undefined, 'fetch returned no Response'],
    [
      'of a mock',
      { ok: true, status: 201, headers: new Headers(), json: async () => ({}) },
      'it must return a Response',
    ],
    ['without headers', { status: 200, body: null }, 'fetch returned a response without headers'],
    ['of a network error', Response.error(), 'fetch returned a network error as its response'],
  ])('a response %s', async (_name, response, message) => {
    const fetch = async () => response as Response; // what a fake may give
    const error = await errorOf(create(clientOf('https://pay.example', { fetch, retry: false })));
    expect(error).toMatchObject({ code: 'SDK_CONNECTION', outcome: 'unknown' });
    expect(error.message).toContain(message);
  });

  test('a refusal under 200', async () => {
    expect(await outcomeOf(create, steps.refuse(200, 'NOT_ALLOWED'))).toBe('rejected');
  });
});

describe('of the whole call', () => {
  /** A creation whose attempts end like this, in turn. */
  async function outcomeAfter(...script: ((runtime: FakeRuntime) => Step)[]) {
    const runtime = new FakeRuntime();
    const server = await serve(...script.map((step) => step(runtime)));
    return errorOf(create(clientOf(server.url, { runtime })));
  }
  const timeout = (runtime: FakeRuntime) => steps.stall(runtime.expire);

  test.each([
    ['429', () => steps.refuse(429, null), 'rate_limit'],
    ['401', () => steps.refuse(401, null), 'authentication'],
    ['422', () => steps.refuse(422, null), 'validation'],
    ['404', () => steps.refuse(404, null), 'not_found'],
    ['501', () => steps.refuse(501, null), 'server'],
    ['a redirect', () => steps.redirect(302, 'https://elsewhere.example/'), 'unexpected_response'],
    ['a success: false', () => steps.refuse(200, 'NOT_ALLOWED'), 'request'],
  ])('a timeout, then %s: still unknown', async (_name, later, kind) => {
    const error = await outcomeAfter(timeout, later);
    expect(error).toMatchObject({ kind, outcome: 'unknown' });
    expect(error.message).toContain('It may have been processed');
    expect(error.attempts[0]).toEqual({ code: 'SDK_ATTEMPT_TIMEOUT', status: null, outcome: 'unknown' });
  });

  test('a 503, then nobody listens: still unknown', async () => {
    const server = await serve(steps.refuse(503, null));
    const [first, later] = [[server.url], await closedPort()];
    const client = clientOf('https://pay.example', {
      fetch: (url, init) => fetch(url.replace('https://pay.example', first.pop() ?? later), init),
    });
    const error = await errorOf(create(client));
    expect(error).toMatchObject({ kind: 'connection', outcome: 'unknown' });
    expect(error.attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'not_sent', 'not_sent']);
  });

  test('a timeout, then a key function that fails: still unknown', async () => {
    const runtime = new FakeRuntime();
    const server = await serve(steps.stall(runtime.expire));
    const keys = [API_KEY];
    const apiKey = () => keys.pop() ?? Promise.reject(new Error('vault is sealed'));
    const error = await errorOf(create(clientOf(server.url, { runtime, apiKey })));
    expect(error).toMatchObject({ kind: 'configuration', code: 'SDK_API_KEY', outcome: 'unknown' });
  });

  test('rejected and not sent: rejected', async () => {
    const targets = [(await serve(steps.refuse(429, null))).url, await closedPort()];
    const client = clientOf('https://pay.example', {
      retry: { attempts: 2, baseDelay: 0, maxDelay: 0 },
      fetch: (url, init) => fetch(url.replace('https://pay.example', targets.shift() ?? ''), init),
    });
    expect(await errorOf(create(client))).toMatchObject({ kind: 'connection', outcome: 'rejected' });
  });

  test.each([
    // What Deno 2 says, which has no codes.
    ['client error (Connect): tcp connect error: Connection refused (os error 111)', 'not_sent'],
    ['client error (Connect): dns error: failed to lookup address information', 'not_sent'],
    ['client error (SendRequest): connection closed before message completed', 'unknown'],
    ['client error (ConnectionReset)', 'unknown'],
  ])('Deno: %s is %s', async (words, outcome) => {
    const thrown = new TypeError(`error sending request for url (https://pay.example/): ${words}`);
    const client = clientOf('https://pay.example', { fetch: () => Promise.reject(thrown), retry: false });
    expect(await errorOf(create(client))).toMatchObject({ kind: 'connection', outcome });
  });

  test('never sent: not_sent', async () => {
    expect(await errorOf(create(clientOf(await closedPort())))).toMatchObject({ outcome: 'not_sent' });
  });
});
