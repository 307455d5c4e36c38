import { describe, expect, test } from 'vitest';
import type { DriftEvent, ErrorEvent, InvalidItem, Invoice } from '../../src/index.ts';
import { type FaultServer, serve } from '../support/fault-server.ts';
import { ok, refuse } from '../support/fault-steps.ts';
import { pendingInvoice, successInvoice } from '../support/fixtures/invoices.ts';
import { pendingWithdrawal } from '../support/fixtures/withdrawals.ts';
import { movingList, uuids } from '../support/moving-list.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

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

/** A client that keeps what onDrift is told. */
function watched(server: FaultServer) {
  const drift: DriftEvent[] = [];
  return { drift, client: clientOf(server.url, { onDrift: (event) => drift.push(event) }) };
}

describe('rows that contradict the filter', () => {
  const rows = [
    { ...successInvoice, uuid: 'a' },
    { ...pendingInvoice, uuid: 'b' },
    { ...successInvoice, uuid: 'c', status: 'SUCCESS' },
    { ...successInvoice, uuid: 'd', currency: { id: 3, code: 'USD', name: 'Dollar', symbol: '$' } },
  ];

  test.each<[string, object, string[], string[]]>([
    ['no filter', {}, ['a', 'b', 'c', 'd'], []],
    ['null is no filter', { status: null, currency: null }, ['a', 'b', 'c', 'd'], []],
    ['a status, without case', { status: 'success' }, ['a', 'c', 'd'], ['items.*.status']],
    ['a currency, without case', { currency: 'eur' }, ['a', 'b', 'c'], ['items.*.currency']],
    ['both', { status: 'success', currency: 'EUR' }, ['a', 'c'], ['items.*.status', 'items.*.currency']],
    ['none that matches', { status: 'expired' }, [], ['items.*.status']],
  ])('invoices, %s', async (_name, query, uuids, paths) => {
    const { client, drift } = watched(await serve(ok(page(rows))));
    const answer = await client.invoices.list(query);
    expect(answer.items.map(({ uuid }) => uuid)).toEqual(uuids);
    expect(answer, 'the counts are the service’s own').toMatchObject({ total_items: 4, per_page: 20 });
    const ignored = drift.filter(({ kind }) => kind === 'filter_ignored');
    expect(ignored).toEqual(paths.map((path) => ({ operation: 'invoices.list', path, kind: 'filter_ignored' })));
  });

  test('withdrawals, by status', async () => {
    const items = [pendingWithdrawal, { ...pendingWithdrawal, uuid: 'w-2', status: 'Approved' }];
    const { client, drift } = watched(await serve(ok(page(items))));
    expect((await client.withdrawals.list({ status: 'approved' })).items.map(({ uuid }) => uuid)).toEqual(['w-2']);
    expect(drift).toContainEqual({ operation: 'withdrawals.list', path: 'items.*.status', kind: 'filter_ignored' });
  });

  test('neither end the walk nor count as missing when the service ignores the filter', async () => {
    const list = await movingList(uuids(100));
    list.edit = (answer) => {
      const items = answer['items'] as { uuid: string }[]; // as moving-list makes them
      const change = ({ uuid }: { uuid: string }) => (['row-3', 'row-99'].includes(uuid) ? { status: 'success' } : {});
      return Object.assign(answer, { items: items.map((item) => ({ ...item, ...change(item) })) });
    };
    const { client, drift } = watched(list.server);
    const seen: string[] = [];
    const call = client.invoices.list({ status: 'success' }, { prefetch: 1 });
    for await (const { uuid } of call) seen.push(uuid);
    expect(seen).toEqual(['row-3', 'row-99']);
    expect(list.asked).toEqual([1, 2, 3, 4, 5]);
    expect(drift).toEqual([{ operation: 'invoices.list', path: 'items.*.status', kind: 'filter_ignored' }]);
  });

  test('are looked for again when the list loses rows', async () => {
    const list = await movingList(uuids(80));
    list.edit = (answer) => {
      const items = answer['items'] as { uuid: string }[]; // as moving-list makes them
      return Object.assign(answer, {
        items: items.map((item) => ({ ...item, status: item.uuid === 'row-45' ? 'fail' : 'pending' })),
      });
    };
    list.beforeRead = (read) => {
      if (read === 3) list.rows = list.rows.slice(20);
    };
    const found = await watched(list.server).client.invoices.list({ status: 'fail' }).collect({ limit: 10 });
    expect(found.map(({ uuid }) => uuid)).toEqual(['row-45']);
  });

  test('rows left out by onInvalidItem do not count as missing either', async () => {
    const list = await movingList(uuids(60));
    list.arrange = (rows, read, page) =>
      page === 2 && read === 2 ? [...rows.slice(0, 20), 'row-0', ...rows.slice(21)] : rows;
    list.edit = (answer) => {
      const items = answer['items'] as { uuid: string }[]; // as moving-list makes them
      return Object.assign(answer, {
        items: items.map((item) => (item.uuid === 'row-50' ? { ...item, amount: 'x' } : item)),
      });
    };
    const invalid: InvalidItem[] = [];
    const found = await watched(list.server)
      .client.invoices.list({}, { onInvalidItem: (item) => invalid.push(item) })
      .collect({ limit: 100 });
    expect(found).toHaveLength(59);
    expect(invalid[0]).toMatchObject({ page: 3, index: 10, path: 'amount', raw: { uuid: 'row-50' } });
  });
});

