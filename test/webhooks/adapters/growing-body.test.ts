import { once } from 'node:events';
import { createServer as createHttp2Server, connect as http2Connect } from 'node:http2';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { GrowingBody } from '../../../src/webhooks/adapters/growing-body.ts';
import { type NodeRequest, nodeBody } from '../../../src/webhooks/adapters/node-body.ts';
import { signWebhook, toFetchHandler, toNodeHandler } from '../../../src/webhooks/index.ts';
import { CHUNKED_HEAD, dribble, inUse } from '../../support/dribble.ts';
import { scaled } from '../../support/scaled.ts';
import { deferred, endpoint, paidBody } from '../endpoint.ts';
import { serve } from '../loopback.ts';
import { settle } from '../manual-clock.ts';
import { NOW, SECRET } from '../vectors.ts';

// What a stranger without a signature can make this process hold.

const TEXT = JSON.stringify(paidBody);
const LIMIT = 262_144;
const signed = async (): Promise<Record<string, string>> => ({
  ...(await signWebhook(TEXT, SECRET, { id: 'dlv_1', timestamp: NOW })),
});

describe('a body whose stream ends because it was reset', () => {
  it('is let go of: no number of them keeps a large delivery out', async () => {
    const { signal } = new AbortController();
    for (let sent = 0; sent < 150; sent += 1) {
      const stream = new PassThrough();
      const request = Object.assign(stream, { headers: {}, rawHeaders: [], method: 'POST', aborted: false });
      const left = { rawBody: undefined, body: undefined };
      const reading = nodeBody(request as unknown as NodeRequest, left, null, LIMIT, signal); // as far as it is looked at
      stream.write(Buffer.alloc(LIMIT / 2 + 1));
      await settle();
      request.aborted = true;
      stream.end();
      await expect(reading).rejects.toMatchObject({ verdict: 'aborted' });
    }
    const large = new GrowingBody(LIMIT, null);
    large.add(Buffer.alloc(LIMIT));
    large.drop();
  });

  it('is let go of by a fetch handler, too', async () => {
    const shop = endpoint();
    const handle = toFetchHandler(shop.handler);
    for (let sent = 0; sent < 150; sent += 1) {
      const chunks = [new Uint8Array(LIMIT / 2 + 1)];
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const chunk = chunks.pop();
          if (chunk === undefined) controller.error(new Error('reset'));
          else controller.enqueue(chunk);
        },
      });
      const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers: await signed(), body, duplex: 'half' };
      expect((await handle(new Request('http://localhost/', init))).status).toBe(400);
    }
    expect(new Set(shop.reasons())).toEqual(new Set(['aborted']));
    const large = new GrowingBody(LIMIT, null);
    large.add(new Uint8Array(LIMIT));
    large.drop();
  });
});

describe('the buffer of a body', () => {
  it('doubles up to the limit, and holds no chunk', () => {
    const body = new GrowingBody(LIMIT, null);
    const sizes = new Set<number>();
    for (let index = 0; index < LIMIT; index += 1) {
      body.add(Uint8Array.of(index & 255));
      sizes.add(body.held);
    }
    expect([...sizes]).toEqual([1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144]);
    expect(() => body.add(Uint8Array.of(1))).toThrow(expect.objectContaining({ reason: 'body_too_large' }));
    const bytes = body.take();
    expect(bytes).toHaveLength(LIMIT);
    expect(bytes.every((byte, index) => byte === (index & 255))).toBe(true);
    expect(body.held).toBe(0);
  });

  it('has a copy of what was added', () => {
    const slab = Buffer.from('abcdef');
    const body = new GrowingBody(10, null);
    body.add(slab.subarray(0, 2));
    body.add(new Uint8Array());
    body.add(slab.subarray(4));
    slab.fill(0);
    const bytes = body.take();
    expect(Buffer.from(bytes).toString()).toBe('abef');
    expect(bytes.buffer.byteLength).toBeLessThanOrEqual(10);
  });

  it.each([
    [null, LIMIT, 1_024],
    [0, LIMIT, 1_024],
    [5_000, LIMIT, 5_000],
    [LIMIT, LIMIT, 8_192],
    [1e15, LIMIT, 8_192],
    [300, 100, 100],
  ])('believes a declared length of %s under a limit of %i for %i bytes at most', (declared, limit, held) => {
    expect(new GrowingBody(limit, declared).held).toBe(held);
  });

  it('never passes a limit that is no power of two', () => {
    const body = new GrowingBody(5_000, null);
    for (let index = 0; index < 5; index += 1) body.add(new Uint8Array(1_000));
    expect(body.held).toBe(5_000);
    expect(body.take()).toHaveLength(5_000);
  });

  it('is refused where large ones hold too much together; small ones never are', () => {
    const bodies = Array.from({ length: 100 }, () => new GrowingBody(LIMIT, null));
    const refused = bodies.filter((body) => {
      try {
        body.add(new Uint8Array(200_000));
        return false;
      } catch (error) {
        expect(error).toMatchObject({ verdict: 'too_many_bodies' });
        return true;
      }
    });
    expect(refused).toHaveLength(100 - 64); // 64 of 256 KiB are 16 MiB
    const small = new GrowingBody(LIMIT, null);
    small.add(new Uint8Array(16_384));
    expect(small.take()).toHaveLength(16_384);
    for (const body of bodies) body.drop();
    for (const body of bodies) body.drop();
    const after = new GrowingBody(LIMIT, null);
    after.add(new Uint8Array(200_000));
    expect(after.take()).toHaveLength(200_000);
  });
});

