import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../build/entries.ts';

/** A page of the site that is written by hand, or shows an example. */
export interface SitePage {
  /** In the repository, such as `docs/errors.md`. The page of the site has the same path, with `.html`. */
  readonly path: string;
  readonly title: string;
  /** The first sentence. */
  readonly summary: string;
  readonly group: Group;
  /** Markdown. */
  readonly text: string;
}

/** The groups of pages, as the navigation orders them. */
export const GROUPS = ['Guides', 'Frameworks', 'Databases', 'Topics', 'Examples', 'Project'] as const;
export type Group = (typeof GROUPS)[number];

export const INDEX = 'docs/README.md';
/** Pages for those who change the package. */
const PROJECT = [
  'docs/architecture.md',
  'docs/architecture-decisions.md',
  'docs/testing.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
];
const LANGUAGES: Readonly<Record<string, string>> = { mts: 'ts', mjs: 'js' };

/** Reads the pages: in the order in which the index links them, then by path. */
export function readPages(): SitePage[] {
  const found = [...glob('docs/*.md'), ...glob('docs/guides/**/*.md'), ...glob('examples/**/*.{ts,mts,mjs,sql,md}')];
  const pages = [...new Set([...found, ...PROJECT])].map(readPage);
  const linked = [...(pages.find(({ path }) => path === INDEX)?.text ?? '').matchAll(/\]\(([^)#\s]+)/g)].map(
    ([, target = '']) => join('docs', target).replaceAll('\\', '/'),
  );
  const order = [INDEX, ...linked];
  const rankOf = ({ path }: SitePage): number => (order.includes(path) ? order.indexOf(path) : order.length);
  return pages.sort(
    (a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group) || rankOf(a) - rankOf(b) || (a.path < b.path ? -1 : 1),
  );
}

function readPage(path: string): SitePage {
  const content = readFileSync(join(ROOT, path), 'utf8');
  if (!path.endsWith('.md')) return examplePage(path, content);
  const title = /^# (.+)$/m.exec(content)?.[1] ?? path;
  return { path, title: plain(title), summary: firstSentence(content), group: groupOf(path), text: content };
}

/** The source as a page. Its first comment says what it does. */
function examplePage(path: string, code: string): SitePage {
  const title = path.slice('examples/'.length);
  const [comment = ''] = /^(?:\/\/.*\n)*/.exec(code) ?? [];
  const summary = firstSentence(comment.replace(/^\/\/ ?/gm, ''));
  const [, extension = ''] = /\.(\w+)$/.exec(path) ?? [];
  const fence = code.includes('```') ? '~~~~' : '```';
  const text = `# ${title}\n\n${fence}${LANGUAGES[extension] ?? extension}\n${code}${fence}\n`;
  return { path, title, summary, group: 'Examples', text };
}

function groupOf(path: string): Group {
  if (PROJECT.includes(path)) return 'Project';
  if (path.startsWith('examples/')) return 'Examples';
  if (path.startsWith('docs/guides/frameworks/')) return 'Frameworks';
  if (path.startsWith('docs/guides/databases/')) return 'Databases';
  return path === INDEX || path.startsWith('docs/guides/') ? 'Guides' : 'Topics';
}

/** The first sentence of the first paragraph, as plain text. Empty if there is no whole sentence. */
function firstSentence(text: string): string {
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/<!--[\s\S]*?-->/g, '');
  const paragraph = prose.split(/\n{2,}/).find((block) => /^[^#|\s!-]/.test(block.trim())) ?? '';
  const [sentence = ''] = /^[\s\S]*?[.:](?=\s|$)/.exec(paragraph.trim()) ?? [paragraph];
  const found = plain(sentence).replace(/:$/, '.');
  return found.endsWith('.') ? found : '';
}

function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function glob(pattern: string): string[] {
  const paths = globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules/**'] });
  return paths.map((path) => path.replaceAll('\\', '/')).sort();
}
