// Which documentation each public symbol must have.
//
// Summary: each export, each method, each member of the client and of an options object. Other members only if the type
// hides something: the meaning of null or undefined, or the unit of a number. A default value is a summary as well.
// Example: each function, class and method of the client. A method of another object needs none if some example calls or
// defines it. An options object needs none if an example of something that takes it shows one of its members.
// Errors: a function or method that may fail with an error of the package names it, with its codes. Or it says that it
// never throws or rejects.
// An export whose summary begins with "The part of" describes an object of another package or of the client. Its members
// are documented there.
import ts from 'typescript';
import { CODE_KINDS, WEBHOOK_REASONS } from '../../src/errors/codes.ts';
import { type Documentation, documentationOf, methodsIn, writtenMembers } from './documentation.ts';
import { failuresIn } from './failures.ts';
import { type PublicSymbol, publicSymbols, type Sources } from './surface.ts';

/** Something that the documentation of one symbol lacks. */
export interface Gap {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly missing: string;
}

const OPTIONS = /(?:Options|Overrides|Query|Params|Filter)$/;
const PART = /^The part (?:of|that is common to)\b/;
const NEVER = /\bnever (?:throws|rejects)\b/i;
const CODE = /`((?:SDK|VALIDATION|INVOICE)_[A-Z_<>\d]+)`/g;
const CODES: ReadonlySet<string> = new Set([
  ...Object.keys(CODE_KINDS),
  ...WEBHOOK_REASONS.map((reason) => `SDK_WEBHOOK_${reason.toUpperCase()}`),
  'SDK_WEBHOOK_<REASON>',
]);
const isCode = (code: string): boolean => CODES.has(code) || /^SDK_HTTP_\d{3}$/.test(code);

interface Documented extends PublicSymbol {
  readonly docs: Documentation;
  /** Whether it is, or belongs to, a part of an object that is documented elsewhere. */
  readonly isPart: boolean;
}

export function gapsIn(sources: Sources): Gap[] {
  const { checker } = sources;
  const symbols = publicSymbols(sources).map((each): Documented => {
    const docs = documentationOf(each.symbol, checker);
    const { summary } = each.owner === null ? docs : documentationOf(each.owner.symbol, checker);
    return { ...each, docs, isPart: PART.test(summary) };
  });
  const rules = [summaryRule(symbols, checker), exampleRule(symbols, checker), errorRule(sources)];
  return symbols.flatMap((each) => {
    const source = each.node.getSourceFile();
    const { line } = source.getLineAndCharacterOfPosition(each.node.getStart());
    const place = { path: source.fileName, line: line + 1, name: each.name };
    return rules.flatMap((rule) => rule(each)).map((missing) => ({ ...place, missing }));
  });
}

type Rule = (symbol: Documented) => string[];

function summaryRule(symbols: readonly Documented[], checker: ts.TypeChecker): Rule {
  const clients = clientTypes(symbols, checker);
  return ({ symbol, node, owner, docs, isPart }) => {
    if (docs.summary !== '' || isPart || (owner !== null && docs.hasDefault)) return [];
    const isNeeded =
      owner === null ||
      isMethod(node) ||
      clients.has(owner.symbol) ||
      OPTIONS.test(owner.name) ||
      hides(symbol, checker);
    return isNeeded ? ['summary'] : [];
  };
}

/** Whether the type leaves open what null, undefined or a number means. */
function hides(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  const type = checker.getTypeOfSymbol(symbol);
  const parts = type.isUnion() ? type.types : [type];
  const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
  const isOpen = ({ flags }: ts.Type): boolean =>
    (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Number)) !== 0;
  // A member that is always null or undefined tells itself from the others of its union.
  return parts.length > 1 || isOptional ? isOptional || parts.some(isOpen) : (type.flags & ts.TypeFlags.Number) !== 0;
}

