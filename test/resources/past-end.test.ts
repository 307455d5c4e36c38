import { expect, it } from 'vitest';
import type { Page } from '../../src/contract/types.ts';
import { NotFoundError } from '../../src/errors/classes.ts';
import { walkPages } from '../../src/resources/list.ts';
import fc from '../support/fast-check.ts';
import { scaled } from '../support/scaled.ts';

// Walks over lists that lose rows between any two reads, by services that answer a page beyond the last in their own ways.

type PastEnd = 'empty' | 'last' | 'not_found';

interface List {
  rows: string[];
  reads: number;
}

function pageOf(list: List, asked: number, perPage: number, pastEnd: PastEnd): Page<string> {
  list.reads += 1;
  const total = list.rows.length;
  const pages = Math.ceil(total / perPage);
  const last = Math.max(1, pages);
  if (asked > last && pastEnd === 'not_found') {
    throw new NotFoundError({ code: 'NOT_FOUND', message: `there is no page ${asked}`, status: 404 });
  }
  const page = asked > last && pastEnd === 'last' ? last : asked;
  const items = list.rows.slice((page - 1) * perPage, page * perPage);
  const next = { has_next: page < pages, has_prev: page > 1 };
  return { items, page, per_page: perPage, total_items: total, total_pages: pages, ...next };
}

/** Walks to the end; before each read but the first, `losses` says which rows go, by their place. */
async function walked(list: List, losses: readonly number[][], perPage: number, prefetch: number, pastEnd: PastEnd) {
  const seen: string[] = [];
  const schedule = [...losses];
  const source = {
    operation: 'rows.list',
    first: pageOf(list, 1, perPage, pastEnd),
    startPage: 1,
    prefetch,
    signal: null,
    key: (row: string) => row,
    async read(page: number) {
      const gone = new Set((schedule.shift() ?? []).map((place) => list.rows[place % Math.max(1, list.rows.length)]));
      list.rows = list.rows.filter((row) => !gone.has(row));
      return pageOf(list, page, perPage, pastEnd);
    },
  };
  for await (const { items } of walkPages(source)) seen.push(...items);
  return seen;
}

const count = fc.integer({ min: 0, max: 40 });
const losses = fc.array(fc.array(fc.nat(40), { maxLength: 12 }), { maxLength: 8 });

it.each(['empty', 'last', 'not_found'] as const)('a shrinking list loses no row of its walk: %s', (pastEnd) =>
  fc.assert(
    fc.asyncProperty(
      count,
      losses,
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 4 }),
      async (...given) => {
        const [rows, gone, perPage, prefetch] = given;
        const list = { rows: Array.from({ length: rows }, (_, index) => `row-${index}`), reads: 0 };
        const seen = await walked(list, gone, perPage, prefetch, pastEnd);
        expect(new Set(seen).size).toBe(seen.length);
        expect(list.rows.filter((row) => !seen.includes(row))).toEqual([]);
      },
    ),
    { numRuns: scaled(1_000) },
  ),
);

it('a page that the list itself counts, and refuses, is an error', async () => {
  const list = { rows: ['a', 'b', 'c'], reads: 0 };
  const first = pageOf(list, 1, 2, 'empty');
  const refusal = new NotFoundError({ code: 'NOT_FOUND', message: 'no', status: 404 });
  const source = {
    operation: 'rows.list',
    first,
    startPage: 1,
    prefetch: 1,
    signal: null,
    key: (row: string) => row,
    read: async (page: number) => (page === 2 ? Promise.reject(refusal) : pageOf(list, page, 2, 'empty')),
  };
  const walk = async (): Promise<void> => {
    for await (const _ of walkPages(source));
  };
  await expect(walk()).rejects.toBe(refusal);
  expect(list.reads, 'page 1 shows each time that the list has not become shorter').toBe(4);
});

it('a walk that begins behind the end yields nothing', async () => {
  const list = { rows: ['a', 'b', 'c'], reads: 0 };
  const first = pageOf(list, 9, 2, 'last');
  const seen: string[] = [];
  const source = { operation: 'rows.list', startPage: 9, prefetch: 1, signal: null };
  const read = async (page: number): Promise<Page<string>> => pageOf(list, page, 2, 'last');
  for await (const { items } of walkPages({ ...source, first, key: (row: string) => row, read })) seen.push(...items);
  expect([seen, list.reads]).toEqual([[], 1]);
});
