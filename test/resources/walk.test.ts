import { describe, expect, it } from 'vitest';
import type { ListOptions } from '../../src/index.ts';
import { answer, refuse } from '../support/fault-steps.ts';
import { pendingInvoice } from '../support/fixtures/invoices.ts';
import { type MovingList, movingList, uuids } from '../support/moving-list.ts';
import { clientOf } from '../support/test-client.ts';

// A walk yields every row once, or says how many are missing. Pages have 20 rows. Beside it: walk-random.test.ts.

/** Each request is made when the one before it is answered, so their order is certain. */
const ONE_BY_ONE = { prefetch: 1 };

interface Walked {
  readonly seen: readonly string[];
  readonly error: unknown;
}

async function walked(
  list: MovingList,
  query = {},
  options: ListOptions = {},
  onRow = (_uuid: string): void => {},
): Promise<Walked> {
  const seen: string[] = [];
  const client = clientOf(list.server.url);
  let error: unknown = null;
  try {
    for await (const { uuid } of client.invoices.list(query, options)) {
      seen.push(uuid);
      onRow(uuid);
    }
  } catch (thrown) {
    error = thrown;
  }
  expect(new Set(seen).size, 'no uuid twice').toBe(seen.length);
  return { seen, error };
}

const sorted = <T>(values: readonly T[]) => [...values].sort();
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe('a list that stands still', () => {
  it.each([0, 1, 19, 20, 21, 40, 95, 200])('of %i rows is read once, in order', async (count) => {
    for (const prefetch of [undefined, 1, 4]) {
      const list = await movingList(uuids(count));
      expect(await walked(list, {}, { prefetch })).toEqual({ seen: uuids(count), error: null });
      expect(list.asked.sort((a, b) => a - b)).toEqual(upTo(Math.max(1, Math.ceil(count / 20))));
    }
  });

  it('of no rows may call its page size 0', async () => {
    const list = await movingList([]);
    list.edit = (page) => Object.assign(page, { per_page: 0 });
    expect(await walked(list)).toMatchObject({ seen: [], error: null });
  });

  it('is asked for with the filter and the page size of the call', async () => {
    const list = await movingList(uuids(7));
    const query = { per_page: 3, status: 'pending' };
    expect((await walked(list, query)).seen).toEqual(uuids(7));
    expect(list.server.requests.map(({ url }) => url.split('?')[1])).toEqual([
      'status=pending&per_page=3',
      'status=pending&per_page=3&page=2',
      'status=pending&per_page=3&page=3',
    ]);
  });

  it.each([false, true])('yields nothing to a walk from behind its end (the last page comes: %s)', async (isLast) => {
    const list = await movingList(uuids(3));
    if (isLast) list.edit = (page) => Object.assign(page, { page: 1, items: [{ ...pendingInvoice, uuid: 'row-0' }] });
    expect(await walked(list, { page: 9 })).toMatchObject({ seen: [], error: null });
    expect(list.asked).toEqual([9]);
  });
});

describe('a list that moves', () => {
  /** Changes the list before a read, which is numbered from 1. */
  type Move = (list: MovingList, read: number) => void;
  const join = (list: MovingList, read: number, count: number) => {
    list.rows = [...uuids(count, `new${read}-`), ...list.rows];
  };
  const lose = (list: MovingList, count: number) => {
    list.rows = list.rows.slice(count);
  };

  it.each<[string, Move]>([
    ['three rows join at its head before each read', (list, read) => read > 1 && join(list, read, 3)],
    ['more than a page of the rows read leaves at once', (list, read) => read === 3 && lose(list, 25)],
    ['rows leave while an earlier page is read again', (list, read) => (read === 4 || read === 5) && lose(list, 20)],
  ])('misses no row that stays, where %s', async (_name, move) => {
    for (const prefetch of [undefined, 1, 4]) {
      const list = await movingList(uuids(200));
      list.beforeRead = (read) => void move(list, read);
      const { seen, error } = await walked(list, {}, { prefetch });
      expect(error).toBeNull();
      expect(seen).toEqual(expect.arrayContaining(uuids(200).filter((row) => list.rows.includes(row))));
      expect(list.asked.length).toBeLessThanOrEqual(3 * 13 + 10);
    }
  });

  it.each([undefined, 1, 4])('misses no row, where each leaves as it is read (prefetch %s)', async (prefetch) => {
    const list = await movingList(uuids(200));
    const { seen } = await walked(list, {}, { prefetch }, (uuid) => {
      list.rows = list.rows.filter((row) => row !== uuid); // settled: it is not pending any more
    });
    expect(sorted(seen)).toEqual(sorted(uuids(200)));
    expect(list.asked.length).toBeLessThanOrEqual(3 * 10 + 10);
  });

  it('is followed to the earlier pages into which rows can have moved, once', async () => {
    const list = await movingList(uuids(100));
    list.beforeRead = (read) => void (read === 3 && lose(list, 25));
    expect((await walked(list, {}, ONE_BY_ONE)).seen).toEqual(expect.arrayContaining(uuids(100).slice(40)));
    expect(list.asked).toEqual([1, 2, 3, 1, 2, 4]);
  });

  it('is followed to before the page at which the walk began', async () => {
    const list = await movingList(uuids(100));
    list.beforeRead = (read) => void (read === 2 && lose(list, 30));
    const { seen } = await walked(list, { page: 2 });
    expect(seen).toEqual(expect.arrayContaining(uuids(100).slice(40)));
    expect(list.asked).toContain(1);
  });

  it.each<[string, ReturnType<typeof refuse>]>([
    ['404', refuse(404, 'NOT_FOUND')],
    ['422', refuse(422, 'VALIDATION_ERROR')],
    ['400', refuse(400, 'PAGE_OUT_OF_RANGE')],
  ])('is walked to its end, where the next page is gone with %s and comes back', async (_name, gone) => {
    const list = await movingList(uuids(100));
    list.pastEnd = gone;
    list.beforeRead = (read) => {
      if (read === 4) lose(list, 45); // page 4 is gone
      if (read === 5) join(list, read, 45); // and there again when page 3 is asked for
    };
    const { seen, error } = await walked(list, {}, ONE_BY_ONE);
    expect(error).toBeNull();
    expect(seen).toEqual(expect.arrayContaining(uuids(100).slice(45)));
    expect(list.asked.slice(0, 6)).toEqual([1, 2, 3, 4, 3, 4]);
  });
});

