import { afterEach, describe, expect, it, vi } from 'vitest';
import { MerchantClient } from '../../src/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { inProcess, listening, ORDER, receiver } from './loopback.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** What the console was told while `work` ran. */
async function said(work: () => Promise<unknown>): Promise<string[]> {
  const lines: string[] = [];
  const print = vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line));
  await work();
  print.mockRestore();
  return lines;
}

const order = { amount: '25.00', currency: 'EUR', external_id: 'order-1' };

describe('an ending tells what became of its webhook', () => {
  it.each([
    ['delivered', [200], { state: 'delivered', status: 200, why: null }],
    ['refused', [401], { state: 'retrying', status: 401, why: expect.stringContaining('gave no reason') }],
    ['broken', ['destroy'], { state: 'retrying', status: null, why: expect.stringContaining('closed the connection') }],
  ] as const)('%s', async (_, script, delivery) => {
    const hook = await receiver([...script]);
    const { sandbox } = inProcess();
    sandbox.create({ ...order, callback_url: hook.url });
    expect(await sandbox.pay('order-1')).toMatchObject({ invoice: { status: 'success' }, delivery });
  });

  it('null without an address', async () => {
    const { sandbox } = inProcess();
    sandbox.create(order);
    expect((await sandbox.cancel('order-1')).delivery).toBeNull();
  });

  it('failed after the last attempt', async () => {
    const { sandbox } = inProcess({ fetch: async () => new Response(null, { status: 500 }) });
    sandbox.create({ ...order, callback_url: 'http://127.0.0.1:3000/' });
    await sandbox.pay('order-1');
    await sandbox.advance('2d');
    expect((await sandbox.adjust('order-1', '20.00')).delivery).toMatchObject({ state: 'failed', status: 500 });
  });
});

describe('the console', () => {
  const refusing = (options: object = {}) =>
    createSandbox({ fetch: async () => new Response(null, { status: 404 }), ...options });
  const callback_url = 'http://127.0.0.1:3000/hook';

  it('says once for each cause that a webhook was refused, with the remedy', async () => {
    const sandbox = refusing();
    const lines = await said(async () => {
      for (const external_id of ['a', 'b', 'c']) {
        sandbox.create({ ...order, external_id, callback_url });
        await sandbox.pay(external_id);
      }
    });
    expect(lines).toEqual([
      'sandbox: invoice.paid of a was not delivered to http://127.0.0.1:3000/hook: returned 404. The receiver has no POST route at /hook. Compare the path of the callback_url with your route.',
    ]);
  });

  it('says once that webhooks have no address', async () => {
    const sandbox = createSandbox();
    const lines = await said(async () => {
      for (const external_id of ['a', 'b']) await sandbox.pay(sandbox.create({ ...order, external_id }).uuid);
    });
    expect(lines).toEqual([expect.stringContaining('invoice.paid of a is not sent')]);
  });

  it('is silent when it is asked to be, and about a fault that was asked for', async () => {
    const silent = refusing({ quiet: true });
    const faulty = refusing({ faults: [{ fault: 'wrong_signature' }] });
    const lines = await said(async () => {
      for (const sandbox of [silent, faulty]) await sandbox.pay(sandbox.create({ ...order, callback_url }).uuid);
    });
    expect(lines).toEqual([]);
  });

  it('may throw, and the payment is done', async () => {
    const sandbox = refusing();
    vi.spyOn(console, 'warn').mockImplementation(() => {
      throw new Error('fail on console');
    });
    expect((await sandbox.pay(sandbox.create({ ...order, callback_url }).uuid)).invoice.status).toBe('success');
  });
});

describe('a late payment', () => {
  it.each(['expire', 'cancel', 'fail'] as const)('after %s is a second webhook with another id', async (end) => {
    const hook = await receiver();
    const { sandbox, api } = inProcess();
    sandbox.create({ ...order, callback_url: hook.url });
    await sandbox[end]('order-1');
    const { invoice, delivery } = await sandbox.pay('order-1', { late: true });
    expect([invoice.status, delivery?.state]).toEqual(['success', 'delivered']);
    expect(hook.received.map(({ body }) => JSON.parse(body.toString()).event)).toEqual([
      'invoice.canceled',
      'invoice.paid',
    ]);
    expect(new Set(hook.received.map(({ headers }) => headers['x-webhook-id'])).size).toBe(2);
    expect((await api('GET', '/invoices/order-1/webhooks')).json.data).toHaveLength(2);
    await sandbox.resend('order-1');
    expect(JSON.parse(hook.received.at(-1)?.body.toString() ?? '').event).toBe('invoice.paid'); // the latest one
  });

  it('is none for an open or paid order', async () => {
    const { sandbox } = inProcess();
    sandbox.create(order);
    await expect(sandbox.pay('order-1', { late: true })).rejects.toThrow('"order-1" is pending');
    await sandbox.pay('order-1');
    await expect(sandbox.pay('order-1', { late: true })).rejects.toThrow('"order-1" is success');
  });
});

