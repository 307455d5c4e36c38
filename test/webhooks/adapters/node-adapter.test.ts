import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { signWebhook, toNodeHandler } from '../../../src/webhooks/index.ts';
import { CHUNKED_HEAD } from '../../support/dribble.ts';
import { onceRead } from '../../support/fault-steps.ts';
import { deferred, endpoint, paidBody } from '../endpoint.ts';
import { collect, connectTo, serve } from '../loopback.ts';
import { settle } from '../manual-clock.ts';
import { NOW, SECRET } from '../vectors.ts';

// What is special to Node's streams and to the frameworks over them. What all adapters share is in every-adapter.test.ts.

const TEXT = JSON.stringify({ ...paidBody, note: 'é – ü' });
const SIGNED = { ...(await signWebhook(TEXT, SECRET, { id: 'dlv_1', timestamp: NOW })) };

async function post(url: URL, init: RequestInit = {}) {
  const response = await fetch(url, { method: 'POST', body: TEXT, headers: SIGNED, ...init });
  return { status: response.status, text: await response.text(), hijacked: response.headers.get('x-hijacked') };
}

/** The arguments that a framework passes: the request, the response, and what it kept of the body. */
type Arguments = (request: IncomingMessage, response: ServerResponse, kept: object) => readonly [unknown, unknown];
const FRAMEWORKS = {
  'node:http': (request, response, kept) => [Object.assign(request, kept), response],
  Express: (request, response, kept) => [
    Object.assign(request, { app: {}, originalUrl: '/webhook', ...kept }),
    response,
  ],
  Fastify: (request, response, kept) => [
    { raw: request, ...kept },
    { raw: response, hijack: () => response.setHeader('X-Hijacked', 'yes') },
  ],
  Koa: (request, response, kept) => [{ req: request, res: response, request: kept }, async () => {}],
} as const satisfies Record<string, Arguments>;
type Framework = keyof typeof FRAMEWORKS;

type Adapter = (first: unknown, second: unknown) => Promise<void>;
type Keep = (request: IncomingMessage) => Promise<object> | object;
/** The adapter behind a framework that first does something with the body. */
async function shopBehind(framework: Framework, keep: Keep, options: Parameters<typeof endpoint>[0] = {}) {
  const shop = endpoint(options);
  const adapter = toNodeHandler(shop.handler) as Adapter; // each framework has a signature of its own
  const url = await serve(async (request, response) => {
    const argumentsOf: Arguments = FRAMEWORKS[framework];
    await adapter(...argumentsOf(request, response, await keep(request)));
  });
  return { ...shop, url };
}

const text = async (request: IncomingMessage): Promise<string> => String(await collect(request));
const nothing: Keep = () => ({});
const setToText: Keep = (request) => {
  request.setEncoding('utf8');
  return {};
};
const bytesBeside: Keep = async (request) => ({ rawBody: await collect(request), body: {} });
it.each<[Framework, string, Keep]>([
  ...(['node:http', 'Express', 'Fastify', 'Koa'] as const).map((name): [Framework, string, Keep] => [
    name,
    'the stream unread',
    nothing,
  ]),
  ['node:http', 'an empty object, and the stream unread', () => ({ body: {} })],
  ['node:http', 'the stream set to text', setToText],
  ['node:http', 'the exact text in body', async (request) => ({ body: await text(request) })],
  ['Express', 'bytes in body (express.raw)', async (request) => ({ body: await collect(request) })],
  ['Express', 'bytes beside a parsed body (Nest)', bytesBeside],
  ['Express', 'bytes in raw', async (request) => ({ raw: await collect(request), body: {} })],
  ['Fastify', 'bytes that its parser kept', async (request) => ({ body: await collect(request) })],
  ['Fastify', 'bytes beside a parsed body (fastify-raw-body)', bytesBeside],
  ['Koa', 'bytes beside a parsed body', bytesBeside],
  ['Koa', 'text beside a parsed body', async (request) => ({ rawBody: await text(request), body: {} })],
])('%s: a delivery is handled where the framework left %s', async (framework, _kept, keep) => {
  const shop = await shopBehind(framework, keep);
  const hijacked = framework === 'Fastify' ? 'yes' : null; // Fastify would send a response, too
  expect(await post(shop.url)).toEqual({ status: 200, text: 'done', hijacked });
});

