import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseLambdaEvent } from '../../../src/webhooks/adapters/lambda-adapter.ts';
import { type NodeRequest, nodeBody, wasReset } from '../../../src/webhooks/adapters/node-body.ts';
import { keepLease, MAX_RUN, RENEW_EVERY } from '../../../src/webhooks/handle/run-claimed.ts';
import { toNodeHandler } from '../../../src/webhooks/index.ts';
import { endpoint } from '../endpoint.ts';
import { ManualClock, settle } from '../manual-clock.ts';

// The small parts of the receiver, each alone: what a whole delivery shows only by accident.

describe('the body of a Node request', () => {
  class FakeRequest extends EventEmitter {
    headers: Record<string, string> = {};
    readableDidRead: boolean | undefined = false;
    destroyed = false;
    complete = false;
    resumed = 0;
    resume(): void {
      this.resumed += 1;
    }
    get listening(): string[] {
      return this.eventNames().map(String).sort();
    }
  }
  const read = (
    request: FakeRequest,
    left: { rawBody?: unknown; body?: unknown } = {},
    limit = 5,
    signal = new AbortController().signal,
  ) =>
    nodeBody(request as unknown as NodeRequest, { rawBody: undefined, body: undefined, ...left }, null, limit, signal);
  const GONE = 'The body was read before it reached the webhook handler, and it can be read only once. Express:';
  const PARSED =
    'The body was parsed before it reached the webhook handler, and the signature covers the raw bytes. Express:';

  it.each([
    [['ab', 'cde'], 'abcde'],
    [['abcde'], 'abcde'],
    [[], ''],
  ])('of %j up to the limit is read whole, and its listeners go', async (chunks, text) => {
    const request = new FakeRequest();
    const reading = read(request);
    expect(request.listening).toEqual(['aborted', 'close', 'data', 'end', 'error']);
    for (const [index, chunk] of chunks.entries()) request.emit('data', index === 0 ? Buffer.from(chunk) : chunk);
    request.emit('end');
    expect(Buffer.from((await reading) as Uint8Array).toString()).toBe(text);
    expect(request.listening).toEqual(['error']); // an error later must not end the process
    expect(request.resumed).toBe(0);
  });

  it('beyond the limit is refused where it passes it, and the rest thrown away', async () => {
    const request = new FakeRequest();
    const reading = read(request);
    request.emit('data', Buffer.from('abcde'));
    request.emit('data', Buffer.from('f'));
    await expect(reading).rejects.toMatchObject({ reason: 'body_too_large' });
    expect([request.listening, request.resumed]).toEqual([['error'], 1]);
  });

  it.each([
    ['6', 1],
    ['5', 0],
    ['x', 0],
  ])('announced with %s bytes', async (length, resumed) => {
    const request = new FakeRequest();
    request.headers['content-length'] = length;
    const reading = read(request);
    request.emit('end');
    if (resumed === 1) await expect(reading).rejects.toMatchObject({ reason: 'body_too_large' });
    else expect(await reading).toHaveLength(0);
    expect(request.resumed).toBe(resumed);
  });

  it.each(['close', 'aborted', 'error'])('that ends by %s was never complete', async (event) => {
    const request = new FakeRequest();
    const reading = read(request);
    request.emit('data', Buffer.from('ab'));
    request.emit(event, new Error('reset'));
    await expect(reading).rejects.toMatchObject({ verdict: 'aborted' });
    expect(request.listening).toEqual(['error']);
  });

  it('of a request that is gone already', async () => {
    await expect(read(Object.assign(new FakeRequest(), { destroyed: true }))).rejects.toMatchObject({
      verdict: 'aborted',
    });
    const whole = Object.assign(new FakeRequest(), { destroyed: true, complete: true });
    const reading = read(whole);
    whole.emit('end');
    expect(await reading).toHaveLength(0);
  });

  it.each<[string, Partial<FakeRequest>, { rawBody?: unknown; body?: unknown }, string]>([
    ['read, nothing kept', { readableDidRead: true }, {}, GONE],
    ['read, null kept', { readableDidRead: true }, { body: null }, GONE],
    ['read and parsed', { readableDidRead: true }, { body: {} }, PARSED],
    ['a mock with a parsed body', { readableDidRead: undefined }, { body: {} }, PARSED],
    ['a mock with a raw body of another kind', { readableDidRead: undefined }, { rawBody: {} }, GONE],
  ])('%s', async (_name, request, left, message) => {
    await expect(read(Object.assign(new FakeRequest(), request), left)).rejects.toThrow(message);
  });

  it('of a mock that is no stream and has none is read all the same', async () => {
    const request = Object.assign(new FakeRequest(), { readableDidRead: undefined });
    const reading = read(request);
    request.emit('end');
    expect(await reading).toHaveLength(0);
  });

  it('as a framework kept it: bytes before text, the raw before the parsed', async () => {
    const used = () => Object.assign(new FakeRequest(), { readableDidRead: true });
    const bytes = Buffer.from('a');
    expect(await read(used(), { rawBody: bytes, body: 'b' })).toBe(bytes);
    expect(await read(used(), { rawBody: 'a', body: bytes })).toBe(bytes);
    expect(await read(used(), { rawBody: 'a', body: 'b' })).toBe('a');
    expect(await read(used(), { body: 'b' })).toBe('b');
  });
});

