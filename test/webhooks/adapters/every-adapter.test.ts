import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetPrinted } from '../../../src/webhooks/handle/report.ts';
import {
  createWebhookHandler,
  memoryStore,
  signWebhook,
  toFetchHandler,
  toLambdaHandler,
  toNodeHandler,
} from '../../../src/webhooks/index.ts';
import { endpoint, paidBody } from '../endpoint.ts';
import { collect, connectTo, serve } from '../loopback.ts';
import { NOW, SECRET } from '../vectors.ts';

// What all adapters share. What is special to one is in its own file, and real frameworks are in test/frameworks.

const TEXT = JSON.stringify({ ...paidBody, note: 'é – ü' });
const SIGNED = { ...(await signWebhook(TEXT, SECRET, { id: 'dlv_1', timestamp: NOW })) };

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | null;
}
interface Received {
  readonly status: number | undefined;
  readonly text: string;
  readonly allow: string | undefined;
}
/** Puts a handler behind an adapter, and gives what sends requests to it as its host does. */
type Host = (source: Parameters<typeof toFetchHandler>[0]) => Promise<(sent: Sent) => Promise<Received>>;

const HOSTS: Readonly<Record<string, Host>> = {
  async fetch(source) {
    const adapter = toFetchHandler(source);
    return async ({ headers, ...init }) => {
      const pairs = Object.entries(headers).flatMap(([name, values]) =>
        [values].flat().map((value): [string, string] => [name, value]),
      );
      const response = await adapter(new Request('http://localhost/webhook', { headers: pairs, ...init }));
      const allow = response.headers.get('allow') ?? undefined;
      return { status: response.status, text: await response.text(), allow };
    };
  },
  async 'node:http'(source) {
    const url = await serve(toNodeHandler(source));
    return async ({ body, ...init }) => {
      const response = await new Promise<IncomingMessage>((resolve) =>
        httpRequest(url, init, resolve).end(body ?? undefined),
      );
      return { status: response.statusCode, text: String(await collect(response)), allow: response.headers.allow };
    };
  },
  async 'HTTP/2'(source) {
    const client = await connectTo(source);
    return async ({ method, headers, body }) => {
      const stream = client.request({ ':method': method, ':path': '/webhook', ...headers });
      stream.end(body ?? undefined);
      const [received] = await once(stream, 'response');
      return { status: received[':status'], text: String(await collect(stream)), allow: received.allow };
    };
  },
  async Lambda(source) {
    const adapter = toLambdaHandler(source);
    return async ({ method, headers, body }) => {
      const joined = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
      const event = { headers: Object.fromEntries(joined), requestContext: { http: { method } }, body };
      const reply = await adapter({ ...event, isBase64Encoded: false });
      return { status: reply.statusCode, text: reply.body, allow: reply.headers?.['Allow'] };
    };
  },
};

const NOT_ALLOWED = { status: 405, text: 'method_not_allowed', allow: 'POST' };
const MISMATCH = { status: 401, text: 'signature_mismatch' };
const TWICE = { ...SIGNED, 'X-Webhook-Signature': ['0'.repeat(64), SIGNED['X-Webhook-Signature']] };
const REFUSED: [title: string, change: Partial<Sent>, response: Partial<Received>, message?: string][] = [
  ['GET', { method: 'GET', body: null }, NOT_ALLOWED],
  ['PUT', { method: 'PUT' }, NOT_ALLOWED],
  ['an unsigned form', { headers: { 'Content-Type': 'multipart/form-data' } }, { status: 401, text: 'missing_header' }],
  ['gzip', { headers: { ...SIGNED, 'Content-Encoding': 'gzip' } }, { status: 415, text: 'unsupported_media_type' }],
  ['a header sent twice', { headers: TWICE }, { status: 400, text: 'duplicate_header' }],
  ['another body', { body: '{}' }, MISMATCH],
  ['an empty body', { body: '' }, MISMATCH, 'The body is empty'],
  ['no body', { body: null }, MISMATCH, 'The body is empty'],
  ['a body beyond the limit', { body: 'x'.repeat(400_000) }, { status: 413, text: 'body_too_large' }],
];

afterEach(() => {
  vi.restoreAllMocks();
  forgetPrinted();
});

describe.each(Object.entries(HOSTS))('an endpoint over %s', (_name, host) => {
  const DELIVERY: Sent = { method: 'POST', headers: SIGNED, body: TEXT };

  it('handles a delivery, and answers its repeat as a duplicate', async () => {
    const shop = endpoint();
    const send = await host(shop.handler);
    expect(await send(DELIVERY)).toEqual({ status: 200, text: 'done', allow: undefined });
    expect(await send(DELIVERY)).toMatchObject({ status: 200, text: 'duplicate' });
    expect(shop.calls).toEqual(['paid order-1042']);
  });

  it.each(REFUSED)('refuses %s', async (_title, change, response, message = '') => {
    const shop = endpoint();
    const send = await host(shop.handler);
    expect(await send({ ...DELIVERY, ...change })).toMatchObject(response);
    expect(shop.reports).toMatchObject([{ reason: response.text, message: expect.stringContaining(message) }]);
    expect(shop.calls).toEqual([]);
  });

  // A build evaluates modules, and has no secrets.
  it('takes a function that makes the handler at the first delivery, once, and again only after it threw', async () => {
    const lines: string[] = [];
    vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line));
    let secret = '';
    const functions = { onPaid() {}, onAdjusted() {}, onCanceled() {}, onReport() {} };
    const make = vi.fn(() => createWebhookHandler({ secret, store: memoryStore(), now: () => NOW, ...functions }));
    const send = await host(make);
    expect(make).not.toHaveBeenCalled();
    expect(await send(DELIVERY)).toMatchObject({ status: 500, text: 'setup' });
    expect(lines).toEqual([expect.stringMatching(/setup.*secret must be a string.*dashboard/)]);
    secret = SECRET;
    for (const text of ['done', 'duplicate']) expect(await send(DELIVERY)).toMatchObject({ status: 200, text });
    expect(make).toHaveBeenCalledTimes(2);
  });
});

it.each([
  ['a promise', async () => endpoint().handler],
  ['a promise that rejects', () => Promise.reject(new Error('no secret'))],
])('a function in place of a handler that returns %s is answered 500, and told on the console', async (_name, make) => {
  const lines: string[] = [];
  vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line));
  const reply = await toFetchHandler(make as never)(new Request('http://localhost/', { method: 'POST', body: '' }));
  expect([reply.status, await reply.text()]).toEqual([500, 'setup']);
  expect(lines).toEqual([expect.stringContaining('must return a handler of createWebhookHandler')]);
});

it.each([undefined, null, {}, 'handler', Promise.resolve()])(
  'an adapter refuses %s in place of a handler',
  (handler) => {
    for (const [name, adapter] of Object.entries({ toFetchHandler, toNodeHandler, toLambdaHandler })) {
      expect(() => adapter(handler as never)).toThrow(`${name}: needs a handler of createWebhookHandler`);
    }
  },
);

it('an adapter refuses handler.handle at the start, bound or not, and names the line', () => {
  const { handler } = endpoint();
  for (const [name, adapter] of Object.entries({ toFetchHandler, toNodeHandler, toLambdaHandler })) {
    for (const handle of [handler.handle, handler.handle.bind(handler)])
      expect(() => adapter(handle as never)).toThrow(`${name}(handler), without .handle`);
  }
});
