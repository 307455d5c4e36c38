// `npm run api` compares the public surface with api/*.md and fails when they differ. `npm run api -- --write` writes
// them, so that a change of the surface is read in review. The report holds each export of an entry, and each type that an
// export refers to, from the built declarations and without comments.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { type Entry, readEntries } from './build/entries.ts';
import { declarationsOf, reachedFrom, resolved } from './declarations/references.ts';

const ROOT = join(import.meta.dirname, '..');
const TYPES = join(ROOT, 'dist/types/');
const ENTRIES = readEntries();

const paths = ENTRIES.map(({ source }) => join(TYPES, `${source}.d.mts`));
const program = ts.createProgram(paths, {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
});
const checker = program.getTypeChecker();
const printer = ts.createPrinter({ removeComments: true });

/** Sorts the literals of a union. An inferred union has the order in which the compiler met them in any file. */
function withSortedLiterals(text: string): string {
  return text.replace(/"[^"]*"(?: \| "[^"]*")+/g, (union) => union.split(' | ').sort().join(' | '));
}

function textOf(symbol: ts.Symbol): string {
  const nodes = declarationsOf(symbol, TYPES);
  const texts = nodes.map((node) => printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()));
  return withSortedLiterals(texts.join('\n'));
}

const byName = (a: string, b: string): number => (a < b ? -1 : 1);

function report({ name, source: path }: Entry): string {
  const source = program.getSourceFile(join(TYPES, `${path}.d.mts`));
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`dist/types/${path}.d.mts is missing: run npm run build`);
  const exported = checker
    .getExportsOfModule(module)
    .map((symbol) => ({ name: symbol.name, symbol: resolved(checker, symbol) }));
  const reached = reachedFrom(
    checker,
    exported.map(({ symbol }) => symbol),
    TYPES,
  );
  const others = [...reached].filter((symbol) => !exported.some((each) => each.symbol === symbol));
  const section = (title: string, text: string): string => `### ${title}\n\n\`\`\`ts\n${text}\n\`\`\`\n`;
  const isOwn = ({ symbol }: { symbol: ts.Symbol }): boolean => declarationsOf(symbol, TYPES).length > 0;
  return [
    `# ${name === 'index' ? 'merchant-invoicing' : `merchant-invoicing/${name}`}\n`,
    'Written by `npm run api -- --write` from the built declarations. A change here changes the public surface.\n',
    '## Exports\n',
    ...exported
      .sort((a, b) => byName(a.name, b.name))
      .map((each) => section(each.name, isOwn(each) ? textOf(each.symbol) : `// ${each.name} of a dependency`)),
    '## Types that the exports refer to\n',
    ...others.map((symbol) => section(symbol.name, textOf(symbol))).sort(byName),
  ].join('\n');
}

const isWrite = process.argv.includes('--write');
const changed = ENTRIES.filter((entry) => {
  const file = join(ROOT, 'api', `${entry.name}.md`);
  const text = report(entry);
  if (isWrite) {
    mkdirSync(join(ROOT, 'api'), { recursive: true });
    writeFileSync(file, text);
    return false;
  }
  return readFileSync(file, 'utf8') !== text;
});
for (const { name } of changed) console.error(`api/${name}.md differs from the built declarations`);
if (changed.length > 0) {
  console.error('If the change is meant: npm run api -- --write, commit the files, and name it in CHANGELOG.md.');
  process.exitCode = 1;
}
