import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../support/consumer.ts';
import type { DocModule } from './modules.ts';
import type { Project } from './project.ts';

const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const MANIFEST = read('package.json');
const INSTALLED = { ...MANIFEST.dependencies, ...MANIFEST.devDependencies };

/** The project of a stranger: strict, and with the limits of Node's type stripping. */
const COMPILER: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowJs: true,
  checkJs: true,
  resolveJsonModule: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
};

/** Writes all modules, compiles them as one program, and returns what is wrong with each. */
export function compile(project: Project, modules: readonly DocModule[]): Map<DocModule, string[]> {
  const entries = exportedNames(project);
  const written = modules.map((module) => {
    const before = module.kind === 'fragment' ? surroundings(module, entries.names) : '';
    return { module, before, path: project.write(module.page, module.file, `${before}${module.code}`) };
  });
  const paths = written.map(({ path }) => path);
  const program = ts.createProgram(paths, COMPILER, undefined, entries.program);
  return new Map(
    written.map(({ module, before, path }) => {
      const source = program.getSourceFile(path);
      if (source === undefined) throw new Error(`${path} is not part of the program`);
      const shift = module.line - before.split('\n').length;
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      const findings = found.map(({ messageText, start = 0 }) => {
        const line = source.getLineAndCharacterOfPosition(start).line + shift + 1;
        return `${module.page}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
      });
      return [module, [...findings, ...undeclared(module)]];
    }),
  );
}

/** The import of each name that the entries of the package export. */
function exportedNames(project: Project): { readonly program: ts.Program; readonly names: Map<string, string> } {
  const specifiers = Object.keys(MANIFEST.exports)
    .filter((entry) => entry !== './package.json')
    .map((entry) => `merchant-invoicing${entry.slice(1)}`);
  const lines = specifiers.map((specifier, index) => `export * as e${index} from '${specifier}';\n`);
  const path = project.write('entries', 'entries.ts', lines.join(''));
  const program = ts.createProgram([path], COMPILER);
  const checker = program.getTypeChecker();
  const exportsOf = (node: ts.Symbol | undefined): ts.Symbol[] =>
    node === undefined ? [] : checker.getExportsOfModule(node);
  const source = program.getSourceFile(path);
  const namespaces = exportsOf(source === undefined ? undefined : checker.getSymbolAtLocation(source));
  const names = new Map<string, string>();
  namespaces.forEach((namespace, index) => {
    for (const symbol of exportsOf(checker.getAliasedSymbol(namespace))) {
      const { flags } = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const what = flags & ts.SymbolFlags.Value ? symbol.name : `type ${symbol.name}`;
      if (!names.has(symbol.name)) names.set(symbol.name, `import { ${what} } from '${specifiers[index]}';`);
    }
  });
  return { program, names };
}

/** Imports of the names that a fragment uses and does not declare, then its declared surroundings. */
function surroundings({ code, around }: DocModule, names: ReadonlyMap<string, string>): string {
  const text = `${around}\n${code}`;
  const used = [...names].filter(
    ([name]) =>
      new RegExp(`(?<![\\w'])(?<![\\w)\\]]\\.)${name}\\b`).test(text) &&
      !new RegExp(`\\b(?:const|let|function|class|interface|type)\\s+${name}\\b|^import[^;]*\\b${name}\\b`, 'm').test(
        text,
      ),
  );
  return `${used.map(([, statement]) => statement).join(' ')}\n${around}\nexport {};\n`;
}

/** Packages of an import that the project does not have as a dependency: a reader could not install them by name. */
function undeclared({ page, line, code }: DocModule): string[] {
  const found = [...code.matchAll(/(?:from|import) '((?:@[\w.-]+\/)?[\w.-]+)[^']*'/g)].map(([, name = '']) => name);
  const known = [MANIFEST.name, ...Object.keys(INSTALLED)];
  return found
    .filter((name) => !name.startsWith('.') && !name.startsWith('node:') && !known.includes(name))
    .map((name) => `${page}:${line} imports ${name}, which is not a development dependency`);
}
