import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { BUILTINS, LIGHT, PACKAGES, PRODUCTION, ROOMS, type Room } from './layers/rules.ts';
import { type Import, importsOf, readSources, type SourceFile } from './layers/source-graph.ts';

const graph = readSources(fileURLToPath(new URL('../src', import.meta.url)));

const isIn = (place: string, path: string): boolean => (place.endsWith('/') ? path.startsWith(place) : path === place);

function roomOf(path: string): Room | undefined {
  return ROOMS.find(({ holds }) => isIn(holds, path));
}

/** What is wrong with one import, in a line. */
function problem(path: string, { to, kind }: Import, known: ReadonlySet<string>): string | null {
  const said = `${path} imports ${to}`;
  if (to.startsWith('node:')) {
    if (kind === 'type' || path.startsWith('tools/cli/')) return null;
    return kind === 'lazy' && BUILTINS[to]?.test(path) === true ? null : said;
  }
  if (!to.endsWith('.ts')) return PACKAGES[to.replace(/^(zod|msw)\/.*/, '$1')]?.test(path) === true ? null : said;
  const [from, target] = [roomOf(path), roomOf(to)];
  if (from === undefined || target === undefined || !known.has(to)) return `${said}, of no room`;
  if (from === target || (path.startsWith('tools/cli/') && kind === 'lazy')) return null;
  const may = [from.holds, ...from.may, ...(kind === 'type' ? (from.mayType ?? []) : [])];
  return may.some((place) => isIn(place, to) || place === target.holds) ? null : `${said} (${kind})`;
}

function violations(sources: readonly SourceFile[]): string[] {
  const known = new Set(sources.map(({ path }) => path));
  return sources.flatMap(({ path, imports }) => imports.flatMap((each) => problem(path, each, known) ?? []));
}

/** Every file and package that loads with a file, however long the way. */
function loadedWith(start: string, kinds: readonly Import['kind'][]): ReadonlySet<string> {
  const files = new Map(graph.map(({ path, imports }) => [path, imports]));
  const reached = new Set([start]);
  for (const path of reached) {
    for (const { to, kind } of files.get(path) ?? []) if (kinds.includes(kind)) reached.add(to);
  }
  return reached;
}

describe('the sources', () => {
  it('keep the import rules', () => {
    expect(violations(graph)).toEqual([]);
  });

  it.each(LIGHT)('$entry stays light', ({ entry, without, even }) => {
    const loaded = [...loadedWith(entry, even === undefined ? ['value'] : ['value', even])];
    expect(loaded.length).toBeGreaterThan(3); // the entry was found and followed
    expect(loaded.filter((path) => without.test(path))).toEqual([]);
  });

  it('import ky in one file', () => {
    expect(graph.filter(({ imports }) => imports.some(({ to, kind }) => to === 'ky' && kind !== 'type'))).toHaveLength(
      1,
    );
  });

  it('import each other in no circle, types included', () => {
    const kinds: readonly Import['kind'][] = ['value', 'type', 'lazy'];
    const circular = graph.filter(({ path, imports }) =>
      imports.some(({ to }) => to.endsWith('.ts') && (to === path || loadedWith(to, kinds).has(path))),
    );
    expect(circular.map(({ path }) => path)).toEqual([]);
  });
});

describe('a word of docs/architecture.md', () => {
  const page = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8');
  const [, table = ''] = /^## Words\n([\s\S]*?)^## /m.exec(page) ?? [];
  const words = [...table.matchAll(/^\| ([a-z, ]+?) \|/gm)].flatMap(([, cell = '']) => cell.split(', '));
  const typeOf = (word: string): string => word.replace(/(?:^| )./g, (start) => start.trim().toUpperCase());

  it.each(words)('%s is the name of one type at most', (word) => {
    const declaration = RegExp(`^(?:export )?(?:interface|type|class|enum) ${typeOf(word)}(?: [={e]|<)`, 'm');
    const places = graph.flatMap(({ path }) =>
      declaration.test(readFileSync(new URL(`../src/${path}`, import.meta.url), 'utf8')) ? [path] : [],
    );
    expect(places.length, places.join()).toBeLessThanOrEqual(1);
  });

  it('is found in the table, and in the sources', () => {
    expect(words).toEqual(expect.arrayContaining(['renewal', 'error response', 'row', 'verdict', 'lease']));
    expect(words.length).toBeGreaterThan(35);
  });
});

/** What esbuild says of the build: the sources in each file, and the files that it imports. */
interface Metafile {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: object; readonly imports: readonly { readonly path: string }[] }>
  >;
}

