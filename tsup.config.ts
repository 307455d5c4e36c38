import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build, defineConfig, type Options } from 'tsup';
import { type Metafile, nameChunks, nameDeclarations } from './.ci/readable-names.ts';

/** The entries that can be imported and required. */
const DUAL = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  sandbox: 'src/tools/sandbox/index.ts',
  reconcile: 'src/reconcile/index.ts',
  testing: 'src/tools/testing/index.ts',
  storm: 'src/tools/storm/index.ts',
};
const LIBRARY = { ...DUAL, msw: 'src/tools/msw.ts' };
const COMMAND = { cli: 'src/tools/cli/bin.ts' };
/**
 * What has a file of its own, although nothing imports it by this name: a bundler can then leave the rest out where only
 * `hasCode` is imported, and a stack names it.
 */
const PARTS = {
  client: 'src/client.ts',
  errors: 'src/errors/classes.ts',
  guards: 'src/errors/guards.ts',
  'vendor-ky': 'node_modules/ky/distribution/index.js',
};
const { homepage }: { homepage?: string } = JSON.parse(readFileSync('package.json', 'utf8'));
const shared: Options = { target: 'node22', removeNodeProtocol: false, silent: true };

function requirableFiles({ outputs }: Metafile): string[] {
  const files = new Set(Object.keys(DUAL).map((name) => `dist/${name}.js`));
  for (const file of files) for (const { path, external } of outputs[file]?.imports ?? []) external || files.add(path);
  return [...files];
}

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

export default defineConfig({
  ...shared,
  entry: { ...LIBRARY, ...PARTS, ...COMMAND },
  format: 'esm',
  splitting: true,
  define: { HOMEPAGE: JSON.stringify(homepage ?? '') },
  noExternal: ['ky', 'zod', 'csv-parse'],
  metafile: true,
  clean: true,
  async onSuccess() {
    const metafile = nameChunks({ ...LIBRARY, ...COMMAND }, PARTS);
    // The CommonJS form is made of the ESM files one by one, so that an error class is the same class in every entry.
    const cjs: Options = { entry: requirableFiles(metafile), format: 'cjs', bundle: false, outDir: 'dist/cjs' };
    // Jest has no import() in CommonJS.
    const esbuildOptions: Options['esbuildOptions'] = (options) => {
      options.supported = { ...options.supported, 'dynamic-import': false };
    };
    await build({ ...shared, ...cjs, esbuildOptions, outExtension: () => ({ js: '.js' }), config: false });
    writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n');
    await build({ ...shared, entry: LIBRARY, format: ['esm', 'cjs'], dts: { only: true }, config: false });
    for (const file of readdirSync('dist').filter((each) => /\.d\.c?ts$/.test(each))) {
      const text = readFileSync(`dist/${file}`, 'utf8').replace(/\]\((?:\.\.\/)+docs\//g, '](../docs/'); // as seen from dist
      const [reference = ''] = /^\/\/\/ <reference lib=.*>\n/m.exec(text) ?? []; // has no effect below the first line
      writeFileSync(`dist/${file}`, reference + withoutAlias(file, text.replace(reference, '')));
    }
    nameDeclarations(LIBRARY);
    const inlined = new Set(Object.keys(metafile.inputs).flatMap((path) => /^node_modules\/[^/]+/.exec(path) ?? []));
    writeFileSync('THIRD-PARTY-LICENSES', [...inlined].map(licenceOf).join('\n---\n\n'));
  },
});
