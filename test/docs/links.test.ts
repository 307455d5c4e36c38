import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { CODE_KINDS, WEBHOOK_REASONS } from '../../src/errors/codes.ts';

const ROOT = join(import.meta.dirname, '../..');
const NOT_OURS = ['**/node_modules/**', 'coverage/**', 'dist/**', 'site/**', 'docs/api/**'];
const LINKS = /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)|<(?:img|a)\s[^>]*(?:src|href)="([^"]+)"|^\[[^\]]+\]:\s+(\S+)/gm;

const withoutCode = (text: string) =>
  text.replace(/^( *)(`{3,})[^\n]*\n[\s\S]*?^ *\2 *$|`+[^`\n]+`+|<!--[\s\S]*?-->/gm, '');

/** The anchors of a page as GitHub makes them: of its headings, and those that it names. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  const text = page.replace(/^( *)(`{3,})[^\n]*\n[\s\S]*?^ *\2 *$/gm, '');
  for (const [, heading = ''] of text.matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '').replaceAll(' ', '-');
    let name = slug;
    for (let copy = 1; anchors.has(name); copy += 1) name = `${slug}-${copy}`;
    anchors.add(name);
  }
  for (const [, name = ''] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(name);
  return anchors;
}

/** The links of a page that lead nowhere. */
function deadLinks(page: string, text: string): string[] {
  const targets = [...withoutCode(text).matchAll(LINKS)].map(([, a, b, c]) => a ?? b ?? c ?? '');
  return targets.filter((target) => {
    if (/^[a-z][a-z+.-]*:/i.test(target)) return false;
    const [file = '', anchor = ''] = target.split('#');
    const path = file === '' ? page : posix.join(posix.dirname(page), decodeURI(file));
    const found = path === page ? text : existsSync(join(ROOT, path)) ? path : null;
    if (found === null || file.startsWith('/')) return true;
    return anchor !== '' && !anchorsOf(path === page ? text : readFileSync(join(ROOT, path), 'utf8')).has(anchor);
  });
}

it.each(globSync('**/*.md', { cwd: ROOT, exclude: NOT_OURS }))('the links of %s lead somewhere', (page) => {
  expect(deadLinks(page, readFileSync(join(ROOT, page), 'utf8'))).toEqual([]);
});

it('each code of an error has the anchor that its messages name', () => {
  const anchors = anchorsOf(readFileSync(join(ROOT, 'docs/errors.md'), 'utf8'));
  const codes = [...Object.keys(CODE_KINDS), ...WEBHOOK_REASONS.map((reason) => `SDK_WEBHOOK_${reason}`)];
  expect(codes.filter((code) => !anchors.has(code.toLowerCase()))).toEqual([]);
});

it('architecture.md names files and functions that exist', () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const source = (path: string) =>
    existsSync(join(ROOT, 'src', path)) ? readFileSync(join(ROOT, 'src', path), 'utf8') : null;
  const paths = [...page.matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts)`/g)].map(([, path = '']) => path);
  const named = [
    ...page.matchAll(/((?:`\w+`(?:,| and) )*`\w+`)(?: of the receiver)?\s+(?:\(|in )`((?:[\w-]+\/)*[\w-]+\.ts)`/g),
  ];
  const missing = named.flatMap(([, names = '', path = '']) =>
    [...names.matchAll(/\w+/g)]
      .filter(([name]) => name !== 'and' && !RegExp(`\\b${name}\\b`).test(source(path) ?? ''))
      .map(([name]) => `${name} in ${path}`),
  );
  expect(named.length).toBeGreaterThan(30);
  expect([...paths.filter((path) => !path.startsWith('test/') && source(path) === null), ...missing]).toEqual([]);
});

it('each entry says what a new version may change', () => {
  const { typedocOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'));
  const entries: readonly string[] = typedocOptions.entryPoints;
  const silent = entries.filter((entry) => {
    const [docblock] = readFileSync(join(ROOT, entry), 'utf8').split('*/');
    return docblock === undefined || !/ version /.test(docblock) || !/\(\S+go-live\.md#versions\)/.test(docblock);
  });
  expect(entries.length).toBeGreaterThan(6);
  expect(silent).toEqual([]);
});

it('CONTRIBUTING.md names files and folders that exist', () => {
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const named = [...page.matchAll(/`((?:[\w.-]+\/)+[\w.-]*|[\w.-]+\.(?:ts|md|json|yaml))`/g)].map(
    ([, path = '']) => path,
  );
  const isMade = (path: string) => ['dist/', 'site/'].includes(path);
  expect(named.length).toBeGreaterThan(15);
  expect(
    named.filter((path) => !isMade(path) && ![path, `src/${path}`].some((at) => existsSync(join(ROOT, at)))),
  ).toEqual([]);
});

it.each([
  ['[x](none.md)', ['none.md']],
  ['[x](docs/README.md#none)', ['docs/README.md#none']],
  ['# Here\n[x](#here) [y](#there)', ['#there']],
  ['# Again\n# Again\n[x](#again-1) [y](#again-2)', ['#again-2']],
  ['<img src="none.png"> [x](/README.md)', ['none.png', '/README.md']],
  ['[x](https://example.com/none) `[y](none.md)`\n```ts\nconst a = [b](none);\n```\n', []],
])('the check reads %j', (text, dead) => {
  expect(deadLinks('page.md', text)).toEqual(dead);
});
