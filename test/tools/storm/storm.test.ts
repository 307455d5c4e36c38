import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Decimal } from '../../../src/index.ts';
import { FaultScript } from '../../../src/tools/sandbox/state/faults.ts';
import { Store } from '../../../src/tools/sandbox/state/records.ts';
import * as entry from '../../../src/tools/storm/index.ts';
import { type StormShop, storm } from '../../../src/tools/storm/index.ts';
import { DEFAULT_WEIGHTS } from '../../../src/tools/storm/options.ts';
import { CAUSES, KINDS } from '../../../src/tools/storm/words.ts';
import { verifyWebhook } from '../../../src/webhooks/index.ts';
import { DESIGNS } from './designs.ts';
import { MISTAKES } from './mistakes.ts';
import { type Change, type Shop, shopWith } from './shop.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Weights that play one kind alone. */
function only<Kind extends string>(kinds: Readonly<Record<Kind, number>>, kind: Kind | null) {
  return Object.fromEntries(Object.keys(kinds).map((each) => [each, each === kind ? 1 : 0]));
}

type Planted = 'right' | keyof typeof MISTAKES | keyof typeof DESIGNS;

/** A shop over SQLite: right, or with one mistake, or of another design. */
const plantedShop = async (service: entry.StormService, planted: Planted): Promise<StormShop> => {
  const change =
    planted in MISTAKES
      ? MISTAKES[planted as keyof typeof MISTAKES].plant
      : planted in DESIGNS
        ? DESIGNS[planted as keyof typeof DESIGNS].change
        : undefined;
  return await shopWith(change as Parameters<typeof shopWith>[0])(service); // each of them changes a shop
};

const over = (planted: Planted, settings: entry.StormSettings = {}) =>
  storm({ seed: 1, ...settings, shop: (service) => plantedShop(service, planted) });

it('the entry exports what it promises, and nothing by accident', () => {
  expect(Object.keys(entry)).toEqual(['storm']);
});

it('a right shop has no finding in a storm of 200 customers, which plays each kind', async () => {
  const result = await over('right');
  expect(result.findings).toEqual([]);
  expect(result.summary()).toBe('200 orders, nothing wrong. Replay with seed 1.');
  expect(result.money).toEqual({});
  expect(result.played.restarts).toBe(10);
  // The meters: moments in which two acts met, and kills by the work that they met.
  const { together, kills, refused } = result.played;
  console.info(JSON.stringify({ together, kills }));
  expect(kills.delivery + kills.job + kills.press).toBe(10);
  for (const count of Object.values(kills)) expect(count).toBeGreaterThan(0);
  const fewest = {
    'payment + return': 30,
    'payment + job': 3,
    'payment + payment': 8,
    'job + job': 8,
    'press + press': 13,
    'cancellation + payment': 1,
    'payment + press': 1,
  };
  for (const [name, count] of Object.entries(fewest))
    expect([name, together[name] ?? 0]).toEqual([name, expect.toSatisfy((met: number) => met >= count)]);
  expect(refused).toBe(0);
  for (const [name, kinds] of Object.entries(DEFAULT_WEIGHTS)) {
    const played = result.played[name as keyof typeof DEFAULT_WEIGHTS];
    expect(Object.keys(played).sort()).toEqual(Object.keys(kinds).sort());
  }
});