const built = (path: string): string => readFileSync(new URL(`../dist/${path}`, import.meta.url), 'utf8');

/** The sources in a built file and in all that it imports, at once or later. `imports` finds the files of one. */
function sourcesOf({ outputs }: Metafile, entry: string, imports: (name: string) => readonly string[]): string[] {
  const files = new Set([entry]);
  for (const file of files) for (const each of imports(file)) files.add(each);
  return [...files].flatMap((file) => Object.keys(outputs[`dist/${file}`]?.inputs ?? {}));
}

// `npm test` builds first. Without a build these fail, because then nothing was looked at.
describe('the built package', () => {
  let read: Metafile | undefined;
  const metafile = (): Metafile => (read ??= JSON.parse(built('metafile-esm.json')));
  const ofModules = (name: string): string[] => {
    const { imports = [] } = metafile().outputs[`dist/${name}`] ?? {};
    return imports.flatMap(({ path }) => (path.startsWith('./') ? [path.slice(2)] : []));
  };
  const ofCommonJs = (name: string): string[] =>
    [...built(`cjs/${name}`).matchAll(/(?:require|import)\("\.\/([^"]+)"\)/g)].map(([, file = '']) => file);
  const forms = Object.entries(PRODUCTION).flatMap(([entry, without]) => [
    { entry, without, form: 'ESM', imports: ofModules },
    { entry, without, form: 'CommonJS', imports: ofCommonJs },
  ]);

  it.each(forms)('$entry has nothing of the rooms that it does not know ($form)', ({ entry, without, imports }) => {
    const sources = sourcesOf(metafile(), `${entry}.js`, imports).map((path) => path.replace(/^src\//, ''));
    expect(sources.length).toBeGreaterThan(1); // the entry was found and followed
    expect(sources.filter((path) => without.test(path))).toEqual([]);
  });

  it.each(['webhooks', 'reconcile'])('%s is seen to have the receiver, and index the client', (entry) => {
    const has = (name: string, room: string) =>
      sourcesOf(metafile(), `${name}.js`, ofModules).some((path) => path.startsWith(`src/${room}`));
    expect([has(entry, 'webhooks/'), has('index', 'client.ts'), has('index', 'resources/')]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('has files that import each other in no circle', () => {
    const names = Object.keys(metafile().outputs).map((path) => path.replace(/^dist\//, ''));
    const reaches = (name: string): ReadonlySet<string> => {
      const files = new Set(ofModules(name));
      for (const file of files) for (const each of ofModules(file)) files.add(each);
      return files;
    };
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => reaches(name).has(name))).toEqual([]);
  });

  it.each(['sandbox', 'storm', 'testing', 'cli', 'msw'])('%s is seen to have them', (entry) => {
    expect(sourcesOf(metafile(), `${entry}.js`, ofModules).some((path) => path.startsWith('src/tools/'))).toBe(true);
  });
});

describe('the rules notice', () => {
  it.each([
    ['contract/types.ts', "import type { A } from '../errors/codes.ts';"],
    ['errors/classes.ts', "import { a } from '../contract/wire.ts';"],
    ['resources/invoices.ts', "import { a } from '../webhooks/index.ts';"],
    ['resources/webhooks.ts', "import type { A } from '../webhooks/index.ts';"],
    ['options.ts', "import { a } from './webhooks/verify/secrets.ts';"],
    ['client.ts', "import { a } from './webhooks/index.ts';"],
    ['lookup/by-path.ts', "import type { A } from '../transport/types.ts';"],
    ['resources/invoices.ts', "import type { A } from '../client.ts';"],
    ['webhooks/index.ts', "export * from '../transport/send.ts';"],
    ['webhooks/index.ts', "const a = await import('../tools/sandbox/index.ts');"],
    ['tools/sandbox/index.ts', "import '../../client.ts';"],
    ['transport/send.ts', "import * as z from 'zod/mini';"],
    ['webhooks/index.ts', "import { Decimal } from 'decimal.js';"],
    ['resources/call-promise.ts', "import axios from 'axios';"],
    ['tools/sandbox/index.ts', "import { createServer } from 'node:http';"],
    ['transport/send.ts', "process.getBuiltinModule('node:http');"],
    ['resources/call-promise.ts', 'await import(name);'],
  ])('%s: %s', (path, text) => {
    const others = graph.filter((source) => source.path !== path);
    const reached = importsOf(path, text).map(({ to }) => ({ path: to, imports: [] }));
    expect(violations([...others, ...reached, { path, imports: importsOf(path, text) }])).toHaveLength(1);
  });
});