describe('what the caller changes later changes nothing', () => {
  test('neither query nor options', async () => {
    const list = await movingList(uuids(60));
    const query: Record<string, unknown> = { status: 'pending', per_page: 20 };
    const headers: Record<string, string> = { 'x-shop': 'one' };
    const extra: Record<string, string> = { tenant: 'one' };
    const options: Record<string, unknown> = { headers, query: extra, prefetch: 1 };
    const call = clientOf(list.server.url).invoices.list(query, options);
    Object.assign(query, { status: 'success', page: 9, per_page: 1, currency: 'USD' });
    Object.assign(headers, { 'x-shop': 'two', 'x-more': 'two' });
    extra['tenant'] = 'two';
    Object.assign(options, {
      prefetch: 99,
      headers: {},
      query: {},
      signal: AbortSignal.abort(),
    });
    expect(await call.collect({ limit: 100 })).toHaveLength(60);
    expect(list.server.requests.map(({ url }) => url.split('?')[1])).toEqual([
      'status=pending&per_page=20&tenant=one',
      'status=pending&page=2&per_page=20&tenant=one',
      'status=pending&page=3&per_page=20&tenant=one',
    ]);
    for (const request of list.server.requests) {
      expect(request.headers['x-shop']).toBe('one');
      expect(request.headers).not.toHaveProperty('x-more');
    }
  });

  test('a Headers object, too', async () => {
    const list = await movingList(uuids(40));
    const headers = new Headers({ 'X-Shop': 'one' });
    const wrong = headers as unknown as Record<string, string>; // its type is a record, and a Headers is taken as well
    const call = clientOf(list.server.url).invoices.list({}, { headers: wrong });
    headers.set('X-Shop', 'two');
    await call.collect({ limit: 100 });
    expect(list.server.requests.map((request) => request.headers['x-shop'])).toEqual(['one', 'one']);
  });

  test('one query object, reused in a loop, makes as many different lists', async () => {
    const server = await serve(ok(page([])));
    const query: { status: 'success' | 'fail'; page: number } = { status: 'success', page: 1 };
    const calls = [];
    for (const status of ['success', 'fail'] as const) {
      query.status = status;
      calls.push(clientOf(server.url).invoices.list(query));
    }
    await Promise.all(calls);
    expect(server.requests.map(({ url }) => url.split('?')[1]).sort()).toEqual([
      'status=fail&page=1',
      'status=success&page=1',
    ]);
  });
});

describe('an argument that cannot be used', () => {
  const client = clientOf('https://pay.example');
  const bad: readonly [string, unknown, unknown, string][] = [
    ['a mistyped option', {}, { prefech: 2 }, 'options has no "prefech"; it has signal, '],
    ['options that are none', {}, 5, 'options must be an object, not 5'],
    ['null options', {}, null, 'options must be an object, not null'],
    ['a nested name', {}, { retry: { attempt: 1 } }, 'has no "attempt"'],
    ['a mistyped filter', { state: 'success' }, {}, 'state is not a parameter of this call'],
    ['a page of zero', { page: 0 }, {}, 'page must be a whole number from 1'],
    ['a query that is none', 'success', {}, 'must be an object'],
  ];

  test.each(bad)('%s rejects the call and never throws', async (_name, query, options, message) => {
    for (const list of [client.invoices, client.withdrawals]) {
      const call = list.list(query as never, options as never); // wrong on purpose
      const error = await errorOf(call);
      expect(error.message).toContain(message);
      expect(error.message).toContain('No request was made');
      expect(error.outcome).toBe('not_sent');
      await expect(call.collect({ limit: 1 })).rejects.toBe(error);
    }
  });

  test('a getter that throws rejects the call', async () => {
    const query = {
      get status(): 'success' {
        throw new Error('mine');
      },
    };
    await expect(client.invoices.list(query)).rejects.toThrow('cannot be read');
  });

  test.each([
    [{ limit: 5, limits: 3 }, 'collect has no "limits"; it has limit'],
    [{ limit: 5, signal: null }, 'collect has no "signal"; it has limit'],
  ])('%j is refused by collect', async (options, message) => {
    const list = await movingList(uuids(3));
    const error = await errorOf(clientOf(list.server.url).invoices.list().collect(options));
    expect(error).toMatchObject({ kind: 'configuration', code: 'SDK_INVALID_ARGUMENT', operation: 'invoices.list' });
    expect(error.message).toContain(message);
  });

  test('options of lists are none of other calls', async () => {
    for (const option of [{ prefetch: 2 }, { onInvalidItem: () => {} }]) {
      const error = await errorOf(client.invoices.get('order-1042', option as object)); // wrong on purpose
      expect(error).toMatchObject({ kind: 'configuration', code: 'SDK_INVALID_ARGUMENT' });
    }
  });
});

