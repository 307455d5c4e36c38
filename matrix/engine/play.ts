import { join } from 'node:path';
import { runBounded } from './bounded.ts';
import type { Cell, Group, Project, Result } from './cell.ts';
import { ownNode } from './nodes.ts';
import { prepareProject, type Stage, versionOf } from './projects.ts';

/** A limit against hanging. A busy machine takes ten times as long as an idle one. */
const CELL_SECONDS = 600;
const DETAIL_LENGTH = 4_000;
/** The code with which a program says that it cannot run here, and prints why. */
const NOT_HERE = 77;

/** Runs the chosen cells of one group and reports each when it ends. */
export async function playGroup(
  stage: Stage,
  group: Group,
  cells: readonly Cell[],
  onResult: (result: Result) => void,
): Promise<void> {
  for (const project of group.projects) {
    const own = cells.filter((cell) => cell.project === project.name);
    const runnable: Cell[] = [];
    for (const cell of own) {
      const reason = cell.skip?.() ?? null;
      if (reason === null) runnable.push(cell);
      else onResult({ group: group.name, cell, state: 'skipped', versions: [], detail: reason, seconds: 0 });
    }
    if (runnable.length === 0) continue;
    try {
      const folder = await prepareProject(stage, project, runnable);
      for (const cell of runnable)
        onResult(await playCell({ group: group.name, project, folder, env: environmentOf(stage) }, cell));
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      for (const cell of runnable) {
        onResult({ group: group.name, cell, state: 'fails', versions: [], detail, seconds: 0 });
      }
    }
  }
}

/** The variables that the files of the cells may read. */
function environmentOf({ root, tarball }: Stage): Record<string, string> {
  return { MATRIX_ROOT: root, MATRIX_TARBALL: tarball.path };
}

interface Place {
  readonly group: string;
  readonly project: Project;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

async function playCell({ group, project, folder, env }: Place, cell: Cell): Promise<Result> {
  const versions = cell.uses.map((name) => versionOf(folder, project, name));
  if (cell.run[0] === 'node') versions.push(`node ${process.versions.node}`);
  const began = performance.now();
  const words = cell.run.map((word, at) => (at === 0 ? programOf(project, folder, word) : word));
  const { limit = CELL_SECONDS } = cell;
  const ended = await runBounded(words, { cwd: folder, seconds: limit, env: { ...env, ...cell.env } });
  const seconds = (performance.now() - began) / 1_000;
  const { code, stdout, stderr } = ended;
  if (code === NOT_HERE) return { group, cell, state: 'skipped', versions, detail: stdout.trim(), seconds };
  const isGood = code === 0 && !(cell.isQuiet && stderr.trim() !== '');
  const why = code === null ? `did not end within ${limit} s` : code === 0 ? 'wrote to stderr' : `ended with ${code}`;
  const detail = isGood ? '' : `${why}\n${stdout}\n${stderr}`.trim().slice(0, DETAIL_LENGTH);
  return { group, cell, state: isGood ? 'works' : 'fails', versions, detail, seconds };
}

/** The path of a program: a Node by its name, the program of an installed package, or a name on the path. */
function programOf(project: Project, folder: string, word: string): string {
  if (word === 'node') return process.execPath;
  const spec = project.dependencies[word];
  if (/^node\d+$/.test(word) && spec !== undefined) {
    return ownNode(word, spec)?.path ?? join(folder, 'node_modules', word, 'bin', 'node');
  }
  return word.startsWith('./') ? join(folder, word) : word;
}
