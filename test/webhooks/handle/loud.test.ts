import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type DecodableEvent, EVENT_ROWS } from '../../../src/webhooks/event/event.ts';
import {
  createWebhookHandler,
  memoryStore,
  parseInvoiceEvent,
  verifyWebhook,
  type WebhookHandlerOptions,
  type WebhookStore,
} from '../../../src/webhooks/index.ts';
import { canceledBody, deferred, endpoint, paidBody, send } from '../endpoint.ts';
import { settle } from '../manual-clock.ts';
import { NOW, PAID, PAID_HEADERS, SECRET } from '../vectors.ts';

// Nothing is silent: what stops a payment from being handled is said without any option.

const LONG = 'whsec_0123456789abcdef';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('without onReport, the console shows', () => {
  let lines: unknown[][];
  beforeEach(() => {
    lines = [];
    vi.spyOn(console, 'error').mockImplementation((...line: unknown[]) => void lines.push(line));
  });
  const shopWith = (options: Partial<WebhookHandlerOptions>) => {
    const shop = endpoint({ onReport: undefined, ...options });
    lines.length = 0; // the secret of the vectors is short, which is said at the start
    return shop;
  };
  const failed = new Error('consol is not defined');

  it.each<[string, Partial<WebhookHandlerOptions>, object, RegExp, unknown]>([
    [
      'a function that throws',
      { onPaid: () => Promise.reject(failed) },
      paidBody,
      /order order-1042: handler_failed/,
      failed,
    ],
    [
      'a store that is down',
      { store: { ...memoryStore(), claim: () => Promise.reject(failed) } },
      paidBody,
      /order order-1042: store_failed/,
      failed,
    ],
    ['a payload that is malformed', {}, { ...paidBody, amount: 'x' }, /malformed_payload: .*"amount"/, undefined],
    ['an unknown payment', {}, { ...paidBody, event: 'payment.settled' }, /unknown_payment: .*onUnknown/, undefined],
    ['an amount that differs from the first one', {}, { ...paidBody, amount: '1.00' }, /duplicate_differs/, undefined],
  ])('%s', async (_, options, body, line, error) => {
    const shop = shopWith(options);
    if (String(line).includes('differs')) await send(shop);
    await send(shop, body);
    expect(lines).toEqual([[expect.stringMatching(line), ...(error === undefined ? [] : [error])]]);
  });

  it('a function that takes too long, and an order id that could forge a line', async () => {
    const shop = shopWith({ onPaid: () => new Promise(() => {}) });
    const answered = send(shop, { ...paidBody, external_id: 'o\n2' });
    await settle();
    await shop.clock.advance(12_000);
    expect((await answered).status).toBe(503);
    expect(lines).toEqual([[expect.stringMatching(/order o\\u000a2: time_limit: /)]]);
  });

  it('nothing of strangers, repeats and success', async () => {
    const shop = shopWith({});
    await send(shop);
    await send(shop);
    await shop.handler.handle({ method: 'GET', headers: {}, body: '' });
    await shop.handler.handle({ method: 'POST', headers: PAID_HEADERS, body: '{}' });
    expect(lines).toEqual([]);
  });
});

it('a report carries the order id and the error', async () => {
  const error = new Error('the shop is down');
  const shop = endpoint({ onPaid: () => Promise.reject(error) });
  await send(shop);
  expect(shop.reports).toMatchObject([{ reason: 'handler_failed', external_id: 'order-1042', error }]);
});

describe('the secret of the sandbox', () => {
  const start = (secret: string | Uint8Array | readonly string[]) =>
    createWebhookHandler({ secret, store: memoryStore(), onPaid: () => {}, onCanceled: () => {} });

  it.each([
    ['as text', 'whsec_sandbox'],
    ['as bytes', Buffer.from('whsec_sandbox')],
    ['beside a real one', [LONG, 'whsec_sandbox']],
  ])('is refused in production, %s', async (_, secret) => {
    expect(() => start(secret)).not.toThrow();
    vi.stubEnv('NODE_ENV', 'production');
    expect(() => start(secret)).toThrow(/NODE_ENV is production.*Use the one of the dashboard/);
    expect(() => start(LONG)).not.toThrow();
    await expect(verifyWebhook(PAID, PAID_HEADERS, secret, { now: NOW })).rejects.toMatchObject({
      code: 'SDK_CONFIGURATION',
    });
  });
});

