// What the package costs beside its peers. `npm run bench` is a look, `npm run bench -- --full` is the verdict, and
// `npm run bench -- create page` measures some rows. No test depends on it, because machines are shared and noisy.
import { parseArgs } from 'node:util';
import { installPeers } from './harness/install.ts';
import { type Entry, measureCold, measureWarm } from './harness/pairs.ts';
import { printRow } from './harness/print.ts';
import { type Measured, writeResults } from './harness/results.ts';
import { COLD_ROWS } from './rows/cold.ts';
import { WARM_ROWS } from './rows/warm.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false } },
});
if (positionals.includes('hostile')) {
  await import('./hostile/run.ts');
  process.exit();
}
installPeers();

const ROWS = [...WARM_ROWS, ...COLD_ROWS];
const unknown = positionals.filter((id) => ROWS.every((row) => row.id !== id));
if (unknown.length > 0)
  throw new Error(`no row ${unknown.join(', ')}; rows are ${ROWS.map(({ id }) => id).join(', ')}, hostile`);

const measured: Measured[] = [];
for (const row of ROWS.filter(({ id }) => positionals.length === 0 || positionals.includes(id))) {
  const entries: Entry[] =
    row.kind === 'warm' ? await measureWarm(row, values.full) : await measureCold(row, values.full);
  const { id, title, measure, baseline, ours, goal, stretch } = row;
  const date = new Date().toISOString().slice(0, 10);
  const result: Measured = {
    id,
    title,
    measure,
    baseline,
    ours,
    goal,
    stretch,
    mode: values.full ? 'verdict' : 'look',
    date,
    entries,
  };
  printRow(result);
  measured.push(result);
}
if (values.full || positionals.length === 0)
  writeResults(
    measured,
    ROWS.map(({ id }) => id),
  );
