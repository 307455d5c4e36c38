// `npm run test:matrix [-- node jest] [-- --list] [-- --short] [-- --report FILE] [-- --folder FOLDER]`: uses the packed
// package in many runtimes, tools and versions. A word is a group, or a part of the names of cells.
// `--folder` keeps the projects, so that the next run with it installs nothing again. `--tarball` takes a packed package
// instead of the built one, such as an earlier release.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { GROUPS } from './cells/groups.ts';
import type { Result } from './engine/cell.ts';
import { playGroup } from './engine/play.ts';
import { lineOf, summaryOf, writeReport } from './engine/report.ts';
import { packInto, unpackInto } from './engine/tarball.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    report: { type: 'string' },
    folder: { type: 'string' },
    tarball: { type: 'string' },
  },
});

const words = positionals.map((word) => word.toLowerCase());
const isGroup = (word: string) => GROUPS.some(({ name }) => name === word);
const isChosen = (group: string, title: string): boolean =>
  words.length === 0 ||
  words.some((word) => (isGroup(word) ? word === group : `${group}: ${title}`.toLowerCase().includes(word)));
const chosen = GROUPS.map((group) => ({
  group,
  cells: group.cells.filter((cell) => isChosen(group.name, cell.name) && (cell.isShort || !values.short)),
})).filter(({ cells }) => cells.length > 0);
if (chosen.length === 0) throw new Error(`no cell is named like ${positionals.join(', ')}. --list prints all cells`);

if (values.list) {
  for (const { group, cells } of chosen) {
    for (const cell of cells) console.log(`${group.name}: ${cell.name}${cell.isShort ? ' (short)' : ''}`);
  }
} else process.exitCode = (await play()) ? 0 : 1;

async function play(): Promise<boolean> {
  const root = resolve(import.meta.dirname, '..');
  const folder =
    values.folder === undefined ? mkdtempSync(join(tmpdir(), 'merchant-invoicing-matrix-')) : resolve(values.folder);
  const results: Result[] = [];
  try {
    const packed = join(folder, 'packed');
    const tarball = values.tarball === undefined ? packInto(packed, root) : unpackInto(packed, resolve(values.tarball));
    const stage = { root, folder, tarball, isShort: values.short };
    for (const { group, cells } of chosen) {
      await playGroup(stage, group, cells, (result) => {
        results.push(result);
        console.log(lineOf(result));
      });
    }
  } finally {
    if (values.report !== undefined) writeReport(values.report, results); // also of a run that was cut short by an error
    if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
  }
  console.log(`\n${summaryOf(results)}`);
  return results.every(({ state }) => state !== 'fails');
}
