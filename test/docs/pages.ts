import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const REPOSITORY = join(import.meta.dirname, '../..');

const NOT_OURS = ['**/node_modules/**', 'coverage/**', 'dist/**', 'docs/api/**', 'bench/node_modules/**'];

/** The Markdown files of the repository, by their paths, or those that a pattern finds. */
export function readPages(pattern: string | readonly string[] = '**/*.md'): Map<string, string> {
  const paths = globSync([pattern].flat(), { cwd: REPOSITORY, exclude: NOT_OURS }).map((path) =>
    path.replaceAll('\\', '/'),
  );
  return new Map(paths.sort().map((path) => [path, readFileSync(join(REPOSITORY, path), 'utf8')]));
}

/** The pages for users, whose code is tried. */
export const USER_PAGES = ['README.md', 'docs/**/*.md'];
