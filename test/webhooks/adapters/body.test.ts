import { once } from 'node:events';
import { createServer as createHttp2Server, connect as http2Connect } from 'node:http2';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { BodyChunks } from '../../../src/webhooks/body.ts';
import { signWebhook, toFetchHandler, toNodeHandler } from '../../../src/webhooks/index.ts';
import { CHUNKED_HEAD } from '../../support/dribble.ts';
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

describe('the chunks of a body', () => {
  const collected = (chunks: readonly Uint8Array[], limit = LIMIT): Uint8Array => {
    const body = new BodyChunks(limit);
    for (const chunk of chunks) body.add(chunk);
    return body.take();
  };

  it.each([
    ['nothing', []],
    ['one byte', [1]],
    ['bytes one by one', Array<number>(3_000).fill(1)],
    ['chunks of every size', [1_023, 1, 5, 0, 4_096, 70_000, 1, 7]],
    ['exactly the limit', [LIMIT]],
  ])('are put together: %s', (_, sizes) => {
    let next = 0;
    const chunks = sizes.map((size) => Uint8Array.from({ length: size }, () => (next++ * 31) % 251));
    expect(Buffer.from(collected(chunks)).equals(Buffer.concat(chunks))).toBe(true);
  });

  it('are copies, so that their sender may reuse its memory', () => {
    const chunk = Uint8Array.of(1, 2, 3);
    const body = new BodyChunks(LIMIT);
    body.add(chunk);
    chunk.fill(9);
    expect([...body.take()]).toEqual([1, 2, 3]);
  });

  it.each([
    [[7], 6],
    [[6, 1], 6],
    [Array<number>(1_025).fill(1), 1_024],
  ])('are refused beyond the limit: %j', (sizes, limit) => {
    expect(() =>
      collected(
        sizes.map((size) => new Uint8Array(size)),
        limit,
      ),
    ).toThrow(`larger than ${limit} bytes`);
  });
});

describe('a stranger who sends one byte at a time', () => {
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
  ])('a stream that was %s is refused', async (_name, end) => {
    for (const extra of [{}, { 'content-length': TEXT.length }]) {
      const shop = await http2Shop();
      const request = shop.client.request({ ...HEADERS, ...(await signed()), ...extra });
      request.on('error', () => {});
      request.write(TEXT.slice(0, 20));
      while (shop.clock.pending === 0) await settle();
      end(request);
      await shop.ended;
      // The end of the body and the reset are two frames: between them the body looks complete.
      expect(['aborted', 'signature_mismatch']).toContain(shop.reasons()[0]);
      expect(shop.calls).toEqual([]);
      shop.close();
    }
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
});