// The whole tables, over 8 and 20 seeds, are in test/soak/storm/tables.test.ts.
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
      problem: 'row 1 of fulfilments: external_id or order must be text, not undefined.',
    });
  });

  it('is compared where it is credit', async () => {
    const { findings } = await withMembers(({ fulfilments }) => ({
      fulfilments: async () =>
        (await rowsOf(fulfilments?.())).map((row) => ({ ...row, kind: 'credit', credited_usdt: '25.00' })),
    }));
    expect(findings[0]).toMatchObject({
      kind: 'credited_differs',
      problem: expect.stringMatching(/USDT was credited, and (?:25|50) was given\.$/),
    });
  });

  it('is refused where a fulfilment has a kind that the storm does not know', async () => {
    const { findings, money } = await withMembers(({ fulfilments }) => ({
      fulfilments: async () => (await rowsOf(fulfilments?.())).map((row) => ({ ...row, kind: 'Goods' as never })), // on purpose
    }));
    const first = { kind: 'order_malformed', order: expect.stringMatching(/^order-\d+$/) };
    const problem =
      'row 1 of fulfilments: kind must be goods, credit, refund, review, bonus, fee or absent, not "Goods".';
    expect([findings[0], money]).toEqual([expect.objectContaining({ ...first, problem }), {}]);
  });

  it('is a Response of receive, or the storm says what to give in its place', async () => {
    const problems: string[] = [];
    for (const receive of [() => ({ status: 200 }) as never, (_: Request) => Promise.reject(new Error('no res'))]) {
      const { findings } = await withMembers(() => ({ receive }));
      problems.push(...findings.flatMap(({ kind, problem }) => (kind === 'nothing_delivered' ? problem : [])));
    }
    const remedy = 'it must resolve to a Response. For Express, give the address where the app listens.';
    expect(problems).toEqual([
      expect.stringContaining(`receive resolves to an object: ${remedy}`),
      expect.stringContaining(`receive throws (no res): ${remedy}`),
    ]);
  });

  it('is a payment link, or the storm says so', async () => {
    const { findings } = await withMembers(() => ({ checkout: async () => 'https://shop.example/cart' }));
    expect(findings[0]).toMatchObject({
      kind: 'checkout_stuck',
      problem: expect.stringMatching(/leads to no invoice of the storm\. .*payment_url .*service\.fetch/),
    });
    const created = withMembers(({ checkout }) => ({
      checkout: async (order) => ({ link: await checkout(order) }) as never, // a result of its own
    }));
    await expect(created).rejects.toThrow(
      'storm: checkout must resolve to the payment_url, the invoice, the result of createOrRenew, { refused } or null, not an object.',
    );
  });
});

it('the same seed gives the same findings, the same stories and the same page', async () => {
  const once = () => over('memoryStore, and no catch-up');
  const [first, second] = [await once(), await once()];
  expect(second.findings).toEqual(first.findings);
  for (const { order } of first.findings) expect(second.story(order ?? '')).toBe(first.story(order ?? ''));
  expect(second.html()).toBe(first.html());
  const order = first.findings[0]?.order ?? '';
  expect((await over('memoryStore, and no catch-up', { seed: 'another' })).story(order)).not.toBe(first.story(order));
});

