import { describe, expect, test } from 'vitest';
import type { DriftEvent } from '../../src/index.ts';
import type { ListOptions } from '../../src/options.ts';
import { refuse } from '../support/fault-steps.ts';
import { type MovingList, movingList, uuids } from '../support/moving-list.ts';
import { clientOf } from '../support/test-client.ts';

// A walk yields every row, or says how many are missing. Each service here misbehaves in one way.

/** Each request is made when the one before it is answered, so their order is certain. */
const ONE_BY_ONE = { prefetch: 1 };

interface Walked {
  readonly seen: readonly string[];
  readonly error: unknown;
  readonly drift: readonly DriftEvent[];
}

async function walked(list: MovingList, query = {}, options: ListOptions = {}): Promise<Walked> {
  const seen: string[] = [];
  const drift: DriftEvent[] = [];
  const client = clientOf(list.server.url, { onDrift: (event) => drift.push(event) });
  let error: unknown = null;
  try {
    for await (const { uuid } of client.invoices.list(query, options)) seen.push(uuid);
  } catch (thrown) {
    error = thrown;
  }
  expect(new Set(seen).size, 'no uuid twice').toBe(seen.length);
  return { seen, error, drift };
}

/** The rows with those from one place on replaced by copies of others, on one page only. */
const instead = (rows: readonly string[], at: number, by: readonly string[]): string[] => [
  ...rows.slice(0, at),
  ...by,
  ...rows.slice(at + by.length),
];

describe('a list without stable order', () => {
  test('that shows every row when it is read again is complete', async () => {
    const list = await movingList(uuids(60));
    list.arrange = (rows, read, page) => (page === 2 && read < 4 ? instead(rows, 20, uuids(5)) : rows);
    const { seen, error } = await walked(list);
    expect(error).toBeNull();
    expect([...seen].sort()).toEqual(uuids(60).sort());
    expect(list.asked).toEqual([1, 2, 3, 1, 2, 3]);
  });

  test.each([
    [5, '5 of 60 rows are missing'],
    [1, '1 of 60 rows is missing'],
  ])('that never serves %i rows ends with what is missing, after two readings', async (hidden, message) => {
    const list = await movingList(uuids(60));
    list.arrange = (rows) => instead(rows, 20, uuids(hidden));
    const { seen, error } = await walked(list);
    expect(seen).toHaveLength(60 - hidden);
    expect(error).toMatchObject({ code: 'SDK_PAGE', kind: 'unexpected_response', page: 1, operation: 'invoices.list' });
    expect((error as Error).message).toContain(message);
    expect(list.asked).toEqual([1, 2, 3, 1, 2, 3]);
  });

  test('counts anew, in the second reading, the rows that joined during the first', async () => {
    const list = await movingList(uuids(60));
    list.beforeRead = (read) => {
      if (read === 2) list.rows = [...list.rows, 'late-0', 'late-1'];
    };
    list.arrange = (rows) => instead(rows, 20, uuids(5)); // five rows are never served
    const { seen, error } = await walked(list, {}, ONE_BY_ONE);
    expect(seen).toHaveLength(57);
    expect((error as Error).message).toContain('5 of 62 rows are missing');
  });

  test('asks for each page again, also for one that was read ahead', async () => {
    const list = await movingList(uuids(60));
    list.arrange = (rows, read) => (read <= 3 ? instead(rows, 20, uuids(5)) : rows);
    const { seen, error } = await walked(list, {}, { prefetch: 4 });
    expect(error).toBeNull();
    expect([...seen].sort()).toEqual(uuids(60).sort());
    expect(list.asked.filter((page) => page === 2)).toHaveLength(2);
  });

  test('is noticed from wherever the walk begins', async () => {
    const list = await movingList(uuids(100));
    list.arrange = (rows) => instead(rows, 80, ['row-41', 'row-42']);
    const { seen, error } = await walked(list, { page: 3 });
    expect(seen).toHaveLength(58);
    expect((error as Error).message).toMatch(/\b2 of 100 rows are missing/); // neither 42 nor 82
    expect(list.asked).toEqual([3, 4, 5, 3, 4, 5]);
  });

  test('is complete from a later page on: the rows before it are not missed', async () => {
    const list = await movingList(uuids(100));
    list.arrange = (rows, read) => (read <= 3 ? instead(rows, 80, ['row-41', 'row-42']) : rows);
    const { seen, error } = await walked(list, { page: 3 }, ONE_BY_ONE);
    expect(error).toBeNull();
    expect([...seen].sort()).toEqual(uuids(100).slice(40).sort());
    expect(list.asked).toEqual([3, 4, 5, 3, 4, 5]);
  });

  test('with rows twice on one page counts each once', async () => {
    const list = await movingList(uuids(40));
    list.arrange = (rows) => instead(rows, 38, ['row-0', 'row-0']);
    const { seen, error } = await walked(list);
    expect(seen).toHaveLength(38);
    expect((error as Error).message).toContain('2 of 40 rows are missing');
  });

  test('is read again with prefetch too', async () => {
    const list = await movingList(uuids(200));
    list.arrange = (rows, read, page) => (page === 4 && read <= 10 ? instead(rows, 60, uuids(20)) : rows);
    const { seen, error } = await walked(list, {}, { prefetch: 4 });
    expect(error).toBeNull();
    expect([...seen].sort()).toEqual(uuids(200).sort());
  });
});

