import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LocalSandbox } from '../../../src/tools/sandbox/sandbox.ts';
import { FaultScript } from '../../../src/tools/sandbox/state/faults.ts';
import * as entry from '../../../src/tools/storm/index.ts';
import { type StormFindingKind, type StormShop, storm } from '../../../src/tools/storm/index.ts';
import { DEFAULT_WEIGHTS } from '../../../src/tools/storm/options.ts';
import { verifyWebhook } from '../../../src/webhooks/index.ts';
import { type Planted, plantedShop } from './planted-shop.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Weights that play one kind alone. */
function only<Kind extends string>(kinds: Readonly<Record<Kind, number>>, kind: Kind | null) {
  return Object.fromEntries(Object.keys(kinds).map((each) => [each, each === kind ? 1 : 0]));
}

const over = (planted: Planted, settings: entry.StormSettings = {}) =>
  storm({ seed: 1, ...settings, shop: (service) => plantedShop(service, planted) });

it('the entry exports what it promises, and nothing by accident', () => {
  expect(Object.keys(entry)).toEqual(['storm']);
});

describe('a right shop', () => {
  it.each([1, 2, 3])('has no finding in a storm of 200 customers (seed %i)', async (seed) => {
    const result = await over('right', { seed });
    expect(result.findings).toEqual([]);
    expect(result.summary()).toBe(`200 orders, nothing wrong, replay with seed ${seed}`);
    expect(result.played.restarts).toBeGreaterThan(5);
    for (const kinds of [result.played.customers, result.played.network, result.played.webhooks]) {
      expect(Object.keys(kinds).length).toBeGreaterThan(7);
    }
  });
});

it('a shop that creates the next invoice while it handles the end of one has no finding', async () => {
  const weights = {
    customers: { ...only(DEFAULT_WEIGHTS.customers, 'cancel'), pay_late: 1 },
    webhooks: only(DEFAULT_WEIGHTS.webhooks, 'delivered'),
  };
  expect((await over('renews in its handler', { customers: 20, weights })).findings).toEqual([]);
});

it('a shop that hears of nothing, and catches up, has no finding', async () => {
  const weights = { network: only(DEFAULT_WEIGHTS.network, 'calm'), webhooks: only(DEFAULT_WEIGHTS.webhooks, 'lost') };
  expect((await over('right', { customers: 20, weights })).findings).toEqual([]);
});

it('an invoice that is created after an overpayment is a second one', async () => {
  const weights = {
    customers: only(DEFAULT_WEIGHTS.customers, 'pay_more'),
    network: only(DEFAULT_WEIGHTS.network, 'calm'),
    webhooks: only(DEFAULT_WEIGHTS.webhooks, 'delivered'),
  };
  const { findings } = await storm({
    customers: 2,
    weights,
    shop: async (service) => {
      const shop = await plantedShop(service, 'a fresh external_id a click');
      const again = { customer_id: 'customer-1', amount: '25.00', currency: 'EUR' };
      return { ...shop, visit: () => shop.checkout({ id: 'order-1', ...again }) };
    },
  });
  expect(findings.map(({ kind }) => kind)).toContain('second_invoice');
});

it('of many outages, three are of the whole shop', async () => {
  const queued = vi.spyOn(FaultScript.prototype, 'next');
  const weights = {
    network: only(DEFAULT_WEIGHTS.network, 'calm'),
    webhooks: only(DEFAULT_WEIGHTS.webhooks, 'outage'),
  };
  expect((await over('right', { customers: 60, weights })).findings).toEqual([]);
  const ofAll = queued.mock.calls.filter(([, options]) => options?.order === undefined);
  expect([ofAll.length, queued.mock.calls.length > 40]).toEqual([3, true]);
});

it('the story of an order has all of its invoices', async () => {
  const weights = { customers: only(DEFAULT_WEIGHTS.customers, 'renew') };
  const result = await storm({
    customers: 1,
    weights,
    shop: async (service) => {
      const { visit: _, ...shop } = await plantedShop(service, 'right');
      return shop;
    },
  });
  expect(result.findings).toEqual([]);
  expect(result.story('order-1')).toMatch(
    /service {3}created: [\s\S]*service {3}expired: [\s\S]*service {3}created: [\s\S]*customer {2}paid: /,
  );
});