describe('a stranger who sends one byte at a time', () => {
  it('costs a Node server the bytes that were sent, not an object for each', async () => {
    const shop = endpoint();
    let read = 0;
    const adapter = toNodeHandler(shop.handler);
    const url = await serve((request, response) => {
      request.on('data', (chunk: Buffer) => {
        read += chunk.byteLength;
      });
      return adapter(request, response);
    });
    const bytes = scaled(200_000);
    const before = inUse();
    const sockets = await Promise.all(Array.from({ length: 6 }, () => dribble(Number(url.port), bytes)));
    while (read < 6 * bytes) await settle();
    // Six buffers of 256 KiB. As a list of chunks it would be 1.2 million objects, more than 100 MB.
    expect(inUse() - before).toBeLessThan(12_000_000);
    await shop.clock.advance(12_000);
    expect(shop.reasons()).toEqual(Array(6).fill('time_limit'));
    expect(shop.reports[0]?.message).toMatch(/12000 ms.*had not sent the whole body/);
    for (const socket of sockets) socket.destroy();
  });

  it('is answered 503 at the time limit, cut off, and let go of', async () => {
    const shop = endpoint();
    const requests: { listeners: (name: string) => unknown[]; destroyed: boolean }[] = [];
    const adapter = toNodeHandler(shop.handler);
    const url = await serve((request, response) => {
      requests.push(request);
      return adapter(request, response);
    });
    const socket = connect(Number(url.port), url.hostname);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    const closed = once(socket, 'close'); // by the server
    socket.write(`${CHUNKED_HEAD}1\r\nx\r\n`);
    while (shop.clock.pending === 0) await settle();
    await settle();
    await shop.clock.advance(12_000);
    await closed;
    expect(answer).toMatch(/^HTTP\/1\.1 503 .*Connection: close.*time_limit/s);
    expect(requests[0]?.listeners('data')).toEqual([]);
    expect(requests[0]?.destroyed).toBe(true);
    expect(shop.reasons()).toEqual(['time_limit']);
  });

  it('of a fetch handler has its stream cancelled at the time limit', async () => {
    const shop = endpoint();
    const cancelled = deferred();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Uint8Array.of(0x7b)),
      cancel: () => cancelled.resolve(),
    });
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers: await signed(), body, duplex: 'half' };
    const response = toFetchHandler(shop.handler)(new Request('http://localhost/', init));
    await settle();
    await shop.clock.advance(12_000);
    expect((await response).status).toBe(503);
    await cancelled.promise;
    await settle();
    expect(shop.reasons()).toEqual(['time_limit']);
  });

  it('of a fetch handler costs the bytes that were sent', async () => {
    const shop = endpoint();
    const slab = new Uint8Array(65_536);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        // Each chunk is a view of a block of its own, as a runtime cuts them from what a socket brought.
        if (sent < 3_000) controller.enqueue(slab.slice().subarray(0, 1));
        sent += 1;
      },
    });
    const before = inUse();
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers: await signed(), body, duplex: 'half' };
    const response = toFetchHandler(shop.handler)(new Request('http://localhost/', init));
    while (sent <= 3_000) await settle();
    expect(inUse() - before).toBeLessThan(20_000_000); // the blocks of 3,000 views are 190 MB
    await shop.clock.advance(12_000);
    expect((await response).status).toBe(503);
  });

  it('and whose reader of the merchant does not stop is answered all the same, once', async () => {
    const shop = endpoint();
    const signals: AbortSignal[] = [];
    const body = (_limit: number, signal: AbortSignal): Promise<Uint8Array> => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const reply = shop.handler.handle({ method: 'POST', headers: await signed(), body });
    await settle();
    await shop.clock.advance(12_000);
    expect((await reply).status).toBe(503);
    expect(signals[0]?.aborted).toBe(true);
    await settle();
    expect(shop.reasons()).toEqual(['time_limit']);
  });
});

