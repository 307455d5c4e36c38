import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { importsOf } from './test/layers/source-graph.ts';

/** Modules that start a process or a browser. */
const SLOW = /^(?:node:child_process|node:cluster|playwright-core)$/;
/** Code, also inside a string, that loads the built package. */
const BUILT = /from 'merchant-invoicing['/]/;

const files = new Map(
  globSync('{test,scripts}/**/*.ts', { cwd: import.meta.dirname, exclude: ['test/consumers/**'] }).map((found) => {
    const path = found.replaceAll('\\', '/');
    const text = readFileSync(`${import.meta.dirname}/${path}`, 'utf8');
    return [path, { imports: importsOf(path, text), isSlow: BUILT.test(text) }] as const;
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

// `npm run test:quick`: every test file that needs no browser, engine, child process or build. Dialects are sampled:
// 20 random ones, and not each single value.
export default defineConfig({
  test: {
    include: [...files.keys()].filter((path) => path.endsWith('.test.ts') && !isSlow(path)),
    exclude: ['test/**/single-values.test.ts', 'test/docstring-examples.test.ts'],
    env: { SHUFFLE_RUNS: process.env['SHUFFLE_RUNS'] ?? '20' },
    isolate: false, // one worker loads each source once, which saves a third of the time
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
