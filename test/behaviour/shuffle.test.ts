import { describe, it } from 'vitest';
import { DIALECTS, type Dialect } from '../../src/sandbox/index.ts';
import { scaled } from '../support/scaled.ts';
import { AGAIN } from '../support/seed.ts';
import { holdUnder } from './hold.ts';
import { randomDialects } from './random-dialects.ts';

/** What is left out is the default. */
function departuresOf(dialect: Dialect): Partial<Dialect> {
  const chosen = Object.entries(dialect);
  return Object.fromEntries(chosen.filter(([name, value]) => DIALECTS[name as keyof Dialect].default !== value));
}

describe(`every behaviour under random dialects, ${AGAIN}`, () => {
  it.each(randomDialects(scaled(200)))('dialect %i', (_, dialect) => holdUnder(departuresOf(dialect), ` (${AGAIN})`));
});
