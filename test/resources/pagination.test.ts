import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import type { InvalidItem, ListOptions } from '../../src/options.ts';
import { answer, ok, refuse } from '../support/fault-steps.ts';
import { pendingInvoice } from '../support/fixtures/invoices.ts';
import { type MovingList, movingList, uuids } from '../support/moving-list.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

/** Each request is made when the one before it is answered, so their order is certain. */
const ONE_BY_ONE = { prefetch: 1 };

async function walk(list: MovingList, options: ListOptions = {}, query = {}): Promise<string[]> {
  const seen: string[] = [];
  for await (const { uuid } of clientOf(list.server.url).invoices.list(query, options)) seen.push(uuid);
  return seen;
}

describe('a list that stands still', () => {
  test.each([0, 1, 19, 20, 21, 40, 95])('of %i rows is read once, in order', async (count) => {
    const list = await movingList(uuids(count));
    expect(await walk(list)).toEqual(uuids(count));
    expect([...list.asked].sort((a, b) => a - b)).toEqual(
      Array.from({ length: Math.max(1, Math.ceil(count / 20)) }, (_, index) => index + 1),
    );
  });

  test('with prefetch, pages are asked for ahead and come in order', async () => {
    const list = await movingList(uuids(200));
    expect(await walk(list, { prefetch: 4 })).toEqual(uuids(200));
    expect([...list.asked].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test('the page size of the query goes along, the filter too', async () => {
    const list = await movingList(uuids(7));
    expect(await walk(list, {}, { per_page: 3, status: 'pending' })).toEqual(uuids(7));
    expect(list.server.requests.map(({ url }) => url.split('?')[1])).toEqual([
      'status=pending&per_page=3',
      'status=pending&page=2&per_page=3',
      'status=pending&page=3&per_page=3',
    ]);
  });

  test('every iteration begins at the page of the call and uses its response', async () => {
    const list = await movingList(uuids(60));
    const call = clientOf(list.server.url).invoices.list({ page: 2 });
    expect((await call).items).toHaveLength(20);
    const pages: number[] = [];
    for await (const page of call.pages()) pages.push(page.page);
    expect(pages).toEqual([2, 3]);
    expect((await call.collect({ limit: 1_000 })).map(({ uuid }) => uuid)).toEqual(uuids(60).slice(20));
    expect(list.asked).toEqual([2, 3, 3]);
  });

  test('collect stops at its limit, and needs one', async () => {
    const list = await movingList(uuids(60));
    const call = clientOf(list.server.url).invoices.list();
    expect(await call.collect({ limit: 25 })).toHaveLength(25);
    expect(await call.collect({ limit: 0 })).toEqual([]);
    expect(list.asked).toEqual([1, 2]);
    for (const limit of [undefined, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5']) {
      const wrong = { limit } as { limit: number }; // wrong on purpose
      const error = await errorOf(call.collect(wrong));
      expect(error).toMatchObject({ code: 'SDK_INVALID_ARGUMENT', operation: 'invoices.list' });
      expect((error as Error).message).not.toContain('No request was made'); // the list was requested
    }
    expect(await errorOf(call.collect(undefined as never))).toMatchObject({ code: 'SDK_INVALID_ARGUMENT' });
  });

  test.each([false, true])(
    'a walk that begins behind the end yields nothing (the last page responses: %s)',
    async (isLast) => {
      const list = await movingList(uuids(3));
      if (isLast) list.edit = (page) => Object.assign(page, { page: 1, items: [{ ...pendingInvoice, uuid: 'row-0' }] });
      expect(await walk(list, {}, { page: 9 })).toEqual([]);
      expect(list.asked).toEqual([9]);
    },
  );

  test('a page is plain data', async () => {
    const page = await clientOf((await movingList(uuids(1))).server.url).invoices.list();
    expect(Object.keys(page).sort()).toEqual([
      'has_next',
      'has_prev',
      'items',
      'page',
      'per_page',
      'total_items',
      'total_pages',
    ]);
    expect(Object.getPrototypeOf(page)).toBe(Object.prototype);
  });
});

describe('a list that moves', () => {
  test.each([undefined, 1, 4])('rows that join at the head are repeats, not news (prefetch %i)', async (prefetch) => {
    const list = await movingList(uuids(200));
    list.beforeRead = (read) => {
      if (read > 1) list.rows = [...uuids(3, `new${read}`), ...list.rows];
    };
    const seen = await walk(list, { prefetch });
    expect(new Set(seen).size).toBe(seen.length);
    for (const row of uuids(200)) expect(seen).toContain(row);
  });

  test('a whole page of news at each read does not end the walk', async () => {
    const list = await movingList(uuids(100));
    list.beforeRead = (read) => {
      if (read > 1 && read < 5) list.rows = [...uuids(20, `new${read}`), ...list.rows];
    };
    expect(await walk(list)).toEqual(expect.arrayContaining(uuids(100)));
  });

  test.each([undefined, 1, 4])(
    'rows that leave the filter as they are read are not missed (prefetch %i)',
    async (prefetch) => {
      const list = await movingList(uuids(200));
      const seen: string[] = [];
      for await (const { uuid } of clientOf(list.server.url).invoices.list({}, { prefetch })) {
        seen.push(uuid);
        list.rows = list.rows.filter((row) => row !== uuid); // settled: it is not pending any more
      }
      expect([...seen].sort()).toEqual(uuids(200).sort());
      expect(list.asked.length).toBeLessThanOrEqual(3 * 10 + 10);
    },
  );

  test.each([undefined, 1, 4])(
    'three of the rows read leave at each page: none is missed (prefetch %i)',
    async (prefetch) => {
      const list = await movingList(uuids(200));
      list.beforeRead = (read) => {
        if (read > 1) list.rows = list.rows.slice(3);
      };
      const seen = await walk(list, { prefetch });
      const gone = uuids(200).filter((row) => !list.rows.includes(row));
      expect(new Set(seen).size).toBe(seen.length);
      for (const row of uuids(200)) if (!gone.includes(row)) expect(seen).toContain(row);
      expect(list.asked.length).toBeLessThanOrEqual(3 * 10 + 10);
    },
  );

  test('a loss is followed by the earlier pages into which rows can have moved, once', async () => {
    const list = await movingList(uuids(100));
    list.beforeRead = (read) => {
      if (read === 3) list.rows = list.rows.slice(25);
    };
    expect(await walk(list, ONE_BY_ONE)).toEqual(expect.arrayContaining(uuids(100).slice(40)));
    expect(list.asked).toEqual([1, 2, 3, 1, 2, 4]);
  });

  test('rows that move on while the earlier page is read again are followed', async () => {
    const list = await movingList(uuids(100));
    list.beforeRead = (read) => {
      if (read === 4) list.rows = list.rows.slice(1);
      if (read === 5) list.rows = list.rows.slice(20); // what page 3 has lost is now on page 2
    };
    const seen = await walk(list);
    for (const row of list.rows) expect(seen).toContain(row);
  });

  test('a walk that began later looks before its beginning too', async () => {
    const list = await movingList(uuids(100));
    list.beforeRead = (read) => {
      if (read === 2) list.rows = list.rows.slice(30);
    };
    const seen = await walk(list, {}, { page: 2 });
    for (const row of uuids(100).slice(40)) expect(seen).toContain(row);
    expect(list.asked).toContain(1);
  });
});

describe('a service that does not keep its word', () => {
  test('ignores the name of the page: an error, not a loop', async () => {
    const list = await movingList(uuids(60));
    list.edit = (page) => Object.assign(page, { page: 1 });
    const error = await errorOf(walk(list));
    expect(error).toMatchObject({ kind: 'unexpected_response', code: 'SDK_PAGE', page: 2, operation: 'invoices.list' });
    expect(list.asked).toEqual([1, 2]);
  });

  test('always says that there is a next page', async () => {
    const list = await movingList(uuids(25));
    list.edit = (page) => Object.assign(page, { has_next: true });
    expect(await walk(list)).toEqual(uuids(25));
    expect(list.asked).toEqual([1, 2, 3]);
  });

  test('repeats a page for ever', async () => {
    const rows = uuids(20);
    const stuck = await movingList(rows);
    stuck.beforeRead = (_, page) => {
      stuck.rows = [...uuids((page - 1) * 20, 'pad'), ...rows]; // the same rows, whatever the page
    };
    stuck.edit = (page) => Object.assign(page, { has_next: true, total_items: 1_000, total_pages: 50 });
    expect(await errorOf(walk(stuck, ONE_BY_ONE))).toMatchObject({ code: 'SDK_PAGE' });
    expect(stuck.asked.length).toBeLessThanOrEqual(3 * 50 + 10);
  });

  test('loses rows for ever: the walk gives up', async () => {
    const list = await movingList(uuids(40));
    let total = 1_000_000;
    list.edit = (page) => {
      total -= 20;
      return Object.assign(page, { has_next: true, total_items: total, total_pages: 2 });
    };
    const error = await errorOf(walk(list));
    expect(error).toMatchObject({ code: 'SDK_PAGE' });
    expect(list.asked.length).toBe(3 * 2 + 10);
  });

  test('has pages of nothing', async () => {
    const list = await movingList(uuids(5));
    list.edit = (page) => Object.assign(page, { per_page: 0 });
    expect(await errorOf(walk(list))).toMatchObject({ code: 'SDK_PAGE' });
  });
});

describe('leaving and failing', () => {
  test('a break ends the requests', async () => {
    const list = await movingList(uuids(200));
    const { signal } = new AbortController();
    let seen = 0;
    for await (const _ of clientOf(list.server.url).invoices.list({}, { prefetch: 3, signal })) {
      seen += 1;
      if (seen === 25) break;
    }
    await vi.waitFor(() => expect(getEventListeners(signal, 'abort')).toHaveLength(0), { timeout: 30_000 });
    expect(list.asked.length).toBeLessThanOrEqual(4);
  });

  test('with prefetch 1 the next page waits until this one is used up', async () => {
    const list = await movingList(uuids(60));
    let seen = 0;
    for await (const _ of clientOf(list.server.url).invoices.list({}, ONE_BY_ONE)) {
      seen += 1;
      expect(list.asked).toHaveLength(Math.ceil(seen / 20));
    }
    expect(seen).toBe(60);
  });

  test('an abort ends the walk with the reason of the caller', async () => {
    const list = await movingList(uuids(60));
    const controller = new AbortController();
    list.beforeRead = (read) => {
      if (read === 2) controller.abort('enough');
    };
    expect(await errorOf(walk(list, { signal: controller.signal }))).toMatchObject({
      kind: 'aborted',
      reason: 'enough',
      page: 2,
    });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  test.each([undefined, 1, 4])(
    'the error names the page, and a walk can resume there (prefetch %i)',
    async (prefetch) => {
      const list = await movingList(uuids(100));
      list.edit = (page, asked) => (asked === 3 ? refuse(403, 'NOT_NOW') : page);
      const seen: string[] = [];
      const client = clientOf(list.server.url);
      const failing = async () => {
        for await (const { uuid } of client.invoices.list({}, { prefetch })) seen.push(uuid);
      };
      const error = await errorOf(failing());
      expect(error).toMatchObject({ kind: 'authentication', code: 'NOT_NOW', page: 3 });
      expect(seen).toEqual(uuids(40));
      list.edit = (page) => page;
      for await (const { uuid } of client.invoices.list({ page: error.page ?? 0 })) seen.push(uuid);
      expect(seen).toEqual(uuids(100));
    },
  );

  test('a failure of a moment repeats that page only', async () => {
    const list = await movingList(uuids(100));
    let failures = 2;
    list.edit = (page, asked) => {
      if (asked !== 3 || failures === 0) return page;
      failures -= 1;
      return answer(503, '');
    };
    expect(await walk(list, ONE_BY_ONE)).toEqual(uuids(100));
    expect(list.asked).toEqual([1, 2, 3, 3, 3, 4, 5]);
  });

  test.each(['onInvalidItem'])('%s that is no function is refused before the network', async (name) => {
    const list = await movingList(uuids(3));
    const error = await errorOf(clientOf(list.server.url).invoices.list({}, { [name]: 5 }));
    expect(error).toMatchObject({ kind: 'configuration', code: 'SDK_INVALID_ARGUMENT', outcome: 'not_sent' });
    expect(error.message).toBe(`invoices.list: options.${name} must be a function, not 5. No request was made.`);
    expect(list.asked).toEqual([]);
  });

  test.each([0, 33, 1.5, '2'])('prefetch is not %j', async (prefetch) => {
    const wrong = { prefetch } as { prefetch: number }; // wrong on purpose
    const error = await errorOf(clientOf('https://pay.example').invoices.list({}, wrong));
    expect(error.message).toContain('options.prefetch must be a whole number from 1 to 32, not ');
  });
});

describe('an item that is not as the interface says', () => {
  async function spoiled() {
    const list = await movingList(uuids(25));
    list.edit = (page, asked) => {
      const items = page['items'] as Record<string, unknown>[]; // as moving-list makes them
      if (asked === 2 && items[1]) items[1]['amount'] = 'a lot';
      return page;
    };
    return list;
  }

  test('fails its page', async () => {
    const error = await errorOf(walk(await spoiled()));
    expect(error).toMatchObject({ code: 'SDK_CONTRACT', page: 2, issues: [{ path: 'items.1.amount' }] });
  });

  test('is reported and left out with onInvalidItem', async () => {
    const invalid: InvalidItem[] = [];
    const seen = await walk(await spoiled(), { onInvalidItem: (item) => invalid.push(item) });
    expect(seen).toEqual(uuids(25).filter((row) => row !== 'row-21'));
    expect(invalid).toMatchObject([{ page: 2, index: 1, path: 'amount', raw: { uuid: 'row-21', amount: 'a lot' } }]);
  });

  test('a report that throws costs nothing', async () => {
    const options: ListOptions = {
      onInvalidItem: () => {
        throw new Error('mine');
      },
    };
    expect(await walk(await spoiled(), options)).toHaveLength(24);
  });
});

test('withdrawals are walked by the same rules', async () => {
  const list = await movingList([]);
  list.server.script = [1, 2].map((number) =>
    ok({
      items: [{ uuid: `w-${number}`, status: 'pending' }],
      page: number,
      per_page: 1,
      total_items: 2,
      total_pages: 2,
      has_next: number === 1,
      has_prev: number === 2,
    }),
  );
  const seen: string[] = [];
  for await (const { uuid } of clientOf(list.server.url).withdrawals.list({ status: 'pending', per_page: 1 }))
    seen.push(uuid);
  expect(seen).toEqual(['w-1', 'w-2']);
  expect(list.server.requests[1]?.url).toBe('/api/v1/external/withdrawals?status=pending&page=2&per_page=1');
});
