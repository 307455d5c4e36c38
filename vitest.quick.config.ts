import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { importsOf } from './test/layers/source-graph.ts';

/** Modules that start a process or a browser, and the random runs that have commands of their own. */
const SLOW = /^(?:node:child_process|node:cluster|playwright-core|scripts\/(?:chaos|forge)\.ts)$/;
/** Code, also inside a string, that loads the built package or reads its declarations. */
const BUILT = /(?:from|=) 'merchant-invoicing['/]|\/dist\/types\//;
/** Code that replaces modules or globals, or listens to the whole process. What it leaves would reach other files. */
const ALONE =
  /\bvi\.(?:resetModules|doMock|mock|stubGlobal)\(|'msw\/node'|\/trace-recorder\.ts'|'node:diagnostics_channel'/;

const files = new Map(
  globSync('{test,scripts}/**/*.ts', { cwd: import.meta.dirname, exclude: ['test/consumers/**'] }).map((found) => {
    const path = found.replaceAll('\\', '/');
    const text = readFileSync(`${import.meta.dirname}/${path}`, 'utf8');
    return [path, { imports: importsOf(path, text), isSlow: BUILT.test(text), isAlone: ALONE.test(text) }] as const;
  }),
);

/** Whether a file loads a slow module or the built package, itself or through another file of the tests or scripts. */
function isSlow(path: string, seen = new Set([path])): boolean {
  const file = files.get(path);
  if (file === undefined || file.isSlow) return file !== undefined;
  return file.imports.some(({ to, kind }) => {
    if (kind === 'type' || seen.has(to)) return false;
    seen.add(to);
    return SLOW.test(to) || isSlow(to, seen);
  });
}

const quick = [...files].filter(([path]) => path.endsWith('.test.ts') && !isSlow(path));
const project = (name: string, isolate: boolean) => ({
  extends: true as const,
  test: { name, isolate, include: quick.filter(([, { isAlone }]) => isAlone === isolate).map(([path]) => path) },
});

// `npm run test:quick`: every test file that needs no browser, engine, child process or build, without chaos and forge.
// Random and bulk tests make a part of their repetitions (test/support/scaled.ts). Dialects and statuses are sampled, not
// played one by one, and the packed bodies of 64 MiB are left out.
export default defineConfig({
  test: {
    include: [], // those of the projects are added
    // A worker loads each source once for all files of a project that is not isolated, which saves a third of the time.
    projects: [project('shared', false), project('alone', true)],
    exclude: ['test/**/{single-values,single-departures,dialects,every-status,body-size,docstring-examples}.test.ts'],
    env: { TEST_SHARE: process.env['TEST_SHARE'] ?? '0.05' },
    maxWorkers: '100%', // the default leaves one core idle
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
