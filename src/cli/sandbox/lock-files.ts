import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, readFile, rm, writeFile } from 'node:fs/promises';
import { writeAtomically } from '../write-atomically.ts';

/** The file operations of a lock. Tests replace them, to run several processes step by step. */
export interface LockFiles {
  /** The text of a file, or null without one. */
  read(path: string): Promise<string | null>;
  /** Creates a file with its text in one step. False if it exists. */
  create(path: string, text: string): Promise<boolean>;
  /** Replaces a file in one step. */
  replace(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** The errors of `link` on a file system without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR']);

export const LOCK_FILES: LockFiles = {
  async read(path) {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  },
  async create(path, text) {
    // A link appears with its whole text. A file that is created and then written is empty for a moment.
    const draft = `${path}.${randomUUID()}.tmp`;
    try {
      await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
      await link(draft, path).catch((error: unknown) => {
        if (!NO_LINKS.has(codeOf(error))) throw error;
        return copyFile(draft, path, constants.COPYFILE_EXCL);
      });
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
  },
  replace: async (path, text) => writeAtomically(path, text),
  remove: (path) => rm(path, { force: true }),
};

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code; // of node:fs
}
