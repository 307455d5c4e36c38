import { expect, it } from 'vitest';
import { type FetchInput, signWebhook, toFetchHandler } from '../../../src/webhooks/index.ts';
import { deferred, endpoint, paidBody } from '../endpoint.ts';
import { settle } from '../manual-clock.ts';
import { NOW, SECRET } from '../vectors.ts';

// What is special to a Request and its stream. What all adapters share is in every-adapter.test.ts.

async function requestOf(body: ReadableStream<Uint8Array> | null = null, text = JSON.stringify(paidBody)) {
  const headers = { ...(await signWebhook(text, SECRET, { id: 'dlv_1', timestamp: NOW })) };
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body: body ?? text, duplex: 'half' };
  return new Request('http://localhost/webhook', init);
}

const LIMIT = 80_000;
const text = (bytes: number): string => {
  const start = JSON.stringify(paidBody).replace('}', ',"note":"');
  return `${start}${'abcdefghijklmnopqrstuvwxyz'.repeat(bytes).slice(0, bytes - start.length - 2)}"}`;
};
it.each<[string, number, number[]]>([
  ['bytes one by one', 3_000, Array<number>(3_000).fill(1)],
  ['chunks of every size', 75_204, [1_023, 1, 5, 0, 4_096, 70_000, 1, 78]],
  ['exactly the limit in one chunk', LIMIT, [LIMIT]],
  ['exactly the limit in two', LIMIT, [1, LIMIT - 1]],
  ['a byte more than the limit in one chunk', LIMIT + 1, [LIMIT + 1]],
  ['a byte more than the limit in two', LIMIT + 1, [LIMIT, 1]],
])('a body of %s is put together, or refused beyond the limit', async (_name, size, sizes) => {
  const bytes = Buffer.from(text(size));
  const memory = new Uint8Array(LIMIT + 1); // which the sender uses again for each chunk
  let at = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = sizes.shift();
        if (next === undefined) return controller.close();
        memory.fill(0).set(bytes.subarray(at, at + next));
        at += next;
        controller.enqueue(memory.subarray(0, next));
      },
    },
    { highWaterMark: 0 },
  );
  const { handler, reasons } = endpoint({ maxBodySize: LIMIT });
  const response = await toFetchHandler(handler)(await requestOf(body, text(size)));
  expect([response.status, ...reasons()]).toEqual(size > LIMIT ? [413, 'body_too_large'] : [200]);
});

it('a response that a route sends as data throws: {} with 200 would acknowledge whatever came out', async () => {
  const { handler } = endpoint({ onPaid: () => Promise.reject(new Error('no stock')) });
  const response = await toFetchHandler(handler)(await requestOf());
  expect(response.status).toBe(500);
  expect(() => JSON.stringify(response)).toThrow('return its Response unchanged');
  expect(JSON.stringify(await toFetchHandler(endpoint().handler)(await requestOf()))).toBe('{}'); // a log of it does no harm
});

it('a body that never ends is cancelled at the size limit', async () => {
  let pulled = 0;
  const cancelled = deferred();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(600));
    },
    cancel: cancelled.resolve,
  });
  const { handler } = endpoint({ maxBodySize: 1_000 });
  expect((await toFetchHandler(handler)(await requestOf(body))).status).toBe(413);
  expect(pulled).toBeLessThan(6);
  await cancelled.promise;
});

it('a body that comes byte by byte is answered 503 at the time limit, and its stream cancelled', async () => {
  const shop = endpoint();
  const cancelled = deferred();
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => controller.enqueue(Uint8Array.of(0x7b));
  const request = await requestOf(new ReadableStream({ start, cancel: cancelled.resolve }));
  const response = toFetchHandler(shop.handler)(request);
  await settle();
  await shop.clock.advance(12_000);
  expect((await response).status).toBe(503);
  await cancelled.promise;
  await settle();
  expect(shop.reasons()).toEqual(['time_limit']);
});

it.each<[string, (request: Request) => unknown]>([
  ['read', (request) => request.json()],
  ['locked', (request) => request.body?.getReader()],
])('a body that was %s before is answered 500, and the remedy is reported', async (_name, touch) => {
  const { handler, reports } = endpoint();
  const request = await requestOf();
  await touch(request);
  expect((await toFetchHandler(handler)(request)).status).toBe(500);
  const message = expect.stringMatching(/before anything calls request\.json\(\)/);
  expect(reports).toMatchObject([{ reason: 'setup', message }]);
});

it('a sender that hangs up is answered 400', async () => {
  const { handler, reasons } = endpoint();
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
  expect((await toFetchHandler(handler)(await requestOf(body))).status).toBe(400);
  expect(reasons()).toEqual(['aborted']);
});

it.each<[string, (request: Request) => FetchInput]>([
  ['Next, Bun, Deno', (request) => request],
  ['SvelteKit, Astro, React Router, Cloudflare Pages', (request) => ({ request, params: {} })],
  ['Elysia, whose context has headers and a parsed body', (request) => ({ request, headers: {}, body: {} })],
  ['h3', (req) => ({ req, url: req.url })],
  ['Hono', (raw) => ({ req: { raw }, env: {} })],
])('the Request is found in what %s passes', async (_framework, wrap) => {
  const { handler, calls } = endpoint();
  expect((await toFetchHandler(handler)(wrap(await requestOf()))).status).toBe(200);
  expect(calls).toEqual(['paid order-1042']);
});

it.each<[string, unknown, string?]>([
  ['nothing', undefined],
  ['a request of Node', { method: 'POST', headers: {}, on() {}, pipe() {} }],
  ['a request of a request', { request: { request: {} } }],
  ['a promise', requestOf(), 'got a promise: await it, such as await signedRequest(…)'],
])('%s in place of a Request is answered 500, and the line is reported', async (_what, input, line) => {
  const { handler, reports } = endpoint();
  expect((await toFetchHandler(handler)(input as FetchInput)).status).toBe(500); // the mistake
  expect(reports).toMatchObject([
    { reason: 'setup', message: expect.stringContaining(line ?? 'got no Request of fetch') },
  ]);
});

it('a request of the edge runtime of Next, whose getter `request` throws, is handled', async () => {
  const shop = endpoint();
  const edge = Object.defineProperty(await requestOf(), 'request', {
    get() {
      throw new Error('request is not available in the edge runtime');
    },
  });
  const response = await toFetchHandler(shop.handler)(edge);
  expect([response.status, shop.calls]).toEqual([200, ['paid order-1042']]);
});
