import { describe, expect, test } from 'vitest';
import type { ClientRetryOptions } from '../../src/options.ts';
import type { RetryEvent } from '../../src/transport/hooks.ts';
import { FakeRuntime, START, TIMEOUT } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { ok, refuse, stall } from '../support/fault-steps.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

/** The waits of a call that reads the rates, with these random numbers in turn, and its error. */
async function waitsOf(script: readonly Step[], randoms: readonly number[], retry: ClientRetryOptions = {}) {
  const runtime = new FakeRuntime(...randoms);
  const server = await serve(...script);
  const events: RetryEvent[] = [];
  const client = clientOf(server.url, { runtime, retry, hooks: { onRetry: (event) => events.push(event) } });
  const result = await client.rates.list().result();
  expect(events.map(({ delayMs }) => delayMs)).toEqual(runtime.waits);
  return { waits: runtime.waits, requests: server.requests.length, error: result.ok ? null : result.error };
}

const unavailable = refuse(503, null);
const limited = refuse(429, null);
const hinted = (status: number, retryAfter: string, answeredAt = START) =>
  refuse(status, null, undefined, { 'retry-after': retryAfter, date: new Date(answeredAt).toUTCString() });
describe('without a hint', () => {
  test('full jitter doubles from 500 ms', async () => {
    expect((await waitsOf([unavailable], [0.9, 0.4, 0.75, 0.5], { attempts: 5 })).waits).toEqual([
      450, 400, 1500, 2000,
    ]);
  });

  test('is cut at maxDelay', async () => {
    const { waits } = await waitsOf([unavailable], [0.999], { attempts: 8 });
    expect(waits.map(Math.round)).toEqual([500, 999, 1998, 3996, 7992, 7992, 7992]);
    expect((await waitsOf([unavailable], [0.5], { maxDelay: 600, attempts: 4 })).waits).toEqual([250, 300, 300]);
  });

  test('never less than 50 ms', async () => {
    expect((await waitsOf([unavailable], [0])).waits).toEqual([50, 50]);
  });

  test('baseDelay moves the whole row', async () => {
    expect((await waitsOf([unavailable], [0.5], { baseDelay: 100 })).waits).toEqual([50, 100]);
  });

  test('a rate limit begins at twice the base, and at 500 ms at the least', async () => {
    expect((await waitsOf([limited], [0.9, 0.6], { attempts: 3 })).waits).toEqual([900, 1200]);
    expect((await waitsOf([limited], [0], { attempts: 3 })).waits).toEqual([500, 500]);
  });

  test('a time limit that ran out is waited for like a failure of the service', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(stall(runtime.expire), stall(runtime.expire), ok([]));
    await clientOf(server.url, { runtime }).rates.list();
    expect(runtime.waits).toEqual([250, 500]);
  });
});

