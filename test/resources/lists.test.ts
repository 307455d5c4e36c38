import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { EndEvent, InvalidItem, ListOptions } from '../../src/index.ts';
import { serve } from '../support/fault-server.ts';
import { ok, refuse } from '../support/fault-steps.ts';
import { pendingInvoice, successInvoice } from '../support/fixtures/invoices.ts';
import { pendingWithdrawal } from '../support/fixtures/withdrawals.ts';
import { type MovingList, movingList, uuids } from '../support/moving-list.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

// What a caller can ask of a list: its first page, its rows, its pages. Which pages a walk reads: walk.test.ts.

const page = (items: readonly unknown[], edit: object = {}) => ({
  items,
  page: 1,
  per_page: 20,
  total_items: items.length,
  total_pages: 1,
  has_next: false,
  has_prev: false,
  ...edit,
});

/** Changes members of single rows of a list, by uuid. */
function changeRows(list: MovingList, changes: Readonly<Record<string, object>>): void {
  list.edit = (page) => {
    const items = page['items'] as { uuid: string }[]; // as moving-list makes them
    return Object.assign(page, { items: items.map((item) => ({ ...item, ...changes[item.uuid] })) });
  };
}

describe('a list', () => {
  it('begins each iteration at the page of the call, with its response', async () => {
    const list = await movingList(uuids(60));
    const call = clientOf(list.server.url).invoices.list({ page: 2 });
    expect((await call).items).toHaveLength(20);
    const pages: number[] = [];
    for await (const page of call.pages()) pages.push(page.page);
    expect(pages).toEqual([2, 3]);
    expect((await call.collect({ limit: 1_000 })).map(({ uuid }) => uuid)).toEqual(uuids(60).slice(20));
    expect(list.asked).toEqual([2, 3, 3]);
  });
});

describe('collect', () => {
  const listOf = async () => clientOf((await movingList(uuids(60))).server.url).invoices;

  it('takes nothing for a limit of 0', async () => {
    expect(await (await listOf()).list().collect({ limit: 0 })).toEqual([]);
  });

  it.each<[unknown, string]>([
    [undefined, 'limit'],
    ...[undefined, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5'].map((limit): [unknown, string] => [
      { limit },
      'limit',
    ]),
    [{ limit: 5, limits: 3 }, 'collect has no "limits"; it has limit'],
    [{ limit: 5, signal: null }, 'collect has no "signal"; it has limit'],
  ])('refuses %j', async (options, message) => {
    const error = await errorOf((await listOf()).list().collect(options as { limit: number })); // wrong on purpose
    expect(error).toMatchObject({ kind: 'configuration', code: 'SDK_INVALID_ARGUMENT', operation: 'invoices.list' });
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('No request was made'); // the list was requested
  });
});

it.each([
  ['eur', 'empty', 1],
  ['EUR', 'empty', 0],
  ['eur', 'not empty', 0],
] as const)(
  'a list of the currency %s that is %s prints how a code is usually written %i times',
  async (currency, is, lines) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const found = ok(page(is === 'empty' ? [] : [successInvoice]));
    const { invoices } = clientOf((await serve(found, found)).url);
    await invoices.list({ currency });
    await invoices.list({ currency });
    expect(warn).toHaveBeenCalledTimes(lines);
    if (lines > 0) expect(warn).toHaveBeenCalledWith(expect.stringMatching(/found nothing\..*usually written "EUR"/));
  },
);