it.each([
  ['node:http', /parsed before it reached.*express\.raw/s],
  ['Express', /^[^K]*change the line to app\.post\('\/webhook', express\.raw[^K]*$/], // no word of Koa
  ['Fastify', /Fastify: add fastify\.addContentTypeParser/],
  ['Koa', /Koa: put app\.use\(.*above app\.use\(bodyParser\(\)\)/],
] as const)(
  '%s: a parsed body is answered 400, and a read one 500, with the line to change',
  async (framework, line) => {
    const parsed = await shopBehind(framework, async (request) => ({ body: JSON.parse(await text(request)) }));
    expect(await post(parsed.url)).toMatchObject({ status: 400, text: 'body_already_parsed' });
    const message = expect.stringMatching(line);
    expect(parsed.reports).toMatchObject([{ reason: 'body_already_parsed', deliveryId: 'dlv_1', message }]);
    const consumed = await shopBehind(framework, async (request) => {
      await collect(request);
      return {};
    });
    expect(await post(consumed.url)).toMatchObject({ status: 500, text: 'setup' });
    const once = expect.stringMatching(/read before it reached.*can be read only once/s);
    expect(consumed.reports).toMatchObject([{ reason: 'setup', deliveryId: 'dlv_1', message: once }]);
    expect([parsed.calls, consumed.calls]).toEqual([[], []]);
  },
);

it('an event whose delivery something else answers is handled, and that is said once', async () => {
  const lines: string[] = [];
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line));
  for (const isBefore of [true, false]) {
    const shop = endpoint();
    const url = await serve(async (request, response) => {
      if (isBefore) response.end('ok');
      const work = toNodeHandler(shop.handler)(request, response);
      if (!isBefore) response.end('ok');
      await work;
    });
    expect((await post(url)).text).toBe('ok');
    await expect.poll(() => shop.calls).toHaveLength(1);
    await expect
      .poll(() => lines)
      .toEqual([expect.stringMatching(/answered a delivery with 200.*200 done, was not sent/)]);
  }
});

it('a Request of fetch is refused with the line to change, by the error handler of the framework', async () => {
  const { handler } = endpoint();
  const adapter = toNodeHandler(handler) as Adapter; // the mistake
  const request = new Request('http://shop.example', { method: 'POST', headers: SIGNED, body: TEXT });
  for (const given of [undefined, {}, new Response()])
    await expect(adapter(request, given)).rejects.toThrow(/no request and response of Node.*toFetchHandler\(handler\)/);
});

it('a bridge whose request is no real stream has the text in body', async () => {
  const shop = endpoint();
  const sent: string[] = [];
  const stream = { on() {}, off() {}, resume() {} };
  const request = { method: 'POST', headers: SIGNED, rawHeaders: [], body: TEXT, ...stream };
  const end = (body: string) => void sent.push(body);
  const response = { statusCode: 0, headersSent: false, writableEnded: false, setHeader() {}, end };
  await toNodeHandler(shop.handler)(request, response);
  expect([response.statusCode, ...sent]).toEqual([200, 'done']);
});