describe('what the shop gives to the storm', () => {
  /** A storm over a right shop with other members. */
  const withMembers = (change: (shop: StormShop) => Partial<StormShop>) =>
    storm({
      customers: 40,
      shop: async (service) => {
        const shop = await plantedShop(service, 'right');
        return { ...shop, ...change(shop) };
      },
    });
  const rowsOf = async (rows: ReturnType<NonNullable<StormShop['fulfilments']>> | undefined) => [
    ...((await rows) as Iterable<entry.StormFulfilment>), // the planted shop gives a list
  ];

  it('is refused where a fulfilment has no id, and would hide a double one', async () => {
    const { findings } = await withMembers(({ fulfilments }) => ({
      fulfilments: async () =>
        (await rowsOf(fulfilments?.())).map(({ external_id: order_id }) => ({ order_id }) as never), // a column without its alias
    }));
    expect(findings[0]).toMatchObject({
      kind: 'order_malformed',
      problem: 'row 1 of fulfilments: external_id must be text, not undefined.',
    });
  });

  it('is compared where it is credit', async () => {
    const { findings } = await withMembers(({ fulfilments }) => ({
      fulfilments: async () => (await rowsOf(fulfilments?.())).map((row) => ({ ...row, credited_usdt: '25.00' })),
    }));
    expect(findings[0]).toMatchObject({
      kind: 'credited_differs',
      problem: expect.stringMatching(/USDT was credited, and 25 was given\.$/),
    });
  });

  it('is a payment link, or the storm says so', async () => {
    const { findings } = await withMembers(() => ({ checkout: async () => 'https://shop.example/cart' }));
    expect(findings[0]).toMatchObject({
      kind: 'checkout_stuck',
      problem: 'The link that the customer got leads to no invoice: resolve to its payment_url.',
    });
    const created = withMembers(({ checkout }) => ({
      checkout: async (order) => ({ invoice: await checkout(order) }) as never, // the result of createOrGet as it is
    }));
    await expect(created).rejects.toThrow(
      'storm: checkout must resolve to the payment_url or the invoice, not a value of type object.',
    );
  });
});

describe('a mistake in the shop is found within 200 customers, and named', () => {
  it.each<[Planted, StormFindingKind]>([
    ['no dedupe', 'fulfilled_twice'],
    ['commit after the acknowledgement', 'paid_not_fulfilled'],
    ['amount in place of credited_usdt', 'credited_differs'],
    ['adjusted treated as paid in full', 'fulfilled_for_less'],
    ['canceled UPDATE without its guard', 'paid_not_fulfilled'],
    ['a fresh external_id a click', 'second_invoice'],
    ['fulfils on the success_url', 'fulfilled_not_paid'],
    ['memoryStore with a restart', 'fulfilled_twice'],
    ['gives up after an error', 'checkout_stuck'],
    ['never runs catchUp', 'paid_not_fulfilled'],
    ['catchUp for open orders alone', 'paid_not_fulfilled'],
    ['catchUp for first invoices alone', 'paid_not_fulfilled'],
    ['forgets the order of a renewed invoice', 'paid_not_fulfilled'],
    ['refuses every webhook', 'nothing_delivered'],
    ['no check of the signature', 'forgery_accepted'],
  ])('%s: %s', async (planted, kind) => {
    const result = await over(planted);
    const found = result.findings.find((finding) => finding.kind === kind);
    expect(found).toMatchObject({ replay: 'storm({ seed: 1, customers: 200, … })' });
    expect(result.summary()).toContain(kind.replaceAll('_', ' '));
    if (found?.order)
      expect(result.story(found.order)).toMatch(
        /^2026-01-0\d [\d:]{8} {2}[\s\S]*(?:service {3}created: |sees an error)/,
      );
  });
});