describe('a list without stable order', () => {
  /** The rows with those from one place on replaced by copies of others, on one page only. */
  const instead = (rows: readonly string[], at: number, by: readonly string[]): string[] => [
    ...rows.slice(0, at),
    ...by,
    ...rows.slice(at + by.length),
  ];
  type Arrange = MovingList['arrange'];
  const hidden =
    (at: number, by: readonly string[]): Arrange =>
    (rows) =>
      instead(rows, at, by);
  const TWICE = [1, 2, 3, 1, 2, 3];

  it.each<[string, number, Arrange, object, number[]]>([
    ['a page', 60, (rows, read, page) => (page === 2 && read < 4 ? instead(rows, 20, uuids(5)) : rows), {}, TWICE],
    [
      'a page of repeats alone',
      80,
      (rows, read, page) => (page === 2 && read < 6 ? instead(rows, 20, uuids(20)) : rows),
      {},
      [1, 2, 3, 4, 1, 2, 3, 4],
    ],
    [
      'a page, for a walk from a later one',
      100,
      (rows, read) => (read <= 3 ? instead(rows, 80, ['row-41', 'row-42']) : rows),
      { page: 3 },
      [3, 4, 5, 3, 4, 5],
    ],
  ])('is complete, where the second reading shows every row: %s', async (_name, count, arrange, query, asked) => {
    const list = await movingList(uuids(count));
    list.arrange = arrange;
    const { seen, error } = await walked(list, query, ONE_BY_ONE);
    expect(error).toBeNull();
    expect(sorted(seen)).toEqual(sorted(uuids(count).slice('page' in query ? 40 : 0)));
    expect(list.asked).toEqual(asked);
  });

  it('is read again where a row comes twice, although a row that left makes the count fit', async () => {
    const list = await movingList(uuids(60));
    list.beforeRead = (read) => {
      if (read === 2) list.rows = list.rows.slice(1);
    };
    list.arrange = (rows, read) => (read <= 4 ? instead(rows, 45, ['row-5']) : rows);
    const { seen, error } = await walked(list, {}, ONE_BY_ONE);
    expect(error).toBeNull();
    expect(sorted(seen)).toEqual(sorted(uuids(60)));
    expect(list.asked).toEqual([1, 2, 1, 3, 1, 2, 3]);
  });

  it.each<[string, number, Arrange, object, number, string, number[]]>([
    ['five rows are never served', 60, hidden(20, uuids(5)), {}, 55, '5 of 60 rows are missing', TWICE],
    [
      'two rows',
      100,
      hidden(80, ['row-41', 'row-42']),
      { page: 3 },
      58,
      '2 of 100 rows are missing',
      [3, 4, 5, 3, 4, 5],
    ],
  ])(
    'ends with what is missing, after two readings: %s',
    async (_name, count, arrange, query, rows, message, asked) => {
      const list = await movingList(uuids(count));
      list.arrange = arrange;
      const { seen, error } = await walked(list, query, ONE_BY_ONE);
      expect(seen).toHaveLength(rows);
      expect(error).toMatchObject({ code: 'SDK_PAGE', kind: 'unexpected_response', operation: 'invoices.list' });
      expect(error).toMatchObject({ page: asked[0], message: expect.stringMatching(`\\b${message}`) });
      expect(list.asked).toEqual(asked);
    },
  );

  it('counts in the second reading the rows that joined during the first', async () => {
    const list = await movingList(uuids(60));
    list.beforeRead = (read) => {
      if (read === 2) list.rows = [...list.rows, 'late-0', 'late-1'];
    };
    list.arrange = hidden(20, uuids(5));
    const { seen, error } = await walked(list, {}, ONE_BY_ONE);
    expect(seen).toHaveLength(57);
    expect(error).toMatchObject({ message: expect.stringContaining('5 of 62 rows are missing') });
  });
});

