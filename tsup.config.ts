import { defineConfig, type Options } from 'tsup';

const entry = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  sandbox: 'src/sandbox/index.ts',
};

const shared = {
  entry,
  sourcemap: true,
  target: 'es2022',
  splitting: true,
  removeNodeProtocol: false, // the default turns node:sqlite into sqlite, which does not exist
  treeshake: true, // without it the CommonJS chunks go through a second compiler that rewrites class fields
  noExternal: ['ky', 'zod'], // internal to us, so inlined: nothing else gets installed, and Jest can require us
} satisfies Options;

export default defineConfig([
  { ...shared, format: 'esm' },
  { ...shared, format: 'cjs' },
  { entry, format: ['esm', 'cjs'], dts: { only: true } },
]);
