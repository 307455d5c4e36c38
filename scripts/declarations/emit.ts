import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../build/entries.ts';

/** The declaration of one source, with the specifiers of the source. */
export interface Declaration {
  readonly text: string;
  readonly map: object;
}

/** The names declared at the top of each source that are written, by the path of the source. */
export type Surface = ReadonlyMap<string, ReadonlySet<string>>;

/** Where the text names a relative source: in import and export declarations, and in `import('./a.ts').A`. */
export function relativeSpecifiers(text: string): ts.StringLiteral[] {
  const found: ts.StringLiteral[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) && /^\.\.?\/.*\.ts$/.test(node.text)) {
      const { parent } = node;
      const isImportType = ts.isLiteralTypeNode(parent) && ts.isImportTypeNode(parent.parent);
      if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || isImportType) found.push(node);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a.d.ts', text, ts.ScriptTarget.Latest, true));
  return found;
}

/** Declares the sources and what their declarations name, with or without what is not in the surface. */
export function emitDeclarations(
  program: ts.Program,
  starts: readonly string[],
  surface?: Surface,
): ReadonlyMap<string, Declaration> {
  const declared = new Map<string, Declaration>();
  const reached = new Set(starts);
  for (const path of reached) {
    const declaration = emitted(program, path, surface?.get(path));
    declared.set(path, declaration);
    for (const { text } of relativeSpecifiers(declaration.text)) reached.add(resolve(dirname(path), text));
  }
  return declared;
}

/** The program of the sources. */
export function compile(starts: readonly string[]): ts.Program {
  const { config, error } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: ['src'] }, ts.sys, ROOT, {
    noEmit: false,
    emitDeclarationOnly: true,
    declaration: true,
    declarationMap: true,
    rootDir: join(ROOT, 'src'),
    outDir: join(ROOT, 'dist/types'),
  });
  return ts.createProgram(starts, options);
}

function emitted(program: ts.Program, path: string, names: ReadonlySet<string> | undefined): Declaration {
  const source = program.getSourceFile(path);
  if (source === undefined) throw new Error(`${path} is named by a declaration, but is not a source`);
  let text = '';
  let map = '';
  const { diagnostics } = program.emit(
    source,
    (file, content) => {
      if (file.endsWith('.map')) map = content;
      else text = content;
    },
    undefined,
    true,
    names === undefined ? {} : { afterDeclarations: [() => (node) => withOnly(names, node)] },
  );
  const [problem] = diagnostics;
  if (problem !== undefined) throw new Error(`${path}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`);
  return { text: text.replace(/\/\/# sourceMappingURL=.*\s*$/, ''), map: JSON.parse(map) as object };
}

/** The names that a statement declares. Imports, exports of other files, and additions to global types declare none. */
export function declaredNames(statement: ts.Statement): readonly string[] {
  if (statement.flags & ts.NodeFlags.GlobalAugmentation) return [];
  const nodes = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
  return nodes.flatMap((node) =>
    'name' in node && ts.isIdentifier(node.name as ts.Node) ? [(node.name as ts.Identifier).text] : [],
  );
}

/** The names that a statement exports from another place. */
export function handedOn(statement: ts.Statement): readonly ts.ExportSpecifier[] {
  const clause = ts.isExportDeclaration(statement) ? statement.exportClause : undefined;
  return clause !== undefined && ts.isNamedExports(clause) ? clause.elements : [];
}

/** The declaration without other names, and without the imports that only these needed. */
function withOnly(names: ReadonlySet<string>, node: ts.SourceFile | ts.Bundle): ts.SourceFile | ts.Bundle {
  if (!ts.isSourceFile(node)) return node;
  const kept = node.statements.flatMap((statement) => {
    const declared = declaredNames(statement);
    if (ts.isExportDeclaration(statement)) return withNames(statement, names);
    return declared.length === 0 || declared.some((name) => names.has(name)) ? [statement] : [];
  });
  const used = new Set<string>();
  const collect = (child: ts.Node): void => {
    if (ts.isIdentifier(child)) used.add(child.text);
    if (!ts.isImportDeclaration(child)) ts.forEachChild(child, collect);
  };
  kept.forEach(collect);
  const statements = kept.flatMap((statement) =>
    ts.isImportDeclaration(statement) ? withUsed(statement, used) : [statement],
  );
  return ts.factory.updateSourceFile(node, statements);
}

function withNames(statement: ts.ExportDeclaration, names: ReadonlySet<string>): ts.ExportDeclaration[] {
  const all = handedOn(statement);
  const elements = all.filter(({ name }) => names.has(name.text));
  if (elements.length === all.length) return [statement];
  if (elements.length === 0) return [];
  const { factory } = ts;
  const clause = factory.createNamedExports(elements);
  const { modifiers, isTypeOnly, moduleSpecifier, attributes } = statement;
  return [factory.updateExportDeclaration(statement, modifiers, isTypeOnly, clause, moduleSpecifier, attributes)];
}

function withUsed(statement: ts.ImportDeclaration, used: ReadonlySet<string>): ts.ImportDeclaration[] {
  const { importClause } = statement;
  const bindings = importClause?.namedBindings;
  if (importClause === undefined || bindings === undefined || !ts.isNamedImports(bindings)) return [statement];
  const elements = bindings.elements.filter(({ name }) => used.has(name.text));
  if (elements.length === 0) return [];
  const { factory } = ts;
  const clause = factory.updateImportClause(
    importClause,
    importClause.phaseModifier,
    importClause.name,
    factory.updateNamedImports(bindings, elements),
  );
  return [
    factory.updateImportDeclaration(
      statement,
      statement.modifiers,
      clause,
      statement.moduleSpecifier,
      statement.attributes,
    ),
  ];
}
