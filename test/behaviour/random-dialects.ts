import type { Dialect } from '../../src/sandbox/index.ts';
import { createRandom } from '../../src/sandbox/state/random.ts';
import { SEED } from '../support/seed.ts';
import { TABLE } from './hold.ts';

/** Random values of all dialects, with their numbers from 1: rows for `it.each`. */
export function randomDialects(count: number): readonly (readonly [number, Dialect])[] {
  const { next } = createRandom(SEED);
  return Array.from({ length: count }, (_, index) => {
    const chosen = TABLE.map(([name, { values }]) => [name, values[Math.floor(next() * values.length)]]);
    return [index + 1, Object.fromEntries(chosen)]; // the table has a value for each name
  });
}
