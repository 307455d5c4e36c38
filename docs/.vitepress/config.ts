import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';

const DOCS = join(import.meta.dirname, '..');
const BASE = process.env['SITE_BASE'] ?? '/';
const REPOSITORY = process.env['GITHUB_REPOSITORY'] ? `https://github.com/${process.env['GITHUB_REPOSITORY']}` : null;

/** The title of a page is its first heading. */
const titleOf = (page: string) => /^# (.+)$/m.exec(readFileSync(join(DOCS, `${page}.md`), 'utf8'))?.[1] ?? page;

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Start: ['quick-start', 'whole-shop', 'cli'],
  Charge: ['take-a-payment', 'money-and-time', 'retries-and-idempotency', 'lists'],
  Fulfil: ['webhooks', 'fulfil-exactly-once', 'amounts-and-late-payments', 'queues'],
  Test: ['sandbox', 'testing-your-integration', 'prove-your-shop'],
  Operate: ['going-live', 'security', 'reconcile', 'observability', 'serverless-and-edge'],
  'Look up': ['troubleshooting', 'errors', 'service-interface'],
};
const CONTRIBUTE = ['architecture', 'decisions', 'testing', 'performance'];

const group = (text: string, pages: readonly string[]): DefaultTheme.SidebarItem => ({
  text,
  items: pages.map((page) => ({ text: titleOf(page), link: `/${page}` })),
});

/** Written by typedoc, which runs before VitePress. */
const reference = join(DOCS, 'api/typedoc-sidebar.json');
const modules: DefaultTheme.SidebarItem[] = existsSync(reference) ? JSON.parse(readFileSync(reference, 'utf8')) : [];

/** The anchor of a heading, as GitHub makes it: the same files are read there. */
const slugify = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');

/** The part of a token of markdown-it that is read here. */
interface Token {
  readonly type: string;
  readonly tag: string;
  readonly content: string;
  info: string;
}

/**
 * Makes tabs of the `###` sections between the lines `<!-- tabs -->` and `<!-- /tabs -->`, which are sections on GitHub. The markup is that of
 * VitePress for a group of code, whose script switches the tabs. A tab has the anchor of its heading.
 */
function withTabs<T extends Token>(tokens: readonly T[], html: (content: string) => T): T[] {
  const written: T[] = [];
  let [group, titles, blocks]: [number, string[] | null, T[]] = [0, null, []];
  let heading: 'outside' | 'inside' = 'outside';
  for (const token of tokens) {
    const mark = token.type === 'html_block' ? token.content.trim() : '';
    if (mark === '<!-- tabs -->') [group, titles, blocks] = [group + 1, [], []];
    else if (titles === null) written.push(token);
    else if (mark === '<!-- /tabs -->') {
      const labels = titles.map((title, index) => {
        const id = `tab-${group}-${index}`;
        const input = `<input type="radio" name="tabs-${group}" id="${id}"${index === 0 ? ' checked' : ''}>`;
        return `${input}<label id="${slugify(title)}" for="${id}">${title}</label>`;
      });
      const open = `<div class="vp-code-group"><div class="tabs">${labels.join('')}</div><div class="blocks">`;
      written.push(html(open), ...blocks, html('</div></div></div>'));
      titles = null;
    } else if (token.type === 'heading_open' && token.tag === 'h3') {
      blocks.push(
        html(
          `${titles.length > 0 ? '</div>' : ''}<div class="vp-block${titles.length > 0 ? '' : ' active'}" style="margin: 0; padding: 0">`,
        ),
      );
      heading = 'inside';
    } else if (token.type === 'heading_close' && token.tag === 'h3') heading = 'outside';
    else if (heading === 'inside') titles.push(token.content);
    else {
      if (token.type === 'fence') token.info += ' active'; // VitePress hides the other blocks of a group
      blocks.push(token);
    }
  }
  return written;
}

