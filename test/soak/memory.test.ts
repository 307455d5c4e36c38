import { expect, it } from 'vitest';
import { BodyChunks } from '../../src/webhooks/body.ts';
import { toFetchHandler, toNodeHandler } from '../../src/webhooks/index.ts';
import { dribble, inUse } from '../support/dribble.ts';
import { endpoint } from '../webhooks/endpoint.ts';
import { serve } from '../webhooks/loopback.ts';
import { settle } from '../webhooks/manual-clock.ts';

// What a stranger without a signature can make the receiver hold. These tests read the heap, so they run in a process of their own.

const LIMIT = 262_144;
const BYTES = 200_000;

it('bodies that arrive byte by byte take at most four bytes of memory for each byte sent, and none afterwards', () => {
  const bodies = Array.from({ length: 40 }, () => new BodyChunks(LIMIT));
  const before = inUse();
  const one = new Uint8Array(1);
  for (const body of bodies) for (let at = 0; at < BYTES; at += 1) body.add(one);
  const held = (inUse() - before) / (bodies.length * BYTES);
  for (const body of bodies) body.take();
  const kept = (inUse() - before) / (bodies.length * BYTES);
  console.log(`memory: ${held.toFixed(2)} bytes held for each byte sent, ${kept.toFixed(2)} kept`);
  expect(held).toBeLessThan(4);
  expect(kept).toBeLessThan(1);
});

it('six such requests to a Node server take six buffers', async () => {
  const shop = endpoint();
  let read = 0;
  const adapter = toNodeHandler(shop.handler);
  const url = await serve((request, response) => {
    request.on('data', (chunk: Buffer) => {
      read += chunk.byteLength;
    });
    return adapter(request, response);
  });
  const before = inUse();
  const sockets = await Promise.all(Array.from({ length: 6 }, () => dribble(Number(url.port), BYTES)));
  while (read < 6 * BYTES) await settle();
  expect(inUse() - before).toBeLessThan(12_000_000); // as a list of chunks: 1.2 million objects, more than 100 MB
  for (const socket of sockets) socket.destroy();
});

it('a fetch handler copies what it reads, and does not keep the blocks of the socket', async () => {
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
  const headers = { 'X-Webhook-Id': 'dlv_1', 'X-Webhook-Signature': '0'.repeat(64), 'X-Webhook-Timestamp': '0' };
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
  const response = toFetchHandler(shop.handler)(new Request('http://localhost/', init));
  while (sent <= 3_000) await settle();
  expect(inUse() - before).toBeLessThan(20_000_000); // the blocks of 3,000 views are 190 MB
  await shop.clock.advance(12_000);
  expect((await response).status).toBe(503);
});
