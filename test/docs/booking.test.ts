import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

// No handler of README, docs and examples books by `external_id`, which is the order only for its first invoice. A handler is
// a function that is given as onPaid, onAdjusted or onCanceled, and each function of the same text that it names.

const ROOT = join(import.meta.dirname, '../..');
const HANDLERS = new Set(['onPaid', 'onAdjusted', 'onCanceled']);
const BLOCK = /^( *)(`{3,}) ?(?:ts|js|typescript|javascript)\b.*\n([\s\S]*?)^\1\2 *$/gm;

interface Code {
  readonly at: string;
  readonly text: string;
}

/** The lines of a text in which a handler, or a function that it names, reads `external_id`. */
function bookedByExternalId({ at, text }: Code): string[] {
  const file = ts.createSourceFile('code.ts', text, ts.ScriptTarget.Latest, true);
  const functions = new Map<string, ts.Node>();
  const given: ts.Node[] = [];
  const see = (node: ts.Node): void => {
    // TypeScript has no guard for the nodes that have a name
    const name = ts.getNameOfDeclaration(node as ts.Declaration)?.getText(file) ?? '';
    const body = ts.isFunctionLike(node) ? node : ts.isVariableDeclaration(node) ? node.initializer : undefined;
    if (body !== undefined && ts.isFunctionLike(body) && name !== '') functions.set(name, body);
    if (ts.isPropertyAssignment(node) && HANDLERS.has(name)) given.push(node.initializer);
    if ((ts.isMethodDeclaration(node) || ts.isShorthandPropertyAssignment(node)) && HANDLERS.has(name))
      given.push(node);
    ts.forEachChild(node, see);
  };
  see(file);
  const found = new Set<string>();
  const visited = new Set<ts.Node>();
  const follow = (node: ts.Node): void => {
    if (visited.has(node)) return;
    visited.add(node);
    if (ts.isIdentifier(node) && node.text === 'external_id') {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      found.add(`${at}: ${text.split('\n')[line]?.trim()}`);
    }
    const named = ts.isIdentifier(node) || ts.isPrivateIdentifier(node) ? functions.get(node.text) : undefined;
    if (named !== undefined) follow(named);
    ts.forEachChild(node, follow);
  };
  given.forEach(follow);
  return [...found];
}

const read = (path: string): Code => ({ at: path, text: readFileSync(join(ROOT, path), 'utf8') });
const pages = globSync(['README.md', 'SKILL.md', 'docs/**/*.md'], { cwd: ROOT, exclude: ['docs/api/**'] }).sort();
const sources = globSync(['examples/**/*.ts', 'test/shops/{vendure,medusa/src}/**/*.ts'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**'],
}).sort();
const blocks = pages.map(read).flatMap(({ at, text }) =>
  [...text.matchAll(BLOCK)].map(({ 3: body = '', index }): Code => {
    return { at: `${at}:${text.slice(0, index).split('\n').length}`, text: body };
  }),
);

it('sees a handler that books by external_id, also behind a function that it names', () => {
  const wrong = [
    'createWebhookHandler({ onPaid: ({ external_id }) => fulfil(external_id) })',
    'createWebhookHandler({ onPaid: async (event) => fulfil(event.external_id) })',
    'createWebhookHandler({ async onCanceled(event) { await cancel(event.external_id); } })',
    'const onAdjusted = (event) => book(event.external_id); createWebhookHandler({ onAdjusted });',
    'function book(event) { find(event.external_id); } createWebhookHandler({ onPaid: (event) => commit(() => book(event)) });',
    'class Shop { #book(e) { find(e.external_id); } handler = createWebhookHandler({ onPaid: (e) => this.#book(e) }) }',
  ];
  const right = [
    'createWebhookHandler({ onPaid: ({ order }) => fulfil(order), onReport: ({ external_id }) => log(external_id) })',
    'const pay = (order) => create({ external_id: order.id });',
  ];
  for (const text of wrong) expect(bookedByExternalId({ at: 'here', text }), text).toHaveLength(1);
  for (const text of right) expect(bookedByExternalId({ at: 'here', text }), text).toEqual([]);
});

it('README, docs and examples book by order', () => {
  const all = [...blocks, ...sources.map(read)];
  expect(all.filter(({ text }) => text.includes('onPaid')).length).toBeGreaterThan(10);
  expect(all.flatMap(bookedByExternalId)).toEqual([]);
});
