import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const TYPES = fileURLToPath(new URL('../dist/types/', import.meta.url));

/** Types that no caller writes as options. */
const NO_OPTIONS: ReadonlySet<string> = new Set([
  ...['ValidationIssue', 'Withdrawal', 'LambdaReply', 'CallTrace', 'AttemptTrace', 'WebhookTrace'], // the package writes them, a caller reads them
  ...['NodeRequest', 'WebhookStore'], // objects with methods that may be missing
  ...['MerchantErrorInit', 'ApiErrorInit', 'UnexpectedResponseErrorInit'], // the package makes its errors
  ...['Check', 'Checked', 'Endpoint', 'RowsEndpoint', 'Structure', 'RecordStructure'], // internal
  ...['OptionsOwner', 'Filter'], // internal
]);

/** Members to which undefined must not be given: the calls would go to the wrong business. */
const REFUSED: ReadonlySet<string> = new Set(['ClientOverrides.apiKey']);

function admitsUndefined(type: ts.TypeNode | undefined): boolean {
  if (type === undefined) return false;
  if (ts.isUnionTypeNode(type)) return type.types.some(admitsUndefined);
  return type.kind === ts.SyntaxKind.UndefinedKeyword || type.kind === ts.SyntaxKind.UnknownKeyword;
}

/** Optional members, such as `ListenOptions.port`, to which an explicit undefined cannot be given. */
function strictlyOptional(path: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node, owner: string): void => {
    const isMember = ts.isPropertySignature(node) || ts.isMethodSignature(node) || ts.isMappedTypeNode(node);
    const name = 'name' in node && node.name !== undefined ? (node.name as ts.Node).getText() : owner;
    if (isMember && node.questionToken !== undefined) {
      if (ts.isMethodSignature(node) || !admitsUndefined(node.type)) found.push(`${owner}.${name}`);
    }
    const isOwner = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isFunctionLike(node);
    ts.forEachChild(node, (child) => visit(child, isOwner ? name : owner));
  };
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true), '');
  return found;
}

it('every optional member of an option admits undefined, for callers with exactOptionalPropertyTypes', () => {
  const declarations = readdirSync(TYPES, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.d\.m?ts$/.test(path),
  );
  const found = declarations.flatMap((path) => strictlyOptional(TYPES + path));
  const isOption = (member: string) => !NO_OPTIONS.has(member.split('.')[0] ?? '') && !REFUSED.has(member);
  expect(found.filter(isOption)).toEqual([]);
});
