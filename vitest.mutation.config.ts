import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of a second and more. A mutant that a quick one kills need not wait for them. */
const SLOW =
  /(?:secrecy|redaction|refusals|refusal-dresses|bounded-findings|any-answer|retry-table|shared-limits|outcome|delays|first-call|pagination|past-end|create-invoice|created-truth|verify|outage|deferred-receiver|deferred-table)\.test\.ts$/;

/** Which tests judge. The first are of the part's own room, and notice the most. */
const TESTS = (process.env['MUTATION_TESTS'] ?? '').split('\n');
const [ROOM = ''] = /^test\/\w+\//.exec(TESTS[0] ?? '') ?? [];

class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      `${SLOW.test(moduleId) ? 1 : 0} ${moduleId.includes(`/${ROOM}`) ? 0 : 1} ${moduleId}`;
    return [...files].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  }
}

// For scripts/mutation.ts, which says which tests judge: thousands of runs, in one worker each, ended at the first failure.
export default defineConfig({
  test: {
    include: TESTS,
    isolate: false,
    env: { TEST_SHARE: process.env['TEST_SHARE'] ?? '0.05' }, // the repetitions of random tests
    testTimeout: 8_000,
    sequence: { sequencer: QuickFirst },
  },
});
