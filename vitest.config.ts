import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/consumers/**'],
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] },
    // Half of the time is spent waiting for processes and pages, so two workers keep two cores busy.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 300_000, // machines are shared: a limit against hanging, not a measure
    hookTimeout: 300_000,
    coverage: {
      enabled: process.env['COVERAGE'] === '1',
      provider: 'v8',
      include: ['src/**'],
      thresholds: { lines: 90 },
    },
  },
});
