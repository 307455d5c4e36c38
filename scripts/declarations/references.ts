import ts from 'typescript';

/** The symbol itself, if the given one was imported or exported again. */
export function resolved(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The declarations of a symbol in files of the folder. Of a const, its whole statement. */
export function declarationsOf(symbol: ts.Symbol, folder: string): ts.Node[] {
  return (symbol.declarations ?? [])
    .filter((node) => node.getSourceFile().fileName.startsWith(folder))
    .map((node) => (ts.isVariableDeclaration(node) ? node.parent.parent : node));
}

/** Returns the symbols and, at any depth, each symbol of the folder's files to which a declaration refers. */
export function reachedFrom(checker: ts.TypeChecker, symbols: readonly ts.Symbol[], folder: string): Set<ts.Symbol> {
  const found = new Set<ts.Symbol>();
  const add = (symbol: ts.Symbol): void => {
    const nodes = declarationsOf(symbol, folder);
    if (nodes.some(({ parent }) => parent !== undefined && ts.isSourceFile(parent))) found.add(symbol);
  };
  const visit = (node: ts.Node): void => {
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
    if (symbol !== undefined) add(resolved(checker, symbol));
    ts.forEachChild(node, visit);
  };
  for (const symbol of symbols) add(resolved(checker, symbol));
  for (const symbol of found) for (const node of declarationsOf(symbol, folder)) visit(node);
  return found;
}
