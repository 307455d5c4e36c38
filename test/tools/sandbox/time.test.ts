import { expect, it, vi } from 'vitest';
import { replyFor } from '../../../src/webhooks/handle/reply.ts';
import { testSandbox } from '../../support/test-sandbox.ts';
import { inProcess, ORDER, START } from './loopback.ts';

it.each([
  ['250ms', 250],
  ['90s', 90_000],
  ['30m', 1_800_000],
  ['6h', 21_600_000],
  ['1d', 86_400_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  [42, 42],
])('the clock advances %s', async (duration, milliseconds) => {
  const { sandbox } = inProcess();
  await sandbox.advance(duration);
  expect(sandbox.now().getTime()).toBe(Date.parse(START) + milliseconds);
});

it.each(['5', '0', ' 90 ', '1.5'])('the clock does not advance "%s": a number needs a unit', async (duration) => {
  const { sandbox } = inProcess();
  await expect(sandbox.advance(duration)).rejects.toThrow(`not "${duration}". A number needs a unit`);
  expect(sandbox.now().getTime()).toBe(Date.parse(START));
});

it('a virtual clock stands still; a real one stops with freeze, is moved by advance, and runs on with unfreeze', async () => {
  let wall = 1_000;
  const wallClock = () => wall;
  const [virtual, real] = [testSandbox({ wallClock }), testSandbox({ clock: 'real', wallClock })];
  const times = () => [virtual, real].map(({ now, frozen }) => [now().getTime(), frozen]);
  wall += 10;
  real.freeze();
  wall += 500;
  const frozen = times();
  await real.advance(90);
  real.unfreeze();
  wall += 7;
  expect([frozen, times()]).toEqual([
    [
      [1_000, true],
      [1_010, true],
    ],
    [
      [1_000, true],
      [1_107, false],
    ],
  ]);
  await real.close();
});

it('an order expires at its time, also where no timer has fired since', async () => {
  let wall = Date.parse(START);
  const { sandbox, api } = inProcess({ clock: 'real', wallClock: () => wall });
  await api('POST', '/invoices', ORDER);
  wall += 29 * 60_000;
  expect((await api('GET', '/invoices/order-1042')).json.data.status).toBe('pending');
  wall += 120_000; // late, as after a machine's sleep
  const expired = { status: 'expired', finished_at: '2026-03-01T12:30:00.000Z' };
  expect((await api('GET', '/invoices/order-1042')).json.data).toMatchObject(expired);
  await sandbox.advance('1h');
  expect(sandbox.now().toISOString()).toBe('2026-03-01T13:31:00.000Z');
});

it('what falls due runs in order, each at its own time', async () => {
  const { api, sandbox } = inProcess({ lifetime: '10m' });
  for (const id of ['a', 'b', 'c', 'd']) {
    await api('POST', '/invoices', { ...ORDER, external_id: id });
    if (id !== 'c') await sandbox.advance('1m'); // two fall due at once
  }
  await Promise.all([sandbox.advance('8m'), sandbox.advance('2m')]); // the second begins after the first
  const moves = sandbox.events().flatMap((event) => {
    const isExpiry = event.kind === 'invoice' && event.to === 'expired';
    return isExpiry ? [`${event.external_id} ${event.at.slice(11, 16)}`] : [];
  });
  expect(moves).toEqual(['a 12:10', 'b 12:11', 'c 12:12', 'd 12:12']);
  expect(sandbox.now().toISOString()).toBe('2026-03-01T12:13:00.000Z');
});

it('a real clock runs by timers: expiry, its webhook, and the retry a minute later', async () => {
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

it('a receiver that awaits advance() of its own sandbox is told so on the console', async () => {
  const line = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const { sandbox, api } = inProcess({
    quiet: false,
    fetch: async () => {
      await Promise.race([sandbox.advance('1h'), new Promise((resolve) => setImmediate(resolve))]);
      return new Response();
    },
    sleep: (milliseconds) => (milliseconds > 1_000 ? new Promise(() => undefined) : Promise.resolve()),
  });
  await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:3000/' });
  await sandbox.pay('order-1042');
  expect(line.mock.calls.flat().join()).toMatch(/receiver itself awaits advance\(\).*respond first/);
  line.mockRestore();
});

it('a delivery whose receiver awaited advance() until its time limit has that as its cause', async () => {
  const { sandbox, api } = inProcess({
    fetch: async () => {
      void sandbox.advance('1h');
      await new Promise((resolve) => setImmediate(resolve));
      const { status, headers, body } = replyFor('time_limit'); // of a handler whose function waits
      return new Response(body, { status, headers: { ...headers } });
    },
  });
  await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:3000/' });
  const { delivery } = await sandbox.pay('order-1042');
  expect(delivery?.why).toMatch(/time limit.*awaits advance\(\) or settle\(\) of this sandbox, it waits for itself/);
});

it('settle waits until the shop is quiet', async () => {
  const waits: number[] = [];
  const { sandbox, api } = inProcess({
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      if (waits.length <= 3) await api('GET', '/rates'); // the shop has more to do
    },
  });
  await sandbox.settle({ quiet: 10 });
  expect(waits).toEqual([10, 10, 10, 10]);
});

it('the same seed gives the same ids, and no seed gives others', async () => {
  const idsOf = async (seed?: number | string) => {
    const { api, sandbox } = inProcess({ seed, fetch: async () => new Response() });
    await api('POST', '/invoices', { ...ORDER, callback_url: 'http://localhost/' });
    await sandbox.pay('order-1042');
    return [sandbox.invoice('order-1042').uuid, sandbox.deliveries()[0]?.id, sandbox.seed];
  };
  const first = await idsOf(11);
  expect(await idsOf(11)).toEqual(first);
  expect(await idsOf('eleven')).not.toEqual(first);
  expect((await idsOf())[2]).not.toBe((await idsOf())[2]);
});

it('reset goes back to the seed data, with the same ids if the seed was given', async () => {
  const old = { ...ORDER, external_id: 'old', status: 'success', paid: '18.00', age: '2d' } as const;
  const invoices = [{ ...ORDER, external_id: 'new', age: '1m' }, old];
  const { api, sandbox } = inProcess({ seedData: { invoices } });
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
  // Receivers remember ids, so a random seed does not repeat them.
  const random = testSandbox({ seedData: { invoices } });
  const { uuid } = random.invoice('new');
  random.reset();
  expect(random.invoice('new').uuid).not.toBe(uuid);
});

it('a reset by a receiver ends the move of the clock, and seeds at the beginning', async () => {
  const { sandbox } = inProcess({
    lifetime: '10m',
    seedData: { invoices: [{ ...ORDER, age: '1m', callback_url: 'http://localhost/' }] },
    fetch: async () => {
      sandbox.reset();
      return new Response();
    },
  });
  await sandbox.advance('1h'); // the invoice expires, and its receiver resets the sandbox
  expect(sandbox.now().toISOString()).toBe(START);
  expect(sandbox.invoices()).toMatchObject([{ status: 'pending', created_at: '2026-03-01T11:59:00.000Z' }]);
  await sandbox.advance('5m');
  expect(sandbox.now().toISOString()).toBe('2026-03-01T12:05:00.000Z');
});
