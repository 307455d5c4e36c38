import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakePaidEvent, signedDelivery } from '../../../src/testing/index.ts';
import { EVENT_ROWS, type EventRow } from '../../../src/webhooks/event/events.ts';
import { forgetPrinted } from '../../../src/webhooks/handle/report.ts';
import {
  memoryStore,
  parseInvoiceEvent,
  verifyWebhook,
  type WebhookHandlerOptions,
  type WebhookSecret,
  type WebhookStore,
} from '../../../src/webhooks/index.ts';
import { canceledBody, deferred, endpoint, paidBody, send } from '../endpoint.ts';
import { settle } from '../manual-clock.ts';
import { NOW, PAID, PAID_HEADERS, SECRET } from '../vectors.ts';

// Nothing is silent: what stops a payment from being handled is said without any option.

const LONG = 'whsec_0123456789abcdef';
const SANDBOX = 'whsec_sandbox';

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

  it('nothing of repeats and success', async () => {
    const shop = shopWith({});
    await send(shop);
    await send(shop);
    expect(lines).toEqual([]);
  });

  describe('of refused deliveries', () => {
    const MINUTE = 60_000;
    beforeEach(() => forgetPrinted());
    const refuse = (shop: ReturnType<typeof shopWith>, headers: object = PAID_HEADERS, body = '{"a":"forged"}') =>
      shop.handler.handle({ method: 'POST', headers: { ...headers }, body });

    it('the first of each reason with its usual causes, in two lines at most', async () => {
      const shop = shopWith({});
      await refuse(shop);
      await refuse(shop, { ...PAID_HEADERS, 'x-webhook-signature': 'abc' });
      await refuse(shop, { ...PAID_HEADERS, 'x-webhook-id': '' });
      shop.clock.time += 10 * MINUTE;
      await refuse(shop, PAID_HEADERS, PAID);
      shop.clock.time -= 20 * MINUTE;
      await refuse(shop, PAID_HEADERS, PAID);
      const said = lines.map(([line]) => String(line));
      expect(said.map((line) => /refused, 4\d\d (\w+)\./.exec(line)?.[1])).toEqual([
        'signature_mismatch',
        'malformed_signature',
        'missing_header',
        'timestamp_too_old',
        'timestamp_too_new',
      ]);
      expect(said[0]).toMatch(/another secret .*dashboard.*written again[\s\S]*webhooks verify/);
      for (const line of said) expect(line.split('\n').length).toBeLessThanOrEqual(2);
    });

    it('then their number, at intervals that double from a minute to an hour', async () => {
      const shop = shopWith({});
      const minutes: number[] = [];
      for (let minute = 0; minute < 300; minute += 1) {
        for (let each = 0; each < 10; each += 1) await refuse(shop);
        if (lines.splice(0).length > 0) minutes.push(minute);
        shop.clock.time += MINUTE;
      }
      expect(minutes).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
      await refuse(shop);
      shop.clock.time += 60 * MINUTE;
      await refuse(shop);
      expect(String(lines.at(-1)?.[0])).toMatch(
        /^merchant-invoicing: \d+ more webhooks refused, 401 signature_mismatch/,
      );
    });

    it('counts over all handlers of the process, and says once that somebody else knocks', async () => {
      for (const shop of Array.from({ length: 50 }, () => shopWith({}))) {
        await refuse(shop);
        await refuse(shop, {});
        await shop.handler.handle({ method: 'GET', headers: {}, body: '' });
      }
      expect(lines.map(([line]) => String(line).split('.')[0])).toEqual([
        'merchant-invoicing: webhook refused, 401 signature_mismatch',
        'merchant-invoicing: a request without any webhook header was refused: it is not from the service',
      ]);
    });

    it('holds no byte of the request', async () => {
      const shop = shopWith({ maxBodySize: 50 });
      const mark = 'mark\u001b[2J';
      for (const name of Object.keys(PAID_HEADERS)) {
        for (const value of [mark, [mark, mark]]) await refuse(shop, { ...PAID_HEADERS, [name]: value }, mark);
      }
      await refuse(shop, { ...PAID_HEADERS, 'content-length': mark, 'content-encoding': 'gzip' }, mark);
      await refuse(shop, PAID_HEADERS, mark.repeat(100));
      expect(lines.length).toBeGreaterThan(4);
      expect(JSON.stringify(lines)).not.toMatch(/mark|2J/);
    });

    it('survives a console that throws', async () => {
      const shop = shopWith({ onPaid: () => Promise.reject(failed) });
      vi.spyOn(console, 'error').mockImplementation(() => {
        throw new Error('no console');
      });
      expect((await refuse(shop)).status).toBe(401);
      expect((await send(shop)).status).toBe(500);
    });
  });
});