describe('the money', () => {
  // From the rows of the shop and the invoices of the service alone: each order that was given again costs its price, each that was
  // given for less the difference, and of a payment for which the shop did nothing all that was paid is owed.
  it.each<[string, 'lost' | 'owed' | 'both', (shop: Shop) => Change]>([
    ['given twice', 'lost', MISTAKES['memoryStore with a restart'].plant],
    ['given for less, and a surplus kept', 'both', MISTAKES['adjusted treated as paid in full'].plant],
    ['charged for less', 'lost', MISTAKES['a discount on the invoice alone'].plant],
    ['owed', 'owed', MISTAKES['another amount is acknowledged and dropped'].plant],
    [
      'all of it at once',
      'both',
      (shop) => {
        MISTAKES['adjusted treated as paid in full'].plant(shop);
        return MISTAKES['memoryStore, and no catch-up'].plant(shop);
      },
    ],
  ])('is what the tables of shop and service say: %s', async (_, which, plant) => {
    const zero = new Decimal(0);
    const sums: { lost: Decimal; owed: Decimal }[] = []; // the shop is opened again for the replay
    const count = async (shop: Shop): Promise<void> => {
      const invoices = await shop.merchant.invoices
        .list({ status: 'success', per_page: 100 })
        .collect({ limit: 1_000 });
      let [lost, owed] = [zero, zero];
      for (const { external_id: id, amount, state } of shop.orders()) {
        const paid = invoices
          .filter(({ external_id }) => shop.attemptsOf(id).includes(external_id))
          .reduce((sum, invoice) => sum.plus(invoice.adjustment?.actual_amount_fiat ?? invoice.amount), zero);
        const rows = shop.fulfilments().filter(({ external_id }) => external_id === id);
        const times = rows.filter(({ kind }) => kind === null).length; // goods
        const price = new Decimal(String(amount));
        const bought = Math.max(1, Math.floor(paid.div(price).toNumber()));
        const count = invoices.filter(({ external_id }) => shop.attemptsOf(id).includes(external_id)).length;
        const again = Math.max(0, times - Math.min(count, bought));
        if (times > 0) lost = lost.plus(price.times(again)).plus(Decimal.max(price.minus(paid), 0));
        else if (rows.length === 0 && (state === 'open' || state === 'canceled')) owed = owed.plus(paid);
        if (times > 0 && rows.length === times) owed = owed.plus(Decimal.max(paid.minus(price.times(times)), 0)); // kept
      }
      sums.push({ lost, owed });
    };
    const shop = shopWith((each) => {
      const { close } = each;
      each.close = () => {};
      return { ...plant(each), close: () => count(each).finally(() => close.call(each)) };
    });
    const weights = { customers: { dispute: 0 } }; // the service shows what is left of the payment
    const { money } = await storm({ seed: 3, weights, shop });
    expect(money).toEqual({ EUR: sums[0] });
    expect([sums[0]?.lost.gt(100), sums[0]?.owed.gt(100)]).toEqual([which !== 'owed', which !== 'lost']);
  });

  it('is owed where the invoice asks for twice the price', async () => {
    const weights = {
      customers: only(DEFAULT_WEIGHTS.customers, 'pay'),
      network: only(DEFAULT_WEIGHTS.network, 'calm'),
      webhooks: only(DEFAULT_WEIGHTS.webhooks, 'delivered'),
    };
    const plant = (shop: Shop): void => {
      const { paramsOf } = shop;
      shop.paramsOf = (order) => ({ ...paramsOf.call(shop, order), amount: '25.00' });
    };
    const { findings, money } = await storm({ customers: 3, amounts: ['12.50'], weights, shop: shopWith(plant) });
    expect(findings.map(({ kind }) => kind)).toEqual(Array.from({ length: 3 }, () => 'amount_differs'));
    expect(money).toEqual({ EUR: { lost: new Decimal(0), owed: new Decimal('37.5') } });
  });

  it('stands first in the summary', async () => {
    const { summary } = await storm({
      seed: 3,
      shop: shopWith((shop) => {
        MISTAKES['adjusted treated as paid in full'].plant(shop);
        return MISTAKES['memoryStore, and no catch-up'].plant(shop);
      }),
    });
    expect(summary()).toMatch(
      /^\d+ of 200 orders went wrong: lost [\d,]+\.\d\d EUR, owed [\d,]+\.\d\d EUR: \d+ given for less, \d+ given twice, \d+ not given, \d+ kept in part\. Replay with seed 3\.$/,
    );
  });

  it('is told for each currency', async () => {
    const result = await over('paid for ever', { customers: 40, currencies: ['EUR', 'USD'] });
    expect(Object.keys(result.money).sort()).toEqual(['EUR', 'USD']);
    expect(result.summary()).toMatch(/owed [\d,.]+ EUR and [\d,.]+ USD|owed [\d,.]+ USD and [\d,.]+ EUR/);
  });
});

