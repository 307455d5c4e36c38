import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig, type Options } from 'tsup';

const entry = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  sandbox: 'src/sandbox/index.ts',
  reconcile: 'src/reconcile/index.ts',
};
/** msw is ESM only. */
const esmOnly = { msw: 'src/msw.ts' };

/**
 * In CommonJS, what is loaded at its first use is loaded with `require`, because a native `import()` fails in Jest. The
 * bundler keeps `import()`, because it compiles to ESM first.
 */
const lazyRequire: NonNullable<Options['plugins']>[number] = {
  name: 'lazy-require',
  renderChunk: (code) => ({
    code: code.replaceAll(/\bimport\((['"][^'"]+['"])\)/g, 'Promise.resolve().then(()=>require($1))'),
  }),
};

const ZOD_CORE = dirname(createRequire(import.meta.url).resolve('zod/v4/core'));

/** What other files of zod hand on from the compiler. Nobody uses it from there. */
const UNUSED_COMPILER = 'export let INVALID, compile, withParser, ZodCompileAsyncError, ZodCompileUnsupportedError;';

/**
 * Cuts zod's compiler out of its index, so that it becomes a chunk of its own. The bundler assigns whole files to chunks,
 * and would otherwise load it with every schema. `npm run sizes` fails if it is loaded at import.
 */
const lazyCompiler: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'lazy-compiler',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^zod\/v4\/core$/ }, () => ({ path: join(ZOD_CORE, 'compile.js'), sideEffects: false }));
    onLoad({ filter: /zod[\\/]v4[\\/]core[\\/]index\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace('export * from "./compile.js";', UNUSED_COMPILER),
    }));
  },
};

const shared = {
  sourcemap: true,
  esbuildOptions: (options) => {
    options.sourcesContent = false; // the sources are in the package
  },
  target: 'es2022',
  splitting: true,
  minifyWhitespace: true,
  minifySyntax: true,
  removeNodeProtocol: false, // the default turns node:sqlite into sqlite, which does not exist
  treeshake: true, // without it the CommonJS chunks go through a second compiler that rewrites class fields
  esbuildPlugins: [lazyCompiler],
  noExternal: ['ky', 'zod'], // internal to us, so inlined: nothing else gets installed, and Jest can require us
} satisfies Options;

export default defineConfig([
  { ...shared, format: 'esm', entry: { ...entry, ...esmOnly } },
  // Built separately: its commands share so many parts that importing the client would load 21 chunks in place of 7.
  // The package leaves its maps out, because nobody imports it.
  { ...shared, format: 'esm', entry: { main: 'src/cli/bin.ts' }, outDir: 'dist/cli' },
  { ...shared, format: 'cjs', entry, plugins: [lazyRequire] },
]);
