// npm shows README.md without the files around it, and the package holds neither pictures nor pages for contributors. So
// `absolute` turns such links into addresses of the repository at the release's tag before packing. After packing,
// `relative` turns them back. Without `repository` in package.json there is no such address, and nothing changes.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The pages in the package: what `files` of package.json lists, and what npm always packs. */
export function packedPages(): string[] {
  const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] };
  const listed = files.filter((pattern) => !pattern.startsWith('!'));
  const exclude = files.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  const found = globSync([...listed, 'README.md', 'LICENSE'], { cwd: ROOT, exclude });
  return found.filter((path) => /\.md$|\.txt$|^LICENSE$/.test(path)).map((path) => path.replaceAll('\\', '/'));
}

interface Place {
  /** Such as `https://github.com/owner/name`. */
  readonly repository: string;
  readonly tag: string;
}

const LINK = /(!?)(\[[^\]]*\]\()(?!https?:|mailto:|#)([^)\s]+)\)/g;

/** The page with addresses instead of relative links, where npm or the package does not have what they point to. */
export function toAbsolute(page: string, text: string, { repository, tag }: Place): string {
  const packed = new Set(packedPages());
  return text.replace(LINK, (link: string, picture: string, before: string, target: string) => {
    const { pathname, hash } = new URL(target, `file:///${page}`);
    if (picture === '' && page !== 'README.md' && packed.has(pathname.slice(1))) return link;
    return `${picture}${before}${repository}/${picture === '' ? 'blob' : 'raw'}/${tag}${pathname}${hash})`;
  });
}

/** The reverse of `toAbsolute`. */
export function toRelative(page: string, text: string, { repository, tag }: Place): string {
  return text.replace(/(\]\()([^)\s]+)\)/g, (link: string, before: string, target: string) => {
    const address = ['blob', 'raw']
      .map((view) => `${repository}/${view}/${tag}/`)
      .find((each) => target.startsWith(each));
    if (address === undefined) return link;
    const [path = '', hash] = target.slice(address.length).split('#');
    const slash = path.endsWith('/') ? '/' : '';
    return `${before}${posix.relative(dirname(page), path)}${slash}${hash === undefined ? '' : `#${hash}`})`;
  });
}

if (import.meta.main) {
  const { repository, version } = JSON.parse(read('package.json'));
  const address = /^git\+(https:\/\/.+)\.git$/.exec(repository?.url ?? '')?.[1];
  const change = { absolute: toAbsolute, relative: toRelative }[process.argv[2] ?? ''];
  if (change === undefined) throw new Error('node scripts/pack-links.ts absolute | relative');
  for (const page of address === undefined ? [] : packedPages())
    writeFileSync(join(ROOT, page), change(page, read(page), { repository: address ?? '', tag: `v${version}` }));
}
