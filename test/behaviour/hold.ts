import { DIALECTS, type Dialect, type DialectEntry } from '../../src/sandbox/index.ts';
import { AGAIN } from '../support/seed.ts';
import type { Behaviour } from './behaviour.ts';
import { stageOf } from './stage.ts';

export const TABLE: readonly (readonly [string, DialectEntry])[] = Object.entries(DIALECTS);

/** Why a behaviour does not hold; null when it does. */
async function problemOf({ run }: Behaviour, dialect: Partial<Dialect>): Promise<string | null> {
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
async function smallest(behaviour: Behaviour, dialect: Partial<Dialect>): Promise<Partial<Dialect>> {
  let left = dialect;
  for (const name of Object.keys(dialect) as (keyof Dialect)[]) {
    const { [name]: _, ...fewer } = left;
    if ((await problemOf(behaviour, fewer)) !== null) left = fewer;
  }
  return left;
}

const SHOWN = 3;

/** Runs behaviours, each on a stage of its own. Throws one error that names what fails and under which dialect. */
export async function holdUnder(dialect: Partial<Dialect>, behaviours: readonly Behaviour[]): Promise<void> {
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
