import { expect, it } from 'vitest';
import { walkPagesWithin } from '../../src/lookup/in-pages.ts';

async function* pages(count: number, read: string[]) {
  for (let page = 1; page <= count; page += 1) {
    read.push(`page ${page}`);
    yield page;
  }
}

it.each<[string, number, number, number, string, number]>([
  ['ends with the list', 3, 5, 9, 'end', 3],
  ['ends with its budget', 3, 2, 9, 'limit', 2],
  ['ends with what it wants', 3, 5, 2, 'enough', 2],
  ['reads nothing without a budget', 3, 0, 1, 'limit', 0],
])('a walk %s', async (_name, length, budget, wanted, ending, count) => {
  const read: string[] = [];
  const left = { pages: budget };
  expect(await walkPagesWithin(pages(length, read), left, (page) => page === wanted)).toBe(ending);
  expect(read).toHaveLength(count);
  expect(left.pages, 'shared with the next walk').toBe(budget - count);
});

it('a walk throws what its list or its reader throws', async () => {
  const broken = async function* () {
    yield 1;
    throw new Error('the list broke');
  };
  await expect(walkPagesWithin(broken(), { pages: 9 }, () => false)).rejects.toThrow('the list broke');
  const reader = () => Promise.reject(new Error('the reader failed'));
  await expect(walkPagesWithin(pages(3, []), { pages: 9 }, reader)).rejects.toThrow('the reader failed');
});
