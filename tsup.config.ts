import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { build, defineConfig, type Options } from 'tsup';

/** The entries that can be imported and required. */
const DUAL = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  sandbox: 'src/tools/sandbox/index.ts',
  reconcile: 'src/reconcile/index.ts',
  testing: 'src/tools/testing/index.ts',
  storm: 'src/tools/storm/index.ts',
};
const LIBRARY: Readonly<Record<string, string>> = { ...DUAL, msw: 'src/tools/msw.ts' };
const ENTRIES: Readonly<Record<string, string>> = { ...LIBRARY, cli: 'src/tools/cli/bin.ts' };
/** Sources whose file of dist is not named after their folder. */
const APART: readonly [file: string, sources: RegExp][] = [
  ['values', /^src\/contract\/(?!values\/codecs)(?:endpoint|json|orders|statuses|types|wire|values\/\w+)\.ts$/], // no zod
  ['vendor-ky', /^src\/transport\/ky\.ts$/],
  ['client', /^src\/(?:client|options|resources\/.+|transport\/(?:http|send))\.ts$/], // and all that needs ky
  ['sandbox-actions', /^src\/tools\/sandbox\/(?:actions|dialects|lines|delivery\/diagnose)\.ts$/], // all that help needs
];

/**
 * The file of dist that holds a source: an entry, which exports what is public, or the room, which exports all that it
 * holds. So each class is one class in every entry, an import loads few files, and a stack names the room.
 */
function fileOf(source: string): string {
  const named = Object.keys(ENTRIES).find((name) => ENTRIES[name] === source);
  const [, folder = ''] = /^src\/(?:tools\/)?((?:cli\/)?\w+)/.exec(source) ?? [];
  const room = APART.find(([, sources]) => sources.test(source))?.[0] ?? folder.replace('/', '-');
  return named ?? (room in ENTRIES ? `${room}-core` : room);
}

const rooms: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'rooms',
  setup({ initialOptions, onResolve, onLoad }) {
    const sources = globSync('src/**/*.ts').sort();
    const held = Map.groupBy(sources, fileOf);
    const entries = [...held.keys()].map((file) => [file, ENTRIES[file] ?? `${file}.room`]);
    initialOptions.entryPoints = Object.fromEntries(entries);
    onResolve({ filter: /\.room$/ }, ({ path }) => ({ path: resolve(path) }));
    onLoad({ filter: /\.room$/ }, ({ path }) => {
      const exported = held.get(basename(path, '.room'))?.map((source) => `export * from './${source}';`);
      return { resolveDir: '.', contents: exported?.join('\n') ?? '' };
    });
    onResolve({ filter: /^\..*\.ts$/ }, ({ path, kind, importer, resolveDir }) => {
      if (kind === 'entry-point' || importer.endsWith('.room')) return undefined;
      const file = fileOf(relative('.', join(resolveDir, path)));
      return file === fileOf(relative('.', importer)) ? undefined : { path: `./${file}.js`, external: true };
    });
  },
};

const { homepage }: { homepage?: string } = JSON.parse(readFileSync('package.json', 'utf8'));
const shared: Options = { target: 'node22', removeNodeProtocol: false, silent: true, config: false };

function licenceOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
}

/**
 * Under pnpm no program can name decimal.js, so the declarations must not call its `Decimal` by a name of ours: an exported
 * function that returns an amount would be TS2742.
 */
function withoutAlias(file: string, text: string): string {
  if (!text.includes("from 'decimal.js'")) return text;
  const named = text.replace(
    "import { Decimal as Decimal$1 } from 'decimal.js'",
    "import { Decimal } from 'decimal.js'",
  );
  const ours = /\/\*\*\n(?: \*.*\n)+declare const Decimal: typeof Decimal\$1;\n.*\ntype Decimal = Decimal\$1;\n/;
  const bare = named.replace(ours, '');
  if (named === text || bare === named) throw new Error(`${file} names the Decimal of decimal.js in another way`);
  return bare;
}

/** The docblock of an entry. The bundler of the declarations drops it with the import behind it. */
function docblockOf(source: string): string {
  const [block] = /^\/\*\*\n(?: \*.*\n)+/.exec(readFileSync(source, 'utf8')) ?? [];
  if (block === undefined) throw new Error(`${source} has no docblock`);
  return block;
}

/** The links of a source, as seen from dist. */
const seenFromDist = (text: string): string => text.replace(/\]\((?:\.\.\/)+docs\//g, '](../docs/');

export default defineConfig({
  ...shared,
  entry: ENTRIES,
  format: 'esm',
  esbuildPlugins: [rooms],
  define: { HOMEPAGE: JSON.stringify(homepage ?? '') },
  noExternal: ['ky', 'zod', 'csv-parse'],
  metafile: true,
  clean: true,
  async onSuccess() {
    // The CommonJS form is made of the ESM files one by one, so that an error class is the same class in every entry.
    const files = readdirSync('dist').filter((each) => /^(?!(?:cli|cli-.*|msw)\.js$).*\.js$/.test(each));
    const entry = files.map((each) => `dist/${each}`);
    // Jest has no import() in CommonJS.
    const esbuildOptions: Options['esbuildOptions'] = (options) => {
      options.supported = { ...options.supported, 'dynamic-import': false };
    };
    const cjs: Options = {
      entry,
      format: 'cjs',
      bundle: false,
      outDir: 'dist/cjs',
      outExtension: () => ({ js: '.js' }),
    };
    await build({ ...shared, ...cjs, esbuildOptions });
    writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n');
    await build({ ...shared, entry: LIBRARY, format: ['esm', 'cjs'], dts: { only: true } });
    for (const file of readdirSync('dist').filter((each) => /\.d\.c?ts$/.test(each))) {
      const source = LIBRARY[file.replace(/\.d\.c?ts$/, '')];
      const block = source === undefined ? '' : seenFromDist(docblockOf(source));
      const text = seenFromDist(readFileSync(`dist/${file}`, 'utf8')).replace(block, '');
      const [reference = ''] = /^\/\/\/ <reference lib=.*>\n/m.exec(text) ?? []; // has no effect below the first line
      writeFileSync(`dist/${file}`, reference + block + withoutAlias(file, text.replace(reference, '')));
    }
    const { inputs } = JSON.parse(readFileSync('dist/metafile-esm.json', 'utf8'));
    const inlined = new Set(Object.keys(inputs).flatMap((path) => /^node_modules\/[^/]+/.exec(path) ?? []));
    writeFileSync('THIRD-PARTY-LICENSES', [...inlined].map(licenceOf).join('\n---\n\n'));
  },
});