describe('the replay', () => {
  it('plays the customers that still show it, and each does what it did', async () => {
    const whole = await over('adjusted treated as paid in full');
    const [finding] = whole.findings;
    const order = finding?.order ?? '';
    expect(finding?.replay).toBe(`storm({ seed: 1, only: ['${order}'], shop })`);
    const alone = await over('adjusted treated as paid in full', { only: [order] });
    expect(alone.orders).toBe(1);
    expect(alone.findings.map(({ kind, order: id, problem }) => [kind, id, problem])).toEqual([
      [finding?.kind, order, finding?.problem],
    ]);
    const own = (story: string): string[] => story.split('\n').filter((line) => line.includes('customer'));
    expect(own(alone.story(order))).toEqual(own(whole.story(order)));
  });

  it('is found with at most eight runs, and not for a shop at an address', async () => {
    let opened = 0;
    const shop =
      (planted: Planted, change: Partial<StormShop> = {}) =>
      async (service: entry.StormService) => {
        opened += 1;
        return { ...(await plantedShop(service, planted)), ...change };
      };
    await storm({ seed: 1, customers: 60, shop: shop('no dedupe') });
    expect(opened).toBeGreaterThan(1);
    expect(opened).toBeLessThanOrEqual(9);
    opened = 0;
    const { findings } = await storm({
      seed: 1,
      customers: 10,
      shop: shop('paid for ever', { receive: 'http://127.0.0.1:9/webhook' }),
    });
    expect([findings.length > 0, opened]).toEqual([true, 1]);
  });
});

it('says what the orders of a finding share', async () => {
  const { findings } = await over('another amount is acknowledged and dropped');
  expect(findings[0]?.shared).toMatch(
    /^All \d+ were paid with another amount\. Of the \d+ right orders it is true of (?:none|\d+)\.$/,
  );
});

it('names the same cause of a dropped payment, by whatever it came and whenever its end was told', async () => {
  for (const seed of [5, 7]) {
    const { findings } = await over('a payment of a canceled order is acknowledged and dropped', { seed });
    const named = new Set(findings.map(({ mistake }) => mistake));
    expect(named).toEqual(new Set(['canceled_stays']));
  }
});

it('says what too few customers left out, and nothing of it where they were chosen', async () => {
  const few = await over('right', { customers: 3, seed: 42 });
  expect(few.summary()).toMatch(/^3 orders, nothing wrong, and \d\d kinds of customers and faults not played\. /);
  expect(few.html()).toContain('kinds of customers and faults not played.');
  expect(few.notSeen.join()).toMatch(/pay_\w+, .*outage/);
  const chosen = await over('right', { customers: 3, only: ['order-1'] });
  expect(chosen.summary()).toBe('1 order, nothing wrong. Replay with seed 1.');
});

it('a customer who is refused is counted, and a storm that served nobody says so', async () => {
  const some = await over('some customers find the goods sold out', { customers: 40 });
  expect([some.findings, some.played.refused]).toEqual([[], 10]);
  const { findings } = await over('everything is sold out', { customers: 5 });
  expect(findings.map(({ kind }) => kind)).toEqual(['nobody_served']);
});

it('kills that met no work are no kills, and the storm says so', async () => {
  const weights = { customers: only(DEFAULT_WEIGHTS.customers, 'expire') };
  const result = await over('right', { customers: 20, weights });
  expect([result.findings, result.played.restarts]).toEqual([[], 0]);
  expect(result.notSeen.join()).toContain('no kill came during work');
});

it('both orders of a moment tell of it, and a gift in it is by one of both', async () => {
  const result = await over('right');
  const stories = Array.from({ length: 200 }, (_, at) => result.story(`order-${at + 1}`));
  const [one] = stories.filter((story) => /at the same moment: the payment of order-\d+$/m.test(story));
  expect(one).toMatch(/gives the order: its webhook$/m);
  const beside = stories.filter((story) => /gives the order: by one of: /.test(story));
  expect(
    beside.some(
      (story) => story.includes('its webhook or the success_url') || story.includes('the success_url or its webhook'),
    ),
  ).toBe(true);
});