function exampleRule(symbols: readonly Documented[], checker: ts.TypeChecker): Rule {
  const clients = clientTypes(symbols, checker);
  const called = new Set(symbols.flatMap(({ docs }) => docs.examples.flatMap((example) => [...methodsIn(example)])));
  return (each) => {
    const { symbol, node, owner, docs, isPart } = each;
    if (docs.examples.length > 0 || isPart) return [];
    if (owner === null) {
      if (isFunction(symbol, checker)) return ['@example'];
      return OPTIONS.test(symbol.name) && !isShown(each, symbols, checker) ? ['@example'] : [];
    }
    if (!isMethod(node)) return [];
    return clients.has(owner.symbol) || !called.has(symbol.name) ? ['@example'] : [];
  };
}

/** Whether the members of an options object, or something that takes the object, has an example of one of its members. */
function isShown(options: Documented, symbols: readonly Documented[], checker: ts.TypeChecker): boolean {
  const own = new Set(
    checker
      .getDeclaredTypeOfSymbol(options.symbol)
      .getProperties()
      .map(({ name }) => name),
  );
  const takers = new Set<ts.Symbol>([options.symbol]);
  for (const taker of takers) {
    for (const { symbol, owner } of symbols) {
      if (!(symbol.declarations ?? []).some((node) => refersTo(node, taker, checker))) continue;
      takers.add(symbol);
      if (owner !== null) takers.add(owner.symbol);
    }
  }
  const examples = symbols
    .filter(({ symbol, owner }) => takers.has(symbol) || owner?.symbol === options.symbol)
    .flatMap(({ docs }) => docs.examples);
  return examples.some((example) => [...writtenMembers(example)].some((name) => own.has(name)));
}

/** Whether the declaration names the type, outside of the bodies of functions. */
function refersTo(node: ts.Node, type: ts.Symbol, checker: ts.TypeChecker): boolean {
  if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
    const name = ts.isTypeReferenceNode(node) ? node.typeName : node.expression;
    const symbol = checker.getSymbolAtLocation(name);
    const own = symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (own === type) return true;
  }
  if (ts.isBlock(node)) return false;
  return ts.forEachChild(node, (child) => refersTo(child, type, checker) || undefined) ?? false;
}

function errorRule(sources: Sources): Rule {
  const mayFail = failuresIn(sources);
  const { checker } = sources;
  return ({ symbol, node, owner, docs, isPart }) => {
    const isCallable = owner === null ? isFunction(symbol, checker) : isMethod(node) && !isPart;
    const failing = (symbol.declarations ?? []).flatMap((each) =>
      ts.isClassDeclaration(each) ? each.members.filter(ts.isConstructorDeclaration) : [each],
    );
    const isTold = docs.throws.length > 0 || NEVER.test(docs.summary);
    const codes = docs.throws.flatMap((text) => [...text.matchAll(CODE)].map(([, code = '']) => code));
    return [
      ...(isCallable && !isTold && failing.some(mayFail) ? ['@throws'] : []),
      ...docs.throws
        .filter((text) => /^(?!Merchant|Call)\w+Error\b/.test(text) && !/`(?:SDK|VALIDATION|INVOICE)_/.test(text))
        .map((text) => `code in "@throws ${text.split(/\s/, 1)}"`),
      ...codes.filter((code) => !isCode(code)).map((code) => `${code}, which is not a code`),
    ];
  };
}

const isMethod = (node: ts.Declaration): boolean => ts.isMethodSignature(node) || ts.isMethodDeclaration(node);

/** Whether an export can be called or constructed. */
function isFunction(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  if ((symbol.flags & ts.SymbolFlags.Value) === 0) return false;
  if (symbol.flags & ts.SymbolFlags.Class) return true;
  return checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0;
}

/** The client, and the types of its members. */
function clientTypes(symbols: readonly Documented[], checker: ts.TypeChecker): ReadonlySet<ts.Symbol> {
  const client = symbols.find(({ owner, name }) => owner === null && name === 'MerchantClient');
  const members = client === undefined ? [] : checker.getDeclaredTypeOfSymbol(client.symbol).getProperties();
  const types = members
    .map((member) => checker.getTypeOfSymbol(member).symbol)
    .filter((symbol) => symbol !== undefined);
  return new Set(client === undefined ? [] : [client.symbol, ...types]);
}
