import ts from 'typescript';
import { type Edit, edited, linksOf, parse } from './links.ts';

/**
 * Writes a built ES module as CommonJS. Only imports and exports change, so the archive holds nearly the same text twice in
 * a row, which its compression stores once. The bundler refuses cycles of files. An unknown statement stops the build, and
 * so does an export that is assigned again, because CommonJS would keep its first value.
 *
 * @param isEntry Whether programs load the file, and not only other files of the package.
 */
export function toCommonJs(path: string, code: string, isEntry: boolean): string {
  const file = parse(code);
  const exported = new Set<string>();
  const edits: Edit[] = linksOf(file).map((node) => ({
    node,
    text: ts.isImportDeclaration(node) ? required(node) : assigned(node, exported),
  }));
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      edits.push({ node, text: `Promise.resolve().then(()=>require(${node.arguments[0]?.getText()}))` });
    const isImportMeta = ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword;
    if (isImportMeta || isOtherExport(node) || changedBy(node).some((name) => exported.has(name)))
      throw new Error(`${path}: ${node.getText().slice(0, 80)} cannot be written as CommonJS`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const marks = '{__esModule:{value:!0},[Symbol.toStringTag]:{value:"Module"}}';
  return `"use strict";${isEntry ? `Object.defineProperties(exports,${marks});` : ''}${edited(file, edits)}`;
}

function required({ importClause, moduleSpecifier }: ts.ImportDeclaration): string {
  const from = `require(${moduleSpecifier.getText()})`;
  if (importClause === undefined) return `${from};`;
  const names = importClause.namedBindings;
  if (importClause.name !== undefined || names === undefined || !ts.isNamedImports(names))
    throw new Error(`${importClause.getText()} of ${from} has another form in CommonJS`);
  const members = names.elements.map(({ name, propertyName }) =>
    propertyName === undefined ? name.text : `${propertyName.text}:${name.text}`,
  );
  return `const{${members.join(',')}}=${from};`;
}

function assigned({ exportClause, moduleSpecifier }: ts.ExportDeclaration, exported: Set<string>): string {
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) throw new Error('only names can be exported');
  return exportClause.elements
    .map(({ name, propertyName = name }) => {
      if (moduleSpecifier === undefined) exported.add(propertyName.text);
      const from = moduleSpecifier === undefined ? '' : `require(${moduleSpecifier.getText()}).`;
      return `exports.${name.text}=${from}${propertyName.text};`;
    })
    .join('');
}

/** An export without a list of names. The bundler writes none. */
function isOtherExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node) || (ts.isExportSpecifier(node) && !ts.isIdentifier(node.name))) return true;
  return ts.canHaveModifiers(node) && ts.getModifiers(node)?.[0]?.kind === ts.SyntaxKind.ExportKeyword;
}

/** The names of the variables that an expression or a loop assigns. */
function changedBy(node: ts.Node): readonly string[] {
  if (ts.isForInStatement(node) || ts.isForOfStatement(node))
    return ts.isVariableDeclarationList(node.initializer) ? [] : namesIn(node.initializer);
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    const isAssignment = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
    return isAssignment && !ts.isPropertyAccessExpression(node.left) && !ts.isElementAccessExpression(node.left)
      ? namesIn(node.left)
      : [];
  }
  if (!ts.isPrefixUnaryExpression(node) && !ts.isPostfixUnaryExpression(node)) return [];
  const isStep = node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken;
  return isStep && ts.isIdentifier(node.operand) ? [node.operand.text] : [];
}

/** The names in a variable or pattern. Those of its defaults are among them, which is strict enough. */
function namesIn(node: ts.Node): string[] {
  return ts.isIdentifier(node) ? [node.text] : node.getChildren().flatMap(namesIn);
}