it('a report carries the order id and the error', async () => {
  const error = new Error('the shop is down');
  const shop = endpoint({ onPaid: () => Promise.reject(error) });
  await send(shop);
  expect(shop.reports).toMatchObject([{ reason: 'handler_failed', external_id: 'order-1042', error }]);
});

describe('the public secret of the sandbox', () => {
  beforeEach(() => void vi.stubEnv('MERCHANT_SANDBOX', undefined));
  const deliver = async (secret: WebhookSecret, options: Partial<WebhookHandlerOptions> = {}, signedWith = SANDBOX) => {
    const shop = endpoint({ secret, now: Date.now, ...options });
    const reply = await shop.handler.handle(await signedDelivery(fakePaidEvent(), { secret: signedWith }));
    return { ...reply, calls: shop.calls.length, reasons: shop.reasons() };
  };
  const refused = { status: 401, body: 'sandbox_secret', calls: 0, reasons: ['sandbox_secret'] };
  const accepted = { status: 200, calls: 1, reasons: [] };

  it.each<[string, WebhookSecret]>([
    ['as text', SANDBOX],
    ['as bytes', Buffer.from(SANDBOX)],
    ['beside a real one', [LONG, SANDBOX]],
  ])('is refused, whatever NODE_ENV is called, %s', async (_, secret) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    for (const name of ['production', 'development', undefined]) {
      vi.stubEnv('NODE_ENV', name);
      expect(await deliver(secret)).toMatchObject(refused);
    }
    await expect(verifyWebhook(PAID, PAID_HEADERS, SECRET, { now: NOW })).resolves.toMatchObject({ status: 'success' });
  });

  it('is accepted with MERCHANT_SANDBOX=1 or sandbox: true, and by nothing else', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    expect(await deliver(SANDBOX, { sandbox: true })).toMatchObject(accepted);
    vi.stubEnv('MERCHANT_SANDBOX', '0');
    expect(await deliver(SANDBOX)).toMatchObject(refused);
    vi.stubEnv('MERCHANT_SANDBOX', '1');
    expect(await deliver(SANDBOX)).toMatchObject(accepted);
    expect(await deliver(SANDBOX, { sandbox: false })).toMatchObject(refused);
  });

  it('leaves every other secret alone', async () => {
    for (const secret of [LONG, `${SANDBOX}_of_a_shop`]) {
      expect(await deliver([secret, SANDBOX], {}, secret)).toMatchObject(accepted);
    }
    expect(() => endpoint({ sandbox: 1 as never })).toThrow('sandbox must be true or false, not 1');
  });
});

describe('a store that does not keep its word', () => {
  it.each([
    ['claim answers a boolean', { claim: async () => true }, /claim\(\) must resolve to/],
    ['claim answers another state', { claim: async () => ({ state: 'new' }) }, /claim\(\) must resolve to/],
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

describe.each(['refunded', 'success'])('an event that the service adds, with the status %s', (status) => {
  const rows = EVENT_ROWS as EventRow[]; // the table of a later version
  const refunded = {
    name: 'invoice.refunded',
    adjusted: false,
    statuses: [status],
    key: 'refunded',
    handler: 'onRefunded',
    read: () => ({ amount: null, credited_usdt: null, adjusted: false, original_amount: null }),
    ofInvoice: () => ({}),
  } as unknown as EventRow; // its names are not known to this version
  const body = { ...canceledBody, event: 'invoice.refunded', status };
  beforeEach(() => void rows.push(refunded));
  afterEach(() => void rows.pop());

  it('needs no function: it goes to onUnknown, and never to another function', async () => {
    const seen: unknown[] = [];
    const shop = endpoint({ onUnknown: (event) => void seen.push(event) });
    expect((await send(shop, body)).status).toBe(200);
    expect(seen).toMatchObject([{ type: 'unknown', event_name: 'invoice.refunded', external_id: 'order-1042' }]);
    expect(shop.calls).toEqual([]);
    const without = endpoint();
    const isMoney = status === 'success';
    expect((await send(without, body)).status).toBe(isMoney ? 500 : 200);
    expect(without.reasons()).toEqual([isMoney ? 'unknown_payment' : 'no_handler']);
    await send(without);
    expect(without.calls).toEqual(['paid order-1042']);
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