it('the same seed gives the same findings and the same story', async () => {
  const [first, second] = [await over('memoryStore with a restart'), await over('memoryStore with a restart')];
  expect(second.findings).toEqual(first.findings);
  const order = first.findings[0]?.order ?? '';
  expect(second.story(order)).toBe(first.story(order));
  expect((await over('memoryStore with a restart', { seed: 'another' })).story(order)).not.toBe(first.story(order));
});

it('each kind can be switched off, and what a shop does not show is said', async () => {
  const weights = { customers: { pay_less: 0, pay_more: 0 }, network: { calm: 1, response_lost: 0 } };
  const result = await storm({
    customers: 40,
    weights,
    shop: async (service) => {
      const { checkout, receive, orders } = await plantedShop(service, 'right');
      return { checkout, receive, orders };
    },
  });
  expect(result.played.customers).not.toHaveProperty('pay_less');
  expect(result.played.network).not.toHaveProperty('response_lost');
  expect(result.notSeen.join()).toMatch(/double fulfilment.*killed.*return to the shop.*catch-up.*mail/);
});

it('finds the invoice of a payment link without a search of all invoices', async () => {
  const searches = vi.spyOn(LocalSandbox.prototype, 'invoices');
  expect((await over('right', { customers: 20 })).findings).toEqual([]);
  expect(searches).toHaveBeenCalledTimes(1); // by the verdict
});

it.each([
  ['the invoice', (uuid: string) => `https://shop.example/pay/${uuid}`],
  ['an own id before it', (uuid: string) => `https://shop.example/${randomUUID()}/${uuid}`],
])('follows a link of the shop with %s', async (_, linkOf) => {
  const shop = async (service: entry.StormService): Promise<StormShop> => {
    const { checkout, ...rest } = await plantedShop(service, 'right');
    const own: StormShop['checkout'] = async (order) => {
      const given = await checkout(order);
      const link = typeof given === 'string' ? given : given.payment_url;
      return linkOf(link.slice(link.lastIndexOf('/') + 1));
    };
    return { ...rest, checkout: own };
  };
  const { findings, played } = await storm({ customers: 5, shop });
  expect(findings).toEqual([]);
  expect(Object.values(played.webhooks).length).toBeGreaterThan(0);
});

it('a wrong API key is a refusal', async () => {
  const shop = (service: entry.StormService) => plantedShop({ ...service, apiKey: 'sk_of_another_shop' }, 'right');
  const { findings } = await storm({ customers: 2, shop });
  const refusals = findings.filter(({ kind }) => kind === 'request_refused');
  expect(refusals.map(({ problem }) => problem)).toEqual([expect.stringContaining('refused with 401')]);
});

it('says so where the time limit ends it, and ends at an abort', async () => {
  expect((await over('right', { timeLimit: 0.001 })).findings.map(({ kind }) => kind)).toContain('not_finished');
  const signal = AbortSignal.abort('enough');
  await expect(over('right', { signal })).rejects.toBe('enough');
});

it('an endpoint that throws at a forged webhook, or is down, has not accepted it', async () => {
  const weights = { webhooks: only(DEFAULT_WEIGHTS.webhooks, 'forged') };
  const shop = async (service: entry.StormService) => {
    const right = await plantedShop(service, 'right');
    const receive = async (request: Request) => {
      await verifyWebhook(await request.clone().text(), request.headers, service.webhookSecret, { now: service.now });
      if (typeof right.receive === 'string') throw new Error('the planted shop is in this process');
      return await right.receive(request);
    };
    return { ...right, receive };
  };
  const result = await storm({ customers: 10, weights, shop });
  expect(result.findings).toEqual([]);
  expect(result.story('order-1')).toContain('a stranger sends a forged webhook, and the shop gives no response');
});

