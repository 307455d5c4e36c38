import { isBuiltin } from 'node:module';
import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that need a browser, an engine, processes in numbers, or the packed package. */
const REST = [
  'test/{browser,docs,examples,frameworks,queues,tools/storm}/**',
  'test/{advisories,packed,story}.test.ts',
  'test/tools/cli/docs.test.ts',
  'test/tools/cli/doctor/doctor.test.ts',
  'test/openapi/prism.test.ts',
  'test/reconcile/examples.test.ts',
  'test/tools/sandbox/delivery/delivery-copies.test.ts',
  'test/transport/body-size.test.ts',
  'test/webhooks/stores/{conformance,postgres,redis,sqlite-lock}.test.ts',
];
/** Tests over node:sqlite, which Node has without a flag since 22.13. The package runs on 22.12. */
const SQLITE = ['test/tools/storm-short.test.ts', 'test/webhooks/stores/{options,sqlite}.test.ts'];
const leftOut = isBuiltin('node:sqlite') ? [] : SQLITE;
if (leftOut.length > 0) console.log(`Left out, because ${process.version} has no node:sqlite: ${leftOut.join(', ')}`);
const exclude = [...configDefaults.exclude, 'test/consumers/**', ...leftOut];

export default defineConfig({
  test: {
    maxWorkers: '100%', // half of the time is spent waiting
    testTimeout: 300_000, // machines are shared: a limit against hanging, not a measure
    hookTimeout: 300_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          isolate: false,
          setupFiles: 'test/support/fresh-modules.ts',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...REST, 'test/soak/**'],
          env: { TEST_SHARE: process.env['TEST_SHARE'] ?? '0.05' }, // the share of their repetitions that random tests make
        },
      },
      {
        extends: true,
        test: { name: 'rest', include: REST.map((path) => path.replace(/\*\*$/, '**/*.test.ts')), exclude },
      },
      { extends: true, test: { name: 'soak', include: ['test/soak/**/*.test.ts'] } },
    ].slice(0, 'STRYKER_MUTATOR_WORKER' in process.env ? 1 : undefined), // Stryker judges by the quick tests
  },
});
