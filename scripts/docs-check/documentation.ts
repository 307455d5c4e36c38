import ts from 'typescript';

/** The parts of a comment that the check reads. */
export interface Documentation {
  readonly summary: string;
  readonly examples: readonly string[];
  readonly throws: readonly string[];
  /** Whether it names a default value. */
  readonly hasDefault: boolean;
}

export function documentationOf(symbol: ts.Symbol, checker: ts.TypeChecker): Documentation {
  const tags = symbol.getJsDocTags(checker);
  const textsOf = (wanted: string): string[] =>
    tags.filter(({ name }) => name === wanted).map(({ text }) => ts.displayPartsToString(text).trim());
  return {
    summary: ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim(),
    examples: textsOf('example'),
    throws: textsOf('throws'),
    hasDefault: textsOf('defaultValue').length > 0,
  };
}

/** The names that the example writes as members of an object: `{ name: … }` and `{ name }`. */
export function writtenMembers(example: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralElement(node) && node.name !== undefined && ts.isIdentifier(node.name)) {
      names.add(node.name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed(example));
  return names;
}

/** The names of the methods that the example calls or defines. */
export function methodsIn(example: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
      names.add(node.expression.name.text);
    if (ts.isMethodDeclaration(node)) names.add(node.name.getText());
    ts.forEachChild(node, visit);
  };
  visit(parsed(example));
  return names;
}

function parsed(example: string): ts.SourceFile {
  return ts.createSourceFile('example.ts', example, ts.ScriptTarget.Latest, true);
}