/** One line for each guide, for assistants that read the site: its title, its address, and its first sentence. */
function writeIndex(folder: string): void {
  const sections = Object.entries(GROUPS).map(([name, pages]) => {
    const lines = pages.map((page) => {
      const text = readFileSync(join(DOCS, `${page}.md`), 'utf8').replace(/<!--[\s\S]*?-->/g, '');
      const [, paragraph = ''] = /^# .+\n+(?![\n#|<-]|```)([\s\S]*?)\n\n/m.exec(text) ?? [];
      const [first = ''] = /^[\s\S]*?\.(?=\s|$)/.exec(paragraph) ?? []; // none where the paragraph leads to a block
      const sentence = first.replace(/\s+/g, ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
      return `- [${titleOf(page)}](${page}.html)${sentence === '' ? '' : `: ${sentence}`}`;
    });
    return `## ${name}\n\n${lines.join('\n')}\n`;
  });
  writeFileSync(join(folder, 'llms.txt'), `# merchant-invoicing\n\n${sections.join('\n')}`);
}

/** VitePress checks that the page of a link exists. This checks the anchor. */
function checkAnchors(folder: string): void {
  const pages = new Map(
    globSync('**/*.html', { cwd: folder }).map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );
  const anchors = new Map(
    [...pages].map(([path, html]) => [path, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]),
  );
  const dead = [...pages].flatMap(([path, html]) =>
    [...html.matchAll(/<a[^>]*\shref="([^"#:]*)#([^"]+)"/g)]
      .filter(([, page = '', anchor = '']) => {
        const target =
          page === '' ? path : page.startsWith(BASE) ? page.slice(BASE.length) : posix.join(posix.dirname(path), page);
        const file = /\.html$/.test(target) ? target : posix.join(target, 'index.html');
        return !anchors.get(file)?.has(decodeURIComponent(anchor));
      })
      .map(([, page, anchor]) => `${path}: ${page}#${anchor}`),
  );
  if (dead.length > 0) throw new Error(`Links to anchors that do not exist:\n${[...new Set(dead)].join('\n')}`);
}

export default defineConfig({
  title: 'merchant-invoicing',
  description: 'The TypeScript SDK of the Merchant Invoicing Service.',
  base: BASE,
  outDir: '../site',
  srcExclude: ['api/_media/**'],
  markdown: {
    attrs: { disable: true }, // {ident} is part of a path
    anchor: { slugify },
    toc: { slugify },
    headers: { slugify },
    config: (md) => {
      // Words behind the language of a block are for the tests of the documentation.
      md.core.ruler.push('reference', ({ tokens, env }) => {
        if (!env.relativePath?.startsWith('api/')) return;
        for (const token of tokens.flatMap((each) => [each, ...(each.children ?? [])])) {
          const [id, href] = [token.attrGet('id'), token.attrGet('href')];
          // typedoc copies the guides that docstrings link to. The links go to the guides themselves.
          const [, guide] = /_media\/([\w-]+\.md(?:#.*)?)$/.exec(href ?? '') ?? [];
          if (guide !== undefined) token.attrSet('href', `/${guide}`);
          // It writes some anchors of members with underscores, and some with hyphens.
          else if (href !== null)
            token.attrSet(
              'href',
              href.replace(/#.*/, (anchor) => anchor.replaceAll('_', '-')),
            );
          if (id !== null) token.attrSet('id', id.replaceAll('_', '-'));
        }
      });
      md.core.ruler.push('block_language', ({ tokens }) => {
        for (const token of tokens) if (token.type === 'fence') token.info = token.info.trim().split(/\s+/)[0] ?? '';
      });
      md.core.ruler.push('tabs', (state) => {
        state.tokens = withTabs(state.tokens, (content) =>
          Object.assign(new state.Token('html_block', '', 0), { content }),
        );
      });
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Guide', link: '/quick-start' },
      { text: 'Reference', link: '/api/' },
      { text: 'The service', link: '/service-interface' },
    ],
    sidebar: [
      ...Object.entries(GROUPS).map(([text, pages]) => group(text, pages)),
      { text: 'Reference', collapsed: true, items: modules },
      { ...group('Contribute', CONTRIBUTE), collapsed: true },
    ],
    ...(REPOSITORY !== null && { socialLinks: [{ icon: 'github', link: REPOSITORY }] }),
  },
  buildEnd: ({ outDir }) => {
    checkAnchors(outDir);
    writeIndex(outDir);
  },
});
