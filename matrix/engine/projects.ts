import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runBounded } from './bounded.ts';
import type { Cell, Project } from './cell.ts';
import { ownNode } from './nodes.ts';
import { placeInto, readManifest, type Tarball } from './tarball.ts';

const INSTALL_SECONDS = 1_200;

export interface Stage {
  /** The root of the repository. */
  readonly root: string;
  /** The temporary folder of this run. */
  readonly folder: string;
  readonly tarball: Tarball;
  /** Links the development dependencies of the repository instead of installing. */
  readonly isShort: boolean;
}

/** Prepares the folder of a project for its cells and returns it. */
export async function prepareProject(stage: Stage, project: Project, cells: readonly Cell[]): Promise<string> {
  const folder = join(stage.folder, project.name);
  mkdirSync(folder, { recursive: true });
  const dependencies = withoutPresentNodes({
    ...(project.isBare ? {} : stage.tarball.dependencies),
    ...project.dependencies,
  });
  const manifest = { name: `matrix-${project.name}`, private: true, ...project.manifest, dependencies };
  if (stage.isShort)
    link(stage.root, folder, [...Object.keys(stage.tarball.dependencies), ...cells.flatMap(({ uses }) => uses)]);
  else await install(project, folder, JSON.stringify(manifest, null, 2));
  for (const fixtures of ['shared', project.name]) {
    const from = join(stage.root, 'matrix', 'fixtures', fixtures);
    if (existsSync(from)) cpSync(from, folder, { recursive: true });
  }
  for (const name of ['scenario', 'money']) {
    const source = readFileSync(join(folder, `${name}.mjs`), 'utf8');
    writeFileSync(join(folder, `${name}.cjs`), toCommonJs(source));
  }
  if (!project.isBare) placeInto(folder, stage.tarball);
  return folder;
}

/** Nodes that this machine has in the exact version need no package. */
function withoutPresentNodes(dependencies: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(dependencies).filter(([name, spec]) => ownNode(name, spec) === null));
}

/** Direct dependencies are exact. Theirs are not locked, because a merchant's are not either. */
async function install(project: Project, folder: string, manifest: string): Promise<void> {
  const written = join(folder, 'package.json');
  const installed = join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && existsSync(written) && readFileSync(written, 'utf8') === manifest) return;
  writeFileSync(written, manifest);
  const words = [
    'npm',
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--ignore-scripts',
  ];
  const ended = await runBounded(words, { cwd: folder, seconds: INSTALL_SECONDS });
  if (ended.code !== 0) {
    rmSync(written);
    throw new Error(`npm could not install the project ${project.name}: ${ended.stderr || 'its time ended'}`);
  }
  for (const name of project.scripts ?? []) {
    await runBounded(['npm', 'rebuild', name], { cwd: folder, seconds: INSTALL_SECONDS });
  }
}

/** Links packages of the repository. */
function link(root: string, folder: string, names: readonly string[]): void {
  for (const name of new Set(names)) {
    const [from, to] = [join(root, 'node_modules', name), join(folder, 'node_modules', name)];
    if (!existsSync(from) || existsSync(to)) continue;
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(from, to, 'junction');
  }
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }');
}

function toCommonJs(source: string): string {
  const names = [...source.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name]) => name);
  return `${source.replace(/^export /gm, '')}\nmodule.exports = { ${names.join(', ')} };\n`;
}

/** `name version` of a dependency as it is installed, or of the machine's npm. */
export function versionOf(folder: string, project: Project, name: string): string {
  if (name === 'npm') return `npm ${execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim()}`;
  const spec = project.dependencies[name] ?? '';
  const own = ownNode(name, spec);
  if (own !== null) return `node ${own.version}`;
  const at = join(folder, 'node_modules', name);
  if (!existsSync(at)) return `${name} missing`;
  const manifest = readManifest(at);
  return `${manifest.name.replace(/^node-(?:linux|darwin|win).*/, 'node')} ${manifest.version}`;
}
