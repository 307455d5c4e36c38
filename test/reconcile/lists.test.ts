import { describe, expect, it } from 'vitest';
import { AbortedError, ConnectionError, UnexpectedResponseError } from '../../src/errors/classes.ts';
import { Decimal } from '../../src/index.ts';
import type { ReconcileClient, ReconcileInvoice, ReconcileProgress } from '../../src/reconcile/index.ts';
import { reconcile } from '../../src/reconcile/index.ts';
import { answer } from '../support/fault-steps.ts';
import { movingList, uuids } from '../support/moving-list.ts';
import { clientOf } from '../support/test-client.ts';
import { corrected, DAY, expired, found, invoice, NOW, notFound, order, pending, serviceOf } from './shop.ts';

const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `order-${at}`);
const lists = (asked: readonly string[]): string[] => asked.filter((line) => line.startsWith('list'));

/** Invoices, newest first, one for each hour back from a day ago. */
const hourly = (count: number): ReconcileInvoice[] =>
  ids(count).map((id, at) => invoice(id, { created_at: new Date(NOW - DAY - at * 3_600_000) }));

describe('a period', () => {
  const all = hourly(1_000);
  const since = NOW - 5 * DAY; // the first 96 of them, and one more at the boundary

  it('ends the reading of a list that is newest first', async () => {
    const { client, asked } = serviceOf(all);
    const { summary } = await found({ merchant: client, orders: [], since, order: 'newest', grace: 0, prefetch: 1 });
    expect(lists(asked)).toEqual(['list all 1', 'list all 2']);
    expect(summary).toMatchObject({ invoices: 97, findings: 97 });
  });

  it('ends it after a look at the last page, where the order is not known', async () => {
    const { client, asked } = serviceOf(all);
    expect((await found({ merchant: client, orders: [], since, prefetch: 1 })).summary).toMatchObject({ invoices: 97 });
    expect(lists(asked)).toEqual(['list all 1', 'list all 2', 'list all 10']);
  });

  it.each([
    ['oldest first', [...all].reverse()],
    ['sorted by something else', [...all.slice(200), ...all.slice(0, 200)]],
    ['sorted but for its last page', [...all.slice(0, 50), ...all.slice(97), ...all.slice(50, 97)]],
  ])('does not end it in a list that is %s', async (_name, invoices) => {
    const { client, asked } = serviceOf(invoices);
    expect((await found({ merchant: client, orders: [], since, prefetch: 1 })).summary).toMatchObject({ invoices: 97 });
    expect(lists(asked).length).toBeGreaterThanOrEqual(10);
  });

  it('does not end it with order: any', async () => {
    const { client, asked } = serviceOf(all);
    await found({ merchant: client, orders: [], since, order: 'any', prefetch: 1 });
    expect(lists(asked)).toHaveLength(10);
  });

  it('begins with since and ends before until, in any form of time', async () => {
    const { client } = serviceOf(all);
    for (const [from, to] of [
      ['2026-03-05T12:00:00', '2026-03-06'],
      ['2026-03-05T14:00:00+02:00', new Date('2026-03-06T00:00:00Z')],
      [Date.parse('2026-03-05T12:00:00Z'), '2026-03-05T19:00:00-05:00'],
    ] as const) {
      const { summary } = await found({ merchant: client, orders: [], since: from, until: to });
      expect(summary.invoices).toBe(12);
    }
  });

  it('finds the invoice of an order at its boundary by a read', async () => {
    const { client } = serviceOf(all);
    const orders = ids(100).map((id) => order(id)); // three invoices are older than the period
    const { kinds, summary } = await found({ merchant: client, orders, since });
    expect([kinds, summary.matched]).toEqual([[], 100]);
  });

  it('with statuses reads these lists only, the pending one first', async () => {
    const { client, asked } = serviceOf([...all.slice(0, 3), invoice('p', pending), invoice('e', expired)]);
    const { kinds } = await found({ merchant: client, orders: [], statuses: ['success', 'pending'] });
    expect(lists(asked)).toEqual(['list pending 1', 'list success 1']);
    expect(kinds).toHaveLength(5);
  });
});

