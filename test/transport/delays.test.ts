import { describe, expect, it } from 'vitest';
import type { RetryOptions } from '../../src/options.ts';
import type { RetryEvent } from '../../src/transport/hooks.ts';
import { readRetryAfter } from '../../src/transport/retry.ts';
import { FakeRuntime, START, TIMEOUT } from '../support/fake-runtime.ts';
import fc from '../support/fast-check.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { ok, refuse, stall } from '../support/fault-steps.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

/** The waits of a call that reads the rates, with these random numbers in turn, and its error. */
async function waitsOf(script: readonly Step[], randoms: readonly number[], retry: RetryOptions = {}) {
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
  it.each<[string, Step, number[], RetryOptions, number[]]>([
    ['full jitter doubles from 500 ms', unavailable, [0.9, 0.4, 0.75, 0.5], { attempts: 5 }, [450, 400, 1500, 2000]],
    ['is cut at 8 s', unavailable, [0.5], { attempts: 8 }, [250, 500, 1000, 2000, 4000, 4000, 4000]],
    ['is cut at maxDelay', unavailable, [0.5], { maxDelay: 600, attempts: 4 }, [250, 300, 300]],
    ['never less than 50 ms', unavailable, [0], {}, [50, 50]],
    ['baseDelay moves the whole row', unavailable, [0.5], { baseDelay: 100 }, [50, 100]],
    ['a rate limit begins at twice the base', limited, [0.9, 0.6], {}, [900, 1200]],
    ['a rate limit waits for 500 ms at the least', limited, [0], {}, [500, 500]],
  ])('%s', async (_name, step, randoms, retry, waits) => {
    expect((await waitsOf([step], randoms, retry)).waits).toEqual(waits);
  });

  it('backs off after a timeout as after a 5xx', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(stall(runtime.expire), stall(runtime.expire), ok([]));
    await clientOf(server.url, { runtime }).rates.list();
    expect(runtime.waits).toEqual([250, 500]);
  });
});