describe('node:http', () => {
  it('a body that turns out to be too large, though it declares no length, is answered 413', async () => {
    const shop = await shopBehind('node:http', nothing, { maxBodySize: 1_000 });
    const body = new Blob(['x'.repeat(400_000)]).stream();
    const chunked: RequestInit & { duplex: 'half' } = { body, duplex: 'half' };
    expect(await post(shop.url, chunked)).toMatchObject({ status: 413, text: 'body_too_large' });
  });

  it.each(['POST', 'PUT'])('a %s that sends for ever is cut off', async (method) => {
    const shop = await shopBehind('node:http', nothing, { maxBodySize: 1_000 });
    const socket = connect(Number(shop.url.port), '127.0.0.1').on('error', () => {});
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536), Buffer.from('\r\n')]);
    let sent = 0;
    const more = (): void => {
      if (socket.destroyed || sent > 64 * 1_048_576) return void socket.destroy();
      sent += chunk.length;
      socket.write(chunk, more);
    };
    socket.write(CHUNKED_HEAD.replace('POST', method), more);
    await closed;
    expect(sent).toBeLessThan(32 * 1_048_576); // what the buffers of both sockets take is counted, too
  });

  it('a body that comes byte by byte is answered 503 at the time limit, cut off, and let go of', async () => {
    const shop = endpoint();
    const requests: IncomingMessage[] = [];
    const adapter = toNodeHandler(shop.handler);
    const url = await serve((request, response) => {
      requests.push(request);
      return adapter(request, response);
    });
    const socket = connect(Number(url.port), url.hostname);
    const received = collect(socket); // until the server closes
    socket.write(`${CHUNKED_HEAD}1\r\nx\r\n`);
    while (shop.clock.pending === 0) await settle();
    await settle();
    await shop.clock.advance(12_000);
    expect(String(await received)).toMatch(/^HTTP\/1\.1 503 .*Connection: close.*time_limit/s);
    expect(requests[0]?.listeners('data')).toEqual([]);
    expect(requests[0]?.destroyed).toBe(true);
    expect(shop.reasons()).toEqual(['time_limit']);
  });

  it('a sender that hangs up in the middle of the body is reported, and the server lives', async () => {
    const reported = deferred();
    const onReport = ({ reason }: { reason: string }) => reason === 'aborted' && reported.resolve();
    const shop = await shopBehind('node:http', nothing, { onReport });
    const headers = { ...SIGNED, 'Content-Length': 500 };
    const request = httpRequest(shop.url, { method: 'POST', headers }).on('error', () => {});
    await new Promise<void>((resolve) => request.write(TEXT.slice(0, 10), () => onceRead(resolve)));
    request.destroy();
    await reported.promise;
    expect((await post(shop.url)).status).toBe(200);
  });
});

describe('HTTP/2', () => {
  const HEADERS = { ':method': 'POST', ':path': '/webhook', ...SIGNED };
  /** A request of which a part of the body was sent. */
  async function begun(extra: object = {}) {
    const shop = endpoint();
    const ended = deferred();
    const request = (await connectTo(shop.handler, ended.resolve)).request({ ...HEADERS, ...extra });
    request.on('error', () => {}).write(TEXT.slice(0, 20));
    while (shop.clock.pending === 0) await settle();
    return { ...shop, request, ended: ended.promise };
  }

  it.each<[string, (request: Awaited<ReturnType<typeof begun>>['request']) => void]>([
    ['reset', (request) => request.close(8)],
    ['reset without an error', (request) => request.close(0)],
    ['destroyed', (request) => request.destroy()],
    ['lost with its connection', (request) => request.session?.destroy()],
  ])('a stream that was %s is refused', async (_name, end) => {
    for (const extra of [{}, { 'content-length': Buffer.byteLength(TEXT) }]) {
      const { request, ended, reasons, calls } = await begun(extra);
      end(request);
      await ended;
      // The end of the body and the reset are two frames: between them the body looks complete.
      expect(['aborted', 'signature_mismatch']).toContain(reasons().join());
      expect(calls).toEqual([]);
    }
  });

  it('a body that does not arrive is answered 503 at the time limit, and its stream closed', async () => {
    const { request, clock, reasons } = await begun();
    const closed = once(request, 'close');
    const answered = once(request.resume(), 'response');
    await clock.advance(12_000);
    expect((await answered)[0][':status']).toBe(503);
    await closed;
    expect(reasons()).toEqual(['time_limit']);
  });
});
