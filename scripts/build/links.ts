import ts from 'typescript';

/** A text in place of a node. */
export interface Edit {
  readonly node: ts.Node;
  readonly text: string;
}

/** Returns the tree of a built file. */
export const parse = (code: string): ts.SourceFile =>
  ts.createSourceFile('built.js', code, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS);

/** The imports and exports of a built file. Each is a separate statement, as the bundler writes them. */
export const linksOf = (file: ts.SourceFile): (ts.ImportDeclaration | ts.ExportDeclaration)[] =>
  file.statements.filter((node) => ts.isImportDeclaration(node) || ts.isExportDeclaration(node));

/** The text of a file with its edits. */
export function edited(file: ts.SourceFile, edits: readonly Edit[]): string {
  const fromEnd = [...edits].sort((a, b) => b.node.getStart() - a.node.getStart());
  return fromEnd.reduce(
    (text, { node, text: other }) => text.slice(0, node.getStart()) + other + text.slice(node.getEnd()),
    file.text,
  );
}