describe('a store that does not keep its word', () => {
  it.each([
    ['claim answers a boolean', { claim: async () => true }, /claim\(\) must answer/],
    ['claim answers another state', { claim: async () => ({ state: 'new' }) }, /claim\(\) must answer/],
    ['run does not run the work', { run: async () => true }, /without running the work/],
  ])('is answered 503, and your function has not run: %s', async (_name, wrong, message) => {
    const store = { ...memoryStore(), ...wrong } as unknown as WebhookStore; // wrong on purpose
    const shop = endpoint({ store });
    expect(await send(shop)).toMatchObject({ status: 503, body: 'store_failed' });
    expect(shop.calls).toEqual([]);
    expect(shop.reports[0]?.error).toMatchObject({ message: expect.stringMatching(message) });
  });
});

describe('a store whose run does not await its work', () => {
  const hasty = (): WebhookStore => ({
    ...memoryStore(),
    async run(_claim, work) {
      void work({}).catch(() => {});
      return true;
    },
  });

  it('is answered 503 while the work goes on, and says what is wrong', async () => {
    const gate = deferred();
    const shop = endpoint({ store: hasty(), onPaid: () => gate.promise });
    expect(await send(shop)).toMatchObject({ status: 503, body: 'store_failed' });
    expect(shop.reports[0]?.error).toMatchObject({ message: expect.stringContaining('must await work') });
    gate.reject(new Error('later'));
    await settle();
  });

  it('is answered for what the work did where it had ended', async () => {
    const shop = endpoint({ store: hasty(), onPaid: () => {} });
    expect((await send(shop)).status).toBe(200);
  });
});

describe('an event that the service adds', () => {
  const rows = EVENT_ROWS as DecodableEvent[]; // the table of a later version
  const refunded: DecodableEvent = {
    name: 'invoice.refunded',
    statuses: ['refunded'],
    key: 'refunded',
    handler: 'onRefunded',
    decode: () => ({ amount: null, credited_usdt: null, adjusted: false, original_amount: null }),
  };
  const body = { ...canceledBody, event: 'invoice.refunded', status: 'refunded' };
  beforeEach(() => void rows.push(refunded));
  afterEach(() => void rows.pop());

  it('needs no function: it goes to onUnknown, and never to another function', async () => {
    const seen: unknown[] = [];
    const shop = endpoint({ onUnknown: (event) => void seen.push(event) });
    expect((await send(shop, body)).status).toBe(200);
    expect(seen).toMatchObject([{ type: 'unknown', event_name: 'invoice.refunded', external_id: 'order-1042' }]);
    expect(shop.calls).toEqual([]);
    const without = endpoint();
    expect((await send(without, body)).status).toBe(200);
    expect(without.reasons()).toEqual(['no_handler']);
    expect(() => endpoint({ onRefunded: 5 } as never)).toThrow('onRefunded must be a function');
  });

  it('has its own function and key where the merchant gives one', async () => {
    const seen: unknown[] = [];
    const shop = endpoint({ onRefunded: (event: { type: string }) => void seen.push(event.type) } as never);
    expect((await send(shop, body)).status).toBe(200);
    expect(await send(shop, body)).toMatchObject({ body: 'duplicate' });
    expect(seen).toEqual(['invoice.refunded']);
    expect(shop.reports[0]?.key).toMatch(/:refunded$/);
  });

  it('is read as unknown by the version before, also from a queue', async () => {
    const seen: object[] = [];
    await send(endpoint({ onRefunded: (event: object) => void seen.push(event) } as never), body);
    rows.pop();
    const [event] = seen.map((each) => parseInvoiceEvent(JSON.parse(JSON.stringify(each))));
    rows.push(refunded);
    expect(event).toMatchObject({ type: 'unknown', event_name: 'invoice.refunded' });
  });
});

it('the unsigned header X-Webhook-Event names nothing', async () => {
  const event = await verifyWebhook(PAID, { ...PAID_HEADERS, 'X-Webhook-Event': 'invoice.canceled' }, SECRET, {
    now: NOW,
  });
  expect(event.type).toBe('invoice.paid');
});
