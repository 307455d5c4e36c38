// `npm run mutation [-- contract pagination …]`: breaks the sources in thousands of ways, one at a time, and counts how
// many the tests notice. Each part runs only its tests, so its score is a lower bound. The whole takes hours. Results are
// stored in coverage/, and a later run checks only what has changed. `--sample 10 --seed 7` breaks only 10 % of the lines.
import { globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { createRandom } from '../src/sandbox/state/random.ts';
import { countOne } from './runs.ts';

interface Part {
  /** The files to break. */
  readonly mutate: readonly string[];
  /** The tests that must notice. */
  readonly tests: readonly string[];
  /** Also what runs once, as the module loads: every test of the part must be run for each of those. */
  readonly withStatic: boolean;
}

const PARTS: Readonly<Record<string, Part>> = {
  errors: {
    mutate: ['src/errors/{classes,merchant-error,api-errors,guards}.ts'],
    tests: ['test/errors/errors.test.ts'],
    withStatic: true,
  },
  pagination: {
    mutate: ['src/call/{walk,page-requests,gaps,tally}.ts'],
    tests: ['test/call/@(walk|pagination|lost-rows|read-ahead).test.ts', 'test/behaviour/past-end.test.ts'],
    withStatic: true,
  },
  contract: {
    mutate: ['src/contract/**/*.ts'],
    tests: [
      'test/contract/!(pins|loading).test.ts', // loading.test.ts loads modules anew, which hides what the tests after it run
      'test/drift.test.ts',
      'test/resources/create-invoice.test.ts',
      'test/resources/endpoints.test.ts',
      'test/openapi/@(schemas|calls).test.ts',
    ],
    withStatic: true,
  },
  transport: {
    mutate: ['src/transport/**/*.ts', '!src/transport/secrecy/**'],
    tests: [
      'test/transport/*.test.ts',
      'test/transport/answer/!(every-status|body-size).test.ts', // these take seconds each, and notice no more
      'test/transport/secrecy/secrecy.test.ts',
      'test/@(client|drift).test.ts',
      'test/call/call.test.ts',
      'test/resources/*.test.ts',
    ],
    withStatic: false,
  },
  secrecy: {
    mutate: ['src/transport/secrecy/**/*.ts'],
    tests: ['test/transport/secrecy/!(leaks).test.ts', 'test/transport/pieces.test.ts', 'test/drift.test.ts'],
    withStatic: false,
  },
  webhooks: {
    // The conformance suite and the kill runs check the stores against the engines.
    mutate: ['src/webhooks/**/*.ts', '!src/webhooks/{stores,conformance}/**', '!src/webhooks/index.ts'],
    tests: [
      'test/webhooks/!(entry|loading).test.ts', // loading.test.ts compiles the sources itself, and notices none
      'test/webhooks/{verify,event,handle,adapters,catch-up}/!(fuzz|fuzz-endpoint|outage|flips).test.ts',
      'test/webhooks/stores/memory-store.test.ts',
    ],
    withStatic: false,
  },
};

const THRESHOLD = 91;

/** Lines of a sample that stand together: enough for a condition and its branches. */
const WINDOW = 12;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
});
const share = Number(flags.sample) / 100;
const { next } = createRandom(flags.seed);

/** Random windows of the files: each window is part of the sample with the same probability. */
function sampled(patterns: readonly string[]): string[] {
  const exclude = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  const files = globSync(
    patterns.filter((pattern) => !pattern.startsWith('!')),
    { exclude },
  );
  return files.flatMap((file) => {
    const count = readFileSync(file, 'utf8').split('\n').length;
    const starts = Array.from({ length: Math.ceil(count / WINDOW) }, (_, index) => 1 + index * WINDOW);
    return starts
      .filter(() => next() < share)
      .map((start) => `${file}:${start}-${Math.min(count, start + WINDOW - 1)}`);
  });
}

/** How many mutants of a part have each status of Stryker. */
async function testMutants(
  name: string,
  { mutate, tests, withStatic }: Part,
): Promise<Readonly<Record<string, number>>> {
  process.env['MUTATION_TESTS'] = tests.join('\n');
  process.env['TEST_SEED'] ??= '1'; // with other names and inputs in each run, a mutant would meet other tests
  const results = await new Stryker({
    packageManager: 'npm',
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'vitest.mutation.config.ts', related: false },
    coverageAnalysis: 'perTest',
    mutate: share < 1 ? sampled(mutate) : [...mutate],
    ignoreStatic: !withStatic,
    concurrency: 2,
    timeoutMS: 20_000,
    incremental: share >= 1, // a sample is not a later state of the whole
    incrementalFile: `coverage/mutation-${name}.json`,
    tempDirName: 'coverage/mutation',
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { allowColor: false, reportTests: false, reportScoreTable: false },
  }).runMutationTest();
  const counts: Record<string, number> = {};
  for (const { status, static: isStatic } of results) {
    // Also not what some test loads anew: the others keep what was loaded before.
    if (withStatic || !isStatic) countOne(counts, status);
  }
  return counts;
}

function row(name: string, counts: Readonly<Record<string, number>>): { line: string; found: number; valid: number } {
  const of = (status: string) => counts[status] ?? 0;
  const found = of('Killed') + of('Timeout');
  const valid = found + of('Survived') + of('NoCoverage');
  const cells = [name, valid, of('Killed'), of('Timeout'), of('Survived'), of('NoCoverage'), percent(found, valid)];
  return { line: `| ${cells.join(' | ')} |`, found, valid };
}

function percent(found: number, valid: number): string {
  return valid === 0 ? '–' : `${((100 * found) / valid).toFixed(1)} %`;
}

const names = positionals.length > 0 ? positionals : Object.keys(PARTS);
const rows = [];
for (const name of names) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`There is no part ${name}. The parts: ${Object.keys(PARTS).join(', ')}.`);
  rows.push(row(name, await testMutants(name, part)));
}
const found = rows.reduce((sum, { found }) => sum + found, 0);
const valid = rows.reduce((sum, { valid }) => sum + valid, 0);
console.log('| Part | Mutants | Killed | Timed out | Survived | Not covered | Score |\n|---|---|---|---|---|---|---|');
for (const { line } of rows) console.log(line);
console.log(`\n${found} of ${valid} were noticed: ${percent(found, valid)}.`);
process.exitCode = found >= (valid * THRESHOLD) / 100 ? 0 : 1;
