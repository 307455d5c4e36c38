import { checkOptions, configurationFail } from '../../checks.ts';
import type { WebhookStore } from '../stores/store.ts';
import { Bench } from './bench.ts';
import { MOVES, SHARED } from './moves.ts';
import { FREE_RUNS, RUNS } from './runs.ts';

/** One promise of a store, to be run as a test. */
export interface StoreCheck {
  readonly name: string;
  /** Rejects with an Error that says what was expected when the store breaks the promise. */
  run(): Promise<void>;
}

/** What the checks should know of the store. */
export interface StoreConformanceOptions {
  /** False for a store that lives in one object, as `memoryStore` does. Default true: two stores share their records. */
  readonly shared?: boolean | undefined;
  /** True for a store whose one connection is held by its own transaction, so that renewals wait. Default false. */
  readonly singleConnection?: boolean | undefined;
}

const NAMES: ReadonlySet<string> = new Set<keyof StoreConformanceOptions>(['shared', 'singleConnection']);

/**
 * The checks that any {@link WebhookStore} must pass, for your own store and your own test runner:
 * `for (const { name, run } of storeConformance(makeStore)) test(name, run);`
 *
 * `makeStore` gives a store that is ready, and is called for each check, in some twice. All keys are random, so that the
 * records of earlier checks and runs do no harm.
 */
export function storeConformance(
  makeStore: () => WebhookStore | Promise<WebhookStore>,
  options: StoreConformanceOptions = {},
): StoreCheck[] {
  checkOptions('options', options, NAMES, configurationFail('storeConformance'));
  const { shared = true, singleConnection = false } = options;
  const checks = [...MOVES, ...(shared ? SHARED : []), ...RUNS, ...(singleConnection ? [] : FREE_RUNS)];
  return checks.map(([name, check]) => ({
    name,
    run: async () => check(new Bench(await makeStore(), makeStore)),
  }));
}
