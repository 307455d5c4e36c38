import { createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import type { SandboxOptions } from '../../../../src/tools/sandbox/index.ts';
import type { Internals } from '../../../../src/tools/sandbox/sandbox-options.ts';
import { inProcess, ORDER, receiver } from '../loopback.ts';

const MINUTE = 60_000;

/** A sandbox with one invoice that reports to a receiver with this script. */
async function reporting(script: Parameters<typeof receiver>[0], options: SandboxOptions & Internals = {}) {
  const hook = await receiver(script);
  const context = inProcess(options);
  await context.api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
  const delivery = () => {
    const [only, ...more] = context.sandbox.deliveries('order-1042');
    if (only === undefined || more.length > 0) throw new Error('expected exactly one delivery');
    return only;
  };
  return { ...context, hook, delivery };
}

const signatureOf = (secret: string, stamp: unknown, body: Buffer): string =>
  createHmac('sha256', secret).update(`${stamp}.`).update(body).digest('hex');

describe('a webhook', () => {
  it('is the same at each attempt, byte for byte, with one id, and is signed with the time of the attempt', async () => {
    let wall = Date.parse('2027-05-05T05:05:05.500Z');
    const { sandbox, hook } = await reporting([500, 200], { webhookSecret: 'whsec_Ünïcode', wallClock: () => wall });
    await sandbox.pay('order-1042');
    wall += 90_000;
    await sandbox.advance('1m');
    await sandbox.resend('order-1042');
    const [first] = hook.received;
    const stamps = hook.received.map(({ headers, body }) => {
      expect([body, headers['x-webhook-id']]).toEqual([first?.body, first?.headers['x-webhook-id']]);
      const stamp = headers['x-webhook-timestamp'];
      expect(headers['x-webhook-signature']).toBe(signatureOf('whsec_Ünïcode', stamp, body));
      return stamp;
    });
    expect(stamps).toEqual(['1809493505', '1809493595', '1809493595']);
    expect(first?.headers['content-type']).toBe('application/json');
  });

  it('comes as a Request, for a receiver without a port', async () => {
    const { sandbox } = inProcess({ seedData: { invoices: [ORDER] } });
    await sandbox.pay('order-1042', { amount: '17.00' });
    const request = await sandbox.webhookRequest('order-1042', 'https://shop.example/hook');
    const body = Buffer.from(await request.arrayBuffer());
    const signature = signatureOf('whsec_of_the_tests', request.headers.get('x-webhook-timestamp'), body);
    expect([request.url, request.headers.get('x-webhook-signature')]).toEqual(['https://shop.example/hook', signature]);
    expect(JSON.parse(body.toString())).toMatchObject({ event: 'invoice.paid', amount: '17.00', adjusted: true });
  });

  it('as a Request takes only a fault that changes it, and leaves the others to the deliveries', async () => {
    const { sandbox } = inProcess({ seedData: { invoices: [ORDER] } });
    await sandbox.pay('order-1042');
    sandbox.faults.next('ack_lost');
    sandbox.faults.next('wrong_signature');
    const request = await sandbox.webhookRequest('order-1042');
    const body = Buffer.from(await request.arrayBuffer());
    const signature = signatureOf('whsec_of_the_tests', request.headers.get('x-webhook-timestamp'), body);
    expect(request.headers.get('x-webhook-signature')).not.toBe(signature);
    expect(sandbox.faults.queued().map(({ fault }) => fault.type)).toEqual(['ack_lost']);
  });
});

// One test for each row of the interface's table of delivery moves.
describe('moves of a delivery', () => {
  it.each([200, 201, 202, 204, 299])('row 1: a response of %i delivers', async (status) => {
    const { sandbox, delivery } = await reporting([status]);
    await sandbox.advance('2m');
    expect((await sandbox.pay('order-1042')).delivery).toEqual({ state: 'delivered', status, why: null });
    expect(delivery()).toMatchObject({
      ...{ status: 'delivered', attempts: 1, last_http_status: status, next_retry_at: null },
      delivered_at: '2026-03-01T12:02:00.000Z',
    });
  });

  it.each([
    [302, 'returned 302', 302, 'redirects to /elsewhere'],
    [401, 'returned 401', 401, '/webhook answers 401'],
    [500, 'returned 500', 500, '/webhook answers 500: noted. Repair the receiver'],
    ['destroy', 'UND_ERR_SOCKET', null, 'closed the connection'],
  ] as const)('row 2: %s fails, a retry is scheduled', async (answer, error, status, why) => {
    const { sandbox, delivery, hook } = await reporting([answer]);
    const ending = { state: 'retrying', status, why: expect.stringContaining(why) };
    expect((await sandbox.pay('order-1042')).delivery).toEqual(ending);
    expect(delivery()).toMatchObject({
      ...{ status: 'pending', attempts: 1, max_attempts: 7, last_http_status: status, delivered_at: null },
      next_retry_at: '2026-03-01T12:01:00.000Z',
    });
    expect(delivery().attempt_log[0]).toMatchObject({ success: false, error, status_code: status });
    expect(hook.received).toHaveLength(1);
  });

  it('row 2: no response within the time-out fails', async () => {
    const waits: number[] = [];
    let arrived: Promise<unknown> = Promise.resolve();
    const sleep = async (milliseconds: number): Promise<void> => {
      waits.push(milliseconds);
      await arrived; // the time is over once the receiver has the request
    };
    const { sandbox, delivery, hook } = await reporting(['hang'], { sleep });
    arrived = hook.first;
    await sandbox.pay('order-1042');
    const next_retry_at = '2026-03-01T12:01:00.000Z';
    expect(delivery()).toMatchObject({ status: 'pending', last_http_status: null, next_retry_at });
    expect([delivery().attempt_log[0]?.error, waits]).toEqual(['timeout after 15 s', [15_000]]);
  });

  it('rows 2 and 3: seven attempts after 0, 1, 5, 30, 120, 360 and 720 minutes, then failed', async () => {
    const { sandbox, delivery, hook } = await reporting(Array.from({ length: 7 }, () => 503));
    await sandbox.pay('order-1042');
    await sandbox.advance(1235 * MINUTE);
    expect(delivery()).toMatchObject({ status: 'pending', attempts: 6 });
    await sandbox.advance(1 * MINUTE);
    expect(delivery()).toMatchObject({ status: 'failed', attempts: 7, max_attempts: 7, next_retry_at: null });
    const began = Date.parse('2026-03-01T12:00:00.000Z');
    const minutes = delivery().attempt_log.map(({ created_at }) => (Date.parse(created_at) - began) / MINUTE);
    expect(minutes).toEqual([0, 1, 6, 36, 156, 516, 1236]);
    await sandbox.advance('30d');
    expect(hook.received).toHaveLength(7);
    expect((await sandbox.adjust('order-1042', '20.00')).delivery).toMatchObject({ state: 'failed', status: 503 });
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
      ...{ status: 'delivered', attempts: 2, last_http_status: 500, next_retry_at: null },
      delivered_at: '2026-03-01T12:00:00.000Z',
    });
  });

  it('a resend starts no second attempt beside one that is under way', async () => {
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
  ])('a reset ends and forgets an attempt %s', async (_when, reached) => {
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

  it('the latest 50 attempts are kept, with the start of long responses, and all are counted', async () => {
    const { sandbox, delivery } = await reporting([], { fetch: async () => new Response('x'.repeat(100_000)) });
    await sandbox.pay('order-1042');
    for (let at = 0; at < 60; at += 1) await sandbox.resend('order-1042');
    const { attempts, attempt_log } = delivery();
    expect([attempts, attempt_log.length, attempt_log[0]?.response_body?.length]).toEqual([61, 50, 2_000]);
  });
});

it.each([
  [[], 'https://shop.example/hook', []],
  [['Shop.example'], 'https://shop.example/hook', ['https://shop.example/hook']],
  [['receiver'], 'http://receiver:3000/hook', ['http://receiver:3000/hook']],
])('with deliverTo %j, the webhook for %s goes to %j', async (deliverTo, callback_url, expected) => {
  const sent: string[] = [];
  const fetch = async (address: string): Promise<Response> => {
    sent.push(address);
    return new Response();
  };
  const { sandbox, api } = inProcess({ deliverTo, fetch });
  expect((await api('POST', '/invoices', { ...ORDER, callback_url })).status).toBe(201);
  await sandbox.pay('order-1042');
  expect(sent).toEqual(expected);
  const remedy = expected.length > 0 ? undefined : expect.stringContaining('deliverTo: ["shop.example"]');
  expect(sandbox.deliveries()[0]?.attempt_log[0]?.cause?.remedy).toEqual(remedy);
});