it('a story has the invoices of its own order, and of no other, where the shop has ids of its own', async () => {
  const created: string[] = [];
  const shop = shopWith((each) => {
    DESIGNS['ids of its own'].change(each);
    const { paramsOf } = each;
    each.paramsOf = (order) => ({ ...paramsOf.call(each, order), customer_id: `guest-${order.id}` });
    const close = async (): Promise<void> => {
      const invoices = await each.merchant.invoices.list({ per_page: 100 }).collect({ limit: 1_000 });
      created.push(...invoices.map(({ customer_id }) => customer_id ?? ''));
      each.close();
    };
    return { close };
  });
  const result = await storm({ seed: 1, shop });
  expect(result.findings).toEqual([]);
  for (let number = 1; number <= 200; number += 1) {
    const told = result.story(`order-${number}`).match(/ created: /g) ?? [];
    const own = created.filter((customer) => customer === `guest-T${number + 70_000}`);
    expect([number, told.length]).toEqual([number, own.length]);
  }
});

it('a webhook that was refused for its signature gave nothing, and each gift of the success_url is named', async () => {
  const result = await over('fulfils on the success_url, whatever was paid');
  expect(new Set(result.findings.map(({ mistake }) => mistake))).toEqual(new Set(['visit_gives']));
  const stories = result.findings.map(({ order }) => result.story(order ?? ''));
  const after401 = stories.flatMap((story) => story.match(/returned 401 .*\n.*gives the order: .*/g) ?? []);
  expect(after401.length).toBeGreaterThan(3);
  for (const lines of after401) expect(lines).toMatch(/: the success_url$/);
});

it('a job that rejects while the service fails is no finding', async () => {
  const shop = async (service: entry.StormService): Promise<StormShop> => {
    const right = await plantedShop(service, 'right');
    const read = async () => void (await fetchOrFail(service));
    return { ...right, catchUp: async () => await Promise.all([right.catchUp?.(), read()]) };
  };
  const fetchOrFail = async ({ baseUrl, apiKey, fetch }: entry.StormService): Promise<void> => {
    const response = await fetch(`${baseUrl}/api/v1/external/invoices`, { headers: { 'X-Api-Key': apiKey } });
    if (!response.ok) throw new Error(`the service says ${response.status}`);
  };
  const failed = vi.fn();
  const { findings } = await storm({
    seed: 1,
    customers: 60,
    shop: async (service) => {
      const planted = await shop(service);
      const catchUp = async () => {
        try {
          await planted.catchUp?.();
        } catch (error) {
          failed();
          throw error;
        }
      };
      return { ...planted, catchUp };
    },
  });
  expect([findings, failed.mock.calls.length > 0]).toEqual([[], true]);
});

describe('a call of the job that fails', () => {
  const failedWith = (code: string): TypeError =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  /** A right shop whose job fails so in some of its runs. */
  const withJob = async (settings: entry.StormSettings, fails: (hasRestarted: boolean) => Error | null) => {
    const failed = vi.fn();
    const { findings } = await storm({
      seed: 1,
      customers: 40,
      ...settings,
      shop: async (service) => {
        const { catchUp, restart, ...right } = await plantedShop(service, 'right');
        let hasRestarted = false;
        return {
          ...right,
          idle: undefined,
          async catchUp() {
            const error = fails(hasRestarted);
            hasRestarted = false;
            if (error === null) return await catchUp?.();
            failed();
            throw error;
          },
          async restart() {
            hasRestarted = true;
            await restart?.();
          },
        };
      },
    });
    const named = findings.flatMap(({ kind, mistake }) => (kind === 'catch_up_failed' ? mistake : []));
    return { named, times: failed.mock.calls.length };
  };

  it('by a connection from before a kill is made once more', async () => {
    const { named, times } = await withJob({ restartEvery: 5 }, (hasRestarted) =>
      hasRestarted ? failedWith('UND_ERR_SOCKET') : null,
    );
    expect([named, times > 0]).toEqual([[], true]);
  });

  it('by a closed connection without a kill is a finding', async () => {
    const { named } = await withJob({ restartEvery: 1_000 }, () => failedWith('UND_ERR_SOCKET'));
    expect(named).toEqual(['own_function']);
  });

  it('because nothing listens at the address of the shop is named so', async () => {
    const { named } = await withJob({}, () => failedWith('ECONNREFUSED'));
    expect(named).toEqual(['process_ended']);
  });
});