describe('faults of one order and of webhooks', () => {
  async function two() {
    const hook = await receiver();
    const { sandbox, api } = inProcess();
    for (const external_id of ['a', 'b']) sandbox.create({ ...order, external_id, callback_url: hook.url });
    const bodies = (): string[] => hook.received.map(({ body }) => JSON.parse(body.toString()).external_id);
    return { sandbox, api, bodies };
  }

  it('strike the requests and webhooks of that order alone', async () => {
    const { sandbox, api, bodies } = await two();
    sandbox.faults.next('rate_limit', { order: 'b', times: 2 });
    sandbox.faults.next('outage', { order: 'b' });
    expect((await api('GET', '/invoices/a')).status).toBe(200);
    expect((await api('GET', `/invoices/${sandbox.invoice('b').uuid}`)).status).toBe(429);
    expect((await api('POST', '/invoices', { ...ORDER, external_id: 'b' })).status).toBe(429);
    await sandbox.pay('a');
    expect((await sandbox.pay('b')).delivery).toMatchObject({ state: 'retrying', status: null });
    expect(bodies()).toEqual(['a']);
  });

  it('ack_lost: the receiver gets it, and gets it again', async () => {
    const { sandbox, bodies } = await two();
    sandbox.faults.next('ack_lost');
    expect((await sandbox.pay('a')).delivery).toMatchObject({ state: 'retrying', status: null });
    await sandbox.advance('1m');
    expect([bodies(), sandbox.deliveries('a')[0]?.status]).toEqual([['a', 'a'], 'delivered']);
  });

  it('hold: a webhook comes after a later one', async () => {
    const { sandbox, bodies } = await two();
    sandbox.faults.next({ type: 'hold', for: '2h' }, { order: 'a' });
    expect((await sandbox.pay('a')).delivery).toEqual({ state: 'waiting', status: null, why: null });
    await sandbox.pay('b');
    await sandbox.advance('119m');
    expect(bodies()).toEqual(['b']);
    await sandbox.advance('1m');
    expect([bodies(), sandbox.deliveries('a')[0]?.attempts]).toEqual([['b', 'a'], 1]);
  });

  it('outage: nothing arrives until the clock has passed it', async () => {
    const { sandbox, bodies } = await two();
    sandbox.faults.next({ type: 'outage', for: '30m' });
    await sandbox.pay('a');
    await sandbox.pay('b');
    await sandbox.advance('29m');
    expect([bodies(), sandbox.faults.queued().length]).toEqual([[], 1]);
    await sandbox.advance('10m');
    expect([bodies().sort(), sandbox.faults.queued()]).toEqual([['a', 'b'], []]);
  });
});

it('settle waits until the shop is quiet', async () => {
  const waits: number[] = [];
  let left = 3;
  const { sandbox, api } = inProcess({
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      left -= 1;
      if (left >= 0) await api('GET', '/rates'); // the shop has more to do
    },
  });
  await sandbox.settle({ quiet: 10 });
  expect(waits).toEqual([10, 10, 10, 10]);
});

it('key and secret are of this sandbox alone unless they are given', async () => {
  const [one, other] = [createSandbox(), createSandbox()];
  for (const name of ['apiKey', 'webhookSecret'] as const) {
    expect(one[name]).not.toBe(other[name]);
    expect(one[name]).toMatch(/^(?:sk|whsec)_sandbox_[0-9a-f]{24}$/);
  }
  expect(createSandbox({ apiKey: 'mine' }).apiKey).toBe('mine');
});

it('a client without the fetch of the sandbox is told at once what is missing', async () => {
  const sandbox = createSandbox();
  let requests = 0;
  const fetch = (): Promise<Response> => {
    requests += 1;
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND sandbox.invalid'), { code: 'ENOTFOUND' });
    return Promise.reject(new TypeError('fetch failed', { cause }));
  };
  const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch });
  await expect(merchant.rates.list()).rejects.toThrow('give sandbox.fetch to the client as its option fetch');
  expect(requests).toBe(1);
});

describe('strangers at the port', () => {
  it('an action with an object for a text is refused with words', async () => {
    const { url } = await listening();
    const body = '{"amount":"1.00","currency":{"toString":1}}';
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
    const response = await fetch(`${url}/_/create`, { method: 'POST', body, headers });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('currency must be text')]);
  });

  it('readers of the events have a limit, and each that goes makes room', async () => {
    const { url } = await listening();
    const end = new AbortController();
    const open = () => fetch(`${url}/_/events`, { signal: end.signal });
    const statuses: number[] = [];
    for (let at = 0; at < 33; at += 1) statuses.push((await open()).status);
    expect([statuses.filter((status) => status === 200).length, statuses.at(-1)]).toEqual([32, 503]);
    end.abort();
    await expect.poll(async () => (await fetch(`${url}/_/events`)).status).toBe(200);
  });
});