describe('a list that moves', () => {
  it('over a socket: rows that move forward are read, and none is counted twice', async () => {
    const list = await movingList(uuids(60));
    list.size = 20;
    list.beforeRead = (read) => {
      if (read === 2) list.rows = list.rows.filter((_, at) => at !== 3); // a row of the first page leaves
      if (read === 4) list.rows = ['joined', ...list.rows]; // the next page repeats one
    };
    const seen = new Set<string>();
    list.edit = (page) => {
      for (const { uuid } of page['items'] as { readonly uuid: string }[]) seen.add(uuid);
      return page;
    };
    const run = reconcile({ merchant: clientOf(list.server.url), orders: [], prefetch: 1, now: NOW });
    await run.summary();
    expect(list.asked).toEqual([1, 2, 1, 3]);
    expect(seen.size).toBe(60);
  });

  it.each([
    ['a period', { since: NOW - DAY - 199.5 * 3_600_000, order: 'newest', prefetch: 3 }],
    ['a period', { since: NOW - DAY - 199.5 * 3_600_000, order: 'newest', prefetch: 2 }],
    ['all times', { prefetch: 3 }],
    ['all times', { prefetch: 2 }],
  ] as const)(
    'is read whole over %s where a page is answered later than those behind it, with %j',
    async (_name, period) => {
      const { client } = serviceOf([]);
      let rows = hourly(1_000);
      let answered = (): void => {};
      const third = new Promise<void>((resolve) => {
        answered = resolve;
      });
      let isSecond = true;
      const list: ReconcileClient['invoices']['list'] = async ({ page, per_page }) => {
        if (page === 2 && isSecond) {
          isSecond = false;
          await third;
          rows = [invoice('joined', { created_at: new Date(NOW) }), ...rows];
        }
        const total_pages = Math.ceil(rows.length / per_page);
        const items = rows.slice((page - 1) * per_page, page * per_page);
        if (page === 3) answered();
        const counts = { page, per_page, total_items: rows.length, total_pages };
        return { ...counts, items, has_next: page < total_pages, has_prev: page > 1 };
      };
      const merchant = { ...client, invoices: { ...client.invoices, list } };
      const { entries } = await found({ merchant, orders: [], grace: 0, ...period });
      const ofOrders = new Set(entries.map(({ external_id }) => external_id));
      const expected = ids('since' in period ? 200 : 1_000);
      expect(expected.filter((id) => !ofOrders.has(id))).toEqual([]);
    },
  );

  it('without a stable order says how many it did not serve', async () => {
    const { client } = serviceOf(hourly(250));
    const broken: ReconcileClient = {
      ...client,
      invoices: {
        ...client.invoices,
        list: async (query, options) => {
          const page = await client.invoices.list(query, options);
          return query.page === 2
            ? { ...page, items: (await client.invoices.list({ ...query, page: 1 }, options)).items }
            : page;
        },
      },
    };
    const orders = ids(250).map((id) => order(id));
    const { entries, summary } = await found({ merchant: broken, orders });
    expect(entries).toMatchObject([
      {
        kind: 'not_compared',
        reason: 'invoices_not_listed',
        problem: expect.stringContaining('counts 250 invoices and served 100 fewer'),
      },
    ]);
    expect(summary).toMatchObject({ matched: 250, findings: 0 }); // their orders were compared by single reads
  });

  it('ends by an error when it shrinks without end, or answers another page', async () => {
    let total = 1_000_000;
    const shrinking = serviceOf([]);
    const list: ReconcileClient['invoices']['list'] = async ({ page, per_page }) => {
      total -= 100;
      return { items: [], page, per_page, total_items: total, total_pages: 20, has_next: true, has_prev: false };
    };
    const merchant = { ...shrinking.client, invoices: { ...shrinking.client.invoices, list } };
    await expect(found({ merchant, orders: [] })).rejects.toThrow(/70 requests were made for a list of 20 pages/);
    const same = {
      ...merchant,
      invoices: {
        ...merchant.invoices,
        list: (...[query, options]: Parameters<typeof list>) => list({ ...query, page: 1 }, options),
      },
    };
    await expect(found({ merchant: same, orders: [] })).rejects.toThrow(UnexpectedResponseError);
  });
});

