import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The examples of all docstrings of the sources. */
export function docstringExamples(): Example[] {
  return globSync('src/**/*.ts', { cwd: ROOT }).flatMap(examplesOf);
}

/** The code of an `@example`, and the place of it. */
export interface Example {
  readonly at: string;
  readonly code: string;
}

function examplesOf(path: string): Example[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return [...text.matchAll(/^ *\* @example\n((?: *\*(?!\/)(?: (?!@).*)?\n)+)/gm)].map(({ 1: block = '', index }) => ({
    at: `${path}:${text.slice(0, index).split('\n').length}`,
    code: block.replace(/^ *\* ?/gm, ''),
  }));
}
