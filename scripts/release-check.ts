// `npm run release:check`: what must hold before a release and `npm publish --dry-run` does not test. `npm publish` runs it
// first. Each finding names what the owner of the package does about it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '../src/contract/json.ts';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

function readJson(file: string): JsonObject {
  const value: unknown = JSON.parse(read(file));
  if (!isObject(value)) throw new Error(`${file} is not an object`);
  return value;
}

/** Files and outputs of commands, read here so that the rules below are pure. */
export interface Release {
  readonly manifest: JsonObject;
  readonly changelog: string;
  readonly security: string;
  readonly lock: JsonObject;
  readonly npmVersion: string;
  /** Tags of the current commit. */
  readonly tags: readonly string[];
  /** Lines of `git status --porcelain`. */
  readonly dirty: readonly string[];
}

/** The problems that the owner must solve before the release. */
export function findingsOf({ manifest, changelog, security, lock, npmVersion, tags, dirty }: Release): string[] {
  const version = String(manifest['version']);
  const [, heading = ''] = /^## (.*)$/m.exec(changelog) ?? [];
  return [
    ...repositoryFindings(manifest),
    ...(heading.startsWith(`${version} - `) && /\d{4}-\d\d-\d\d$/.test(heading)
      ? []
      : [`CHANGELOG.md begins with "${heading}". Set it to "${version} - " and the date of the release.`]),
    ...(/CONTACT/.test(security)
      ? ['SECURITY.md has no contact yet. Replace CONTACT by an address that is read.']
      : []),
    ...(tags.includes(`v${version}`) ? [] : [`The commit has no tag v${version}. Tag the commit that you publish.`]),
    ...(dirty.length === 0 ? [] : [`The work tree has ${dirty.length} changes. Commit or remove them.`]),
    ...lockFindings(lock),
    ...(isAtLeast(npmVersion, [11, 5, 1])
      ? []
      : [`npm ${npmVersion} cannot publish with provenance from a trusted workflow. Install npm 11.5.1 or later.`]),
  ];
}

function repositoryFindings(manifest: JsonObject): string[] {
  const repository = manifest['repository'];
  const url = isObject(repository) ? String(repository['url'] ?? '') : '';
  const findings: string[] = [];
  // npm compares the address with the one of the workflow exactly, so case and ending matter.
  const [, owner, name] = /^git\+https:\/\/github\.com\/([\w.-]+)\/([\w.-]+)\.git$/.exec(url) ?? [];
  if (owner === undefined || name === undefined) {
    findings.push('package.json has no repository.url of the form "git+https://github.com/OWNER/NAME.git".');
  } else {
    const actual = process.env['GITHUB_REPOSITORY'];
    if (actual !== undefined && actual !== `${owner}/${name}`) {
      findings.push(`repository.url names ${owner}/${name}, and the workflow runs in ${actual}. Case matters.`);
    }
  }
  for (const member of ['homepage', 'bugs'] as const) {
    const value = manifest[member];
    const address = isObject(value) ? value['url'] : value;
    if (!/^https:\/\//.test(String(address))) findings.push(`package.json has no ${member} with an https address.`);
  }
  const config = manifest['publishConfig'];
  if (!isObject(config) || config['access'] !== 'public') findings.push('publishConfig.access is not "public".');
  return findings;
}

function lockFindings(lock: JsonObject): string[] {
  const packages = isObject(lock['packages']) ? Object.entries(lock['packages']) : [];
  const missing = packages.filter(
    ([folder, meta]) => folder !== '' && isObject(meta) && meta['integrity'] === undefined && meta['link'] !== true,
  );
  if (missing.length === 0) return [];
  return [
    `package-lock.json has ${missing.length} entries without a hash. Run "npm run lock" against the public registry.`,
  ];
}

function isAtLeast(version: string, least: readonly number[]): boolean {
  const numbers = version.split('.').map(Number);
  const at = least.findIndex((number, index) => number !== numbers[index]);
  return at === -1 || (numbers[at] ?? 0) > (least[at] ?? 0);
}

/** Whether the address answers without a login, or null if the request failed. */
async function isPublic(address: string): Promise<boolean | null> {
  try {
    return (await fetch(address, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(10_000) })).ok;
  } catch {
    return null;
  }
}

if (import.meta.main) {
  const run = (program: string, ...args: string[]): string[] =>
    execFileSync(program, args, { encoding: 'utf8' }).split('\n').filter(Boolean);
  const manifest = readJson('package.json');
  const findings = findingsOf({
    manifest,
    changelog: read('CHANGELOG.md'),
    security: read('SECURITY.md'),
    lock: readJson('package-lock.json'),
    npmVersion: run('npm', '--version').at(-1) ?? '',
    tags: run('git', 'tag', '--points-at', 'HEAD'),
    dirty: run('git', 'status', '--porcelain'),
  });
  const { homepage } = manifest;
  if (typeof homepage === 'string' && (await isPublic(homepage)) !== true) {
    findings.push(`${homepage} does not answer without a login. Make the repository public.`);
  }
  for (const finding of findings) console.error(`✗ ${finding}`);
  if (findings.length === 0) console.log('The release can be published.');
  process.exitCode = findings.length === 0 ? 0 : 1;
}
