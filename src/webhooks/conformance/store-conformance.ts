import { checkOptions, configurationFail } from '../../checks.ts';
import type { WebhookStore } from '../stores/store.ts';
import { CLAIM_CHECKS, SHARED_CHECKS } from './claim-checks.ts';
import { CONCURRENT_RUN_CHECKS, RUN_CHECKS } from './run-checks.ts';
import { StoreUnderTest } from './store-under-test.ts';

// The checks for any store, for every test runner. This room may import the types of the stores, and the checks of options.

/** One check of a store. */
export interface StoreCheck {
  readonly name: string;
  /** Rejects with an Error that says what was expected if the store fails the check. */
  run(): Promise<void>;
}

/**
 * Options of {@link storeConformance}.
 *
 * @example
 * storeConformance(() => myStore(), { shared: false });
 */
export interface StoreConformanceOptions {
  /** Whether two stores share their records. False for a store in one object, such as `memoryStore`. @defaultValue true */
  readonly shared?: boolean | undefined;
  /** Whether the transaction of the store uses its only connection, so that renewals wait. @defaultValue false */
  readonly singleConnection?: boolean | undefined;
}

const NAMES: ReadonlySet<string> = new Set<keyof StoreConformanceOptions>(['shared', 'singleConnection']);

/**
 * Returns the checks that any {@link WebhookStore} must pass, for your store and your test runner. All keys are random, so
 * the records of earlier checks are harmless.
 *
 * @param makeStore Returns a store that is ready. It is called for each check, in some of them twice.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option.
 * @example
 * for (const { name, run } of storeConformance(makeStore)) test(name, run);
 */
export function storeConformance(
  makeStore: () => WebhookStore | Promise<WebhookStore>,
  options: StoreConformanceOptions = {},
): StoreCheck[] {
  checkOptions('options', options, NAMES, configurationFail('storeConformance'));
  const { shared = true, singleConnection = false } = options;
  const checks = {
    ...CLAIM_CHECKS,
    ...(shared && SHARED_CHECKS),
    ...RUN_CHECKS,
    ...(!singleConnection && CONCURRENT_RUN_CHECKS),
  };
  return Object.entries(checks).map(([name, check]) => ({
    name,
    run: async () => check(new StoreUnderTest(await makeStore(), makeStore)),
  }));
}
