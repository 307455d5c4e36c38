import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The packed package. */
export interface Tarball {
  readonly path: string;
  /** An unpacked copy. */
  readonly folder: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Packs what was built, and unpacks a copy. */
export function packInto(folder: string, root: string): Tarball {
  return unpackInto(folder, pack(folder, root));
}

/** Unpacks a tarball. */
export function unpackInto(folder: string, path: string): Tarball {
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, 'package'), { recursive: true, force: true });
  execFileSync('tar', ['-xzf', path, '-C', folder]);
  const unpacked = join(folder, 'package');
  return { path, folder: unpacked, dependencies: readManifest(unpacked).dependencies };
}

/** Scripts are left out, because packing must not build again. */
function pack(folder: string, root: string): string {
  mkdirSync(folder, { recursive: true });
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename }] = JSON.parse(packed) as [{ readonly filename: string }]; // the answer of npm pack
  return join(folder, filename);
}

/** Puts the unpacked package into the `node_modules` of a project, as an installer does. */
export function placeInto(project: string, tarball: Tarball): void {
  const place = join(project, 'node_modules', 'merchant-invoicing');
  rmSync(place, { recursive: true, force: true });
  cpSync(tarball.folder, place, { recursive: true });
}

/** A manifest, as far as the matrix reads it. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

export function readManifest(folder: string): Manifest {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Partial<Manifest>;
  return { name: manifest.name ?? '', version: manifest.version ?? '', dependencies: manifest.dependencies ?? {} };
}
