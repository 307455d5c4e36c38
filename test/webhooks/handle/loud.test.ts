import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakePaidEvent, signedRequest } from '../../../src/tools/testing/index.ts';
import { EVENT_ROWS, type EventRow } from '../../../src/webhooks/event/events.ts';
import { forgetPrinted } from '../../../src/webhooks/handle/report.ts';
import {
  memoryStore,
  parseInvoiceEvent,
  toLambdaHandler,
  type WebhookHandlerOptions,
  type WebhookSecret,
} from '../../../src/webhooks/index.ts';
import { canceledBody, endpoint, paidBody, send } from '../endpoint.ts';
import { settle } from '../manual-clock.ts';
import { PAID, PAID_HEADERS } from '../vectors.ts';

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

  const rejecting = () => Promise.reject(failed);
  it.each<[string, Partial<WebhookHandlerOptions>, object, RegExp, unknown?]>([
    [
      'a function that throws',
      { onPaid: rejecting },
      paidBody,
      /order order-1042: handler_failed: .*answers 500, and the service tries again/,
      failed,
    ],
    ['a store that is down', { store: { ...memoryStore(), claim: rejecting } }, paidBody, /store_failed/, failed],
    ['a malformed payload', {}, { ...paidBody, amount: 'x' }, /malformed_payload: .*"amount"/],
    ['an unknown payment', {}, { ...paidBody, event: 'payment.settled' }, /unknown_payment: .*onUnknown/],
    ['an amount that differs from the first one', {}, { ...paidBody, amount: '1.00' }, /duplicate_differs/],
  ])('%s', async (title, options, body, line, error) => {
    const shop = shopWith(options);
    if (title.includes('the first one')) await send(shop);
    await send(shop, body);
    expect(lines).toEqual([[expect.stringMatching(line), ...(error === undefined ? [] : [error])]]);
  });

  it('a body that a sender never finishes, without a word about the function', async () => {
    forgetPrinted();
    const shop = shopWith({});
    const headers = { 'x-webhook-id': '1', 'x-webhook-timestamp': '1', 'x-webhook-signature': 'ab' };
    const reply = shop.handler.handle({ method: 'POST', headers, body: () => new Promise(() => {}) });
    await shop.clock.advance(12_000);
    expect(await reply).toMatchObject({ status: 503, body: 'time_limit' });
    expect(lines).toEqual([
      [
        'merchant-invoicing: webhook refused, 503 time_limit. The sender had not sent the whole body when the time limit ended: answered 503. If this repeats, look at the proxy before the receiver.',
      ],
    ]);
  });

  it.each([
    ['seconds', () => Date.now() / 1000, /refused, 500 setup\. now gave 1\d{9}[.\d]*: .*milliseconds, not in seconds/],
    ['a Date of seconds', () => new Date(Date.now() / 1000), /refused, 500 setup\. .*not in seconds/],
    ['nothing', () => Number.NaN, /refused, 500 setup\. now must be a Date, milliseconds/],
  ])('a clock that gives %s', async (_what, now, line) => {
    forgetPrinted();
    expect(await send(shopWith({ now }))).toMatchObject({ status: 500, body: 'setup' });
    expect(lines).toEqual([[expect.stringMatching(line)]]);
  });

  it('an endpoint that is set up wrongly, although no header of a delivery came', async () => {
    forgetPrinted();
    const shop = shopWith({});
    await expect(toLambdaHandler(shop.handler)({ Records: [] } as never)).rejects.toThrow('the event of a queue');
    expect(lines).toEqual([
      [expect.stringMatching(/refused, 500 setup\. .*Verify the webhook where its HTTP request/)],
    ]);
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
      expect(said[0]).toMatch(/another secret, .*changed the body[\s\S]*dashboard.*webhooks verify/);
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

describe('the public secret of the sandbox', () => {
  beforeEach(() => void vi.stubEnv('MERCHANT_SANDBOX', undefined));
  const deliver = async (secret: WebhookSecret, options: Partial<WebhookHandlerOptions> = {}, signedWith = SANDBOX) => {
    const shop = endpoint({ secret, now: Date.now, ...options });
    const request = await signedRequest(fakePaidEvent(), { secret: signedWith });
    const { method, headers } = request;
    const reply = await shop.handler.handle({ method, headers, body: await request.text() });
    return { ...reply, calls: shop.calls.length, reasons: shop.reasons() };
  };
  const refused = { status: 401, body: 'sandbox_secret', calls: 0, reasons: ['sandbox_secret'] };
  const accepted = { status: 200, calls: 1, reasons: [] };

  // The secret, the variable MERCHANT_SANDBOX, the option `sandbox`, and whether the delivery is accepted.
  it.each<[string, WebhookSecret, string | undefined, boolean | undefined, boolean]>([
    ['as text', SANDBOX, undefined, undefined, false],
    ['as bytes', Buffer.from(SANDBOX), undefined, undefined, false],
    ['beside a real one', [LONG, SANDBOX], undefined, undefined, false],
    ['with another value of the variable', SANDBOX, '0', undefined, false],
    ['with the variable', SANDBOX, '1', undefined, true],
    ['with the option', SANDBOX, undefined, true, true],
    ['with the variable and against the option', SANDBOX, '1', false, false],
  ])(
    'counts only with MERCHANT_SANDBOX=1 or sandbox: true: %s',
    async (_title, secret, variable, sandbox, isAccepted) => {
      vi.spyOn(console, 'warn').mockImplementation(() => {});
      vi.stubEnv('MERCHANT_SANDBOX', variable);
      for (const name of ['production', 'development', undefined]) {
        vi.stubEnv('NODE_ENV', name);
        expect(await deliver(secret, { sandbox })).toMatchObject(isAccepted ? accepted : refused);
      }
    },
  );

  it.each([LONG, `${SANDBOX}_of_a_shop`])('leaves the secret %s alone', async (secret) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    expect(await deliver([secret, SANDBOX], {}, secret)).toMatchObject(accepted);
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

  it('goes to onUnknown where the merchant has no function of its own for it, and never to another function', async () => {
    const seen: unknown[] = [];
    const shop = endpoint({ onUnknown: (event) => void seen.push(event) });
    expect((await send(shop, body)).status).toBe(200);
    expect(seen).toMatchObject([{ type: 'unknown', event_name: 'invoice.refunded', external_id: 'order-1042' }]);
    const without = endpoint();
    expect(await send(without, body)).toMatchObject({ body: status === 'success' ? 'unknown_payment' : 'no_handler' });
    expect([shop.calls, without.calls]).toEqual([[], []]);
    expect(() => endpoint({ onRefunded: 5 } as never)).toThrow('onRefunded must be a function');
  });

  it('has its own function and key where the merchant gives one, and is unknown to the version before, also from a queue', async () => {
    const seen: { type: string }[] = [];
    const shop = endpoint({ onRefunded: (event: { type: string }) => void seen.push(event) } as never);
    expect((await send(shop, body)).status).toBe(200);
    expect(await send(shop, body)).toMatchObject({ body: 'duplicate' });
    expect(seen).toMatchObject([{ type: 'invoice.refunded' }]);
    expect(shop.reports[0]?.key).toMatch(/:refunded$/);
    rows.pop();
    const event = parseInvoiceEvent(JSON.parse(JSON.stringify(seen[0])));
    rows.push(refunded);
    expect(event).toMatchObject({ type: 'unknown', event_name: 'invoice.refunded' });
  });
});
