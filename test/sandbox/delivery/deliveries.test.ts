import { createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import type { Internals } from '../../../src/sandbox/options.ts';
import { inProcess, ORDER, receiver } from '../loopback.ts';

const MINUTE = 60_000;

/** A sandbox with one invoice that reports to a receiver with this script. */
async function reporting(script: Parameters<typeof receiver>[0], options: SandboxOptions & Internals = {}) {
  const hook = await receiver(script);
  const context = inProcess(options);
  await context.api('POST', '/invoices', { ...ORDER, amount: '100.00', callback_url: hook.url });
  const delivery = () => {
    const [only, ...more] = context.sandbox.deliveries('order-1042');
    if (only === undefined || more.length > 0) throw new Error('expected exactly one delivery');
    return only;
  };
  return { ...context, hook, delivery };
}

describe('one webhook for each end', () => {
  const PAID = { event: 'invoice.paid', status: 'success' };
  const ADJUSTED = { ...PAID, adjusted: true, original_amount: '100.00' };
  const CANCELED = { event: 'invoice.canceled', amount: '100.00' };

  it.each([
    ['pay', undefined, { ...PAID, amount: '100.00', credited_usdt: '107.445192', adjusted: false }],
    ['underpay', '50.00', { ...ADJUSTED, amount: '50.00', credited_usdt: '53.722596' }],
    ['overpay', '150.00', { ...ADJUSTED, amount: '150.00', credited_usdt: '161.167788' }],
    ['fail', undefined, { ...CANCELED, status: 'fail' }],
    ['cancel', undefined, { ...CANCELED, status: 'canceled' }],
    ['expire', undefined, { ...CANCELED, status: 'expired' }],
  ] as const)('%s %s', async (end, amount, members) => {
    const { sandbox, hook } = await reporting([]);
    const {
      invoice: { uuid },
    } = await (amount === undefined
      ? sandbox[end as 'pay']('order-1042')
      : sandbox[end as 'underpay']('order-1042', amount));
    expect(hook.received.map(({ body }) => JSON.parse(body.toString()))).toEqual([
      { invoice_uuid: uuid, external_id: 'order-1042', ...members },
    ]);
    expect(hook.received[0]?.headers['content-type']).toBe('application/json');
  });

  it('is sent when time runs out, at the minute of expiry', async () => {
    const { sandbox, hook } = await reporting([]);
    await sandbox.advance('29m');
    expect([sandbox.invoice('order-1042').status, hook.received]).toEqual(['pending', []]);
    await sandbox.advance('5m');
    expect(sandbox.invoice('order-1042')).toMatchObject({ status: 'expired', finished_at: '2026-03-01T12:30:00.000Z' });
    expect(hook.received).toHaveLength(1);
  });

  it('is not sent a second time by a correction after the payment', async () => {
    const { sandbox, hook } = await reporting([]);
    await sandbox.pay('order-1042');
    expect((await sandbox.adjust('order-1042', '40.00')).invoice).toMatchObject({
      is_adjusted: true,
      settled_amount_usdt: '42.978076',
      adjustment: { actual_amount_fiat: '40.00', actual_amount_usdt: '42.978076', expected_amount_usdt: '107.445192' },
    });
    expect(hook.received).toHaveLength(1);
  });

  it('is not sent without a callback URL, and the log says so', async () => {
    const { sandbox, api } = inProcess();
    await api('POST', '/invoices', ORDER);
    expect(sandbox.requests().at(-1)?.why).toContain('no callback_url');
    await sandbox.pay('order-1042');
    expect(sandbox.deliveries()).toEqual([]);
    expect(sandbox.events().at(-1)).toMatchObject({ kind: 'note', text: expect.stringContaining('is not sent') });
  });
});

describe('what is sent', () => {
  it('is byte for byte the same at every attempt, with one id', async () => {
    const { sandbox, hook } = await reporting([500, 500, 200]);
    await sandbox.pay('order-1042');
    await sandbox.advance('10m');
    await sandbox.resend('order-1042');
    expect(hook.received).toHaveLength(4);
    expect(new Set(hook.received.map(({ body }) => body.toString('hex'))).size).toBe(1);
    expect(new Set(hook.received.map(({ headers }) => headers['x-webhook-id'])).size).toBe(1);
  });

  it('is signed by the interface: HMAC-SHA256 over timestamp, dot and raw body, stamped at each attempt', async () => {
    let wall = Date.parse('2027-05-05T05:05:05.500Z');
    const { sandbox, hook } = await reporting([500, 200], { webhookSecret: 'whsec_Ünïcode', wallClock: () => wall });
    await sandbox.pay('order-1042');
    wall += 90_000;
    await sandbox.advance('1m');
    const stamps = hook.received.map(({ headers, body }) => {
      const stamp = String(headers['x-webhook-timestamp']);
      const expected = createHmac('sha256', 'whsec_Ünïcode').update(`${stamp}.`).update(body).digest('hex');
      expect(headers['x-webhook-signature']).toBe(expected);
      return stamp;
    });
    expect(stamps).toEqual(['1809493505', '1809493595']);
  });

  it('can be stamped by the sandbox clock instead', async () => {
    const { sandbox, hook } = await reporting([], { deliveryTimestamp: 'sandbox' });
    await sandbox.advance('1m');
    await sandbox.pay('order-1042');
    expect(hook.received[0]?.headers['x-webhook-timestamp']).toBe(
      String(Date.parse('2026-03-01T12:01:00.000Z') / 1000),
    );
  });

  it('comes as a Request, for a receiver without a port', async () => {
    const { sandbox, api } = inProcess();
    await api('POST', '/invoices', ORDER);
    await sandbox.underpay('order-1042', '17.00');
    const request = await sandbox.webhookRequest('order-1042', 'https://shop.example/hook');
    const body = Buffer.from(await request.arrayBuffer());
    const stamp = request.headers.get('x-webhook-timestamp');
    expect(request.headers.get('x-webhook-signature')).toBe(
      createHmac('sha256', 'whsec_of_the_tests').update(`${stamp}.`).update(body).digest('hex'),
    );
    expect(JSON.parse(body.toString())).toMatchObject({ event: 'invoice.paid', amount: '17.00', adjusted: true });
  });
});

// One test for each row of the interface's table of delivery moves.
describe('moves of a delivery', () => {
  it.each([200, 201, 202, 204, 299])('row 1: a response of %i delivers', async (status) => {
    const { sandbox, delivery } = await reporting([status]);
    await sandbox.advance('2m');
    await sandbox.pay('order-1042');
    expect(delivery()).toMatchObject({
      status: 'delivered',
      attempts: 1,
      last_http_status: status,
      delivered_at: '2026-03-01T12:02:00.000Z',
      next_retry_at: null,
    });
  });

  it.each([
    [302, 'returned 302', 302],
    [400, 'returned 400', 400],
    [500, 'returned 500', 500],
    ['destroy', 'connection error: UND_ERR_SOCKET', null],
  ] as const)('row 2: %s fails, a retry is scheduled', async (answer, error, last_http_status) => {
    const { sandbox, delivery, hook } = await reporting([answer]);
    await sandbox.pay('order-1042');
    expect(delivery()).toMatchObject({
      status: 'pending',
      attempts: 1,
      max_attempts: 7,
      last_http_status,
      delivered_at: null,
      next_retry_at: '2026-03-01T12:01:00.000Z',
    });
    expect(delivery().attempt_log[0]).toMatchObject({ success: false, error, status_code: last_http_status });
    expect(hook.received).toHaveLength(1);
  });

  it('row 2: no response within the time-out fails', async () => {
    const waits: number[] = [];
    let arrived = Promise.resolve();
    const sleep = (milliseconds: number): Promise<void> => {
      waits.push(milliseconds);
      return arrived; // the time is over once the receiver has the request
    };
    const { sandbox, delivery, hook } = await reporting(['hang'], { sleep });
    arrived = hook.first;
    await sandbox.pay('order-1042');
    expect(delivery()).toMatchObject({
      status: 'pending',
      last_http_status: null,
      next_retry_at: '2026-03-01T12:01:00.000Z',
    });
    expect([delivery().attempt_log[0]?.error, waits]).toEqual(['timeout: no response within 15 s', [15_000]]);
  });

  it('rows 2 and 3: seven attempts after 0, 1, 5, 30, 120, 360 and 720 minutes, then failed', async () => {
    const { sandbox, delivery, hook } = await reporting(Array.from({ length: 7 }, () => 503));
    await sandbox.pay('order-1042');
    await sandbox.advance(1235 * MINUTE);
    expect(delivery()).toMatchObject({ status: 'pending', attempts: 6 });
    await sandbox.advance(1 * MINUTE);
    expect(delivery()).toMatchObject({ status: 'failed', attempts: 7, max_attempts: 7, next_retry_at: null });
    const began = Date.parse('2026-03-01T12:00:00.000Z');
    expect(delivery().attempt_log.map(({ created_at }) => (Date.parse(created_at) - began) / MINUTE)).toEqual([
      0, 1, 6, 36, 156, 516, 1236,
    ]);
    await sandbox.advance('30d');
    expect(hook.received).toHaveLength(7);
  });

  it('row 4: a resend expedites the queued attempt', async () => {
    const { sandbox, delivery, hook, api } = await reporting([500, 500]);
    await sandbox.pay('order-1042');
    await api('POST', '/invoices/order-1042/resend-webhook');
    await sandbox.settle();
    expect(delivery()).toMatchObject({ status: 'pending', attempts: 2, next_retry_at: '2026-03-01T12:05:00.000Z' });
    expect(delivery().attempt_log.map(({ triggered_by }) => triggered_by)).toEqual(['schedule', 'manual']);
    await sandbox.advance('4m');
    expect(hook.received).toHaveLength(2); // the attempt of the first minute was the one that was expedited
    await sandbox.advance('1m');
    expect(delivery()).toMatchObject({ status: 'delivered', attempts: 3 });
  });

  it('row 5: a resend of a failed one is one fresh attempt', async () => {
    const { sandbox, delivery, hook } = await reporting(Array.from({ length: 8 }, () => 500));
    await sandbox.pay('order-1042');
    await sandbox.advance('21h');
    expect(await sandbox.resend('order-1042')).toMatchObject({ status: 'failed', attempts: 8, next_retry_at: null });
    await sandbox.advance('7d');
    expect(hook.received).toHaveLength(8);
    expect(await sandbox.resend('order-1042')).toMatchObject({ status: 'delivered', attempts: 9 });
    expect(delivery().attempt_log.at(-1)).toMatchObject({ success: true, triggered_by: 'manual' });
  });

  it('row 5: a resend of a delivered one is a fresh attempt that cannot take the receipt back', async () => {
    const { sandbox, delivery } = await reporting([200, 500]);
    await sandbox.pay('order-1042');
    await sandbox.advance('1h');
    await sandbox.resend('order-1042');
    expect(delivery()).toMatchObject({
      status: 'delivered',
      attempts: 2,
      last_http_status: 500,
      delivered_at: '2026-03-01T12:00:00.000Z',
      next_retry_at: null,
    });
  });

  it('is delivering while an attempt is under way, and a resend then starts no second one', async () => {
    let release: ((response: Response) => void) | undefined;
    const fetch = (): Promise<Response> =>
      new Promise((resolve) => {
        release = resolve;
      });
    const { sandbox, api, delivery } = await reporting([], { fetch });
    const paying = sandbox.pay('order-1042');
    await vi.waitFor(() => expect(release).toBeDefined(), { timeout: 30_000 }); // signing takes turns
    const { json } = await api('POST', '/invoices/order-1042/resend-webhook');
    expect(json.data).toMatchObject({ status: 'delivering', attempts: 0 });
    release?.(new Response(null, { status: 204 }));
    await paying;
    await sandbox.settle();
    expect(delivery()).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  it.each([
    ['before its request is out', () => undefined],
    ['under way', (sent: () => number) => vi.waitFor(() => expect(sent()).toBe(1), { timeout: 30_000 })],
  ])('is ended and forgotten by a reset, an attempt %s too', async (_when, reached) => {
    let sent = 0;
    const fetch = (): Promise<Response> => {
      sent += 1;
      return new Promise(() => undefined);
    };
    const sleep = (): Promise<void> => new Promise(() => undefined); // no time passes
    const { sandbox } = await reporting([], { fetch, sleep });
    const paying = sandbox.pay('order-1042');
    await reached(() => sent);
    const before = sent;
    sandbox.reset();
    await paying;
    await sandbox.advance('1d');
    expect([sent, sandbox.deliveries(), sandbox.events()]).toEqual([before, [], []]);
  });

  it('keeps the latest 50 attempts, the start of long responses, and counts all', async () => {
    const { sandbox, delivery } = await reporting([], { fetch: async () => new Response('x'.repeat(100_000)) });
    await sandbox.pay('order-1042');
    for (let at = 0; at < 60; at += 1) await sandbox.resend('order-1042');
    const { attempts, attempt_log } = delivery();
    expect([attempts, attempt_log.length, attempt_log[0]?.response_body?.length]).toEqual([61, 50, 2_000]);
  });
});

describe('where it may go', () => {
  it.each([
    [[], 'https://shop.example/hook', []],
    [['Shop.example'], 'https://shop.example/hook', ['https://shop.example/hook']],
    [['receiver'], 'http://receiver:3000/hook', ['http://receiver:3000/hook']],
  ])('with deliverTo %j, %s gets %j', async (deliverTo, callback_url, expected) => {
    const sent: string[] = [];
    const { sandbox, api } = inProcess({
      deliverTo,
      fetch: async (input) => {
        sent.push(String(input));
        return new Response();
      },
    });
    expect((await api('POST', '/invoices', { ...ORDER, callback_url })).status).toBe(201);
    await sandbox.pay('order-1042');
    expect(sent).toEqual(expected);
    const remedy = expected.length > 0 ? undefined : expect.stringContaining('deliverTo: ["shop.example"]');
    expect(sandbox.deliveries()[0]?.attempt_log[0]?.cause?.remedy).toEqual(remedy);
  });

  it.each(['http://127.0.0.1.evil.example/', 'http://localhost.evil.example/', 'http://128.0.0.1/', 'http://0.0.0.0/'])(
    'does not take %s for this machine',
    async (callback_url) => {
      const { api } = inProcess();
      expect((await api('POST', '/invoices', { ...ORDER, callback_url })).status).toBe(422);
    },
  );
});