describe('what hooks and logger are told of a walk', () => {
  function recorded() {
    const errors: ErrorEvent[] = [];
    return { errors, options: { hooks: { onError: (event: ErrorEvent) => void errors.push(event) } } };
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test('nothing of the requests that a break has ended', async () => {
    const list = await movingList(uuids(200));
    const { errors, options } = recorded();
    let seen = 0;
    for await (const _ of clientOf(list.server.url, options).invoices.list({}, { prefetch: 4 })) {
      seen += 1;
      if (seen === 25) break;
    }
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(seen).toBe(25);
    expect(errors).toEqual([]);
  });

  test('nothing of a page that a shorter list does not have', async () => {
    const list = await movingList(uuids(60));
    list.pastEnd = refuse(404, 'NOT_FOUND');
    list.beforeRead = (read) => {
      if (read === 3) list.rows = list.rows.slice(30);
    };
    const { errors, options } = recorded();
    await clientOf(list.server.url, options).invoices.list().collect({ limit: 100 });
    expect(errors).toEqual([]);
  });

  test('an abort is one failure, however many requests it ends', async () => {
    const list = await movingList(uuids(200));
    const controller = new AbortController();
    const { errors, options } = recorded();
    const call = clientOf(list.server.url, options).invoices.list({}, { prefetch: 4, signal: controller.signal });
    const walk = async () => {
      let seen = 0;
      for await (const _ of call) {
        seen += 1;
        if (seen === 25) controller.abort('enough');
      }
    };
    expect(await errorOf(walk())).toMatchObject({ kind: 'aborted', reason: 'enough' });
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(errors).toMatchObject([{ operation: 'invoices.list', code: 'SDK_ABORTED' }]);
  });

  test.each([undefined, 1, 4])('the failure that ends the walk, once (prefetch %i)', async (prefetch) => {
    const list = await movingList(uuids(100));
    list.edit = (page, asked) => (asked >= 3 ? refuse(403, 'NOT_NOW') : page);
    const { errors, options } = recorded();
    const call = clientOf(list.server.url, options).invoices.list({}, { prefetch });
    expect(await errorOf(call.collect({ limit: 100 }))).toMatchObject({ code: 'NOT_NOW', page: 3 });
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(errors).toMatchObject([{ operation: 'invoices.list', code: 'NOT_NOW', status: 403 }]);
    expect(errors[0]?.durationMs).toBeGreaterThanOrEqual(0);
  });

  test('a walk that cannot be finished, too', async () => {
    const list = await movingList(uuids(60));
    list.edit = (page) => Object.assign(page, { page: 1 });
    const { errors, options } = recorded();
    expect(await errorOf(clientOf(list.server.url, options).invoices.list().collect({ limit: 100 }))).toMatchObject({
      code: 'SDK_PAGE',
    });
    expect(errors).toMatchObject([{ operation: 'invoices.list', code: 'SDK_PAGE' }]);
  });

  test('the failure of the first page once, in whichever view', async () => {
    const server = await serve(refuse(403, 'NO'));
    const { errors, options } = recorded();
    const call = clientOf(server.url, options).invoices.list();
    await errorOf(call);
    await errorOf(call.collect({ limit: 1 }));
    const walk = async (): Promise<Invoice[]> => {
      const seen: Invoice[] = [];
      for await (const invoice of call) seen.push(invoice);
      return seen;
    };
    await errorOf(walk());
    expect(errors).toHaveLength(1);
  });
});
