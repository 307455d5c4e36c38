import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packedPages, toAbsolute, toRelative } from '../scripts/pack-links.ts';
import { findingsOf, type Release } from '../scripts/release-check.ts';
import { sourcesOf } from '../scripts/site/sources.ts';

const MANIFEST = {
  name: 'merchant-invoicing',
  version: '1.2.3',
  repository: { type: 'git', url: 'git+https://github.com/owner/merchant-invoicing.git' },
  homepage: 'https://github.com/owner/merchant-invoicing#readme',
  bugs: { url: 'https://github.com/owner/merchant-invoicing/issues' },
  publishConfig: { access: 'public' },
};
const READY: Release = {
  manifest: MANIFEST,
  changelog: '# Changelog\n\n## 1.2.3 - 2027-01-31\n\n- One change.\n',
  security: 'Write to security@shop.example.',
  lock: {
    packages: { '': {}, 'node_modules/a': { version: '1.0.0', integrity: 'sha512-x' }, 'packages/b': { link: true } },
  },
  npmVersion: '11.5.1',
  tags: ['v1.2.3'],
  dirty: [],
};

describe('npm run release:check', () => {
  it('finds nothing in a release that is ready', () => {
    expect(findingsOf(READY)).toEqual([]);
  });

  it.each<[what: string, change: Partial<Release>, finding: RegExp]>([
    ['no repository', { manifest: { ...MANIFEST, repository: undefined } }, /repository\.url/],
    [
      'an ssh address',
      { manifest: { ...MANIFEST, repository: { url: 'git@github.com:owner/x.git' } } },
      /repository\.url/,
    ],
    [
      'an address without .git',
      { manifest: { ...MANIFEST, repository: { url: 'git+https://github.com/a/b' } } },
      /repository\.url/,
    ],
    ['no homepage', { manifest: { ...MANIFEST, homepage: undefined } }, /homepage/],
    ['no address for bugs', { manifest: { ...MANIFEST, bugs: {} } }, /bugs/],
    ['a restricted package', { manifest: { ...MANIFEST, publishConfig: { access: 'restricted' } } }, /access/],
    [
      'a changelog without the version',
      { changelog: '# Changelog\n\n## 1.2.2 - 2027-01-30\n' },
      /begins with "1\.2\.2/,
    ],
    ['a changelog without a date', { changelog: '# Changelog\n\n## 1.2.3 - unreleased\n' }, /CHANGELOG/],
    ['the placeholder of the contact', { security: 'Write to CONTACT.' }, /SECURITY\.md/],
    ['a tag of another version', { tags: ['v1.2.2'] }, /no tag v1\.2\.3/],
    ['a changed work tree', { dirty: [' M package.json'] }, /1 changes/],
    ['a lock entry without a hash', { lock: { packages: { 'node_modules/a': { version: '1.0.0' } } } }, /1 entries/],
    ['an old npm', { npmVersion: '11.4.9' }, /npm 11\.4\.9/],
    ['npm 10', { npmVersion: '10.9.0' }, /npm 10\.9\.0/],
  ])('names %s', (_, change, finding) => {
    const findings = findingsOf({ ...READY, ...change });
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(finding);
  });

  it.each(['11.5.2', '11.6.0', '12.0.0'])('accepts npm %s', (npmVersion) => {
    expect(findingsOf({ ...READY, npmVersion })).toEqual([]);
  });
});

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

describe('links in the package', () => {
  const place = { repository: 'https://github.com/owner/name', tag: 'v1.2.3' };

  it('lead to the repository at the tag of the release', () => {
    const text =
      'See [errors](docs/errors.md#codes), [above](#top), ![page](docs/images/a.png) and [npm](https://www.npmjs.com).';
    expect(toAbsolute('README.md', text, place)).toBe(
      'See [errors](https://github.com/owner/name/blob/v1.2.3/docs/errors.md#codes), [above](#top), ' +
        '![page](https://github.com/owner/name/raw/v1.2.3/docs/images/a.png) and [npm](https://www.npmjs.com).',
    );
  });

  it('stay relative between the pages of the package, which has no pictures', () => {
    const text = 'See [errors](errors.md), [support](../README.md#support) and ![page](images/a.png).';
    expect(toAbsolute('docs/sandbox.md', text, place)).toBe(
      'See [errors](errors.md), [support](../README.md#support) and ![page](https://github.com/owner/name/raw/v1.2.3/docs/images/a.png).',
    );
  });

  it.each([
    ['[chaos](../testing.md#chaos)', 'docs/testing.md#chaos'],
    ['[commands](../../CONTRIBUTING.md)', 'CONTRIBUTING.md'],
    ['[a shop](../../examples/shop/)', 'examples/shop/'],
  ])('lead from a guide to what is not packed: %s', (text, target) => {
    const packed = toAbsolute('docs/guides/take-a-payment.md', text, place);
    expect(packed).toBe(text.replace(/\(.*/, `(https://github.com/owner/name/blob/v1.2.3/${target})`));
    expect(toRelative('docs/guides/take-a-payment.md', packed, place)).toBe(text);
  });

  it.each(packedPages())('%s is unchanged after packing, and points to packed pages', (page) => {
    const packed = toAbsolute(page, read(page), place);
    expect(toRelative(page, packed, place)).toBe(read(page));
    expect(packed).not.toMatch(/!\[[^\]]*\]\((?!https)/);
    const targets = [...packed.matchAll(/\]\((?!https?:|mailto:|#)([^)\s]+)\)/g)].map(([, target]) => target ?? '');
    const paths = targets.map((target) => new URL(target, `file:///${page}`).pathname.slice(1));
    expect(packedPages()).toEqual(expect.arrayContaining(paths));
    if (page === 'README.md') expect([paths, packed === read(page)]).toEqual([[], false]);
  });
});

describe('the changelog', () => {
  it('begins with the version of the package', () => {
    const { version } = JSON.parse(read('package.json'));
    expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
  });
});

describe('links of the site to sources', () => {
  it('lead to the repository at the tag of the release', () => {
    expect(sourcesOf(MANIFEST)).toBe('https://github.com/owner/merchant-invoicing/blob/v1.2.3/{path}#L{line}');
  });

  it('are left out while the package names no repository', () => {
    expect(sourcesOf({ version: '1.2.3' })).toBeNull();
  });
});