describe('rows that contradict the filter are left out', () => {
  const dollar = { id: 3, code: 'USD', name: 'Dollar', symbol: '$' };
  const rows = [
    { ...successInvoice, uuid: 'a' },
    { ...pendingInvoice, uuid: 'b' },
    { ...successInvoice, uuid: 'c', status: 'SUCCESS' },
    { ...successInvoice, uuid: 'd', currency: dollar },
  ];

  it.each<[string, object, string[]]>([
    ['no filter', {}, ['a', 'b', 'c', 'd']],
    ['null is no filter', { status: null, currency: null }, ['a', 'b', 'c', 'd']],
    ['a status, without case', { status: 'success' }, ['a', 'c', 'd']],
    ['a currency, without case', { currency: 'eur' }, ['a', 'b', 'c']],
    ['both', { status: 'success', currency: 'EUR' }, ['a', 'c']],
    ['none that matches', { status: 'expired' }, []],
  ])('invoices: %s', async (_name, query, uuids) => {
    const client = clientOf((await serve(ok(page(rows)))).url);
    const answer = await client.invoices.list(query);
    expect(answer.items.map(({ uuid }) => uuid)).toEqual(uuids);
    expect(answer, 'the counts are the service’s own').toMatchObject({ total_items: 4, per_page: 20 });
  });

  it('withdrawals, by status', async () => {
    const items = [pendingWithdrawal, { ...pendingWithdrawal, uuid: 'w-2', status: 'Approved' }];
    const client = clientOf((await serve(ok(page(items)))).url);
    expect((await client.withdrawals.list({ status: 'approved' })).items.map(({ uuid }) => uuid)).toEqual(['w-2']);
  });

  it('and neither end the walk nor count as missing', async () => {
    const list = await movingList(uuids(100));
    changeRows(list, { 'row-3': { status: 'success' }, 'row-99': { status: 'success' } });
    const client = clientOf(list.server.url);
    const found = await client.invoices.list({ status: 'success' }, { prefetch: 1 }).collect({ limit: 9 });
    expect(found.map(({ uuid }) => uuid)).toEqual(['row-3', 'row-99']);
    expect(list.asked).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('an item that cannot be read', () => {
  async function spoiled() {
    const list = await movingList(uuids(25));
    changeRows(list, { 'row-21': { amount: 'a lot' } });
    return list;
  }
  const collected = async (list: MovingList, options: ListOptions = {}) =>
    (await clientOf(list.server.url).invoices.list({}, options).collect({ limit: 100 })).map(({ uuid }) => uuid);

  it('fails its page, which the error names', async () => {
    const error = await errorOf(collected(await spoiled()));
    expect(error).toMatchObject({ code: 'SDK_CONTRACT', page: 2, issues: [{ path: 'items.1.amount' }] });
  });

  it('is reported and left out with onInvalidItem, and does not count as missing', async () => {
    const invalid: InvalidItem[] = [];
    const list = await spoiled();
    list.arrange = (rows, read) => (read === 1 ? ['row-1', ...rows.slice(1)] : rows); // so that it is read twice
    const seen = await collected(list, { onInvalidItem: (item) => invalid.push(item) });
    expect(seen.sort()).toEqual(
      uuids(25)
        .filter((row) => row !== 'row-21')
        .sort(),
    );
    expect(invalid[0]).toMatchObject({ page: 2, index: 1, path: 'amount', raw: { uuid: 'row-21', amount: 'a lot' } });
  });

  it.each([null, 'row'])('may be %j', async (item) => {
    const reports: InvalidItem[] = [];
    const server = await serve(ok(page([item, pendingInvoice])));
    const call = clientOf(server.url).invoices.list({}, { onInvalidItem: (report) => reports.push(report) });
    expect((await call).items).toHaveLength(1);
    expect(reports).toEqual([{ page: 1, index: 0, path: '', raw: item }]);
  });
});

it.each<[string, object | string, object, string]>([
  ['a mistyped filter', { state: 'success' }, {}, 'state is not a parameter of this call'],
  ['a page of zero', { page: 0 }, {}, 'page must be a whole number from 1'],
  ['a page of more rows than allowed', { per_page: 101 }, {}, 'per_page must be a whole number from 1 to 100'],
  ['a query that is none', 'success', {}, 'must be an object'],
  ['an unusable option', {}, { prefetch: 0 }, 'options.prefetch must be'],
])('%s rejects every view of a list, and no request is made', async (_name, query, options, message) => {
  const { invoices, withdrawals } = clientOf('https://pay.example');
  for (const resource of [invoices, withdrawals]) {
    const call = resource.list(query as never, options); // wrong on purpose
    const error = await errorOf(call);
    expect(error.message).toContain(message);
    expect(error.message).toContain('No request was made');
    expect(error.outcome).toBe('not_sent');
    await expect(call.collect({ limit: 1 })).rejects.toBe(error);
  }
});

describe('hooks and signal of a walk', () => {
  function recorded(url: string) {
    const errors: EndEvent[] = [];
    const onEnd = (event: EndEvent) => void (event.ok || event.expected || errors.push(event));
    return { errors, client: clientOf(url, { hooks: { onEnd } }) };
  }
  const turns = async () => {
    for (let left = 50; left > 0; left -= 1) await new Promise(setImmediate);
  };

  it('are told nothing of the requests that a break has ended, and are let go', async () => {
    const list = await movingList(uuids(200));
    const { signal } = new AbortController();
    const { errors, client } = recorded(list.server.url);
    let seen = 0;
    for await (const _ of client.invoices.list({}, { prefetch: 4, signal })) {
      seen += 1;
      if (seen === 25) break;
    }
    await vi.waitFor(() => expect(getEventListeners(signal, 'abort')).toHaveLength(0), { timeout: 30_000 });
    await turns();
    expect(errors).toEqual([]);
    expect(list.asked.length).toBeLessThanOrEqual(6);
  });

  it('are told nothing of a page that a shorter list does not have', async () => {
    const list = await movingList(uuids(60));
    list.pastEnd = refuse(404, 'NOT_FOUND');
    list.beforeRead = (read) => {
      if (read === 3) list.rows = list.rows.slice(30);
    };
    const { errors, client } = recorded(list.server.url);
    await client.invoices.list().collect({ limit: 100 });
    expect(errors).toEqual([]);
  });

  it('end the walk with the reason of the caller, which is expected', async () => {
    const list = await movingList(uuids(200));
    const controller = new AbortController();
    const { signal } = controller;
    const { errors, client } = recorded(list.server.url);
    list.beforeRead = (_, page) => {
      if (page === 4) controller.abort('enough');
    };
    const error = await errorOf(client.invoices.list({}, { prefetch: 4, signal }).collect({ limit: 200 }));
    expect(error).toMatchObject({ kind: 'aborted', reason: 'enough', page: expect.any(Number) });
    await turns();
    expect(errors).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it.each([undefined, 1, 4])('are told the failure that ends the walk, once (prefetch %s)', async (prefetch) => {
    const list = await movingList(uuids(100));
    list.edit = (page, asked) => (asked >= 3 ? refuse(403, 'NOT_NOW') : page);
    const { errors, client } = recorded(list.server.url);
    const call = client.invoices.list({}, { prefetch });
    expect(await errorOf(call.collect({ limit: 100 }))).toMatchObject({ code: 'NOT_NOW', page: 3 });
    await turns();
    expect(errors).toMatchObject([{ operation: 'invoices.list', code: 'NOT_NOW', status: 403 }]);
    expect(errors[0]?.durationMs).toBeGreaterThanOrEqual(0);
  });

  it('are told of a walk that cannot be finished', async () => {
    const list = await movingList(uuids(60));
    list.edit = (page) => Object.assign(page, { page: 1 });
    const { errors, client } = recorded(list.server.url);
    await errorOf(client.invoices.list().collect({ limit: 100 }));
    expect(errors).toMatchObject([{ operation: 'invoices.list', code: 'SDK_PAGE' }]);
  });

  it('are told the failure of the first page once, in whichever view', async () => {
    const { errors, client } = recorded((await serve(refuse(403, 'NO'))).url);
    const call = client.invoices.list();
    await errorOf(call);
    await errorOf(call.collect({ limit: 1 }));
    await errorOf(call.pages().next());
    expect(errors).toHaveLength(1);
  });
});
