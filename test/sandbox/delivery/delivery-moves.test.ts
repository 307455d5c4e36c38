import { describe, expect, it, vi } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { inProcess, ORDER, receiver } from '../loopback.ts';

const MINUTE = 60_000;

/** A sandbox with one invoice that reports to a receiver with this script. */
async function reporting(script: Parameters<typeof receiver>[0], options: SandboxOptions = {}) {
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

// One test for each row of the interface's table of delivery moves.
describe('moves of a delivery', () => {
  it.each([200, 201, 202, 204, 299])('row 1: an answer of %i delivers', async (status) => {
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
    [302, 'answered 302', 302],
    [400, 'answered 400', 400],
    [500, 'answered 500', 500],
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

  it('row 2: no answer within the time-out fails', async () => {
    const hook = await receiver(['hang']);
    const { sandbox, api } = inProcess({
      sleep: async (milliseconds) => {
        expect(milliseconds).toBe(15_000);
        await hook.first; // the time is over once the receiver has the request
      },
    });
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    await sandbox.pay('order-1042');
    const [delivery] = sandbox.deliveries();
    expect(delivery).toMatchObject({
      status: 'pending',
      last_http_status: null,
      next_retry_at: '2026-03-01T12:01:00.000Z',
    });
    expect(delivery?.attempt_log[0]?.error).toBe('time-out: no answer within 15 s');
  });

  it('row 2: nobody listens', async () => {
    const { sandbox, api } = inProcess();
    await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:9/hook' });
    await sandbox.fail('order-1042');
    expect(sandbox.deliveries()[0]?.attempt_log[0]).toMatchObject({ success: false, status_code: null });
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
    const hook = await receiver();
    let release: ((response: Response) => void) | undefined;
    const { sandbox, api } = inProcess({
      fetch: () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    });
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    const paying = sandbox.pay('order-1042');
    await vi.waitFor(() => expect(release).toBeDefined(), { timeout: 30_000 }); // signing takes turns
    expect((await api('POST', '/invoices/order-1042/resend-webhook')).json.data).toMatchObject({
      status: 'delivering',
      attempts: 0,
    });
    release?.(new Response(null, { status: 204 }));
    await paying;
    await sandbox.settle();
    expect(sandbox.deliveries()[0]).toMatchObject({ status: 'delivered', attempts: 1 });
  });
});