describe('an invoice', () => {
  it.each<[string, Partial<ReconcileInvoice>, string]>([
    ['paid without a credit', { settled_amount_usdt: null }, '"credited_usdt" is missing'],
    ['expired, but credited', { status: 'expired' }, 'was credited'],
    ['corrected to two credits', { ...corrected('20', '21.49'), settled_amount_usdt: new Decimal('26') }, 'differ'],
    ['adjusted without an adjustment', { is_adjusted: true }, '"amount" is missing'],
    ['of less than nothing', { amount: new Decimal('-25') }, 'is negative'],
    ['with a status of tomorrow', { status: 'refunded' as never }, 'Its status is not one that the interface knows.'],
  ])('that contradicts itself is not guessed: %s', async (_name, changes, problem) => {
    const { client } = serviceOf([invoice('order-1', changes)]);
    const { entries, summary } = await found({ merchant: client, orders: [order('order-1')] });
    expect(entries).toMatchObject([
      {
        kind: 'not_compared',
        reason: 'invoice_malformed',
        place: 'invoice uuid-of-order-1',
        problem: expect.stringContaining(problem),
      },
    ]);
    expect(summary.currencies).toMatchObject([{ currency: 'EUR', notCompared: { invoice_malformed: 1 } }]);
  });

  it('that cannot be decoded is told, and its order is not called forgotten', async () => {
    const list = await movingList(['row-1']);
    const bad = { uuid: 'row-1', external_id: 'order-1042', amount: 'much' };
    list.edit = (page, asked) =>
      answer(200, { success: true, data: Number.isNaN(asked) ? bad : { ...page, items: [bad] } });
    const orders = [order('order-1042', { state: 'open' })];
    const { entries } = await found({ merchant: clientOf(list.server.url), orders });
    expect(entries).toMatchObject([
      { kind: 'not_compared', reason: 'invoice_malformed', external_id: 'order-1042', place: 'page 1, place 1' },
      { kind: 'not_compared', reason: 'invoice_malformed', external_id: 'order-1042' },
    ]);
  });

  it('is not compared if the service has several with its id', async () => {
    const twins = [invoice('order-1'), invoice('order-1', { ...expired, uuid: 'another' })];
    const { entries } = await found({ merchant: serviceOf(twins).client, orders: [order('order-1')] });
    expect(entries).toMatchObject([{ kind: 'not_compared', reason: 'several_invoices', external_id: 'order-1' }]);
  });

  it('of no order matters if it is paid or can still be paid', async () => {
    const old = { created_at: new Date(NOW - 3 * DAY) };
    const invoices = [
      invoice('paid'),
      invoice('open', { ...pending, ...old, expires_at: new Date(NOW) }),
      invoice('over', expired),
    ];
    const { kinds } = await found({ merchant: serviceOf(invoices).client, orders: [] });
    expect(kinds.sort()).toEqual(['open invoice_without_order', 'paid invoice_without_order']);
  });

  it('that was listed and cannot be read again is compared as listed if it is final, and not at all if it is pending', async () => {
    const { client } = serviceOf([invoice('final'), invoice('moving', pending)]);
    const get = async (): Promise<never> => Promise.reject(notFound());
    const merchant = { ...client, invoices: { ...client.invoices, get } };
    const orders = [order('final', { state: 'open' }), order('moving')];
    const { entries } = await found({ merchant, orders });
    const told = new Map(entries.map((entry) => [entry.external_id, entry]));
    expect(told.get('final')).toMatchObject({ kind: 'paid_not_fulfilled', confirmed: false });
    expect(told.get('moving')).toMatchObject({ kind: 'not_compared', reason: 'invoice_not_read' });
  });
});

