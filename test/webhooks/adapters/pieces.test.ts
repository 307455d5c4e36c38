import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { parseLambdaEvent } from '../../../src/webhooks/adapters/lambda-adapter.ts';
import { CatchUpCount, type CatchUpProgress } from '../../../src/webhooks/catch-up/catch-up-count.ts';
import { checkCatchUpOptions, checkClient, parseSince } from '../../../src/webhooks/catch-up/catch-up-options.ts';
import { toNodeHandler } from '../../../src/webhooks/index.ts';
import { endpoint } from '../endpoint.ts';

// The small parts of the receiver, each alone: what a whole delivery shows only by accident.

describe('the answer to a Node request', () => {
  it.each([
    [{}, ['405']],
    [{ headersSent: true }, []],
    [{ writableEnded: true }, []],
    [{ destroyed: true }, []],
    [{ destroyed: false }, ['405']],
  ])('is written unless somebody has, or it is gone: %j', async (state, expected) => {
    const written: string[] = [];
    const response = {
      statusCode: 0,
      headersSent: false,
      writableEnded: false,
      ...state,
      setHeader() {},
      end: () => void written.push(String(response.statusCode)),
    };
    const request = Object.assign(new EventEmitter(), { headers: {}, rawHeaders: ['a', 'b'], resume() {} });
    await toNodeHandler(endpoint().handler)(request as never, response as never);
    expect(written).toEqual(expected);
  });
});

describe('an event of Lambda that is none', () => {
  const HOW =
    'Lambda: connect this function by a proxy integration (AWS_PROXY), a function URL or a load balancer, and pass its event on unchanged.';
  const problemOf = async (event: unknown, limit = 100): Promise<string> => {
    const { body } = parseLambdaEvent(event).request;
    if (typeof body !== 'function') throw new Error('the body is read when it is asked for');
    return body(limit, new AbortController().signal).then(
      (read) => `read: ${typeof read === 'string' ? read : Buffer.from(read as Uint8Array).toString()}`,
      (error: Error) => error.message,
    );
  };
  const post = { requestContext: { http: { method: 'POST' } } };

  it.each<[unknown, string]>([
    [null, `The event is not an object. ${HOW}`],
    ['text', `The event is not an object. ${HOW}`],
    [[], `The event is not an object. ${HOW}`],
    [{}, `The event has no HTTP method. ${HOW}`],
    [{ httpMethod: '' }, `The event has no HTTP method. ${HOW}`],
    [{ httpMethod: 7 }, `The event has no HTTP method. ${HOW}`],
    [new Proxy({}, { getOwnPropertyDescriptor: fail }), `The event cannot be read. ${HOW}`],
    [{ ...post, body: 'e30=', isBase64Encoded: 'yes' }, `isBase64Encoded is neither true nor false. ${HOW}`],
    [{ ...post, body: '{}', isBase64Encoded: true }, `isBase64Encoded is true, but the body is not base64. ${HOW}`],
    [{ ...post, body: 'e30=', isBase64Encoded: false }, `isBase64Encoded is false, but the body is base64. ${HOW}`],
    [{ ...post, body: 'e30=' }, `isBase64Encoded is false, but the body is base64. ${HOW}`],
    [{ ...post, body: 'e30=', isBase64Encoded: true }, 'read: {}'],
    [{ ...post, body: '{}', isBase64Encoded: false }, 'read: {}'],
    [{ ...post, body: null }, 'read: '],
    [post, 'read: '],
  ])('%#', async (event, message) => {
    expect(await problemOf(event)).toBe(message);
  });

  it('is measured before it is decoded', async () => {
    const of = (bytes: number) => ({
      ...post,
      body: Buffer.alloc(bytes, 'x').toString('base64'),
      isBase64Encoded: true,
    });
    expect(await problemOf(of(6), 6)).toBe('read: xxxxxx');
    expect(await problemOf(of(7), 6)).toContain('larger than 6 bytes');
    expect(await problemOf(of(5), 4)).toBe('read: xxxxx'); // as long in base64 as six; the verifier measures it again
    // What is called text and looks like base64 is measured too: beyond the limit the verifier refuses it by its length.
    const json = (bytes: number) => ({ ...post, body: Buffer.from('{'.padEnd(bytes)).toString('base64') });
    expect(await problemOf(json(6), 6)).toContain('but the body is base64');
    expect(await problemOf(json(7), 6)).toContain('read: ');
  });
});

