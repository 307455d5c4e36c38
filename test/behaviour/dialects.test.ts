import { describe, expect, it } from 'vitest';
import { DIALECTS, type Dialect } from '../../src/sandbox/index.ts';
import { AGAIN } from '../support/seed.ts';
import { BEHAVIOURS } from './behaviours.ts';
import { holdUnder, TABLE } from './hold.ts';
import { randomDialects } from './random-dialects.ts';
import { stageOf } from './stage.ts';

/** What a merchant does from the first call to the last: it meets each point that the interface leaves open. */
const JOURNEY = [
  'create gives the invoice, decoded',
  'createOrGet reads what is there, by path or from the list',
  'get of a paid invoice, decoded',
  'a walk yields each invoice once, in the order of the list',
  'withdrawals are decoded, with null for whatever does not apply',
  'a body that the service refuses is a ValidationError in either shape',
  'a wrong key is refused once, on any endpoint',
  'what does not exist is not found',
  'a rate limit is waited out',
  'a failure of the service is repeated',
  'an adjusted webhook says what was paid and what was credited',
  'a payment is fulfilled once, however often its webhook comes',
  'the delivery history tells of each attempt',
];
const journey = BEHAVIOURS.filter(({ name }) => JOURNEY.includes(name));

describe('under the default dialect', () => {
  it.each(BEHAVIOURS)('$name', async ({ run }) => {
    const stage = stageOf({});
    await run(stage);
    await stage.sandbox.close();
  });
});

describe('the journey of a merchant under each single value', () => {
  it('has all its steps', () => {
    expect(journey).toHaveLength(JOURNEY.length);
  });

  const others = TABLE.flatMap(([name, { values }]) => values.slice(1).map((value) => [name, value] as const));
  it.each(others)('%s: %j', (name, value) => holdUnder({ [name]: value }, journey));
});

/** What is left out is the default. */
function departuresOf(dialect: Dialect): Partial<Dialect> {
  const chosen = Object.entries(dialect);
  return Object.fromEntries(chosen.filter(([name, value]) => DIALECTS[name as keyof Dialect].default !== value));
}

describe(`every behaviour under a random mix of values, ${AGAIN}`, () => {
  it.each(randomDialects(10))('mix %i', (_, dialect) => holdUnder(departuresOf(dialect), BEHAVIOURS));
});
