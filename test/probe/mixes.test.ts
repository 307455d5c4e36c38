import { expect, it } from 'vitest';
import { randomDialects } from '../behaviour/random-dialects.ts';
import { AGAIN } from '../support/seed.ts';
import { untruthsUnder } from './truth.ts';

it.each(randomDialects(10))(`under random dialect %i of ${AGAIN} nothing untrue is concluded`, async (_, dialect) => {
  expect(await untruthsUnder(dialect)).toEqual([]);
});
