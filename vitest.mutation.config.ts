import { defineConfig } from 'vitest/config';

// The tests that judge the mutated folders directly: no builds, no browsers, no other processes.
export default defineConfig({
  test: {
    include: [
      'test/contract/**/*.test.ts',
      'test/transport/**/*.test.ts',
      'test/resources/**/*.test.ts',
      'test/webhooks/*.test.ts',
      'test/{client,drift,errors,pagination}.test.ts',
    ],
    exclude: ['test/contract/pins.test.ts', 'test/webhooks/entry.test.ts'],
    testTimeout: 60_000,
  },
});