describe('a page of repeats alone', () => {
  test('does not end the walk, and the list is read again', async () => {
    const list = await movingList(uuids(80));
    list.arrange = (rows, read, page) => (page === 2 && read < 6 ? instead(rows, 20, uuids(20)) : rows);
    const { seen, error } = await walked(list, {}, ONE_BY_ONE);
    expect(error).toBeNull();
    expect([...seen].sort()).toEqual(uuids(80).sort());
    expect(list.asked).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
  });

  test('of more than a few pages end it with the number of missing rows, after bounded reads', async () => {
    const list = await movingList(uuids(200));
    list.arrange = (rows, _read, page) => (page > 2 ? instead(rows, (page - 1) * 20, uuids(20)) : rows);
    const { seen, error } = await walked(list, {}, ONE_BY_ONE);
    expect(seen).toEqual(uuids(40));
    expect(error).toMatchObject({ code: 'SDK_PAGE' });
    expect((error as Error).message).toContain('160 of 200 rows are missing');
    expect(list.asked).toHaveLength(20);
  });
});

describe('a service with another size than was asked for', () => {
  test.each([
    [50, 20],
    [5, 20],
    [100, 7],
  ])('asked for %i, it answers %i, which the walk takes', async (per_page, size) => {
    const list = await movingList(uuids(60));
    list.size = size;
    const { seen, error, drift } = await walked(list, { per_page });
    expect(error).toBeNull();
    expect(seen).toEqual(uuids(60));
    expect(drift).toEqual([{ operation: 'invoices.list', path: 'per_page', kind: 'size_ignored' }]);
    expect(list.asked).toHaveLength(Math.ceil(60 / size));
    for (const { url } of list.server.requests) expect(url).toContain(`per_page=${per_page}`);
  });

  test('may have a default beyond what may be asked for', async () => {
    const list = await movingList(uuids(600));
    list.size = 250;
    expect(await walked(list)).toMatchObject({ seen: uuids(600), error: null, drift: [] });
    for (const { url } of list.server.requests) expect(url).not.toContain('per_page');
  });

  test('is followed when it shrinks', async () => {
    const list = await movingList(uuids(100));
    list.size = 10;
    list.beforeRead = (read) => {
      if (read === 4) list.rows = list.rows.slice(25);
    };
    const { seen, error } = await walked(list, { per_page: 50 });
    expect(error).toBeNull();
    expect(seen).toEqual(expect.arrayContaining(list.rows));
  });

  test('that changes during the walk ends it', async () => {
    const list = await movingList(uuids(200));
    list.beforeRead = (read) => {
      list.size = read < 3 ? 20 : 50;
    };
    const { seen, error } = await walked(list);
    expect(seen).toEqual(uuids(40));
    expect(error).toMatchObject({ code: 'SDK_PAGE', page: 3 });
    expect((error as Error).message).toContain('began with pages of 20, and pages of 50 come now');
  });

  test('may call the rows of the last page its size', async () => {
    const list = await movingList(uuids(45));
    list.edit = (page) => Object.assign(page, { per_page: (page['items'] as unknown[]).length });
    expect(await walked(list)).toMatchObject({ seen: uuids(45), error: null });
  });
});

describe('a list that shrinks past the page asked for and grows again', () => {
  test.each([
    ['404', refuse(404, 'NOT_FOUND')],
    ['422', refuse(422, 'VALIDATION_ERROR')],
    ['400', refuse(400, 'PAGE_OUT_OF_RANGE')],
  ])('is walked to its end (%s)', async (_name, refusal) => {
    const list = await movingList(uuids(100));
    list.pastEnd = refusal;
    list.beforeRead = (read) => {
      if (read === 4) list.rows = list.rows.slice(45); // page 4 is gone
      if (read === 5) list.rows = [...uuids(45, 'new'), ...list.rows]; // and there again when page 3 is asked for
    };
    const { seen, error } = await walked(list, {}, ONE_BY_ONE);
    expect(error).toBeNull();
    expect(seen).toEqual(expect.arrayContaining(uuids(100).slice(45)));
    expect(list.asked.slice(0, 6)).toEqual([1, 2, 3, 4, 3, 4]);
  });

  test('that counts a page and refuses it twice fails with the refusal', async () => {
    const list = await movingList(uuids(100));
    list.edit = (page, asked) => (asked === 4 ? refuse(404, 'NO_SUCH_PAGE') : page);
    const { error } = await walked(list, {}, ONE_BY_ONE);
    expect(error).toMatchObject({ code: 'NO_SUCH_PAGE', page: 4 });
    expect(list.asked).toEqual([1, 2, 3, 4, 3, 4]);
  });
});

describe('counts that contradict the pages', () => {
  test.each<[string, (page: Record<string, unknown>, asked: number) => object, number, string]>([
    [
      'a total that counts more than there is',
      (page) => Object.assign(page, { total_items: 500 }),
      45,
      '455 of 500 rows are missing',
    ],
    [
      'a last page that is none by the counts',
      (page, asked) => Object.assign(page, { has_next: asked < 2, total_pages: 2 }),
      40,
      '5 of 45 rows are missing',
    ],
    [
      'an empty page in the middle',
      (page, asked) => (asked === 2 ? Object.assign(page, { items: [] }) : page),
      25,
      '20 of 45 rows are missing',
    ],
    [
      'pages that are empty for ever',
      (page) => Object.assign(page, { total_items: 1_000, total_pages: 4, has_next: true }),
      45,
      '955 of 1000 rows are missing',
    ],
  ])(
    '%s: the list is read once more, then the error says how many rows are missing',
    async (_name, edit, count, message) => {
      const list = await movingList(uuids(45));
      list.edit = edit;
      const { seen, error } = await walked(list, {}, ONE_BY_ONE);
      expect(seen).toHaveLength(count);
      expect(error).toMatchObject({ code: 'SDK_PAGE', page: 1 });
      expect((error as Error).message).toContain(message);
      expect(list.asked.length).toBeLessThanOrEqual(8);
    },
  );
});
