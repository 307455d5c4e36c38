import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../build/entries.ts';
import { llmsFull, llmsIndex } from './llms.ts';
import { readPages } from './pages.ts';
import { sourcesOf } from './sources.ts';
import { writeHtml } from './typedoc.ts';

/** Files to which links of the pages lead, in addition to pages. */
const FILES = ['README.md', 'AGENTS.md', 'LICENSE', 'docs/images/*'];

/**
 * Writes the site: the API reference, the pages of docs/ and the examples as HTML. The pages are also copied as Markdown,
 * under their paths in the repository. `llms.txt` lists them, and `llms-full.txt` holds them.
 */
export async function buildSite(folder: string): Promise<void> {
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const manifest = JSON.parse(read('package.json'));
  const pages = readPages();
  await writeHtml({ folder, name: manifest.name, pages, sources: sourcesOf(manifest) });
  const others = FILES.flatMap((pattern) => globSync(pattern, { cwd: ROOT }));
  for (const path of [...pages.map((page) => page.path), ...others]) cpSync(join(ROOT, path), join(folder, path));
  writeFileSync(join(folder, 'llms.txt'), llmsIndex(manifest, pages));
  writeFileSync(join(folder, 'llms-full.txt'), llmsFull(manifest, read('README.md'), pages));
}
