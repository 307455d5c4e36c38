import { describe, it } from 'vitest';
import { DIALECTS, type Dialect } from '../../src/sandbox/index.ts';
import { createRandom } from '../../src/sandbox/state/random.ts';
import { scaled } from '../support/scaled.ts';
import { holdUnder, TABLE } from './hold.ts';

// SHUFFLE_SEED repeats a run, SHUFFLE_RUNS widens one. Both are part of the name of every test here.
const RUNS = Number(process.env['SHUFFLE_RUNS'] ?? scaled(200));
const SEED = process.env['SHUFFLE_SEED'] ?? String(Math.floor(Math.random() * 2 ** 32));
const AGAIN = `SHUFFLE_SEED=${SEED} SHUFFLE_RUNS=${RUNS}`;

/** One value of each dialect, by chance, those that are the default left out. */
function shuffled(next: () => number): Partial<Dialect> {
  const chosen = TABLE.map(([name, { values }]) => [name, values[Math.floor(next() * values.length)]] as const);
  return Object.fromEntries(chosen.filter(([name, value]) => DIALECTS[name as keyof Dialect].default !== value));
}

describe(`every behaviour under random dialects, ${AGAIN}`, () => {
  const { next } = createRandom(SEED);
  const dialects = Array.from({ length: RUNS }, (_, index) => [index + 1, shuffled(next)] as const);
  it.each(dialects)('dialect %i', (_, dialect) => holdUnder(dialect, ` (${AGAIN})`));
});
