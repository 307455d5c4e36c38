import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A folder outside the repository in which the packed tarball is installed, as a merchant would have it. */
export interface Consumer {
  readonly folder: string;
  /** Writes a file and runs it, in the Node that runs the tests unless another is given. */
  run(file: string, source: string, options?: RunOptions): Promise<Ran>;
  remove(): void;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly node?: string;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Packs what was built and installs it. The scripts are left out: packing must not build under the other tests' feet.
 * `fresh`: into what `npm init -y` makes, as a newcomer does; else into a folder of ES modules.
 */
export function installPacked({ fresh = false } = {}): Consumer {
  const folder = mkdtempSync(join(tmpdir(), 'merchant-invoicing-consumer-'));
  const filename = pack(folder);
  if (fresh) execFileSync('npm', ['init', '-y'], { cwd: folder, stdio: 'pipe' });
  else writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }));
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${filename}`], {
    cwd: folder,
    stdio: 'pipe',
  });
  return {
    folder,
    run(file, source, options) {
      writeFileSync(join(folder, file), source);
      return runNode(folder, [file], options);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Packs what was built, and returns the name of the archive. */
function pack(folder: string): string {
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  return filename;
}

function runNode(
  cwd: string,
  args: readonly string[],
  { env = {}, node = process.execPath }: RunOptions = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      node,
      args,
      { cwd, env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...env }, timeout: 240_000 },
      (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1, stdout, stderr });
      },
    );
  });
}
