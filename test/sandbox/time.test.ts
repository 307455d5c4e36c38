import { describe, expect, it, vi } from 'vitest';
import { testSandbox } from '../support/test-sandbox.ts';
import { inProcess, ORDER, START } from './loopback.ts';

describe('time', () => {
  it.each([
    ['250ms', 250],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['6h', 21_600_000],
    ['1d', 86_400_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    [42, 42],
  ])('advances %s', async (duration, milliseconds) => {
    const { sandbox } = inProcess();
    await sandbox.advance(duration);
    expect(sandbox.now().getTime()).toBe(Date.parse(START) + milliseconds);
  });

  it('stands still by default', () => {
    let wall = 5_000;
    const sandbox = testSandbox({ wallClock: () => wall });
    wall += 60_000;
    expect(sandbox.now().getTime()).toBe(5_000);
  });

  it('runs when it is real, and expires without a timer that fires', async () => {
    let wall = Date.parse(START);
    const { sandbox, api } = inProcess({ clock: 'real', wallClock: () => wall });
    await api('POST', '/invoices', ORDER);
    wall += 29 * 60_000;
    expect((await api('GET', '/invoices/order-1042')).json.data.status).toBe('pending');
    wall += 120_000; // late, as after a machine's sleep: it expired at its time all the same
    expect((await api('GET', '/invoices/order-1042')).json.data).toMatchObject({
      status: 'expired',
      finished_at: '2026-03-01T12:30:00.000Z',
    });
    await sandbox.advance('1h');
    expect(sandbox.now().toISOString()).toBe('2026-03-01T13:31:00.000Z');
    await sandbox.close();
  });

  it('stops with freeze, is moved by advance, and runs on from there with unfreeze', async () => {
    let wall = 1_000;
    const sandbox = testSandbox({ clock: 'real', wallClock: () => wall });
    wall += 10;
    sandbox.freeze();
    wall += 500;
    expect([sandbox.frozen, sandbox.now().getTime()]).toEqual([true, 1_010]);
    await sandbox.advance(90);
    sandbox.unfreeze();
    wall += 7;
    expect([sandbox.frozen, sandbox.now().getTime()]).toEqual([false, 1_107]);
    await sandbox.close();
  });

  it('runs what falls due in order, each at its own time', async () => {
    const { api, sandbox } = inProcess({ lifetime: '10m' });
    for (const id of ['a', 'b', 'c', 'd']) {
      await api('POST', '/invoices', { ...ORDER, external_id: id });
      if (id !== 'c') await sandbox.advance('1m'); // two fall due at once
    }
    await Promise.all([sandbox.advance('5m'), sandbox.advance('5m')]);
    const moves = sandbox
      .events()
      .flatMap((event) =>
        event.kind === 'invoice' && event.to === 'expired' ? [`${event.external_id} ${event.at.slice(11, 16)}`] : [],
      );
    expect(moves).toEqual(['a 12:10', 'b 12:11', 'c 12:12', 'd 12:12']);
    expect(sandbox.now().toISOString()).toBe('2026-03-01T12:13:00.000Z');
  });
});

it('runs by timers when it is real: expiry, its webhook, and the retry a minute later', async () => {
  vi.useFakeTimers({ now: Date.parse(START) });
  try {
    const statuses = [500, 200];
    const { api, sandbox } = inProcess({
      clock: 'real',
      deliverTo: ['shop.example'],
      fetch: async () => new Response(null, { status: statuses.shift() ?? 200 }),
    });
    await api('POST', '/invoices', { ...ORDER, callback_url: 'https://shop.example/hook' });
    await vi.advanceTimersByTimeAsync(30 * 60_000);
    await sandbox.settle();
    expect(sandbox.deliveries()).toMatchObject([{ status: 'pending', attempts: 1, event_type: 'invoice.canceled' }]);
    await vi.advanceTimersByTimeAsync(60_000);
    await sandbox.settle();
    expect(sandbox.deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }]);
    await sandbox.close();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

const OLD = { customer_id: 'c', amount: '9.99', currency: 'USD' };

describe('repeatability', () => {
  const idsOf = async (seed?: number | string) => {
    const { api, sandbox } = inProcess({ seed, fetch: async () => new Response() });
    await api('POST', '/invoices', { ...ORDER, callback_url: 'http://localhost/' });
    await sandbox.pay('order-1042');
    return [sandbox.invoice('order-1042').uuid, sandbox.deliveries()[0]?.id, sandbox.seed];
  };

  it('gives the same ids for the same seed, and others without one', async () => {
    const first = await idsOf(11);
    expect(await idsOf(11)).toEqual(first);
    expect(await idsOf('eleven')).not.toEqual(first);
    expect((await idsOf())[2]).not.toBe((await idsOf())[2]);
  });

  it('goes back to the beginning with reset', async () => {
    const { api, sandbox } = inProcess({
      seedData: {
        invoices: [
          { external_id: 'new', ...OLD, age: '1m' },
          { external_id: 'old', ...OLD, status: 'success', paid: '8.00', age: '2d' },
        ],
      },
    });
    const before = sandbox.invoices();
    expect(before).toMatchObject([
      { external_id: 'new', status: 'pending' },
      { external_id: 'old', status: 'success', is_adjusted: true, created_at: '2026-02-27T12:00:00.000Z' },
    ]);
    expect(sandbox.deliveries()).toEqual([]);
    await api('POST', '/invoices', ORDER);
    sandbox.faults.next('html');
    await sandbox.advance('1d');
    sandbox.reset();
    expect(sandbox.invoices()).toEqual(before);
    expect([sandbox.requests(), sandbox.faults.queued(), sandbox.now().toISOString()]).toEqual([[], [], START]);
    expect((await api('POST', '/invoices', ORDER)).status).toBe(201);
  });
});