it('terms of the shop are amounts, and nothing else', async () => {
  const shop = async (service: entry.StormService) => ({
    ...(await plantedShop(service, 'right')),
    accepts: { less: '5%' },
  });
  await expect(storm({ customers: 1, shop })).rejects.toThrow(
    'accepts.less must be decimal text such as "0.50", not "5%"',
  );
});

it('a story tells at one time what began something before what it did, and an outage in one row', async () => {
  const result = await over('memoryStore, and no catch-up', { seed: 3 });
  const finding = result.findings.find(({ mistake }) => mistake === 'forgets');
  expect(finding?.replay).toMatch(
    /^storm\(\{ seed: 3, shop \}\) \/\* hangs on time or number: \d+ customers still show it \*\/$/,
  );
  const lines = result.story(finding?.order ?? '').split('\n');
  const at = (what: RegExp): number => lines.findIndex((line) => what.test(line));
  const order = [/presses pay/, /created/, /customer {2}paid/, /returned 200/].map(at);
  expect([order, order.includes(-1)]).toEqual([[...order].sort((a, b) => a - b), false]);
  expect(at(/gives the order/)).toBeGreaterThan(at(/attempt \d of 7/));

  const stories = result.html().split('<ol class="story">').slice(1);
  const ofOutage = stories.find((story) => story.includes('no webhook reaches the shop')) ?? '';
  expect(ofOutage).toMatch(
    /service fails"><time>[^<]+ – [^<]+<\/time><span><em class="lane">Service<\/em><b>\d+ attempts/,
  );
  for (const story of stories) expect(story).not.toMatch(/does not reach the shop.{20,260}does not reach the shop/);
});

it('the moment of giving is in the story, and a kill after its last own event is not', async () => {
  const result = await over('right');
  const stories = Array.from({ length: 200 }, (_, at) => result.story(`order-${at + 1}`));
  expect(stories.filter((story) => /shop {6}gives the order/.test(story)).length).toBeGreaterThan(100);
  expect(stories.filter((story) => /is killed, and starts again$/.test(story))).toEqual([]);
});

describe('idle', () => {
  it('is awaited after each step, so that a shop with a worker repeats its story', async () => {
    const once = () => over('an inbox with a worker that says when it is idle', { customers: 30 });
    expect((await once()).story('order-3')).toBe((await once()).story('order-3'));
  });
});

describe('STORM_REPORT', () => {
  it('writes the page, and the summary says where it is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'storm-'));
    const file = join(folder, 'storm.html');
    const lines = vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.stubEnv('STORM_REPORT', file);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    });
    const result = await over('paid for ever', { customers: 20 });
    expect(readFileSync(file, 'utf8')).toBe(result.html());
    expect(result.summary()).toMatch(/Replay with seed 1: .*storm\.html$/);
    expect(lines).toHaveBeenCalledWith(`storm: ${result.summary()}`);
    await over('right', { customers: 2 });
    expect(readFileSync(file, 'utf8')).toBe(result.html()); // a storm without findings does not replace it
  });

  it('that cannot be written fails nothing', async () => {
    const lines = vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.stubEnv('STORM_REPORT', join(tmpdir(), 'no-such-folder', 'storm.html'));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await over('paid for ever', { customers: 2 })).findings.length).toBeGreaterThan(0);
    expect(lines).toHaveBeenCalledWith(expect.stringContaining('was not written'));
  });
});

