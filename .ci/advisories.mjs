// Looks for advisories: of what the package is made of (dist/sbom.cdx.json), which no merchant's `npm audit` sees, then of the
// tools of this repository. An advisory of the first kind fails. With --strict, each night and before a release, so does a
// serious one of a tool, and a registry that could not be asked.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Has advisories since 2020. Without them the registry has none at all, or npm did not ask: both look like a success. */
const KNOWN = { name: 'minimist', version: '0.0.8' };

/** The number of packages in the lock file of a folder and their advisories, or why npm could not look. */
function audit(folder) {
  let printed;
  try {
    const stdio = ['ignore', 'pipe', 'ignore'];
    printed = execFileSync('npm', ['audit', '--json'], { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28, stdio });
  } catch (error) {
    printed = error.stdout; // npm fails where it finds one, and where it cannot look
  }
  const { vulnerabilities, metadata, statusCode, message, error } = JSON.parse(printed);
  if (vulnerabilities === undefined) {
    const why = message ?? error?.summary ?? 'npm does not say why';
    return { notLooked: statusCode === undefined ? why : `the registry answered ${why}` };
  }
  const causes = Object.values(vulnerabilities).flatMap(({ via }) => via.filter((cause) => typeof cause === 'object'));
  return { total: metadata.dependencies.total, advisories: causes };
}

/** The advisories of components of an SBOM. `npm audit` reads lock files only, so they get one. */
function auditOf(components) {
  const versions = Object.fromEntries([...components, KNOWN].map(({ name, version }) => [name, version]));
  const packages = Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version }]);
  const lock = { lockfileVersion: 3, packages: { '': { dependencies: versions }, ...Object.fromEntries(packages) } };
  const folder = mkdtempSync(join(tmpdir(), 'advisories-'));
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: versions }));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const { notLooked, advisories } = audit(folder);
    if (notLooked !== undefined) return { notLooked };
    if (advisories.every(({ name }) => name !== KNOWN.name))
      return { notLooked: `the registry knows no advisory of ${KNOWN.name} ${KNOWN.version}, which has some` };
    return { advisories: advisories.filter(({ name }) => name !== KNOWN.name) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const strict = process.argv.includes('--strict');

function tell(what, { notLooked, advisories }, isFailure) {
  if (notLooked !== undefined) {
    // A green check hides the log. A warning stands beside it.
    console.log(`${process.env.GITHUB_ACTIONS ? '::warning::' : ''}Advisories of ${what}: not looked: ${notLooked}`);
    if (strict) process.exitCode = 1;
    return;
  }
  console.log(`Advisories of ${what}: ${advisories.length === 0 ? 'none' : advisories.length}`);
  for (const advisory of advisories) {
    const { name, range, severity, title, url } = advisory;
    console.log(`  ${name} ${range}: ${severity}: ${title} ${url}`);
    if (isFailure(advisory)) process.exitCode = 1;
  }
}

const { components } = JSON.parse(readFileSync('dist/sbom.cdx.json', 'utf8'));
const inside = auditOf(components);
tell(components.map(({ name, version }) => `${name} ${version}`).join(', '), inside, () => true);
if (inside.notLooked === undefined) {
  const tools = audit('.');
  const isSerious = ({ severity }) => severity === 'high' || severity === 'critical';
  tell(`${tools.total ?? 'the'} packages of the tools`, tools, (advisory) => strict && isSerious(advisory));
} else console.log('Advisories of the tools: not looked, for the same reason');
