import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PACKAGE = 'merchant-invoicing'; // resolves to this package itself, through its exports
const load = createRequire(import.meta.url);

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  typeRoots: [`${ROOT}node_modules/@types`],
  types: ['node'],
};

interface Conditions {
  readonly default: string;
}
const { exports } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
  readonly exports: Readonly<
    Record<string, Conditions | { readonly import: Conditions; readonly require: Conditions }>
  >;
};
// The setup files of test runners export nothing, and load in their runner only.
const BUILT = Object.entries(exports)
  .filter(([path]) => path !== './package.json' && !path.startsWith('./testing/'))
  .flatMap(([path, conditions]) => {
    const entry = PACKAGE + path.slice(1);
    return 'import' in conditions
      ? ([
          [entry, 'mts', conditions.import.default],
          [entry, 'cts', conditions.require.default],
        ] as const)
      : ([[entry, 'mts', conditions.default]] as const);
  });

/** One program with a source per built entry, which exists in memory only and imports that entry. */
function declaredValues(): readonly (readonly string[])[] {
  const probes = new Map(
    BUILT.map(([entry, form], index) => [
      `${ROOT}probe-${index}.${form}`,
      form === 'mts' ? `import * as entry from '${entry}';` : `import entry = require('${entry}');`,
    ]),
  );
  const host = ts.createCompilerHost(OPTIONS);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => probes.has(file) || fileExists(file);
  host.readFile = (file) => probes.get(file) ?? readFile(file);
  host.getSourceFile = (file, language, ...rest) => {
    const text = probes.get(file);
    return text === undefined
      ? getSourceFile(file, language, ...rest)
      : ts.createSourceFile(file, text, language, true);
  };
  const program = ts.createProgram([...probes.keys()], OPTIONS, host);
  const checker = program.getTypeChecker();
  return [...probes.keys()].map((probe) => {
    const source = program.getSourceFile(probe);
    const aliases = source === undefined ? [] : checker.getSymbolsInScope(source, ts.SymbolFlags.Alias);
    const entry = aliases.find(({ name }) => name === 'entry');
    if (entry === undefined) throw new Error(`${probe} imports nothing`);
    const members = checker.getPropertiesOfType(checker.getTypeOfSymbol(checker.getAliasedSymbol(entry)));
    return members.map(({ name }) => name).sort();
  });
}

describe('the declared exports are the real ones', () => {
  const declared = declaredValues();

  it.each(BUILT.map((built, index) => [...built, index] as const))(
    '%s, from a file.%s',
    (_entry, _form, file, index) => {
      expect(declared[index]).not.toEqual([]);
      expect(declared[index]).toEqual(Object.keys(load(`${ROOT}${file}`) as object).sort());
    },
  );
});

describe('the built entries', () => {
  it.each(BUILT)('keep the names of functions and classes in %s, from a file.%s', (_entry, _form, file) => {
    const own = Object.entries(load(`${ROOT}${file}`) as object).filter(([name]) => name !== 'Decimal'); // of decimal.js
    const functions = own.filter(([, value]) => typeof value === 'function');
    expect(functions.map(([, { name }]) => name)).toEqual(functions.map(([name]) => name));
    expect(functions).not.toEqual([]);
  });
});
