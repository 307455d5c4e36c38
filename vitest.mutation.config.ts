import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of a second and more. A mutant that a quick one kills need not wait for them. */
const SLOW = /(?:secrecy|abort|retry-table|pagination|past-end|verify|fuzz|fuzz-endpoint|outage)\.test\.ts$/;

class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => `${SLOW.test(moduleId) ? 1 : 0} ${moduleId}`;
    return [...files].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  }
}

// For scripts/mutation.ts, which says which tests judge: thousands of runs, in one worker each, ended at the first failure.
export default defineConfig({
  test: {
    include: (process.env['MUTATION_TESTS'] ?? '').split('\n'),
    isolate: false,
    env: { TEST_SHARE: process.env['TEST_SHARE'] ?? '0.05' }, // the repetitions of random tests
    testTimeout: 60_000,
    sequence: { sequencer: QuickFirst },
  },
});
