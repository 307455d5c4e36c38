import { writeFileSync } from 'node:fs';
import type { Result } from './cell.ts';

const MARKS = { works: 'ok  ', fails: 'FAIL', skipped: 'skip' } as const;

/** One line for a result, and the output of a failed cell below it. */
export function lineOf({ group, cell, state, versions, detail, seconds }: Result): string {
  const head = `${MARKS[state]} ${group}: ${cell.name}`;
  if (state === 'skipped') return `${head} – ${detail}`;
  const line = `${head} – ${versions.join(', ')} (${seconds.toFixed(1)} s)`;
  return state === 'works' ? line : `${line}\n${detail.replace(/^/gm, '     ')}`;
}

/** The counts by group, as a Markdown table. */
export function tableOf(results: readonly Result[]): string {
  const groups = [...new Set(results.map(({ group }) => group))];
  const rows = [...groups, null].map((group) => {
    const own = results.filter((result) => group === null || result.group === group);
    const count = (state: Result['state']) => own.filter((result) => result.state === state).length;
    return `| ${group ?? 'all'} | ${own.length} | ${count('works')} | ${count('fails')} | ${count('skipped')} |`;
  });
  return ['| Group | Cells | Work | Fail | Skipped |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** The table, and below it the cells that failed and those that could not run, each with the first line of its reason. */
export function summaryOf(results: readonly Result[]): string {
  const list = (title: string, state: Result['state']): string[] => {
    const own = results.filter((result) => result.state === state);
    const lines = own.map(({ group, cell, detail }) => `- ${group}: ${cell.name} – ${detail.split('\n')[0]}`);
    return own.length === 0 ? [] : ['', title, ...lines];
  };
  return [tableOf(results), ...list('Failed:', 'fails'), ...list('Could not run here:', 'skipped')].join('\n');
}

/** Writes a page with the counts and one row for each cell. */
export function writeReport(path: string, results: readonly Result[]): void {
  const rows = results.map(({ group, cell, state, versions, detail }) => {
    const note = state === 'works' ? '' : (detail.split('\n')[0] ?? '').replaceAll('|', '\\|');
    return `| ${group} | ${cell.name} | ${versions.join(', ')} | ${state} | ${note} |`;
  });
  const cells = ['| Group | Cell | Versions | Result | Note |', '|---|---|---|---|---|', ...rows].join('\n');
  writeFileSync(path, `# The matrix\n\n${tableOf(results)}\n\n${cells}\n`);
}
