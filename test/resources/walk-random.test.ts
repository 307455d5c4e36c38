import { expect, it } from 'vitest';
import type { Page } from '../../src/contract/types.ts';
import { NotFoundError } from '../../src/errors/classes.ts';
import { walkPages } from '../../src/resources/walk.ts';
import fc from '../support/fast-check.ts';
import { uuids } from '../support/moving-list.ts';
import { scaled } from '../support/scaled.ts';

// Walks over random lists, which change between any two reads: no uuid twice, none missed or all that are missing counted,
// and a bounded number of requests.

interface Scenario {
  readonly count: number;
  readonly size: number;
  readonly prefetch: number;
  /** What a page behind the last one is answered with. */
  readonly pastEnd?: 'empty' | 'last' | 'not_found';
  /** Changes the list before a read, which is numbered from 0. */
  readonly change?: (rows: string[], read: number) => string[];
  /** The rows as this read shows them. The service counts those of the list. */
  readonly show?: (rows: readonly string[], read: number) => readonly string[];
  /** Turns of the event loop that a read takes. */
  readonly delays?: readonly number[];
}

const SIZES = {
  count: fc.integer({ min: 0, max: 60 }),
  size: fc.integer({ min: 1, max: 9 }),
  prefetch: fc.integer({ min: 1, max: 4 }),
};
const DELAYS = fc.array(fc.integer({ min: 0, max: 9 }));
/** Places in the list, in thousandths of it. */
const PLACES = fc.array(fc.integer({ min: 0, max: 999 }), { maxLength: 4 });

async function walked({ count, size, prefetch, pastEnd = 'empty', change, show, delays = [] }: Scenario) {
  let list = uuids(count);
  let reads = 0;
  let most = 1;
  const refused: number[] = [];
  const readPage = async (asked: number): Promise<Page<string>> => {
    const turns = delays[reads % Math.max(1, delays.length)] ?? 0;
    for (let turn = 0; turn < turns; turn += 1) await null;
    list = change?.(list, reads) ?? list;
    const rows = show?.(list, reads) ?? list;
    reads += 1;
    const total_pages = Math.ceil(list.length / size);
    most = Math.max(most, total_pages);
    const isPastEnd = asked > Math.max(1, total_pages);
    if (isPastEnd && pastEnd === 'not_found') {
      refused.push(asked);
      throw new NotFoundError({ code: 'NOT_FOUND', message: `there is no page ${asked}`, status: 404 });
    }
    const page = isPastEnd && pastEnd === 'last' ? Math.max(1, total_pages) : asked;
    const items = rows.slice((page - 1) * size, page * size);
    const next = { has_next: page < total_pages, has_prev: page > 1 };
    return { items, page, per_page: size, total_items: list.length, total_pages, ...next };
  };
  const seen: string[] = [];
  let error: unknown = null;
  const readRows = async (asked: number) => ({ page: await readPage(asked), skipped: [] });
  const first = await readRows(1);
  const read = (asked: number) => ({ page: readRows(asked), failed: () => {} });
  const key = (row: string): string => row;
  const source = { operation: 'test', first, startPage: 1, prefetch, signal: null, key, read };
  try {
    for await (const { items } of walkPages(source)) seen.push(...items);
  } catch (thrown) {
    error = thrown;
  }
  expect(new Set(seen).size, 'no uuid twice').toBe(seen.length);
  expect(reads).toBeLessThanOrEqual(3 * most + 10);
  const isRefusedTwice = new Set(refused).size < refused.length;
  return { seen, error, isRefusedTwice, stayed: uuids(count).filter((row) => list.includes(row)) };
}

/** A walk to the end that has every row which stayed in the list all the time. A page that is refused twice ends it. */
async function expectWhole(scenario: Scenario): Promise<void> {
  const { seen, stayed, error, isRefusedTwice } = await walked(scenario);
  if (error !== null && isRefusedTwice) return;
  expect(error).toBeNull();
  expect(seen).toEqual(expect.arrayContaining(stayed));
}

const without = (rows: readonly string[], places: readonly number[]): string[] => {
  const gone = new Set(places.map((place) => Math.floor((place * rows.length) / 1_000)));
  return rows.filter((_, at) => !gone.has(at));
};

