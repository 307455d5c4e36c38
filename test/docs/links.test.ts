import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, deadLinks, linksOf, reachedFrom } from './links.ts';
import { REPOSITORY, readPages } from './pages.ts';

const pages = readPages();
const { files } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'));
/** Pages that stay in the repository. */
const CONTRIBUTORS: string[] = files.flatMap((file: string) => (file.startsWith('!docs/') ? [file.slice(1)] : []));
const shipped = [...readPages(['README.md', 'AGENTS.md', 'CHANGELOG.md', 'SECURITY.md', 'docs/**/*.md']).keys()].filter(
  (page) => !CONTRIBUTORS.includes(page),
);

describe('the Markdown files of the repository', () => {
  it('link to files and headings that exist', () => {
    expect(pages.size).toBeGreaterThan(25);
    expect(deadLinks(pages, (path) => existsSync(join(REPOSITORY, path)))).toEqual([]);
  });

  it('of docs are all reached from docs/README.md, and it from the README', () => {
    const reached = reachedFrom('docs/README.md', pages);
    expect(shipped.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
    expect(linksOf(pages.get('README.md') ?? '').map(({ target }) => target)).toContain('docs/README.md');
    expect([...reachedFrom('CONTRIBUTING.md', pages)]).toEqual(expect.arrayContaining(CONTRIBUTORS));
  });

  it('of the package link only to each other, and to pictures, whose links become absolute', () => {
    const packed = new Map([...pages].filter(([page]) => shipped.includes(page)));
    const dead = deadLinks(packed, (path) => path.startsWith('docs/images/'));
    expect(dead.filter((link) => !link.startsWith('README.md:'))).toEqual([]); // its links become absolute as well
  });
});

describe('the check of links', () => {
  const of = (text: string) =>
    deadLinks(
      new Map([
        ['docs/page.md', text],
        ['docs/other.md', '# The other `page`\n\n## Again\n\n## Again\n\n<a id="named"></a>\n'],
      ]),
      (path) => path === 'docs/images/a.png',
    );

  it.each([
    ['a page', '[x](other.md)'],
    ['a heading', '[x](other.md#the-other-page)'],
    ['the second heading of a name', '[x](other.md#again-1)'],
    ['a named place', '[x](other.md#named)'],
    ['a heading of the same page', '# A title: of 2 words\n[x](#a-title-of-2-words)'],
    ['a picture', '![x](images/a.png) <img src="images/a.png" width="20">'],
    ['another site', '[x](https://example.com/none) [y](mailto:a@example.com)'],
    ['code and comments', '`[x](none.md)`\n```ts\nconst a = [b](none);\n```\n<!-- [x](none.md) -->'],
  ])('accepts %s', (_, text) => {
    expect(of(text)).toEqual([]);
  });

  it.each([
    ['a page', 'Text.\n\n[x](none.md)', 'docs/page.md:3 none.md'],
    ['a heading', '[x](other.md#the-other)', 'docs/page.md:1 other.md#the-other'],
    ['a heading of the same page', '# Here\n[x](#there)', 'docs/page.md:2 #there'],
    ['a third heading of a name', '[x](other.md#again-2)', 'docs/page.md:1 other.md#again-2'],
    ['a heading in code', '```sh\n# Here\n```\n[x](#here)', 'docs/page.md:4 #here'],
    ['a picture', '<img src="images/b.png">', 'docs/page.md:1 images/b.png'],
    ['a path from the root', '[x](/docs/other.md)', 'docs/page.md:1 /docs/other.md'],
    ['a reference', '[x]: other.html', 'docs/page.md:1 other.html'],
  ])('notices %s that is not there', (_, text, finding) => {
    expect(of(text)).toEqual([finding]);
  });

  it('notices a page to which no page leads', () => {
    const of = new Map([
      ['a.md', '[b](b.md)'],
      ['b.md', '[c](sub/c.md#x)'],
      ['sub/c.md', '[a](../a.md)'],
      ['d.md', '[a](a.md)'],
    ]);
    expect([...reachedFrom('a.md', of)]).toEqual(['a.md', 'b.md', 'sub/c.md']);
  });

  it('reads a heading with a link, an accent and punctuation as GitHub does', () => {
    expect([...anchorsOf('## [Über uns](x.md): was? `a_b` & c')]).toEqual(['über-uns-was-a_b--c']);
  });
});
