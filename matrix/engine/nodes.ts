import { execFileSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

/** The package on npm that holds the program of Node for this machine. */
export const NODE_PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

export interface OwnNode {
  readonly path: string;
  readonly version: string;
}

/** The Nodes of this machine: that of this process, and those on the path. */
const NODES: readonly OwnNode[] = [
  { path: process.execPath, version: process.versions.node },
  ...(process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => {
    const path = join(folder, 'node');
    try {
      const version = execFileSync(path, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      return [{ path, version: version.trim().slice(1) }];
    } catch {
      return []; // none in this folder
    }
  }),
];

/** A Node of this machine, if the dependency is one in exactly this version. */
export function ownNode(name: string, spec: string): OwnNode | null {
  if (!/^node\d*$/.test(name)) return null;
  return NODES.find(({ version }) => spec.endsWith(`@${version}`)) ?? null;
}
