import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { signWebhook, toNodeHandler } from '../../../src/webhooks/index.ts';
import { onceRead } from '../../support/fault-steps.ts';
import { deferred, endpoint, paidBody } from '../endpoint.ts';
import { collect, raw, serve } from '../loopback.ts';
import { NOW, SECRET } from '../vectors.ts';

const TEXT = JSON.stringify({ ...paidBody, note: 'é – ü' });

async function headersFor(body: string | Buffer = TEXT): Promise<Record<string, string>> {
  return { ...(await signWebhook(body, SECRET, { id: 'dlv_1', timestamp: NOW })), 'Content-Type': 'application/json' };
}

async function post(url: URL, init: RequestInit = {}): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(url, { method: 'POST', body: TEXT, headers: await headersFor(), ...init });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** The adapter behind a listener that may do to the request what a framework does. */
async function shopBehind(
  before: (request: IncomingMessage & { body?: unknown; rawBody?: unknown }) => Promise<void> | void = () => {},
  options: Parameters<typeof endpoint>[0] = {},
) {
  const shop = endpoint(options);
  const adapter = toNodeHandler(shop.handler);
  const url = await serve(async (request, response) => {
    await before(request);
    await adapter(request, response);
  });
  return { ...shop, url };
}

describe('toNodeHandler on a plain server', () => {
  it('handles a delivery, and its repeat', async () => {
    const shop = await shopBehind();
    expect(await post(shop.url)).toMatchObject({ status: 200, text: 'done' });
    expect(await post(shop.url)).toMatchObject({ status: 200, text: 'duplicate' });
    expect(shop.calls).toEqual(['paid order-1042']);
  });

  it.each([
    ['GET', 405, { method: 'GET', body: null }, 'method_not_allowed'],
    ['PUT', 405, { method: 'PUT' }, 'method_not_allowed'],
    ['an unsigned form', 401, { headers: { 'Content-Type': 'multipart/form-data; boundary=x' } }, 'missing_header'],
    [
      'a compressed body',
      415,
      { headers: { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' } },
      'unsupported_media_type',
    ],
    ['no signature', 401, { headers: { 'Content-Type': 'application/json' } }, 'missing_header'],
    ['another body', 401, { body: '{}' }, 'signature_mismatch'],
  ] as const)('answers %s with %i', async (_name, status, init, reason) => {
    const shop = await shopBehind();
    expect(await post(shop.url, init)).toMatchObject({ status, text: reason });
    expect(shop.reasons()).toEqual([reason]);
  });

  it('refuses a body that is declared too large, or turns out to be', async () => {
    const shop = await shopBehind(undefined, { maxBodySize: 1_000 });
    expect(await post(shop.url, { body: 'x'.repeat(400_000) })).toMatchObject({ status: 413, text: 'body_too_large' });
    const stream = new Blob(['x'.repeat(400_000)]).stream();
    const chunked: RequestInit & { duplex: 'half' } = { body: stream, duplex: 'half' };
    expect(await post(shop.url, chunked)).toMatchObject({ status: 413 });
    expect(shop.reasons()).toEqual(['body_too_large', 'body_too_large']);
  });

  it.each(['POST', 'PUT'])('reads no more than 2 MiB of a %s that sends for ever', async (method) => {
    const shop = await shopBehind(undefined, { maxBodySize: 1_000 });
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

  it('sees a header sent twice', async () => {
    const shop = await shopBehind();
    const headers = await headersFor();
    const lines = [...Object.entries(headers), ['X-Webhook-Signature', '0'.repeat(64)]].map((pair) => pair.join(': '));
    const answer = await raw(
      shop.url,
      `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(TEXT)}\r\n${lines.join('\r\n')}\r\n\r\n${TEXT}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*duplicate_header/s);
  });

  it('ends quietly when the sender hangs up in the middle of the body', async () => {
    const reported = deferred();
    const shop = await shopBehind(undefined, {
      onReport: (report) => report.reason === 'aborted' && reported.resolve(),
    });
    const request = httpRequest(shop.url, {
      method: 'POST',
      headers: { ...(await headersFor()), 'Content-Length': 500 },
    });
    request.on('error', () => {});
    await new Promise<void>((resolve) => request.write(TEXT.slice(0, 10), () => onceRead(resolve)));
    request.destroy();
    await reported.promise;
    expect((await post(shop.url)).status).toBe(200); // the server lives
  });
});

describe('a body that a framework touched', () => {
  it.each([
    [
      'Buffer in body (express.raw)',
      async (req: IncomingMessage & { body?: unknown }) => {
        req.body = await collect(req);
      },
    ],
    [
      'Buffer in rawBody beside a parsed body (Nest)',
      async (req: IncomingMessage & { body?: unknown; rawBody?: unknown }) => {
        req.rawBody = await collect(req);
        req.body = JSON.parse(String(req.rawBody));
      },
    ],
    [
      'exact text in body',
      async (req: IncomingMessage & { body?: unknown }) => {
        req.body = String(await collect(req));
      },
    ],
    [
      'an empty object, unread (a parser that did not match)',
      (req: IncomingMessage & { body?: unknown }) => {
        req.body = {};
      },
    ],
  ])('as %s is accepted', async (_name, before) => {
    const shop = await shopBehind(before);
    expect((await post(shop.url)).status).toBe(200);
  });

  it.each([
    [
      'parsed',
      async (req: IncomingMessage & { body?: unknown }) => {
        req.body = JSON.parse(String(await collect(req)));
      },
      /parsed before it reached.*express\.raw/s,
      { status: 400, text: 'body_already_parsed' },
    ],
    [
      'read',
      async (req: IncomingMessage) => {
        await collect(req);
      },
      /read before it reached.*can be read only once/s,
      { status: 500, text: 'setup' },
    ],
  ])('and %s is refused, with the line to change in the report', async (_name, before, message, answer) => {
    const shop = await shopBehind(before);
    expect(await post(shop.url)).toMatchObject(answer);
    expect(shop.reports).toMatchObject([
      { reason: answer.text, deliveryId: 'dlv_1', message: expect.stringMatching(message) },
    ]);
    expect(shop.calls).toEqual([]);
  });

  it('names the line for Express alone when it is Express', async () => {
    const shop = await shopBehind(async (req) => {
      Object.assign(req, { app: {}, originalUrl: '/webhook', body: JSON.parse(String(await collect(req))) });
    });
    await post(shop.url);
    expect(shop.reports[0]?.message).toMatch(/change the line to app\.post\('\/webhook', express\.raw/);
    expect(shop.reports[0]?.message).not.toContain('Koa');
  });
});

describe('frameworks with objects of their own', () => {
  it('Fastify: (request, reply), with the bytes its parser kept', async () => {
    const shop = endpoint();
    const adapter = toNodeHandler(shop.handler);
    const hijacked: string[] = [];
    const url = await serve(async (request, response) => {
      const body = await collect(request);
      await adapter({ raw: request, body }, { raw: response, hijack: () => void hijacked.push(url.href) });
    });
    expect((await post(url)).status).toBe(200);
    expect(hijacked).toHaveLength(1);
  });

  it('Fastify with its own JSON parser: 400, and the line for Fastify', async () => {
    const shop = endpoint();
    const adapter = toNodeHandler(shop.handler);
    const url = await serve(async (request, response) => {
      const body = JSON.parse(String(await collect(request)));
      await adapter({ raw: request, body }, { raw: response, hijack: () => {} });
    });
    expect((await post(url)).status).toBe(400);
    expect(shop.reports[0]?.message).toMatch(/Fastify: add fastify\.addContentTypeParser/);
  });

  it.each([
    ['Fastify, as fastify-raw-body leaves them', (kept: object) => ({ ...kept, body: {} })],
    ['Koa, as its body parsers leave them', (kept: object) => ({ ...kept, body: {} })],
  ])('the bytes beside a parsed body: %s', async (framework, request) => {
    const shop = endpoint();
    const adapter = toNodeHandler(shop.handler);
    const url = await serve(async (req, res) => {
      const rawBody = await collect(req);
      if (framework.startsWith('Koa')) await adapter({ req, res, request: request({ rawBody }) }, async () => {});
      else await adapter({ raw: req, ...request({ rawBody }) }, { raw: res, hijack: () => {} });
    });
    expect((await post(url)).status).toBe(200);
  });

  it('Koa behind a body parser: 400, and the line for Koa', async () => {
    const shop = endpoint();
    const adapter = toNodeHandler(shop.handler);
    const url = await serve(async (req, res) => {
      const body = JSON.parse(String(await collect(req)));
      await adapter({ req, res, request: { body } }, async () => {});
    });
    expect((await post(url)).status).toBe(400);
    expect(shop.reports[0]?.message).toMatch(/Koa: put app\.use\(.*above app\.use\(bodyParser\(\)\)/);
  });

  it('a bridge whose request is no real stream, with the text in body', async () => {
    const shop = endpoint();
    const sent: string[] = [];
    const plain = {
      method: 'POST',
      headers: await headersFor(),
      rawHeaders: [],
      body: TEXT,
      on() {},
      off() {},
      resume() {},
    };
    const response = {
      statusCode: 0,
      headersSent: false,
      writableEnded: false,
      setHeader() {},
      end: (text: string) => void sent.push(text),
    };
    await toNodeHandler(shop.handler)(plain, response);
    expect([response.statusCode, ...sent]).toEqual([200, 'done']);
  });
});