it('the page makes no request, escapes what the shop says, and folds thousands of right orders', async () => {
  const shop = shopWith((each) => {
    const { checkout } = each;
    each.checkout = (order) => {
      if (order.id === 'order-7') throw new Error('<img src=x onerror=alert(1)>');
      return checkout.call(each, order);
    };
  });
  const page = (await storm({ seed: 1, customers: 400, shop })).html();
  expect(page).not.toMatch(/<img|<link|@import|url\(|<script src/);
  expect(page).toContain('right orders are folded');
  expect(page.length).toBeLessThan(200_000);
});

it('a story shows a few repeats of a gift, and counts the others', async () => {
  const shop = shopWith((each) => {
    MISTAKES['memoryStore with a restart'].plant(each);
    const { catchUp } = each;
    each.catchUp = async () => {
      await each.start(); // with a store that is empty
      await catchUp.call(each);
    };
  });
  const page = (await storm({ seed: 3, customers: 60, shop })).html();
  const stories = page.split('<ol class="story">').slice(1);
  const repeats = stories.map((story) => story.split('</ol>', 1)[0]?.split(' AGAIN').length ?? 0);
  expect(Math.max(...repeats)).toBeLessThanOrEqual(6);
  expect(page).toMatch(/ AGAIN<\/b><i>catchUp<\/i><i>and \d+ more times<\/i>/);
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
  expect(result.notSeen.join()).toMatch(
    /double fulfilment.*killed.*more than the stock.*return to the shop.*catch-up.*after the 2xx.*catches.*mail/,
  );
});

it('finds the invoice of a payment link without a search of all invoices', async () => {
  const searches = vi.spyOn(Store.prototype, 'invoices');
  expect((await over('right', { customers: 20 })).findings).toEqual([]);
  expect(searches).not.toHaveBeenCalled();
});

it.each([
  ['the invoice', (uuid: string) => `https://shop.example/pay/${uuid}`],
  ['an own id before it', (uuid: string) => `https://shop.example/${randomUUID()}/${uuid}`],
])('follows a link of the shop with %s', async (_, linkOf) => {
  const shop = async (service: entry.StormService): Promise<StormShop> => {
    const { checkout, ...rest } = await plantedShop(service, 'right');
    const own: StormShop['checkout'] = async (order) => {
      const given = await checkout(order);
      const link =
        typeof given === 'object' && given !== null && 'payment_url' in given ? given.payment_url : String(given);
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
  expect(refusals.map(({ problem }) => problem)).toEqual([expect.stringContaining('refused a creation with 401')]);
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
      if (typeof right.receive !== 'function') throw new Error('the planted shop is in this process');
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
  expect(summary()).toMatch(/^1 order: not finished\. /);
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
  expect(result.findings.map(({ kind }) => kind)).toEqual(['checkout_failed']);
  expect(result.played.webhooks).toEqual({ ack_lost: 1 });
  expect(result.story('order-1')).toContain('the fault ack_lost lost its response');
});

it('a summary without a wrong order says what is wrong', async () => {
  const { summary, html } = await over('fails at each end without a payment');
  expect(summary()).toBe('200 orders: webhooks not delivered. Replay with seed 1.');
  expect(html()).toContain('200 orders: webhooks not delivered.');
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
  const weights = {
    customers: only(DEFAULT_WEIGHTS.customers, 'pay'),
    network: only(DEFAULT_WEIGHTS.network, 'calm'),
    webhooks: only(DEFAULT_WEIGHTS.webhooks, 'delivered'),
  };
  await storm({ customers: 3, weights, restartEvery: 1, timeLimit: 1_000, shop });
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
    ({ url: address } = await service.listen());
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
  const { findings } = await over('another secret', {});
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

it.each([
  ['orders', { orders: () => ({ rows: [] }) as never }],
  ['fulfilments', { fulfilments: () => undefined as never }],
])('%s() without rows is named', async (name, members) => {
  const run = storm({ customers: 1, shop: async (service) => ({ ...(await shopWith()(service)), ...members }) });
  await expect(run).rejects.toThrow(`${name}() of the shop must give rows`);
});

it('the page of findings has each finding and each mistake in the words of its row', () => {
  const guide = readFileSync(new URL('../../../docs/storm-findings.md', import.meta.url), 'utf8');
  for (const [name, { means }] of Object.entries(KINDS)) expect(guide).toContain(`| \`${name}\` | ${means} |`);
  for (const [name, [text]] of Object.entries(CAUSES)) expect(guide).toContain(`| \`${name}\` | ${text} |\n`);
});