describe('whether the sender has reset its stream', () => {
  const asked = (request: object) => {
    const emitter = Object.assign(new EventEmitter(), request);
    return { emitter, answer: wasReset(emitter as unknown as NodeRequest) };
  };
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each<[string, object, boolean]>([
    ['HTTP/1', {}, false],
    ['HTTP/1, aborted', { aborted: true }, true],
    ['HTTP/2, aborted', { stream: { aborted: true, rstCode: 0 } }, true],
    ['HTTP/2, reset', { stream: { rstCode: 8 } }, true],
  ])('is known at once: %s', async (_name, request, expected) => {
    vi.useFakeTimers();
    const { emitter, answer } = asked(request);
    expect([vi.getTimerCount(), emitter.listenerCount('aborted')]).toEqual([0, 0]);
    expect(await answer).toBe(expected);
  });

  it.each([true, false])('may arrive behind the body in HTTP/2: %s', async (comes) => {
    vi.useFakeTimers();
    const { emitter, answer } = asked({ stream: { rstCode: 0 } });
    expect([vi.getTimerCount(), emitter.listenerCount('aborted')]).toEqual([1, 1]);
    if (comes) emitter.emit('aborted', Object.assign(emitter, { aborted: true }));
    else vi.runAllTimers();
    expect(await answer).toBe(comes);
    expect([vi.getTimerCount(), emitter.listenerCount('aborted')]).toEqual([0, 0]);
  });
});

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

describe('the lease', () => {
  const claim = { key: 'k', owner: 'o' };

  it.each([
    [undefined, 0],
    [null, 0],
    [7, 0],
    [{}, 0],
    [{ unref: 'x' }, 0],
    ['counted', 1],
  ])('keeps no process alive where its timer can be told so: %j', (timer, calls) => {
    let told = 0;
    const counted = {
      unref() {
        told += 1;
      },
    };
    const given = timer === 'counted' ? counted : timer;
    keepLease({ renew: async () => true }, claim, { setTimeout: () => given, clearTimeout: () => {} });
    expect(told).toBe(calls);
  });

  it('is renewed until it is lost, ended, or ten minutes old', async () => {
    const run = async (answers: (renewals: number) => boolean | Promise<boolean>, until: number) => {
      const clock = new ManualClock();
      let renewals = 0;
      const renew = async () => {
        renewals += 1;
        return answers(renewals);
      };
      const end = keepLease({ renew }, claim, clock.timers);
      await clock.advance(until);
      end();
      await clock.advance(MAX_RUN * 2);
      expect(clock.pending).toBe(0);
      return renewals;
    };
    expect(await run(() => true, MAX_RUN * 2)).toBe(MAX_RUN / RENEW_EVERY);
    expect(await run((renewals) => renewals < 3, MAX_RUN)).toBe(3);
    expect(await run(() => Promise.reject(new Error('down')), RENEW_EVERY * 4)).toBe(4);
    expect(await run(() => true, RENEW_EVERY - 1)).toBe(0);
    await settle();
  });
});

function fail(): never {
  throw new Error('mine');
}
