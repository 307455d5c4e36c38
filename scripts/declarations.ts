// Writes dist/types and dist/src. The bundler builds JavaScript only: its declarations are one file without maps, and
// declare values that do not exist. Run by `npm run build`.
//
// dist/types has one declaration per source file. Only what the entries of package.json export or refer to is written. What
// they export has a map into dist/src, where "go to definition" ends. The folder is CommonJS, so both module forms share its
// types. For import, an entry has a file that exports the same declarations again. An entry without `require` is declared
// for import only.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT, readEntries } from './build/entries.ts';
import { compile, emitDeclarations, relativeSpecifiers } from './declarations/emit.ts';
import { publicOf } from './declarations/surface.ts';

const SRC = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');
const TYPES = join(DIST, 'types');

/** Links from a comment into docs/. The written files are one folder deeper than the sources. */
const DOCS_LINK = /\]\((?=(?:\.\.\/)+docs\/)/g;

function withSpecifiers(text: string): string {
  let written = text;
  for (const literal of relativeSpecifiers(text).reverse()) {
    const at = literal.getEnd() - 1; // before the closing quote
    written = `${written.slice(0, at - '.ts'.length)}.js${written.slice(at)}`;
  }
  return written;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const entries = readEntries();
const paths = entries.map(({ source }) => join(SRC, `${source}.ts`));
const program = compile(paths);
const whole = emitDeclarations(program, paths);
const { surface, sources } = publicOf(whole, paths);
const written = emitDeclarations(program, paths, surface);

for (const [path, { text, map }] of written) {
  const name = path.slice(SRC.length + 1).replace(/\.ts$/, '');
  const entry = entries.find(({ source }) => source === name);
  const file = join(TYPES, `${name}${entry?.isDual === false ? '.d.mts' : '.d.ts'}`);
  const source = join(DIST, 'src', `${name}.ts`);
  const base = file.slice(dirname(file).length + 1);
  const declarations = withSpecifiers(text).replace(DOCS_LINK, '](../');
  if (sources.has(path)) {
    write(file, `${declarations}//# sourceMappingURL=${base}.map\n`);
    write(`${file}.map`, JSON.stringify({ ...map, file: base, sources: [relative(dirname(file), source)] }));
    write(source, readFileSync(path, 'utf8').replace(DOCS_LINK, '](../'));
  } else write(file, declarations);
  if (entry?.isDual) write(join(TYPES, `${name}.d.mts`), `export * from './${base.replace(/\.d\.ts$/, '.js')}';\n`);
}
write(join(TYPES, 'package.json'), '{ "type": "commonjs" }\n');
console.log(
  `dist/types: ${written.size} declarations, of ${whole.size} before what no entry exports was left out. dist/src: ${sources.size} sources`,
);
