import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../build/entries.ts';
import { type Declaration, declaredNames, handedOn, type Surface } from './emit.ts';
import { declarationsOf, reachedFrom, resolved } from './references.ts';

const SRC = join(ROOT, 'src/');

/** The public part of the package, by the paths of the sources. */
interface Public {
  /** The names that the entries export, and those to which these declarations refer. */
  readonly surface: Surface;
  /** The entries, and the sources that declare what they export. */
  readonly sources: ReadonlySet<string>;
}

/** Returns the public part. The compiler reads the declarations under the paths of the sources. */
export function publicOf(declarations: ReadonlyMap<string, Declaration>, entries: readonly string[]): Public {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ['node'],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (file, language, ...rest) => {
    const text = declarations.get(file)?.text;
    return text === undefined
      ? getSourceFile(file, language, ...rest)
      : ts.createSourceFile(file, text, language, true);
  };
  const program = ts.createProgram(entries, options, host);
  const checker = program.getTypeChecker();
  const exported = entries.flatMap((path) => {
    const source = program.getSourceFile(path);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${path} declares nothing`);
    return checker.getExportsOfModule(module);
  });
  const declaring = exported.flatMap((symbol) => declarationsOf(resolved(checker, symbol), SRC));
  const sources = new Set([...entries, ...declaring.map((node) => node.getSourceFile().fileName)]);
  return { surface: namesIn(program, entries, exported), sources };
}

function namesIn(program: ts.Program, entries: readonly string[], exported: readonly ts.Symbol[]): Surface {
  const checker = program.getTypeChecker();
  const names = new Map<string, Set<string>>(entries.map((path) => [path, new Set()]));
  const reached = reachedFrom(checker, exported, SRC);
  for (const symbol of reached) {
    for (const node of declarationsOf(symbol, SRC)) {
      const { fileName } = node.getSourceFile();
      const own = names.get(fileName) ?? new Set();
      for (const name of declaredNames(node as ts.Statement)) own.add(name); // only declarations at the top are reached
      names.set(fileName, own);
    }
  }
  for (const [path, own] of names) {
    for (const specifier of program.getSourceFile(path)?.statements.flatMap(handedOn) ?? []) {
      const symbol = checker.getSymbolAtLocation(specifier.name);
      const target = symbol && resolved(checker, symbol);
      const isOwn = target !== undefined && declarationsOf(target, SRC).length > 0;
      if (!isOwn || reached.has(target)) own.add(specifier.name.text);
    }
  }
  return names;
}