describe('a service with another size than was asked for', () => {
  it.each([
    [50, 20],
    [5, 20],
    [100, 7],
  ])('asked for %i rows on a page, it has %i, which the walk takes', async (per_page, size) => {
    const list = await movingList(uuids(60));
    list.size = size;
    const { seen, error } = await walked(list, { per_page });
    expect(error).toBeNull();
    expect(seen).toEqual(uuids(60));
    expect(list.asked).toHaveLength(Math.ceil(60 / size));
    for (const { url } of list.server.requests) expect(url).toContain(`per_page=${per_page}`);
  });

  it('may have a default beyond what may be asked for', async () => {
    const list = await movingList(uuids(600));
    list.size = 250;
    expect(await walked(list)).toMatchObject({ seen: uuids(600), error: null });
  });

  it('may call the rows of the last page its size', async () => {
    const list = await movingList(uuids(45));
    list.edit = (page) => Object.assign(page, { per_page: (page['items'] as unknown[]).length }); // as moving-list makes it
    expect(await walked(list)).toMatchObject({ seen: uuids(45), error: null });
  });
});

describe('a service that contradicts itself', () => {
  it('about a next page: the counts decide', async () => {
    const list = await movingList(uuids(25));
    list.edit = (page) => Object.assign(page, { has_next: true });
    expect(await walked(list)).toMatchObject({ seen: uuids(25), error: null });
    expect(list.asked).toEqual([1, 2, 3]);
  });

  type Edit = (page: Record<string, unknown>, asked: number) => unknown;
  let total = 1_000_000;
  it.each<[string, Edit, rows: number, page: number, message: string, requests: number]>([
    ['a total of more', (page) => Object.assign(page, { total_items: 500 }), 45, 1, '455 of 500 rows are missing', 8],
    [
      'a last page that is none by the counts',
      (page, asked) => Object.assign(page, { has_next: asked < 2, total_pages: 2 }),
      40,
      1,
      '5 of 45 rows are missing',
      4,
    ],
    [
      'an empty page in the middle',
      (page, asked) => (asked === 2 ? Object.assign(page, { items: [] }) : page),
      25,
      1,
      '20 of 45 rows are missing',
      6,
    ],
    [
      'a total that falls for ever',
      (page) => {
        total -= 20;
        return Object.assign(page, { has_next: true, total_items: total, total_pages: 3 });
      },
      40,
      2,
      'the walk has made 19 requests for a list of 3 pages, and the list still changes',
      19,
    ],
    ['one page, whatever was asked', (page) => Object.assign(page, { page: 1 }), 20, 2, 'page 2 was requested and', 2],
    ['pages of no rows', (page) => Object.assign(page, { per_page: 0 }), 0, 1, 'pages of 0 came', 1],
    [
      'another size from the third page on',
      (page, asked) => Object.assign(page, { per_page: asked < 3 ? 20 : 50, has_next: true }),
      40,
      3,
      'began with pages of 20, and pages of 50 come now',
      3,
    ],
    [
      'a page that it counts and refuses',
      (page, asked) => (asked === 3 ? refuse(404, 'GONE') : page),
      40,
      3,
      'GONE',
      5,
    ],
  ])('ends the walk with an error that says so: %s', async (_name, edit, rows, page, message, requests) => {
    const list = await movingList(uuids(45));
    list.edit = edit;
    const { seen, error } = await walked(list, {}, ONE_BY_ONE);
    expect(seen).toHaveLength(rows);
    expect(error).toMatchObject({ page, message: expect.stringContaining(message) });
    if (message !== 'GONE') expect(error).toMatchObject({ code: 'SDK_PAGE', operation: 'invoices.list' });
    expect(list.asked.length).toBeLessThanOrEqual(requests);
  });
});

describe('a page that fails', () => {
  it.each([undefined, 1, 4])('is named by the error, and a walk can resume there (prefetch %s)', async (prefetch) => {
    const list = await movingList(uuids(100));
    list.edit = (page, asked) => (asked === 3 ? refuse(403, 'NOT_NOW') : page);
    const { seen, error } = await walked(list, {}, { prefetch });
    expect(error).toMatchObject({ kind: 'authentication', code: 'NOT_NOW', page: 3 });
    list.edit = (page) => page;
    expect([...seen, ...(await walked(list, { page: 3 })).seen]).toEqual(uuids(100));
  });

  it('for a moment is the only one that is asked for again', async () => {
    const list = await movingList(uuids(100));
    let failures = 2;
    list.edit = (page, asked) => {
      if (asked !== 3 || failures === 0) return page;
      failures -= 1;
      return answer(503, '');
    };
    expect(await walked(list, {}, ONE_BY_ONE)).toMatchObject({ seen: uuids(100), error: null });
    expect(list.asked).toEqual([1, 2, 3, 3, 3, 4, 5]);
  });
});
