import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/consumers/**'],
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] },
    coverage: { provider: 'v8', include: ['src/**'], thresholds: { lines: 90 } },
  },
});
