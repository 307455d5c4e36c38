import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type DefaultTheme, defineConfig, type HeadConfig } from 'vitepress';

const DOCS = join(import.meta.dirname, '..');
const BASE = process.env['SITE_BASE'] ?? '/';
const NAME = process.env['GITHUB_REPOSITORY'] ?? null;
const REPOSITORY = NAME === null ? null : `https://github.com/${NAME}`;
/** Where the release says that the site is. A card of a social network needs whole addresses. */
const SITE = NAME === null ? BASE : `https://${NAME.replace('/', '.github.io/')}/`;
const CLAIM = 'Paid in five currencies. Credited in USDT. Given exactly once.';
const DESCRIPTION =
  'The TypeScript SDK of the Merchant Invoicing Service, with the whole service on your machine: payment pages, signed webhooks, faults, and a clock that you can turn.';

/** The title of a page is its first heading. */
const titleOf = (page: string) => /^# (.+)$/m.exec(readFileSync(join(DOCS, `${page}.md`), 'utf8'))?.[1] ?? page;

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Start: ['quick-start', 'whole-shop'],
  Charge: ['take-a-payment'],
  Fulfil: ['receive-webhooks', 'fulfil-exactly-once', 'after-the-payment'],
  Operate: ['catch-up-and-reconcile', 'go-live'],
  Test: ['test-and-prove', 'sandbox'],
  'Look up': [
    'troubleshooting',
    'errors',
    'cli',
    'frameworks',
    'databases',
    'nest-and-vendure',
    'medusa',
    'queues',
    'serverless-and-edge',
    'money-and-time',
    'lists',
    'storm-findings',
    'service-interface',
  ],
};
const CONTRIBUTE = ['architecture', 'decisions', 'testing', 'performance'];

const group = (text: string, pages: readonly string[]): DefaultTheme.SidebarItem => ({
  text,
  items: pages.map((page) => ({ text: titleOf(page), link: `/${page}` })),
});

/** Written by typedoc, which runs before VitePress. A module stands below the one whose name its own begins with. */
interface Named {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly Named[];
}
const reference = join(DOCS, 'api/typedoc-sidebar.json');
const named: readonly Named[] = existsSync(reference) ? JSON.parse(readFileSync(reference, 'utf8')) : [];
const modules = named
  .flatMap((root) => [root, ...(root.items ?? [])])
  .flatMap(({ link, items = [] }) =>
    link === undefined ? [] : [{ text: link.slice('/api/'.length, -1), link, items }],
  );
const moduleLinks = modules.map(({ text, link }) => ({ text, link }));

/**
 * Each page has its sidebar in its HTML, so that of a module names what can be called: the page of the module lists its types with a sentence each.
 */
const REFERENCE: DefaultTheme.SidebarMulti = {
  '/api/': [{ text: 'Reference', link: '/api/', items: moduleLinks }],
  ...Object.fromEntries(
    modules.map(({ link, items }) => {
      const groups = items.filter(({ text }) => text === 'Functions' || text === 'Classes');
      const called = groups.flatMap((each) => each.items ?? []).map(({ text, link = '' }) => ({ text, link }));
      const all = moduleLinks.map((each) => (each.link === link ? { ...each, items: called } : each));
      return [link, [{ text: 'Reference', link: '/api/', items: all }]];
    }),
  ),
};

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
        html(`${titles.length > 0 ? '</div>' : ''}<div class="vp-block${titles.length > 0 ? '' : ' active'}">`),
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

