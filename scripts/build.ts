// Builds the JavaScript of dist/: the entries of package.json for import and for require, and the command line.
// One build holds library and command line, so that they share files. Run by `npm run build`.
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { type ModuleFormat, type OutputOptions, type RollupOptions, rollup } from 'rollup';
import { chunksOf } from './build/chunks.ts';
import { type Entry, EXTERNAL, ROOT, readEntries } from './build/entries.ts';
import { compact, inlined, lazyCompiler, typescript } from './build/plugins.ts';

const COMMAND_LINE = { 'cli/main': join(ROOT, 'src/cli/bin.ts') };

async function build(
  format: ModuleFormat & ('es' | 'cjs'),
  entries: readonly Entry[],
  programs: Readonly<Record<string, string>>,
): Promise<void> {
  const library = Object.fromEntries(entries.map(({ name, source }) => [name, join(ROOT, 'src', `${source}.ts`)]));
  const end = format === 'es' ? 'js' : 'cjs';
  const input: RollupOptions = {
    input: { ...library, ...programs },
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
    dir: join(ROOT, 'dist'),
    format,
    generatedCode: 'es2015',
    entryFileNames: `[name].${end}`,
    chunkFileNames: ({ moduleIds }) => `${moduleIds.some((id) => id.includes('/src/cli/')) ? 'cli/' : ''}[name].${end}`,
    manualChunks: chunksOf(library),
    hoistTransitiveImports: false,
    externalLiveBindings: false,
    minifyInternalExports: false,
    dynamicImportInCjs: false, // a native `import()` fails in Jest
    esModule: true,
    exports: 'named',
    sourcemap: 'hidden', // for the tests of what a file holds. The package leaves them out.
    sourcemapExcludeSources: true,
    plugins: [compact],
  };
  const bundle = await rollup(input);
  await bundle.write(output);
  await bundle.close();
}

const entries = readEntries();
await build('es', entries, COMMAND_LINE);
await build(
  'cjs',
  entries.filter(({ isDual }) => isDual),
  {},
);