describe('the wait that a response asks for', () => {
  // RFC 9110, 10.2.3: seconds, or a date in one of the three forms of 5.6.7. Anything else is no wait.
  const UNREADABLE = [
    ...['', ' ', '1000000000000', '0.0000001', '.5', '5.', '+5', '-5', '5s', 's5', '5 5', '0x10', '1e3', ',', '5s, 6s'],
    ...['soon', '31 Jan 2026 09:30:05 GMT', '2026-01-31T09:30:05Z', 'Sat', 'Sat, soon, or later in the day'],
    ...['Saturn, 31 Jan 2026 09:30:05 GMT', 'after Sat, 31 Jan 2026 09:30:05 GMT', 'Sat, 31 Jan 2026 29:30:05 GMT'],
    `Sat, 31 Jan 2026 09:30:05 GMT (${'x'.repeat(40)})`,
  ];
  it.each<[string, number | undefined]>([
    ['0', 0],
    ['7', 7_000],
    ['0.25', 250],
    ['1.0001', 1_001], // up: never earlier than asked
    ['0.000001', 1],
    ['999999999999', 999_999_999_999_000],
    [' 3 ', 3_000],
    ['Sat, 31 Jan 2026 09:30:05 GMT', 5_000],
    ['Saturday, 31-Jan-26 09:30:06 GMT', 6_000],
    ['Sat Jan 31 09:30:07 2026', 7_000],
    ['Sun Feb  1 09:30:00 2026', 86_400_000],
    ['Sat, 31 Jan 2026 09:30:08 UTC', 8_000],
    ['Sat, 31 Jan 2026 11:30:09 +0200', 9_000],
    ['Sat, 31 Jan 2026 04:30:10 -0500', 10_000],
    ['Sat, 31 Jan 2026 09:30:00 GMT', 0],
    ['Fri, 30 Jan 2026 09:30:00 GMT', 0],
    ...UNREADABLE.map((header): [string, undefined] => [header, undefined]),
  ])('is in the error, also of one that is not repeated: %j is %s', async (header, wait) => {
    const headers = { 'retry-after': header, date: new Date(START).toUTCString() };
    const fetch = async () => new Response('', { status: 403, headers });
    const error = await errorOf(clientOf('https://pay.example', { fetch }).rates.list());
    expect('retryAfter' in error ? error.retryAfter : undefined).toBe(wait);
  });

  it('is read to the second from any date, and is a whole number or none, whatever the header is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 * 366 * 86_400 }), fc.string(), (ahead, header) => {
        expect(readRetryAfter(new Date(START + ahead * 1000).toUTCString(), START)).toBe(ahead * 1000);
        const wait = readRetryAfter(header, START);
        expect(wait === undefined || (Number.isInteger(wait) && wait >= 0)).toBe(true);
      }),
    );
  });

  it.each<[string, number, number]>([
    ['3', 0, 3_000],
    ['0.1', 0, 500], // less than the own wait, which is 500 after a 429 with 0.5
    ['0', 0, 500],
    ['soon', 0, 500],
    ['10', 0.5, 11_000],
    ['10', 1, 12_000], // a fifth on top at the most
  ])('is a lower bound: after "%s", with a random %d, the client waits %i ms', async (header, random, wait) => {
    expect((await waitsOf([hinted(429, header), ok([])], [0.5, random])).waits).toEqual([wait]);
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 520])('is kept after HTTP %i', async (status) => {
    expect((await waitsOf([hinted(status, '3'), ok([])], [0.5, 0])).waits).toEqual([3_000]);
  });

  it.each([3_600_000, -3_600_000, 0])(
    'counts from the Date of its response: a service clock that is %i ms off',
    async (off) => {
      const at = START + off;
      const { waits } = await waitsOf([hinted(503, new Date(at + 7_000).toUTCString(), at), ok([])], [0.5, 0]);
      expect(waits).toEqual([7_000]);
    },
  );

  it.each([null, '', 'today', '2026-01-31T09:30:00Z'])(
    'counts from the moment it is read, where the Date is %j',
    async (date) => {
      const runtime = new FakeRuntime(0.5, 0);
      const late: Step = {
        play({ response }) {
          runtime.pass(4_000);
          response.sendDate = false;
          const headers = { 'retry-after': new Date(START + 6_000).toUTCString(), ...(date !== null && { date }) };
          response.writeHead(429, headers).end('{}');
        },
      };
      await clientOf((await serve(late, ok([]))).url, { runtime }).rates.list();
      expect(runtime.waits).toEqual([2_000]);
    },
  );

  it.each<[number, string, RetryOptions, object]>([
    [429, '11', {}, { kind: 'rate_limit', status: 429, retryAfter: 11_000, stoppedBy: 'retry_after' }],
    [503, '11', {}, { kind: 'server', status: 503, retryAfter: 11_000, stoppedBy: 'retry_after' }],
    [429, '2', { maxRetryAfter: 1_999 }, { kind: 'rate_limit', stoppedBy: 'retry_after' }],
  ])(
    'longer than maxRetryAfter (%i, %s s, %j): the real error at once, with the wait',
    async (status, header, retry, error) => {
      const result = await waitsOf([hinted(status, header)], [0.5], retry);
      expect(result).toMatchObject({ waits: [], requests: 1, error });
      expect((await waitsOf([hinted(429, '9.9'), ok([])], [0.5, 0])).waits).toEqual([9_900]);
    },
  );

  it('a Retry-After beyond the deadline fails at once with the error of the service', async () => {
    const runtime = new FakeRuntime(0.5, 0);
    const server = await serve(hinted(429, '10'));
    const error = await errorOf(clientOf(server.url, { runtime, deadline: 10_000 }).rates.list());
    expect(runtime.waits).toEqual([]);
    expect(error).toMatchObject({ kind: 'rate_limit', retryAfter: 10_000, stoppedBy: 'deadline' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('the number of attempts', () => {
  it('attempts are three by default, an option of client or call overrides them, and false is one', async () => {
    expect(await waitsOf([unavailable], [0.5])).toMatchObject({ requests: 3, error: { stoppedBy: 'attempts' } });
    expect((await waitsOf([unavailable], [0.5], { attempts: 2 })).requests).toBe(2);
    for (const [own, first, second] of [
      [undefined, false, { attempts: 4 }],
      [false, undefined, { attempts: 2 }],
    ] as const) {
      const server = await serve(unavailable);
      const client = clientOf(server.url, { runtime: new FakeRuntime(), retry: own });
      await errorOf(client.rates.list({}, { retry: first }));
      expect(server.requests).toHaveLength(1);
      await errorOf(client.rates.list({}, { retry: second }));
      expect(server.requests).toHaveLength(1 + second.attempts);
    }
  });

  it('attempts of different kinds are told in order', async () => {
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