it.each<[string, (shop: StormShop) => Partial<StormShop>]>([
  ['checkout', () => ({ checkout: () => new Promise(() => {}) })],
  ['visit', () => ({ visit: () => new Promise(() => {}) })],
  ['catchUp', () => ({ catchUp: () => new Promise(() => {}) })],
  ['restart', () => ({ restart: () => new Promise(() => {}) })],
  ['receive', () => ({ receive: () => new Promise(() => {}) })],
  ['orders', () => ({ orders: () => new Promise(() => {}) })],
  ['fulfilments', () => ({ fulfilments: () => new Promise(() => {}) })],
])('a shop whose %s never ends is ended by the time limit', async (_, hanging) => {
  const shop = async (service: entry.StormService) => {
    const right = await plantedShop(service, 'right');
    return { ...right, ...hanging(right) };
  };
  const result = await storm({ customers: 20, timeLimit: 300, shop });
  expect(result.findings).toContainEqual(expect.objectContaining({ kind: 'not_finished' }));
});

it('counts what was played, not what was planned', async () => {
  const shop = async (service: entry.StormService) => ({
    ...(await plantedShop(service, 'right')),
    checkout: () => new Promise<string>(() => {}),
  });
  const { orders, played, summary } = await storm({ customers: 20, timeLimit: 200, shop });
  expect(orders).toBe(1);
  expect(summary()).toMatch(/^1 orders, /);
  const kinds = Object.values(played.customers).concat(Object.values(played.network));
  expect([kinds, played.webhooks]).toEqual([[1, 1], {}]);
});

it('a webhook fault is played for a customer whose second click got the link', async () => {
  const weights = {
    customers: only(DEFAULT_WEIGHTS.customers, 'click_twice'),
    network: only(DEFAULT_WEIGHTS.network, 'calm'),
    webhooks: only(DEFAULT_WEIGHTS.webhooks, 'ack_lost'),
  };
  const shop = async (service: entry.StormService) => {
    const right = await plantedShop(service, 'right');
    let clicks = 0;
    const checkout: StormShop['checkout'] = async (order) => {
      clicks += 1;
      if (clicks === 1) throw new Error('the database was busy');
      return await right.checkout(order);
    };
    return { ...right, checkout };
  };
  const result = await storm({ customers: 1, weights, shop });
  expect(result.findings).toEqual([]);
  expect(result.played.webhooks).toEqual({ ack_lost: 1 });
  expect(result.story('order-1')).toContain('the fault ack_lost lost its response');
});

it('an endpoint that accepts nothing is shown by its first response', async () => {
  let answers = 0;
  const weights = {
    customers: only(DEFAULT_WEIGHTS.customers, 'pay'),
    webhooks: only(DEFAULT_WEIGHTS.webhooks, 'delivered'),
  };
  const shop = async (service: entry.StormService) => ({
    ...(await plantedShop(service, 'right')),
    receive: async () => new Response(null, { status: answers++ === 0 ? 404 : 500 }),
  });
  const { findings } = await storm({ customers: 3, weights, shop });
  expect(findings[0]).toMatchObject({ kind: 'nothing_delivered', problem: expect.stringContaining('404') });
});

it('does not wait for a close that never ends, nor for a shop that is never made', async () => {
  const hanging = async (service: entry.StormService) => ({
    ...(await plantedShop(service, 'right')),
    close: () => new Promise(() => {}),
  });
  const settings = { customers: 2, timeLimit: 300 };
  expect(await storm({ ...settings, shop: hanging })).toHaveProperty('findings');
  await expect(storm({ ...settings, shop: () => new Promise(() => {}) })).rejects.toMatchObject({
    code: 'SDK_CONFIGURATION',
    message: expect.stringContaining('shop was not made'),
  });
});

