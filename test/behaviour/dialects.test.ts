import { describe, expect, it } from 'vitest';
import { DIALECTS } from '../../src/tools/sandbox/dialects.ts';
import { createRandom } from '../../src/tools/sandbox/state/random.ts';
import { CLIENT_DIALECTS } from '../support/dialects.ts';
import { AGAIN, SEED } from '../support/seed.ts';
import { BUSINESS } from './business.ts';
import { CREATION } from './creation.ts';
import { FAILURES } from './failures.ts';
import { READING } from './reading.ts';
import { type AnyDialect, type Behaviour, stageOf } from './stage.ts';
import { WEBHOOKS } from './webhooks.ts';

/** What the SDK does, as a list: each entry holds under every dialect. */
const BEHAVIOURS: readonly Behaviour[] = [...CREATION, ...FAILURES, ...READING, ...BUSINESS, ...WEBHOOKS];

const TABLE = Object.entries<readonly (string | number)[]>({ ...DIALECTS, ...CLIENT_DIALECTS });

/** Why a behaviour does not hold; null when it does. */
async function problemOf({ run }: Behaviour, dialect: Partial<AnyDialect>): Promise<string | null> {
  const stage = stageOf(dialect);
  try {
    await run(stage);
    const notes = stage.sandbox.events().flatMap((event) => (event.kind === 'note' ? [event.text] : []));
    return notes.find((note) => note.includes('is not as the interface says')) ?? null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await stage.sandbox.close();
  }
}

/** Takes away every value that the failure does not need. */
async function smallest(behaviour: Behaviour, dialect: Partial<AnyDialect>): Promise<Partial<AnyDialect>> {
  let left = dialect;
  for (const name of Object.keys(dialect) as (keyof AnyDialect)[]) {
    const { [name]: _, ...fewer } = left;
    if ((await problemOf(behaviour, fewer)) !== null) left = fewer;
  }
  return left;
}

const SHOWN = 3;

/** Runs behaviours, each on a stage of its own. Throws one error that names what fails and under which dialect. */
async function holdUnder(dialect: Partial<AnyDialect>, behaviours: readonly Behaviour[]): Promise<void> {
  const problems: string[] = [];
  for (const behaviour of behaviours) {
    const problem = await problemOf(behaviour, dialect);
    if (problem === null) continue;
    const least = problems.length < SHOWN ? await smallest(behaviour, dialect) : dialect;
    problems.push(`"${behaviour.name}" fails under the dialect ${JSON.stringify(least)}\n${problem}`);
  }
  if (problems.length === 0) return;
  throw new Error(`${problems.length} of ${behaviours.length} behaviours fail (${AGAIN}):\n\n${problems.join('\n\n')}`);
}

/** What a merchant does from the first call to the last: it meets each point that the interface leaves open. */
const JOURNEY = [
  'create gives the invoice, decoded',
  'both verbs read what is there, by path or from the list',
  'get of a paid invoice, decoded',
  'a walk yields each invoice once, in the order of the list',
  'withdrawals are decoded, with null for whatever does not apply',
  'a body that the service refuses is a ValidationError in either shape',
  'a wrong key is refused once, on any endpoint',
  'what does not exist is not found',
  'a rate limit is waited out',
  'a failure of the service without end is a ServerError',
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

  const others = TABLE.flatMap(([name, values]) => values.slice(1).map((value) => [name, value] as const));
  it.each(others)('%s: %j', (name, value) => holdUnder({ [name]: value }, journey));
});

describe(`every behaviour under a random mix of values, ${AGAIN}`, () => {
  const { next } = createRandom(SEED);
  const mixes = Array.from({ length: 10 }, () =>
    TABLE.flatMap(([name, values]) => {
      const value = values[Math.floor(next() * values.length)];
      return value === values[0] ? [] : [[name, value] as const];
    }),
  );
  it.each(mixes.map((mix, index) => [index + 1, mix] as const))('mix %i', (_, mix) =>
    holdUnder(Object.fromEntries(mix), BEHAVIOURS),
  );
});
