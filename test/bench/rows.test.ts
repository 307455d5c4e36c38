import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Contenders } from '../../bench/harness/contender.ts';
import type { Results } from '../../bench/harness/results.ts';
import { COLD_ROWS } from '../../bench/rows/cold.ts';
import { KEPT_ROWS } from '../../bench/rows/kept.ts';
import { WARM_ROWS } from '../../bench/rows/warm.ts';

const ROWS = [...WARM_ROWS, ...COLD_ROWS, ...KEPT_ROWS];

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../bench/${file}`, import.meta.url), 'utf8'));
const results: Results = read('results.json');

it.each([...WARM_ROWS, ...COLD_ROWS])('the contenders of $id exist', async ({ subject, baseline, ours, others }) => {
  // The path is a variable: the type check of the project leaves these files out, because their peers may be missing.
  const path = `../../bench/contenders/${subject}.ts`;
  const { contenders } = (await import(path)) as { readonly contenders: Contenders };
  expect(Object.keys(contenders)).toEqual(expect.arrayContaining([baseline, ours, ...others]));
});

it('gives each row an id of its own', () => {
  expect(new Set(ROWS.map(({ id }) => id)).size).toBe(ROWS.length);
});

it('has a result of each row, with the aims of the row', () => {
  const aims = ({ id, title, goal, stretch }: (typeof ROWS)[number] | Results['rows'][number]) => ({
    id,
    title,
    goal,
    stretch,
  });
  expect(results.rows.map(aims)).toEqual(ROWS.map(aims));
});

it('has the versions of the peers that are installed, and nothing of the machine but processor and Node', () => {
  expect(results.versions).toEqual(read('package.json').dependencies);
  expect(Object.keys(results.machine)).toEqual(['cpu', 'cores', 'node']);
});
