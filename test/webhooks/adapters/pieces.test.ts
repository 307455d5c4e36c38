import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { parseLambdaEvent } from '../../../src/webhooks/adapters/lambda-adapter.ts';
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

function fail(): never {
  throw new Error('mine');
}
