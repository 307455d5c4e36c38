import { checkOptions, configurationFail } from '../checks.ts';
import { readTime } from './overrides.ts';

// Ids and times of the fakes. The ids are counted, and the times are those of a clock that the test sets. Both are
// therefore the same in each run.

const SEED_MAX = 0xffff;

/** Options of {@link seedFakes}. */
export interface SeedFakesOptions {
  /** The time of all fakes. @defaultValue the clock of the process, which fake timers set */
  readonly now?: Date | string | undefined;
}

const NAMES: ReadonlySet<string> = new Set<keyof SeedFakesOptions>(['now']);

let seed = 0;
let count = 0;
let fixedTime: number | null = null;

/**
 * Starts the ids of the fakes anew, so that each test gets the same ones. Without it, the ids of a test depend on how many
 * fakes the tests before it made.
 *
 * @param number 0 to 65,535. Fakes of different seeds have different ids.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable seed or time.
 * @example
 * beforeEach(() => seedFakes(1, { now: '2026-01-31T09:30:00Z' }));
 */
export function seedFakes(number = 0, options: SeedFakesOptions = {}): void {
  const fail = configurationFail('seedFakes');
  checkOptions('options', options, NAMES, fail);
  if (!Number.isInteger(number) || number < 0 || number > SEED_MAX) {
    fail(`the seed must be a whole number from 0 to ${SEED_MAX}`);
  }
  const time = options.now === undefined ? null : readTime('now', options.now, fail).getTime();
  seed = number;
  count = 0;
  fixedTime = time;
}

/** The ids of one fake. */
export interface FakeIds {
  /** Its number, from 1. */
  readonly number: number;
  readonly uuid: string;
  /** Text for ids of the merchant, such as `7-1`, or `1` for the seed 0. */
  readonly suffix: string;
}

export function nextIds(): FakeIds {
  count += 1;
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
  return {
    number: count,
    uuid: `fa4e${hex(seed, 4)}-0000-4000-8000-${hex(count, 12)}`,
    suffix: seed === 0 ? String(count) : `${seed}-${count}`,
  };
}

/** The time of the fakes, in milliseconds. */
export function fakeNow(): number {
  return fixedTime ?? Date.now();
}
