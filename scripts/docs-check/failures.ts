import ts from 'typescript';
import type { Sources } from './surface.ts';

/**
 * Returns whether a function of the package may fail with an error of the package. Its code makes one, or the code of a
 * function that it calls. A `try` whose `catch` throws nothing hides the errors made inside it.
 */
export function failuresIn({ program, checker, folder }: Sources): (declaration: ts.Declaration) => boolean {
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
  const implementations = implementationsIn(files, checker);
  const known = new Map<ts.Node, boolean>();

  function mayFail(declaration: ts.Node): boolean {
    const found = known.get(declaration);
    if (found !== undefined) return found;
    known.set(declaration, false); // a function that calls itself
    const bodies = [declaration, ...(implementations.get(declaration) ?? [])].filter(hasBody);
    const fails = bodies.some(reaches);
    known.set(declaration, fails);
    return fails;
  }

  function reaches(node: ts.Node): boolean {
    if (ts.isTryStatement(node) && node.catchClause !== undefined && !throwsIn(node.catchClause)) {
      return reaches(node.catchClause) || (node.finallyBlock !== undefined && reaches(node.finallyBlock));
    }
    if (ts.isNewExpression(node) && isOwnError(checker.getTypeAtLocation(node))) return true;
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const { declaration } = checker.getResolvedSignature(node) ?? {};
      if (declaration !== undefined && isOwn(declaration) && mayFail(ownerOf(declaration))) return true;
    }
    return ts.forEachChild(node, (child) => reaches(child) || undefined) ?? false;
  }

  const isOwn = (node: ts.Node): boolean => node.getSourceFile().fileName.startsWith(folder);
  return mayFail;
}

function throwsIn(node: ts.Node): boolean {
  if (ts.isThrowStatement(node)) return true;
  return ts.forEachChild(node, (child) => throwsIn(child) || undefined) ?? false;
}

function hasBody(node: ts.Node): boolean {
  return !(ts.isMethodSignature(node) || ts.isPropertySignature(node) || ts.isInterfaceDeclaration(node));
}

/** Of the type of a member, such as `() => void`, the member. */
function ownerOf(signature: ts.Node): ts.Node {
  return ts.isFunctionTypeNode(signature) && ts.isPropertySignature(signature.parent) ? signature.parent : signature;
}

function isOwnError(type: ts.Type): boolean {
  if (type.symbol?.name === 'MerchantError') return true;
  return type.isClass() && (type.getBaseTypes() ?? []).some(isOwnError);
}

/** By the declaration of an interface's member: the functions that implement it, in object literals and classes. */
function implementationsIn(files: readonly ts.SourceFile[], checker: ts.TypeChecker): Map<ts.Node, ts.Node[]> {
  const found = new Map<ts.Node, ts.Node[]>();
  const add = (member: ts.Symbol | undefined, body: ts.Node): void => {
    for (const declaration of member?.declarations ?? []) {
      found.set(declaration, [...(found.get(declaration) ?? []), body]);
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) {
      const type = checker.getContextualType(node);
      for (const property of node.properties) {
        const name = property.name?.getText();
        if (name !== undefined && type !== undefined) add(type.getProperty(name), bodyOf(property, checker));
      }
    }
    if (ts.isClassDeclaration(node)) {
      const types = (node.heritageClauses ?? []).flatMap((clause) =>
        clause.types.map((each) => checker.getTypeAtLocation(each)),
      );
      for (const member of node.members) {
        const name = member.name?.getText();
        if (name !== undefined) for (const type of types) add(type.getProperty(name), member);
      }
    }
    ts.forEachChild(node, visit);
  };
  files.forEach(visit);
  return found;
}

/** The property, or the function to which it refers: `{ create }`, `{ create: createInvoice }`. */
function bodyOf(property: ts.ObjectLiteralElementLike, checker: ts.TypeChecker): ts.Node {
  const referred = ts.isShorthandPropertyAssignment(property)
    ? checker.getShorthandAssignmentValueSymbol(property)
    : ts.isPropertyAssignment(property) && ts.isIdentifier(property.initializer)
      ? checker.getSymbolAtLocation(property.initializer)
      : undefined;
  const symbol =
    referred !== undefined && referred.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(referred) : referred;
  return symbol?.valueDeclaration ?? property;
}
