import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/consumers/**'],
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] },
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
