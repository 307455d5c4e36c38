// npm shows README.md without the files around it, and the package holds no pictures. Before packing, `absolute` turns the
// links of README.md, and the pictures of docs/, into addresses of the repository at the release's tag. After packing,
// `relative` turns them back. Without `repository` in package.json there is no such address, and nothing changes.
import { globSync, readFileSync, writeFileSync } from 'node:fs';

interface Place {
  /** Such as `https://github.com/owner/name`. */
  readonly repository: string;
  readonly tag: string;
}

const LINK = /(!?)(\[[^\]]*\]\()(?!https?:|mailto:|#)([^)\s]+)\)/g;

/** The page with addresses instead of relative links. In pages of the package, only pictures change. */
export function toAbsolute(page: string, text: string, { repository, tag }: Place): string {
  return text.replace(LINK, (link: string, picture: string, before: string, target: string) => {
    if (picture === '' && page !== 'README.md') return link;
    const path = new URL(target, `file:///${page}`);
    return `${picture}${before}${repository}/${picture === '' ? 'blob' : 'raw'}/${tag}${path.pathname}${path.hash})`;
  });
}

/** The reverse of `toAbsolute`. */
export function toRelative(page: string, text: string, { repository, tag }: Place): string {
  const up = '../'.repeat(page.split('/').length - 1);
  const folder = page.slice(0, page.lastIndexOf('/') + 1);
  return ['blob', 'raw'].reduce((changed, view) => {
    const address = `](${repository}/${view}/${tag}/`;
    return changed.replaceAll(`${address}${folder}`, '](').replaceAll(address, `](${up}`);
  }, text);
}

if (import.meta.main) {
  const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const { repository, version } = JSON.parse(read('package.json'));
  const address = /^git\+(https:\/\/.+)\.git$/.exec(repository?.url ?? '')?.[1];
  const change = { absolute: toAbsolute, relative: toRelative }[process.argv[2] ?? ''];
  if (change === undefined) throw new Error('node scripts/pack-links.ts absolute | relative');
  for (const page of address === undefined
    ? []
    : ['README.md', ...globSync('docs/**/*.md', { cwd: `${import.meta.dirname}/..` })]) {
    const changed = change(page.replaceAll('\\', '/'), read(page), { repository: address ?? '', tag: `v${version}` });
    writeFileSync(new URL(`../${page}`, import.meta.url), changed);
  }
}
