import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

/**
 * `type` leaves no trace at run time; `lazy` loads when the line is reached: a dynamic import, or Node's
 * getBuiltinModule. `import { type A }` is a `value`: the compiler keeps the empty import.
 */
export type ImportKind = 'value' | 'type' | 'lazy';

export interface Import {
  /** A path below the root for one of our own files, else the name as written: `zod/mini`, `node:http`. */
  readonly to: string;
  readonly kind: ImportKind;
}

export interface SourceFile {
  /** Path below the root, with slashes: `contract/types.ts`. */
  readonly path: string;
  readonly imports: readonly Import[];
}

/** What a source text imports, in any of the ways in which TypeScript can. */
export function importsOf(path: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, kind: ImportKind) => {
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) {
      const isOwn = specifier.text.startsWith('.');
      found.push({ to: isOwn ? posix.join(posix.dirname(path), specifier.text) : specifier.text, kind });
    } else {
      found.push({ to: '(computed)', kind });
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword ? 'type' : 'value');
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
      add(node.moduleSpecifier, node.isTypeOnly ? 'type' : 'value');
    } else if (ts.isImportTypeNode(node)) {
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, 'type');
    } else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
      add(node.moduleReference.expression, 'value');
    } else if (ts.isCallExpression(node)) {
      const { expression: callee } = node;
      const name = ts.isPropertyAccessExpression(callee)
        ? callee.name.text
        : ts.isIdentifier(callee)
          ? callee.text
          : '';
      if (callee.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0], 'lazy');
      else if (name === 'getBuiltinModule') add(node.arguments[0], 'lazy');
      else if (name === 'require' || name === 'createRequire') add(node.arguments[0], 'value');
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, false, ts.ScriptKind.TS));
  return found;
}

/** Every source below a folder. */
export function readSources(root: string): SourceFile[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => ({ path, imports: importsOf(path, readFileSync(`${root}/${path}`, 'utf8')) }));
}
