import { defineConfig, type Options } from 'tsup';

const entry = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  sandbox: 'src/sandbox/index.ts',
};
/** msw is ESM only, and nobody requires a command line. */
const esmOnly = { msw: 'src/msw.ts' };

const shared = {
  sourcemap: true,
  target: 'es2022',
  splitting: true,
  removeNodeProtocol: false, // the default turns node:sqlite into sqlite, which does not exist
  treeshake: true, // without it the CommonJS chunks go through a second compiler that rewrites class fields
  noExternal: ['ky', 'zod'], // internal to us, so inlined: nothing else gets installed, and Jest can require us
} satisfies Options;

/** Jest offers no `import()` to CommonJS, so what is loaded later is required there. */
const lateRequires = {
  name: 'late-requires',
  renderChunk: (code: string) => ({
    code: code.replaceAll(/\bimport\((['"][^'"]+['"])\)/g, 'Promise.resolve().then(() => require($1))'),
  }),
};

export default defineConfig([
  { ...shared, format: 'esm', entry: { ...entry, ...esmOnly, cli: 'src/cli/bin.ts' } },
  { ...shared, format: 'cjs', entry, plugins: [lateRequires] },
]);