describe('a catch-up', () => {
  const NOW = Date.UTC(2026, 0, 31);
  const DAY = 86_400_000;
  const problem = (run: () => unknown): string => {
    try {
      return String(run());
    } catch (error) {
      expect(error).toMatchObject({ kind: 'configuration', operation: 'handler.catchUp' });
      return (error as Error).message;
    }
  };
  const WHEN = 'Give a Date, milliseconds since 1970 or ISO 8601 text: a time before the outage began.';

  it.each<[unknown, string]>([
    [undefined, `handler.catchUp: since is missing. ${WHEN}`],
    [null, `handler.catchUp: since is not a time. ${WHEN}`],
    ['yesterday', `handler.catchUp: since is not a time. ${WHEN}`],
    [new Date(Number.NaN), `handler.catchUp: since is not a time. ${WHEN}`],
    [{ toString: () => '2026-01-30' }, `handler.catchUp: since is not a time. ${WHEN}`],
    [['2026-01-30'], `handler.catchUp: since is not a time. ${WHEN}`],
    [9e15, `handler.catchUp: since is not a time. ${WHEN}`],
    ['2026-01-30', String(NOW - DAY)],
    ['2026-01-30T00:00:00Z', String(NOW - DAY)],
    [new Date(NOW - DAY), String(NOW - DAY)],
    [NOW - DAY, String(NOW - DAY)],
    [
      NOW - 1.5 * DAY - 1,
      'handler.catchUp: since is 1.5 days ago, but this store remembers completed events for 1.5 days: older ones would ' +
        'run again. Give a later since, or use a store that remembers longer.',
    ],
    [NOW - 1.5 * DAY, String(NOW - 1.5 * DAY)],
  ])('since %j', (since, expected) => {
    expect(problem(() => parseSince(since, NOW, 1.5 * DAY))).toBe(expected);
  });

  it('reaches back for ever where the store does', () => {
    expect(parseSince(0, NOW, null)).toBe(0);
  });

  it.each<[unknown, string]>([
    [undefined, 'handler.catchUp: needs { since }: a time before the outage began.'],
    [null, 'handler.catchUp: needs { since }: a time before the outage began.'],
    [{ since: 0, signal: null }, '[object Object]'],
    [
      { since: 0, signal: new AbortController() },
      'handler.catchUp: signal must be an AbortSignal, not the AbortController: pass controller.signal.',
    ],
    [
      { since: 0, signal: {} },
      'handler.catchUp: signal must be an AbortSignal, such as AbortSignal.timeout(5_000), not a value of type object.',
    ],
    [
      { since: 0, until: 1 },
      'handler.catchUp: options has no "until"; it has since, signal, onProgress, cursor, prefetch, concurrency, order, maxLifetime.',
    ],
    [{ since: 0, onProgress: 5 }, 'handler.catchUp: onProgress must be a function, not 5.'],
    [{ since: 0, signal: undefined, onProgress: undefined }, '[object Object]'],
  ])('options %j', (options, expected) => {
    expect(problem(() => checkCatchUpOptions(options as never))).toBe(expected);
  });

  it.each([undefined, null, {}, { invoices: null }, { invoices: { list: 5 } }])('merchant %j', (merchant) => {
    expect(problem(() => checkClient(merchant))).toBe(
      'handler.catchUp: needs a MerchantClient, whose list of invoices it walks.',
    );
  });

  it('counts what cannot be read once, by its uuid or its place', () => {
    const told: CatchUpProgress[] = [];
    const count = new CatchUpCount((progress) => told.push(progress));
    expect(count.addInvalid({ uuid: 'a' }, 1, 0)).toBe(true);
    expect(count.addInvalid({ uuid: 'a' }, 2, 5)).toBe(false);
    expect(count.addInvalid({ uuid: 7 }, 1, 1)).toBe(true);
    expect(count.addInvalid('x', 1, 1)).toBe(false);
    expect(count.addInvalid(null, 1, 2)).toBe(true);
    expect(count.addInvalid(null, 2, 2)).toBe(true);
    count.turn({ page: 2, total_pages: 3 });
    count.enter('expired');
    expect(count.addInvalid(null, 2, 2)).toBe(true);
    count.add({ verdict: 'handler_failed', message: '' });
    count.add({ verdict: 'lease_lost', message: '' });
    expect(count.result).toEqual({ played: 0, alreadyDone: 0, busy: 1, failed: 1, invalid: 5 });
    expect(told).toEqual([
      { played: 0, alreadyDone: 0, busy: 0, failed: 0, invalid: 4, status: 'success', page: 2, totalPages: 3 },
      { played: 0, alreadyDone: 0, busy: 0, failed: 1, invalid: 5, status: 'expired', page: 0, totalPages: 0 },
      { played: 0, alreadyDone: 0, busy: 1, failed: 1, invalid: 5, status: 'expired', page: 0, totalPages: 0 },
    ]);
    new CatchUpCount(undefined).turn({ page: 1, total_pages: 1 });
    new CatchUpCount(fail).turn({ page: 1, total_pages: 1 });
  });
});

function fail(): never {
  throw new Error('mine');
}