it.each(['empty', 'last', 'not_found'] as const)(
  'none is missed of a list that loses rows, by a service whose page behind the last one is: %s',
  (pastEnd) => {
    const losses = fc.array(PLACES, { maxLength: 60 });
    return fc.assert(
      fc.asyncProperty(fc.record({ ...SIZES, losses, delays: DELAYS }), ({ losses, ...rest }) =>
        expectWhole({
          ...rest,
          pastEnd,
          change: (rows, read) => (read === 0 ? rows : without(rows, losses[read] ?? [])),
        }),
      ),
      { numRuns: scaled(1_000) },
    );
  },
);

it('rows that join hide none of the others', () => {
  const growth = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 12 });
  return fc.assert(
    fc.asyncProperty(fc.record({ ...SIZES, growth, delays: DELAYS }), ({ growth, ...rest }) =>
      expectWhole({ ...rest, change: (rows, read) => [...uuids(growth[read] ?? 0, `new${read}`), ...rows] }),
    ),
    { numRuns: scaled(1_000) },
  );
});

it.each(['empty', 'not_found'] as const)(
  'none is missed of a list that loses rows and gains others in turn: %s',
  (pastEnd) => {
    const gain = fc.record({ gain: fc.integer({ min: 1, max: 25 }), lose: fc.constant([]) });
    const lose = fc.record({ gain: fc.constant(0), lose: PLACES });
    // One read at a time: what a page shows that was read ahead, and is not needed, shows nobody a loss.
    const scenario = fc.record({
      ...SIZES,
      prefetch: fc.constant(1),
      turns: fc.array(fc.oneof(gain, lose), { maxLength: 12 }),
    });
    return fc.assert(
      fc.asyncProperty(scenario, ({ turns, ...sizes }) =>
        expectWhole({
          ...sizes,
          pastEnd,
          change(rows, read) {
            const { gain = 0, lose = [] } = turns[read] ?? {};
            return [...uuids(gain, `new${read}`), ...without(rows, lose)];
          },
        }),
      ),
      { numRuns: scaled(1_000) },
    );
  },
);

it('whatever order each read shows, the walk has every row or says how many are missing', async () => {
  const orders = fc.array(fc.array(fc.nat(999), { maxLength: 8 }), { maxLength: 40 });
  let complete = 0;
  let failed = 0;
  await fc.assert(
    fc.asyncProperty(fc.record({ ...SIZES, orders }), async ({ orders, ...sizes }) => {
      const { count } = sizes;
      const { seen, error } = await walked({
        ...sizes,
        show(rows, read) {
          const shown = [...rows];
          for (const place of orders[read] ?? []) shown.unshift(...shown.splice(place % Math.max(1, count), 1));
          return shown;
        },
      });
      if (error === null) expect([...seen].sort()).toEqual(uuids(count).sort());
      else {
        const missing = `test: ${count - seen.length} of ${count} rows (is|are) missing|the list still changes`;
        expect((error as Error).message).toMatch(new RegExp(missing));
      }
      if (error === null) complete += 1;
      else failed += 1;
    }),
    { numRuns: scaled(1_500) },
  );
  expect(complete).toBeGreaterThan(scaled(200));
  if (complete + failed >= 1_500) expect(failed).toBeGreaterThan(5); // few runs may have no failure
});

it('a row that is never served is missed, and said to be', () => {
  const scenario = fc.record({ ...SIZES, hidden: fc.nat(999), copy: fc.nat(999), isCopied: fc.boolean() });
  return fc.assert(
    fc.asyncProperty(scenario, async ({ hidden, copy, isCopied, ...sizes }) => {
      const { count } = sizes;
      fc.pre(count > 1 && hidden % count !== copy % count);
      const rows = uuids(count);
      const shown = isCopied
        ? rows.map((row, place) => (place === hidden % count ? `row-${copy % count}` : row))
        : rows.filter((_, place) => place !== hidden % count);
      const { seen, error } = await walked({ ...sizes, show: () => shown });
      expect(seen).toHaveLength(count - 1);
      expect((error as Error).message).toContain(`1 of ${count} rows is missing`);
    }),
    { numRuns: scaled(500) },
  );
});
