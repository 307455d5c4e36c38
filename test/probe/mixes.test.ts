import { expect, it } from 'vitest';
import { createRandom } from '../../src/sandbox/state/random.ts';
import { TABLE } from '../behaviour/hold.ts';
import { scaled } from '../support/scaled.ts';
import { untruthsUnder } from './truth.ts';

// PROBE_SEED repeats a run. It is part of the name of every test here.
const SEED = process.env['PROBE_SEED'] ?? String(Math.floor(Math.random() * 2 ** 32));
const { next } = createRandom(SEED);
const mixes = Array.from({ length: scaled(200) }, (_, index) => {
  const dialect = TABLE.map(([name, { values }]) => [name, values[Math.floor(next() * values.length)]] as const);
  return [index + 1, Object.fromEntries(dialect)] as const;
});

it.each(mixes)(`under random dialect %i of PROBE_SEED=${SEED} nothing untrue is concluded`, async (_, dialect) => {
  expect(await untruthsUnder(dialect)).toEqual([]);
});
