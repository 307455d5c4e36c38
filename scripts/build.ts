// Builds the JavaScript of dist/: the entries of package.json for import and for require, and the command line.
// One build holds library and command line, so that they share files. Run by `npm run build`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { type OutputOptions, type RollupOptions, rollup } from 'rollup';
import { chunksOf } from './build/chunks.ts';
import { toCommonJs } from './build/common-js.ts';
import { EXTERNAL, ROOT, readEntries } from './build/entries.ts';
import { loadedBy, piecesOf } from './build/pieces.ts';
import { compact, inlined, lazyCompiler, typescript } from './build/plugins.ts';

const DIST = join(ROOT, 'dist');
const COMMAND_LINE = { 'cli/main': join(ROOT, 'src/cli/bin.ts') };

const entries = readEntries();
const dual = entries.filter(({ isDual }) => isDual).map(({ name }) => `${name}.js`);
const library = Object.fromEntries(entries.map(({ name, source }) => [name, join(ROOT, 'src', `${source}.ts`)]));
const input: RollupOptions = {
  input: { ...library, ...COMMAND_LINE },
  external: [...EXTERNAL, /^node:/, ...builtinModules],
  plugins: [lazyCompiler, inlined, typescript],
  treeshake: { moduleSideEffects: (id) => Object.values(library).includes(id) }, // setup files of test runners act at import
  onLog: (level, { code, message }) => {
    if (level !== 'warn') return;
    const isOfZod = message.includes('node_modules/zod/') && !message.includes('src/');
    if (!isOfZod || (code !== 'INVALID_ANNOTATION' && code !== 'CIRCULAR_DEPENDENCY')) throw new Error(message);
  },
};
const output: OutputOptions = {
  dir: DIST,
  format: 'es',
  generatedCode: 'es2015',
  entryFileNames: '[name].js',
  chunkFileNames: ({ moduleIds }) => `${moduleIds.some((id) => id.includes('/src/cli/')) ? 'cli/' : ''}[name].js`,
  hoistTransitiveImports: false,
  externalLiveBindings: false,
  minifyInternalExports: false,
  sourcemap: 'hidden', // for the tests of what a file holds. The package leaves them out.
  sourcemapExcludeSources: true,
  plugins: [compact],
};

const bundle = await rollup(input);
const chunks = chunksOf(library);
const { output: whole } = await bundle.generate({ ...output, manualChunks: chunks });
const pieces = await piecesOf(loadedBy(dual, whole), library);
const { output: files } = await bundle.write({
  ...output,
  manualChunks: (id, meta) => pieces.get(id) ?? chunks(id, meta),
});
await bundle.close();

for (const { fileName, code } of loadedBy(dual, files)) {
  const path = join(DIST, 'cjs', fileName);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, toCommonJs(fileName, code, dual.includes(fileName)));
}
writeFileSync(join(DIST, 'cjs/package.json'), '{ "type": "commonjs" }\n');