/** The first sentence of a page; empty where its first paragraph leads to a block. */
function sentenceOf(path: string): string {
  const text = readFileSync(join(DOCS, path), 'utf8').replace(/<!--[\s\S]*?-->/g, '');
  const [, paragraph = ''] = /^# .+\n+(?![\n#|<-]|```)([\s\S]*?)\n\n/m.exec(text) ?? [];
  const [first = ''] = /^[\s\S]*?\.(?=\s|$)/.exec(paragraph) ?? [];
  return first.replace(/\s+/g, ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

/**
 * A picture of the sandbox in both themes, from `<!-- picture: webhook: What it shows -->`. It is a comment on GitHub and in the package, which has
 * no pictures.
 */
function withPictures(text: string): string {
  return text.replace(/<!-- picture: ([\w-]+): ([\s\S]+?) -->/g, (_, name: string, alt: string) =>
    ['light', 'dark']
      .map((theme) => {
        const file = `./images/${name}-${theme}`;
        return `<img class="picture shown-${theme}" loading="lazy" alt="${alt}" src="${file}.png" srcset="${file}@2x.png 2x">`;
      })
      .join(''),
  );
}

/** One line for each guide, for assistants that read the site: its title, its address, and its first sentence. */
function writeIndex(folder: string): void {
  const sections = Object.entries(GROUPS).map(([name, pages]) => {
    const lines = pages.map((page) => {
      const sentence = sentenceOf(`${page}.md`);
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

/** A merchant searches for a task: guides stand before the members that have the same word. */
const SEARCH: DefaultTheme.LocalSearchOptions = {
  _render: (source, env, md) => {
    const path: string = env.relativePath;
    // Pages for contributors have the words of every guide.
    if (path === 'index.md' || CONTRIBUTE.includes(path.replace(/\.md$/, ''))) return '';
    // Words are searched and no code: "retry" would find each option of a queue.
    return md.render(source.replace(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2 *$/gm, ''), env);
  },
  miniSearch: {
    searchOptions: {
      fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
      // VitePress carries this function to the browser as text, so it uses nothing around it.
      boostDocument: (id: string) => (id.includes('/api/') ? 0.05 : 1),
    },
  },
};

/** What a link to a page shows in a chat or a feed. */
const cardOf = (title: string, description: string, path: string): HeadConfig[] =>
  Object.entries({
    'og:type': 'website',
    'og:site_name': 'merchant-invoicing',
    'og:title': title,
    'og:description': description,
    'og:url': `${SITE}${path}`,
    'og:image': `${SITE}social.png`,
    'og:image:width': '1200',
    'og:image:height': '630',
    'og:image:alt': CLAIM,
    'twitter:card': 'summary_large_image',
  }).map(([name, content]) => ['meta', { [name.startsWith('og:') ? 'property' : 'name']: name, content }]);

export default defineConfig({
  title: 'merchant-invoicing',
  description: DESCRIPTION,
  base: BASE,
  outDir: '../site',
  srcExclude: ['api/_media/**', 'api/modules.md', '.vitepress/**'],
  metaChunk: true, // else each page has a copy of all sidebars
  lastUpdated: true,
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}mark.svg` }],
    ['meta', { name: 'theme-color', content: '#ffffff', media: '(prefers-color-scheme: light)' }],
    ['meta', { name: 'theme-color', content: '#10131c', media: '(prefers-color-scheme: dark)' }],
  ],
  transformPageData: (page) => {
    if (page.relativePath.startsWith('api/'))
      page.frontmatter['editLink'] = false; // typedoc writes it
    else if (page.relativePath !== 'index.md') page.description = sentenceOf(page.relativePath) || DESCRIPTION;
  },
  transformHead: ({ pageData: { relativePath, title, description } }) =>
    cardOf(
      relativePath === 'index.md' ? CLAIM : title,
      description || DESCRIPTION,
      relativePath.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html'),
    ),
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
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
          else if (href?.endsWith('/modules.md')) token.attrSet('href', '/api/');
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
      md.core.ruler.push('pictures', ({ tokens }) => {
        for (const token of tokens) if (token.type === 'html_block') token.content = withPictures(token.content);
      });
      md.core.ruler.push('tabs', (state) => {
        state.tokens = withTabs(state.tokens, (content) =>
          Object.assign(new state.Token('html_block', '', 0), { content }),
        );
      });
    },
  },
  themeConfig: {
    logo: '/mark.svg',
    footer: { message: 'MIT licence. Node 22.12 or later, TypeScript 5.4 or later.' }, // of pages without a sidebar
    search: { provider: 'local', options: SEARCH },
    outline: [2, 3],
    nav: [
      { text: 'Guide', link: '/quick-start' },
      { text: 'Sandbox', link: '/sandbox' },
      { text: 'Storm', link: '/test-and-prove' },
      { text: 'Reference', link: '/api/' },
    ],
    sidebar: {
      ...REFERENCE,
      '/': [
        ...Object.entries(GROUPS).map(([text, pages]) => group(text, pages)),
        { text: 'Reference', link: '/api/', collapsed: true, items: moduleLinks },
        { ...group('Contribute', CONTRIBUTE), link: `/${CONTRIBUTE[0]}`, collapsed: true },
      ],
    },
    ...(REPOSITORY !== null && {
      socialLinks: [{ icon: 'github', link: REPOSITORY }],
      editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path`, text: 'Edit this page' },
    }),
  },
  buildEnd: ({ outDir }) => {
    checkAnchors(outDir);
    writeIndex(outDir);
  },
});
