import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, unpackInto } from '../support/consumer.ts';
import type { DocModule } from './modules.ts';

/** A folder with the packed package, in which each page has a folder. Other packages come from the repository. */
export interface Project {
  readonly folder: string;
  /** The folder of a page. */
  folderOf(page: string): string;
  /** Writes a file into the folder of a page. */
  write(page: string, file: string, text: string): string;
  /** An empty folder, the working directory of one program. */
  empty(): string;
  remove(): void;
}

export function makeProject(): Project {
  mkdirSync(join(ROOT, 'coverage'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'coverage', 'docs-'));
  unpackInto(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }));
  const folderOf = (page: string): string => join(folder, page.replace(/\.md$/, '').replaceAll('/', '-'));
  return {
    folder,
    folderOf,
    write(page, file, text) {
      const path = join(folderOf(page), file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    empty: () => mkdtempSync(join(folder, 'run-')),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The path of a module, once it is written. */
export function pathOf(project: Project, { page, file }: Pick<DocModule, 'page' | 'file'>): string {
  return join(project.folderOf(page), file);
}
