import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { GROUPS } from '../matrix/cells/groups.ts';
import { lineOf, summaryOf, tableOf } from '../matrix/engine/report.ts';

const cells = GROUPS.flatMap((group) => group.cells.map((cell) => ({ group, cell })));
const projects = GROUPS.flatMap((group) => group.projects);

describe('the cells of the matrix', () => {
  it('have names that differ', () => {
    const names = cells.map(({ group, cell }) => `${group.name}: ${cell.name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(projects.map(({ name }) => name)).size).toBe(projects.length);
  });

  it('use packages of their project, in exact versions', () => {
    for (const { group, cell } of cells) {
      const project = group.projects.find(({ name }) => name === cell.project);
      const known = ['npm', ...Object.keys(project?.dependencies ?? {})];
      const brought = ['workerd']; // a dependency of miniflare
      expect([...known, ...brought], cell.name).toEqual(expect.arrayContaining([...cell.uses]));
    }
    for (const { name, dependencies } of projects) {
      for (const spec of Object.values(dependencies)) {
        expect(spec, name).toMatch(/^(?:npm:(?:@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+$/);
      }
    }
  });

  it('have the files of their projects, and all projects have cells', () => {
    for (const { name } of projects) {
      expect(existsSync(fileURLToPath(new URL(`../matrix/fixtures/${name}`, import.meta.url))), name).toBe(true);
      expect(cells.some(({ cell }) => cell.project === name)).toBe(true);
    }
  });
});

describe('the lowest versions', () => {
  it('with which the ranges of package.json begin are used, in the quick tests or by a test runner', () => {
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    );
    const ranges: Record<string, string> = { ...dependencies, ...peerDependencies };
    const projectOf = (name: string): string => (name === 'vitest' ? 'money-vitest4' : 'lowest');
    for (const [name, range] of Object.entries(ranges)) {
      const used = projects.find((project) => project.name === projectOf(name))?.dependencies[name];
      expect(`${range} `, name).toMatch(new RegExp(`^\\^${used} `));
    }
  });
});

describe('the report of the matrix', () => {
  const [first] = cells;
  if (first === undefined) throw new Error('the matrix has no cells');
  const result = { group: 'node', cell: first.cell, versions: ['node 24.21.0'], detail: '', seconds: 1.25 };

  it('has one line for a cell that works, and the reason of one that does not', () => {
    expect(lineOf({ ...result, state: 'works' })).toBe(`ok   node: ${first.cell.name} – node 24.21.0 (1.3 s)`);
    expect(lineOf({ ...result, state: 'fails', detail: 'ended with 1\nTypeError' })).toMatch(
      / {5}ended with 1\n {5}Type/,
    );
    expect(lineOf({ ...result, state: 'skipped', detail: 'no Redis' })).toBe(
      `skip node: ${first.cell.name} – no Redis`,
    );
  });

  it('counts skipped cells apart', () => {
    const table = tableOf([
      { ...result, state: 'works' },
      { ...result, state: 'skipped' },
      { ...result, group: 'bun', state: 'fails' },
    ]);
    expect(table.split('\n').slice(2)).toEqual([
      '| node | 2 | 1 | 0 | 1 |',
      '| bun | 1 | 0 | 1 | 0 |',
      '| all | 3 | 1 | 1 | 1 |',
    ]);
  });

  it('names below the table which cells failed or could not run, and why', () => {
    const summary = summaryOf([
      { ...result, state: 'works' },
      { ...result, group: 'bun', state: 'fails', detail: 'ended with 1\nTypeError' },
      { ...result, group: 'store', state: 'skipped', detail: 'no Redis' },
    ]);
    expect(summary.split('\n').slice(6)).toEqual([
      '',
      'Failed:',
      `- bun: ${first.cell.name} – ended with 1`,
      '',
      'Could not run here:',
      `- store: ${first.cell.name} – no Redis`,
    ]);
  });
});
