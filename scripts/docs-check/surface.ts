import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../build/entries.ts';
import { resolved } from '../declarations/references.ts';

/** The sources of a package and its entries, compiled. */
export interface Sources {
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  /** Begins the path of each source of the package. */
  readonly folder: string;
  readonly entries: readonly string[];
}

/** Something that a user can name: an export of an entry, or a member of one. */
export interface PublicSymbol {
  /** `Invoices.create` for a member. */
  readonly name: string;
  readonly symbol: ts.Symbol;
  readonly node: ts.Declaration;
  /** The export that it is a member of. */
  readonly owner: PublicSymbol | null;
}

export function compileSources(folder: string, entries: readonly string[]): Sources {
  const { config, error } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: ['src'] }, ts.sys, ROOT);
  const program = ts.createProgram(entries, options);
  return { program, checker: program.getTypeChecker(), folder, entries };
}

/** The exports of the entries that are declared in the folder, each once, with their members. */
export function publicSymbols({ program, checker, folder, entries }: Sources): PublicSymbol[] {
  const exported = new Set(
    entries.flatMap((path) => {
      const source = program.getSourceFile(path);
      const module = source && checker.getSymbolAtLocation(source);
      return module === undefined ? [] : checker.getExportsOfModule(module).map((each) => resolved(checker, each));
    }),
  );
  return [...exported].flatMap((symbol) => {
    const nodes = (symbol.declarations ?? []).filter((node) => node.getSourceFile().fileName.startsWith(folder));
    const [node] = nodes;
    if (node === undefined || isInternal(symbol, checker)) return [];
    const owner: PublicSymbol = { name: symbol.name, symbol, node, owner: null };
    return [owner, ...nodes.flatMap(membersOf).flatMap((member) => publicMember(member, owner, checker))];
  });
}

function publicMember(node: ts.Declaration, owner: PublicSymbol, checker: ts.TypeChecker): PublicSymbol[] {
  const name = ts.getNameOfDeclaration(node);
  const symbol = name && checker.getSymbolAtLocation(name);
  if (name === undefined || symbol === undefined || isInternal(symbol, checker)) return [];
  if (symbol.declarations?.[0] !== node) return []; // a further overload
  const text = ts.isComputedPropertyName(name) ? name.getText() : `.${name.getText()}`;
  return [{ name: `${owner.name}${text}`, symbol, node, owner }];
}

/** The members that a declaration lists itself. Those that it inherits belong to another declaration. */
function membersOf(node: ts.Declaration): readonly ts.Declaration[] {
  if (ts.isInterfaceDeclaration(node)) return node.members;
  if (ts.isTypeAliasDeclaration(node)) return ts.isTypeLiteralNode(node.type) ? node.type.members : [];
  if (!ts.isClassDeclaration(node)) return [];
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return node.members.filter(
    (member) =>
      !ts.isConstructorDeclaration(member) &&
      !(ts.getCombinedModifierFlags(member) & hidden) &&
      !(member.name !== undefined && ts.isPrivateIdentifier(member.name)),
  );
}

function isInternal(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  return symbol.getJsDocTags(checker).some(({ name }) => name === 'internal');
}
