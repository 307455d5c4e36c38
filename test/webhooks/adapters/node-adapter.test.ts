import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { signWebhook, toNodeHandler } from '../../../src/webhooks/index.ts';
import { onceRead } from '../../support/fault-steps.ts';
import { deferred, endpoint, paidBody } from '../endpoint.ts';
import { collect, raw, serve } from '../loopback.ts';
import { NOW, SECRET } from '../vectors.ts';

const TEXT = JSON.stringify({ ...paidBody, note: 'é – ü' });

async function headersFor(): Promise<Record<string, string>> {
  return { ...(await signWebhook(TEXT, SECRET, { id: 'dlv_1', timestamp: NOW })), 'Content-Type': 'application/json' };
}

async function post(url: URL, init: RequestInit = {}) {
  const response = await fetch(url, { method: 'POST', body: TEXT, headers: await headersFor(), ...init });
  const header = (name: string) => response.headers.get(name);
  return {
    status: response.status,
    text: await response.text(),
    allow: header('allow'),
    hijacked: header('x-hijacked'),
  };
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

type Adapter = (first: unknown, second: unknown) => Promise<void>;
/** The adapter behind a framework that first does something with the body. */
async function shopBehind(
  framework: keyof typeof FRAMEWORKS = 'node:http',
  keep: (request: IncomingMessage) => Promise<object> | object = () => ({}),
  options: Parameters<typeof endpoint>[0] = {},
) {
  const shop = endpoint(options);
  const adapter = toNodeHandler(shop.handler) as Adapter; // each framework has a signature of its own
  const url = await serve(async (request, response) => {
    const argumentsOf: Arguments = FRAMEWORKS[framework];
    await adapter(...argumentsOf(request, response, await keep(request)));
  });
  return { ...shop, url };
}

it.each(Object.keys(FRAMEWORKS) as (keyof typeof FRAMEWORKS)[])(
  '%s: a delivery is handled, and its repeat',
  async (framework) => {
    const shop = await shopBehind(framework);
    const hijacked = framework === 'Fastify' ? 'yes' : null; // Fastify would answer, too
    expect(await post(shop.url)).toMatchObject({ status: 200, text: 'done', hijacked });
    expect(await post(shop.url)).toMatchObject({ status: 200, text: 'duplicate' });
    expect(shop.calls).toEqual(['paid order-1042']);
  },
);

it.each([
  ['GET', { status: 405, text: 'method_not_allowed', allow: 'POST' }, { method: 'GET', body: null }],
  ['PUT', { status: 405, text: 'method_not_allowed', allow: 'POST' }, { method: 'PUT' }],
  ['an unsigned form', { status: 401, text: 'missing_header' }, { headers: { 'Content-Type': 'multipart/form-data' } }],
  ['gzip', { status: 415, text: 'unsupported_media_type' }, { headers: { 'Content-Encoding': 'gzip' } }],
  ['another body', { status: 401, text: 'signature_mismatch' }, { body: '{}' }],
])('node:http: %s is refused', async (_name, response, init) => {
  const shop = await shopBehind();
  expect(await post(shop.url, init)).toMatchObject(response);
  expect(shop.reasons()).toEqual([response.text]);
});

const text = async (request: IncomingMessage): Promise<string> => String(await collect(request));
it.each<[string, keyof typeof FRAMEWORKS, (request: IncomingMessage) => Promise<object> | object]>([
  ['bytes in body (express.raw)', 'Express', async (request) => ({ body: await collect(request) })],
  ['bytes beside a parsed body (Nest)', 'Express', async (request) => ({ rawBody: await collect(request), body: {} })],
  ['the exact text in body', 'node:http', async (request) => ({ body: await text(request) })],
  ['an empty object, and the stream unread', 'node:http', () => ({ body: {} })],
  ['bytes that its parser kept', 'Fastify', async (request) => ({ body: await collect(request) })],
  [
    'bytes beside a parsed body (fastify-raw-body)',
    'Fastify',
    async (request) => ({ rawBody: await collect(request), body: {} }),
  ],
  ['bytes beside a parsed body', 'Koa', async (request) => ({ rawBody: await collect(request), body: {} })],
  ['text beside a parsed body', 'Koa', async (request) => ({ rawBody: await text(request), body: {} })],
])('a framework that left %s is accepted (%s)', async (_kept, framework, keep) => {
  expect(await post((await shopBehind(framework, keep)).url)).toMatchObject({ status: 200, text: 'done' });
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

it('a bridge whose request is no real stream has the text in body', async () => {
  const shop = endpoint();
  const sent: string[] = [];
  const stream = { on() {}, off() {}, resume() {} };
  const request = { method: 'POST', headers: await headersFor(), rawHeaders: [], body: TEXT, ...stream };
  const end = (body: string) => void sent.push(body);
  const response = { statusCode: 0, headersSent: false, writableEnded: false, setHeader() {}, end };
  await toNodeHandler(shop.handler)(request, response);
  expect([response.statusCode, ...sent]).toEqual([200, 'done']);
});

it('a body that is declared too large, or turns out to be, is refused', async () => {
  const shop = await shopBehind(undefined, undefined, { maxBodySize: 1_000 });
  expect(await post(shop.url, { body: 'x'.repeat(400_000) })).toMatchObject({ status: 413, text: 'body_too_large' });
  const stream = new Blob(['x'.repeat(400_000)]).stream();
  const chunked: RequestInit & { duplex: 'half' } = { body: stream, duplex: 'half' };
  expect(await post(shop.url, chunked)).toMatchObject({ status: 413 });
  expect(shop.reasons()).toEqual(['body_too_large', 'body_too_large']);
});

it.each(['POST', 'PUT'])('a %s that sends for ever is cut off', async (method) => {
  const shop = await shopBehind(undefined, undefined, { maxBodySize: 1_000 });
  let read = 0;
  const closed = new Promise<void>((resolve) => {
    const socket = connect(Number(shop.url.port), '127.0.0.1')
      .on('close', resolve)
      .on('error', () => {});
    const chunk = Buffer.alloc(65_536);
    socket.write(`${method} /webhook HTTP/1.1\r\nHost: shop\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const more = (): void => {
      if (socket.destroyed || read > 64 * 1_048_576) return void socket.destroy();
      read += chunk.length;
      socket.write(Buffer.concat([Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')]), more);
    };
    more();
  });
  await closed;
  expect(read).toBeLessThan(32 * 1_048_576); // what the buffers of both sockets take is counted, too
});

it('a header sent twice is refused', async () => {
  const shop = await shopBehind();
  const pairs = [...Object.entries(await headersFor()), ['X-Webhook-Signature', '0'.repeat(64)]];
  const head = ['POST / HTTP/1.1', 'Host: x', 'Connection: close', `Content-Length: ${Buffer.byteLength(TEXT)}`];
  const lines = [...head, ...pairs.map((pair) => pair.join(': ')), '', TEXT];
  expect(await raw(shop.url, lines.join('\r\n'))).toMatch(/^HTTP\/1\.1 400 .*duplicate_header/s);
});

it('a sender that hangs up in the middle of the body is reported, and the server lives', async () => {
  const reported = deferred();
  const onReport = ({ reason }: { reason: string }) => reason === 'aborted' && reported.resolve();
  const shop = await shopBehind(undefined, undefined, { onReport });
  const headers = { ...(await headersFor()), 'Content-Length': 500 };
  const request = httpRequest(shop.url, { method: 'POST', headers });
  request.on('error', () => {});
  await new Promise<void>((resolve) => request.write(TEXT.slice(0, 10), () => onceRead(resolve)));
  request.destroy();
  await reported.promise;
  expect((await post(shop.url)).status).toBe(200);
});
