import { expect, it } from 'vitest';
import { replyFor } from '../../../src/webhooks/handle/reply.ts';
import { REASONS, type Verdict } from '../../../src/webhooks/reasons.ts';
import { endpoint, request, send } from '../endpoint.ts';

// `handler.handle` given to a framework as a route, by mistake. test/frameworks tries it in the frameworks themselves.

const VERDICTS = Object.entries(REASONS).flatMap(([reason, { status }]) =>
  status === null ? [] : [[reason as Verdict, status] as const],
);

it.each(VERDICTS)('a reply of %s (%i) can be sent as JSON only if nothing is left to do', (verdict, status) => {
  const reply = replyFor(verdict);
  expect(reply.status).toBe(status);
  expect(Object.keys(reply)).toEqual(['status', 'headers', 'body']);
  if (status === 200) expect(JSON.parse(JSON.stringify(reply))).toEqual(reply);
  else expect(() => JSON.stringify(reply)).toThrow(/would send it as JSON .* toNodeHandler\(handler\)/);
});

it.each(VERDICTS)('%s is repeated by the service exactly if it is not done', (verdict, status) => {
  expect(status >= 200 && status <= 299).toBe(!REASONS[verdict].again && ![405, 413, 415].includes(status));
});

it.each<[string, (shop: ReturnType<typeof endpoint>) => Promise<object>]>([
  ['a stream of Node', async ({ clock }) => ({ ...(await request(clock)), pipe() {} })],
  ['a request of Fastify or hapi', async ({ clock }) => ({ ...(await request(clock)), raw: {} })],
  ['a context of Koa, Hono or h3', async ({ clock }) => ({ ...(await request(clock)), req: {} })],
  ['a Request', async ({ clock }) => ({ ...(await request(clock)), arrayBuffer() {} })],
])('handle given %s is answered 500, handles nothing, and names the line to change', async (_name, make) => {
  const shop = endpoint();
  const reply = await shop.handler.handle((await make(shop)) as never); // the mistake
  expect(reply).toMatchObject({ status: 500, body: 'setup' });
  expect(shop.calls).toEqual([]);
  expect(shop.reports).toMatchObject([{ reason: 'setup', message: expect.stringContaining('toNodeHandler(handler)') }]);
  expect((await send(shop)).status).toBe(200);
});

it.each(['second argument', 'res of the first'])('handle writes the response that it got as %s', async (place) => {
  const shop = endpoint();
  const sent: unknown[] = [];
  const response = { statusCode: 200, end: (text: string) => void sent.push(text) };
  const handle = shop.handler.handle as (...given: unknown[]) => Promise<unknown>;
  if (place === 'second argument') await handle({ pipe() {} }, response, () => {});
  else await handle({ req: {}, res: response }, () => {});
  expect([response.statusCode, sent]).toEqual([500, [expect.stringMatching(/^setup: use toNodeHandler/)]]);
});