describe('HTTP/2', () => {
  async function http2Shop() {
    const shop = endpoint();
    const ended = deferred();
    const adapter = toNodeHandler(shop.handler);
    const server = createHttp2Server((request, response) => void adapter(request, response).then(ended.resolve));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    const client = http2Connect(`http://127.0.0.1:${address.port}`);
    const close = (): void => {
      client.destroy();
      server.close();
    };
    return { ...shop, client, ended: ended.promise, close };
  }
  const HEADERS = { ':method': 'POST', ':path': '/webhook' };

  it('a delivery is handled', async () => {
    const shop = await http2Shop();
    const request = shop.client.request({ ...HEADERS, ...(await signed()) });
    request.end(TEXT);
    const [headers] = await once(request, 'response');
    expect(headers[':status']).toBe(200);
    expect(shop.calls).toEqual(['paid order-1042']);
    shop.close();
  });

  it.each<[string, (request: ReturnType<Awaited<ReturnType<typeof http2Shop>>['client']['request']>) => void]>([
    ['reset', (request) => request.close(8)],
    ['reset without an error', (request) => request.close(0)],
    ['destroyed', (request) => request.destroy()],
    ['lost with its connection', (request) => request.session?.destroy()],
  ])('a stream that was %s is aborted, not a mismatch', async (_name, end) => {
    for (const extra of [{}, { 'content-length': TEXT.length }]) {
      const shop = await http2Shop();
      const request = shop.client.request({ ...HEADERS, ...(await signed()), ...extra });
      request.on('error', () => {});
      request.write(TEXT.slice(0, 20));
      while (shop.clock.pending === 0) await settle();
      end(request);
      await shop.ended;
      expect(shop.reasons()).toEqual(['aborted']);
      shop.close();
    }
  });

  it('a stream that was reset before the handler got to it is aborted', async () => {
    const shop = endpoint();
    const request = {
      method: 'POST',
      headers: await signed(),
      readableDidRead: false,
      complete: true,
      aborted: true,
      on() {},
      off() {},
      resume() {},
    };
    const response = {
      statusCode: 0,
      headersSent: false,
      writableEnded: false,
      destroyed: true,
      setHeader() {},
      end() {},
    };
    await toNodeHandler(shop.handler)(request, response);
    expect(shop.reasons()).toEqual(['aborted']);
  });

  it('a body that does not arrive is answered 503 at the time limit, and its stream closed', async () => {
    const shop = await http2Shop();
    const request = shop.client.request({ ...HEADERS, ...(await signed()) });
    const closed = once(request, 'close');
    const answered = once(request, 'response');
    request.resume();
    request.write(TEXT.slice(0, 20));
    while (shop.clock.pending === 0) await settle();
    await shop.clock.advance(12_000);
    expect((await answered)[0][':status']).toBe(503);
    await closed;
    expect(shop.reasons()).toEqual(['time_limit']);
    shop.close();
  });

  it('a wrong signature is a mismatch', async () => {
    const shop = await http2Shop();
    const request = shop.client.request({ ...HEADERS, ...(await signed()) });
    request.end('{}');
    const [headers] = await once(request, 'response');
    expect(headers[':status']).toBe(401);
    expect(shop.reasons()).toEqual(['signature_mismatch']);
    shop.close();
  });
});
