import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly optional?: boolean }>>;
}

const readLock = (file: string): Lock => JSON.parse(readFileSync(file, 'utf8'));

/** The versions of the peers, from their lock file. */
export function peerVersions(): Record<string, string> {
  const { packages } = readLock(`${FOLDER}package-lock.json`);
  const manifest: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(`${FOLDER}package.json`, 'utf8'),
  );
  const names = Object.keys(manifest.dependencies);
  return Object.fromEntries(names.map((name) => [name, packages[`node_modules/${name}`]?.version ?? 'unknown']));
}

function isInstalled(): boolean {
  const listed = `${FOLDER}node_modules/.package-lock.json`;
  if (!existsSync(listed)) return false;
  const { packages } = readLock(listed);
  return Object.entries(readLock(`${FOLDER}package-lock.json`).packages).every(
    ([path, { version, optional }]) => path === '' || optional === true || packages[path]?.version === version,
  );
}

/** Installs the peers where they are missing or of other versions. They are no part of the root install. */
export function installPeers(): void {
  if (isInstalled()) return;
  console.log('Installing the peers of the benchmarks: npm ci --prefix bench');
  const { status } = spawnSync('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund'], {
    stdio: 'inherit',
    shell: process.platform === 'win32', // npm is a script there
  });
  if (status !== 0) throw new Error('npm ci --prefix bench failed');
}
