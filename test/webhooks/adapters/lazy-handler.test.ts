import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakePaidEvent, signedDelivery, signedRequest } from '../../../src/testing/index.ts';
import { forgetPrinted } from '../../../src/webhooks/handle/report.ts';
import {
  createWebhookHandler,
  memoryStore,
  toFetchHandler,
  toLambdaHandler,
  toNodeHandler,
} from '../../../src/webhooks/index.ts';

// An adapter also takes a function that makes the handler: a build evaluates modules, and has no secrets.

afterEach(() => {
  vi.restoreAllMocks();
  forgetPrinted();
});

const SECRET = 'whsec_of_the_lazy_shop';
const handlerWith = (secret: string) =>
  createWebhookHandler({ secret, store: memoryStore(), onPaid() {}, onAdjusted() {}, onCanceled() {} });

describe('a function in place of a handler', () => {
  it('is called at the first delivery, once', async () => {
    const make = vi.fn(() => handlerWith(SECRET));
    const receive = toFetchHandler(make);
    expect(make).not.toHaveBeenCalled();
    for (let each = 0; each < 3; each += 1) {
      expect((await receive(await signedRequest(fakePaidEvent(), { secret: SECRET }))).status).toBe(200);
    }
    expect(make).toHaveBeenCalledTimes(1);
  });

  it('that throws is answered 500, told on the console, and called again at the next delivery', async () => {
    const lines: string[] = [];
    vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line));
    let secret = '';
    const receive = toFetchHandler(() => handlerWith(secret));
    const deliver = async () => await receive(await signedRequest(fakePaidEvent(), { secret: SECRET }));
    const refused = await deliver();
    expect([refused.status, await refused.text()]).toEqual([500, 'setup']);
    expect(lines).toEqual([expect.stringMatching(/setup.*secret must be a string.*dashboard/)]);
    secret = SECRET;
    expect((await deliver()).status).toBe(200);
  });

  it.each([
    ['a promise', async () => handlerWith(SECRET)],
    ['a promise that rejects', async () => handlerWith('')],
  ])('that returns %s is answered 500, and told on the console', async (_name, make) => {
    const lines: string[] = [];
    vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line));
    const receive = toFetchHandler(make as never);
    const reply = await receive(await signedRequest(fakePaidEvent(), { secret: SECRET }));
    expect([reply.status, await reply.text()]).toEqual([500, 'setup']);
    expect(lines).toEqual([expect.stringContaining('must return a handler of createWebhookHandler')]);
  });

  it('works behind every adapter', async () => {
    const { headers, body } = await signedDelivery(fakePaidEvent(), { secret: SECRET });
    const event = { httpMethod: 'POST', headers, body: String(body) };
    expect(await toLambdaHandler(() => handlerWith(SECRET))(event)).toMatchObject({ statusCode: 200 });
    const response = { statusCode: 0, headersSent: false, writableEnded: false, setHeader() {}, end() {} };
    const request = { method: 'POST', headers, body: String(body), on() {}, off() {}, resume() {} };
    await toNodeHandler(() => handlerWith(SECRET))(request, response);
    expect(response.statusCode).toBe(200);
  });
});

it.each([undefined, null, {}, 'handler', Promise.resolve()])('%s is no handler', (handler) => {
  for (const [name, adapter] of Object.entries({ toFetchHandler, toNodeHandler, toLambdaHandler })) {
    expect(() => adapter(handler as never)).toThrow(`${name}: needs a handler of createWebhookHandler`);
  }
});