it.each<[string, keyof StormShop]>([
  ['checkout', 'checkout'],
  ['visit', 'visit'],
  ['restart', 'restart'],
])('a %s that answers after the time limit is the last that is asked of the shop', async (_, name) => {
  let fail = (_: Error): void => {};
  const late = new Promise<string>((_, reject) => {
    fail = reject;
  });
  const calls: string[] = [];
  const shop = async (service: entry.StormService) => {
    const right = await plantedShop(service, 'right');
    const told = Object.entries(right).map(([each, call]) => [
      each,
      (...args: never[]) => {
        calls.push(each);
        return each === name ? late : call(...args);
      },
    ]);
    return { ...right, ...Object.fromEntries(told) };
  };
  await storm({ customers: 3, restartEvery: 1, timeLimit: 300, shop });
  const before = [...calls];
  expect(before).toContain(name);
  fail(new Error('too late'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(calls).toEqual(before);
});

it('is ended by its signal while the shop does not answer', async () => {
  const stop = new AbortController();
  const shop = async (service: entry.StormService) => ({
    ...(await plantedShop(service, 'right')),
    checkout: () => {
      stop.abort('enough');
      return new Promise<string>(() => {});
    },
  });
  await expect(storm({ customers: 5, signal: stop.signal, shop })).rejects.toBe('enough');
});

it('a close that throws does not hide the result of the service', async () => {
  let address = '';
  const shop = async (service: entry.StormService) => {
    address = await service.listen();
    const close = () => {
      throw new Error('the database was closed before');
    };
    return { ...(await plantedShop(service, 'right')), close };
  };
  await expect(storm({ customers: 2, shop })).rejects.toThrow('the database was closed before');
  await expect(fetch(address)).rejects.toThrow('fetch failed'); // the service has ended too
});

it('a close that throws hides neither a finding nor the error that ended the storm', async () => {
  const over = (planted: Planted, other: Partial<StormShop>) =>
    storm({
      customers: 2,
      shop: async (service) => ({
        ...(await plantedShop(service, planted)),
        close: () => Promise.reject(new Error('the database was closed before')),
        ...other,
      }),
    });
  const { findings } = await over('refuses every webhook', {});
  expect(findings).toContainEqual(expect.objectContaining({ kind: 'nothing_delivered' }));
  const orders = () => Promise.reject(new Error('no such table'));
  await expect(over('right', { orders })).rejects.toThrow('no such table');
});

it('tells its progress to the caller, and to nobody else', async () => {
  const write = vi.spyOn(process.stderr, 'write');
  const seen: number[] = [];
  const onProgress = ({ done, total }: { done: number; total: number }): void => void seen.push(total - done);
  await over('right', { customers: 2, onProgress });
  await over('right', { customers: 2 });
  expect([seen.at(-1), seen.length > 3, write.mock.calls]).toEqual([0, true, []]);
});

describe('a storm refuses', () => {
  const rest = { checkout: async () => '', orders: () => [] };
  it.each<[string, object, string]>([
    [
      'an address of another machine',
      { shop: () => ({ ...rest, receive: 'https://shop.example/webhook' }) },
      'on this machine',
    ],
    [
      'a shop without a checkout',
      { shop: () => ({ orders: () => [], receive: async () => new Response() }) },
      'checkout and orders',
    ],
    ['no shop', {}, 'needs shop'],
    ['an unknown option', { shop: () => rest, sed: 1 }, '"sed"'],
    ['an unknown kind', { shop: () => rest, weights: { customers: { pays: 1 } } }, '"pays"'],
    [
      'every kind off',
      { shop: () => rest, weights: { network: only(DEFAULT_WEIGHTS.network, null) } },
      'switches every kind off',
    ],
    ['a weight without end', { shop: () => rest, weights: { customers: { pay: Infinity } } }, 'weights.customers.pay'],
    ['no customers', { shop: () => rest, customers: 0 }, 'customers'],
  ])('%s', async (_, options, message) => {
    await expect(storm(options as never)).rejects.toMatchObject({
      code: 'SDK_CONFIGURATION',
      message: expect.stringContaining(message),
    });
  });

  it('a callback_url of another machine', async () => {
    const elsewhere = storm({
      customers: 1,
      weights: { network: only(DEFAULT_WEIGHTS.network, 'calm') },
      shop: async (service) => {
        const shop = await plantedShop({ ...service, origin: 'https://shop.example' }, 'right');
        return shop;
      },
    });
    await expect(elsewhere).rejects.toThrow('only plays with a shop on this machine');
  });
});