describe('the service asks for a wait', () => {
  test.each([
    ['seconds', '2', 2000],
    ['seconds with blanks', ' 2 ', 2000],
    ['half a second is less than the own wait', '0.1', 500],
    ['zero is no hint to hurry', '0', 500],
    ['an HTTP date', new Date(START + 4000).toUTCString(), 4000],
    ['a date of RFC 850', 'Saturday, 31-Jan-26 09:30:03 GMT', 3000],
    ['a date of asctime', 'Sat Jan 31 09:30:05 2026', 5000],
    ['a date in the past', new Date(START - 9000).toUTCString(), 500],
    ['a negative number is no hint', '-1', 500],
    ['an exponent is no hint', '1e3', 500],
    ['an ISO date is no hint', '2026-01-31T09:30:09Z', 500],
    ['a word is no hint', 'soon', 500],
    ['an empty header is no hint', '', 500],
  ])('%s', async (_name, header, expected) => {
    // The own backoff of a 429 with 0.5 is 500; a hint is then a lower bound, and its jitter, up to a fifth, is 0 here.
    const { waits } = await waitsOf([hinted(429, header), ok([])], [0.5, 0]);
    expect(waits).toEqual([expected]);
  });

  test('with up to a fifth on top, never less', async () => {
    expect((await waitsOf([hinted(429, '10'), ok([])], [0.5, 0.5])).waits).toEqual([11_000]);
    expect((await waitsOf([hinted(429, '10'), ok([])], [0.5, 1])).waits).toEqual([12_000]);
  });

  test.each([408, 425, 429, 500, 502, 503, 504, 520])('on HTTP %i', async (status) => {
    expect((await waitsOf([hinted(status, '3'), ok([])], [0.5, 0])).waits).toEqual([3000]);
  });

  test.each([
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000],
    ['right', 0],
  ])(
    'a date counts from the Date of its response: a service whose clock is %s asks for the same wait',
    async (_name, off) => {
      const at = START + off;
      const { waits } = await waitsOf([hinted(503, new Date(at + 7_000).toUTCString(), at), ok([])], [0.5, 0]);
      expect(waits).toEqual([7_000]);
    },
  );

  test('without a Date, a date counts from the moment it is read, not from when the attempt began', async () => {
    const runtime = new FakeRuntime(0.5, 0);
    const late: Step = {
      play({ response }) {
        runtime.pass(4_000);
        response.sendDate = false;
        response.writeHead(429, { 'retry-after': new Date(START + 6_000).toUTCString() }).end('{}');
      },
    };
    await clientOf((await serve(late, ok([]))).url, { runtime }).rates.list();
    expect(runtime.waits).toEqual([2_000]);
  });

  test('longer than maxRetryAfter: the real error at once, with the wait in it', async () => {
    const { waits, requests, error } = await waitsOf([hinted(429, '11')], [0.5]);
    expect({ waits, requests }).toEqual({ waits: [], requests: 1 });
    expect(error).toMatchObject({ kind: 'rate_limit', status: 429, retryAfter: 11_000, stoppedBy: 'retry_after' });
    expect((await waitsOf([hinted(503, '11')], [0.5])).error).toMatchObject({ kind: 'server', retryAfter: 11_000 });
    expect((await waitsOf([hinted(429, '9.9'), ok([])], [0.5, 0])).waits).toEqual([9_900]);
    expect((await waitsOf([hinted(429, '2')], [0.5], { maxRetryAfter: 1_999 })).error).toMatchObject({
      stoppedBy: 'retry_after',
    });
  });

  test('longer than the time that is left: the real error at once', async () => {
    const runtime = new FakeRuntime(0.5, 0);
    const server = await serve(hinted(429, '10'));
    const error = await errorOf(clientOf(server.url, { runtime, deadline: 10_000 }).rates.list());
    expect(runtime.waits).toEqual([]);
    expect(error).toMatchObject({ kind: 'rate_limit', retryAfter: 10_000, stoppedBy: 'deadline' });
    expect(server.requests).toHaveLength(1);
  });

  test('a refusal that is not repeated tells its wait all the same', async () => {
    const { error } = await waitsOf([hinted(403, '7')], [0.5]);
    expect(error).toMatchObject({ kind: 'authentication', retryAfter: 7_000, stoppedBy: 'not_retryable' });
  });
});

describe('the number of attempts', () => {
  test('is three', async () => {
    const { requests, error } = await waitsOf([unavailable], [0.5]);
    expect(requests).toBe(3);
    expect(error).toMatchObject({ stoppedBy: 'attempts' });
  });

  test('is the option, of the client or of the call; false is one', async () => {
    expect((await waitsOf([unavailable], [0.5], { attempts: 2 })).requests).toBe(2);
    const server = await serve(unavailable);
    const client = clientOf(server.url, { runtime: new FakeRuntime() });
    await errorOf(client.rates.list({}, { retry: false }));
    await errorOf(client.rates.list({}, { retry: { attempts: 4 } }));
    expect(server.requests).toHaveLength(5);
    const never = clientOf(server.url, { runtime: new FakeRuntime(), retry: false });
    await errorOf(never.rates.list());
    await errorOf(never.rates.list({}, { retry: { attempts: 2 } }));
    expect(server.requests).toHaveLength(8);
  });

  test('attempts of different kinds are told in order', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(stall(runtime.expire), limited, unavailable);
    const error = await errorOf(clientOf(server.url, { runtime }).invoices.create(order));
    expect(error.attempts).toEqual([
      { code: 'SDK_ATTEMPT_TIMEOUT', status: null, outcome: 'unknown' },
      { code: 'SDK_HTTP_429', status: 429, outcome: 'rejected' },
      { code: 'SDK_HTTP_503', status: 503, outcome: 'unknown' },
    ]);
    expect(runtime.time - START).toBe(TIMEOUT + 250 + 1000);
  });
});
