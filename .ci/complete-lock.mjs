// npm omits from the lock file the optional platform binaries that the current registry does not carry. On a machine with
// another registry `npm ci` then refuses the lock. This script lists them. `npm run lock` runs it.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

const FILE = 'package-lock.json';
const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'];

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const packages = lock.packages;

/** The resolution of Node: the folder itself, then every folder above it. */
function isListed(folder, name) {
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`]) return true;
    if (at === '') return false;
  }
}

/** The platform is in the name of the package, word by word: `@scope/tool-linux-arm64-musl`. */
function platformOf(name) {
  const words = name.split(/[-/]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  const musl = words.some((word) => word.startsWith('musl'));
  const gnu = words.some((word) => word.startsWith('gnu'));
  return {
    ...(os.length > 0 && { os }),
    ...(cpu.length > 0 && { cpu }),
    ...(os.includes('linux') && (musl || gnu) && { libc: [musl ? 'musl' : 'glibc'] }),
  };
}

let added = 0;
for (const [folder, meta] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(meta.optionalDependencies ?? {})) {
    if (isListed(folder, name)) continue;
    packages[`node_modules/${name}`] = { version, ...(meta.dev && { dev: true }), optional: true, ...platformOf(name) };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
// Addresses tie the lock to one registry. The integrity hashes identify each package.
for (const meta of Object.values(lock.packages)) delete meta.resolved;

/** The hash of a package, or null if the current registry does not carry this version. */
async function integrityOf(name, version) {
  try {
    const { stdout } = await promisify(execFile)('npm', ['view', '--json', `${name}@${version}`, 'dist.integrity']);
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}

const missing = [];
for (const [folder, meta] of Object.entries(lock.packages)) {
  if (folder === '' || meta.link || meta.integrity) continue;
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const integrity = await integrityOf(name, meta.version);
  if (integrity === null) missing.push(`${name}@${meta.version}`);
  else meta.integrity = integrity;
}
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${FILE}: ${added} optional packages added`);
if (missing.length > 0)
  console.log(`${missing.length} without a hash, because the registry has no such version: ${missing.join(', ')}`);