describe('requests', () => {
  const unfulfilled = ids(10).map((id) => order(id, { state: 'open' }));

  it('for deliveries are bounded, and the summary says how many were not made', async () => {
    const { client, asked } = serviceOf(ids(10).map((id) => invoice(id)));
    const { summary } = await found({ merchant: client, orders: unfulfilled, maxDeliveryRequests: 3 });
    expect(asked.filter((line) => line.startsWith('deliveries'))).toHaveLength(3);
    expect(summary).toMatchObject({ findings: 10, deliveriesNotRead: 7 });
  });

  it('for deliveries that are refused do not hide the payment', async () => {
    const { client } = serviceOf(ids(10).map((id) => invoice(id)));
    const deliveries = async (): Promise<never> => Promise.reject(notFound());
    const { summary } = await found({
      merchant: { ...client, webhooks: { ...client.webhooks, deliveries } },
      orders: unfulfilled,
    });
    expect(summary).toMatchObject({ findings: 10, deliveriesNotRead: 10 });
  });

  it('in flight are as many as prefetch says', async () => {
    const { client } = serviceOf(hourly(2_000));
    let [now, most] = [0, 0];
    const counted = async <T>(work: () => PromiseLike<T>): Promise<T> => {
      now += 1;
      most = Math.max(most, now);
      await Promise.resolve();
      const result = await work();
      now -= 1;
      return result;
    };
    const merchant: ReconcileClient = {
      ...client,
      invoices: {
        list: (query, options) => counted(() => client.invoices.list(query, options)),
        get: (ident, options) => counted(() => client.invoices.get(ident, options)),
      },
    };
    await found({ merchant, orders: unfulfilled, prefetch: 4 });
    expect(most).toBe(4);
  });

  it('that fail end the run with their error, and the summary rejects as well', async () => {
    const failure = new ConnectionError({ code: 'SDK_CONNECTION', message: 'reset', outcome: 'unknown' });
    const { client } = serviceOf(ids(10).map((id) => invoice(id)));
    const get = async (): Promise<never> => Promise.reject(failure);
    const run = reconcile({
      merchant: { ...client, invoices: { ...client.invoices, get } },
      orders: unfulfilled,
      now: NOW,
    });
    await expect(run.summary()).rejects.toBe(failure);
    await expect(run.summary()).rejects.toBe(failure);
  });

  it('end by abort, with one error for all of it', async () => {
    const stop = new AbortController();
    const { client } = serviceOf(hourly(2_000));
    const signals: (AbortSignal | undefined)[] = [];
    const merchant: ReconcileClient = {
      ...client,
      invoices: {
        ...client.invoices,
        list: (query, options) => {
          signals.push(options.signal);
          if (query.page === 3) stop.abort(new Error('deploy'));
          return client.invoices.list(query, options);
        },
      },
    };
    const error = await found({ merchant, orders: [], signal: stop.signal }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ code: 'SDK_ABORTED', outcome: 'rejected', reason: new Error('deploy') });
    expect(signals.every((signal) => signal?.aborted)).toBe(true);
    await expect(found({ merchant, orders: [], signal: AbortSignal.abort() })).rejects.toThrow(AbortedError);
  });
});

it('reports its progress, and survives a callback that throws', async () => {
  const seen: ReconcileProgress[] = [];
  const onProgress = (progress: ReconcileProgress): void => {
    seen.push(progress);
    throw new Error('a broken bar');
  };
  await found({ merchant: serviceOf(hourly(250)).client, orders: ids(250).map((id) => order(id)), onProgress });
  expect(seen).toEqual([
    { phase: 'orders', done: 100, total: null, findings: 0 },
    { phase: 'orders', done: 200, total: null, findings: 0 },
    { phase: 'invoices', done: 1, total: 3, findings: 0 },
    { phase: 'invoices', done: 2, total: 3, findings: 0 },
    { phase: 'invoices', done: 3, total: 3, findings: 0 },
    { phase: 'comparison', done: 500, total: 500, findings: 0 },
  ]);
});

it('a summary without a loop reads everything, and a loop can be read once', async () => {
  const { client } = serviceOf(hourly(10));
  const run = reconcile({ merchant: client, orders: [], now: NOW });
  expect(await run.summary()).toMatchObject({ complete: true, findings: 10 });
  const again: unknown[] = [];
  for await (const entry of run) again.push(entry);
  expect(again).toEqual([]);
});
