import { ConfigurationError } from '../../errors/classes.ts';

/** The parts of `node:fs` and `node:os` that are used here, typed by hand: the declarations must not need Node's types. */
interface NodeFiles {
  readonly promises: {
    mkdtemp(prefix: string): Promise<string>;
    appendFile(path: string, text: string): Promise<void>;
    rm(path: string, options: typeof REMOVED): Promise<void>;
  };
  createReadStream(path: string, options: typeof READING): AsyncIterable<string>;
  rmSync(path: string, options: typeof REMOVED): void;
}
interface NodeProcess {
  getBuiltinModule?(id: string): unknown;
  once?(event: 'exit', listener: () => void): unknown;
  off?(event: 'exit', listener: () => void): unknown;
}

const REMOVED = { recursive: true, force: true } as const;
/** Each read is a wait, so most files are read in three. */
const READING = { encoding: 'utf8', highWaterMark: 262_144 } as const;

/** A temporary folder with files of lines. */
export interface LineFiles {
  append(name: string, text: string): Promise<void>;
  /** The lines of a file, many at a time. A file that was never written has none. */
  lines(name: string): AsyncIterable<readonly string[]>;
  remove(): Promise<void>;
}

/**
 * Makes a folder that only this user can read.
 *
 * @param parent The folder around it. Default: the folder for temporary files of the system.
 * @throws ConfigurationError if the runtime has no files, or the folder cannot be written.
 */
export async function openLineFiles(parent: string | undefined): Promise<LineFiles> {
  // `process` is not declared everywhere this file runs, so the global is looked at as an unknown.
  const process = (globalThis as { readonly process?: NodeProcess }).process;
  const fs = process?.getBuiltinModule?.('node:fs') as NodeFiles | undefined; // our typing of a Node built-in
  const os = process?.getBuiltinModule?.('node:os') as { tmpdir(): string } | undefined;
  if (typeof fs?.promises?.mkdtemp !== 'function' || typeof os?.tmpdir !== 'function') {
    throw new ConfigurationError(
      'reconcile: there are more rows than maxInMemory, and this runtime has no files for the rest. Raise maxInMemory, or compare a shorter period.',
    );
  }
  const folder = await explained(parent, fs.promises.mkdtemp(`${parent ?? os.tmpdir()}/merchant-invoicing-reconcile-`));
  const written = new Set<string>();
  const onExit = (): void => fs.rmSync(folder, REMOVED); // process.exit() runs no finally
  process?.once?.('exit', onExit);
  return {
    async append(name, text) {
      written.add(name);
      await explained(parent, fs.promises.appendFile(`${folder}/${name}`, text));
    },
    async *lines(name) {
      if (!written.has(name)) return;
      let rest = '';
      for await (const chunk of fs.createReadStream(`${folder}/${name}`, READING)) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        yield lines;
      }
    },
    async remove() {
      process?.off?.('exit', onExit);
      await fs.promises.rm(folder, REMOVED);
    },
  };
}

/** A full disk and a missing folder are the caller's to repair, so the error says which option names the folder. */
async function explained<T>(parent: string | undefined, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as { readonly code?: unknown }; // an error of node:fs
    const where = parent === undefined ? 'the temporary folder of the system' : 'the folder of the option folder';
    throw new ConfigurationError(
      `reconcile: cannot write to ${where} (${typeof code === 'string' ? code : 'unknown cause'}). Name another one in folder. It needs about 250 MB for a million orders.`,
      { cause: error },
    );
  }
}
