// What the package costs beside its peers. `npm run bench` is a look, `npm run bench -- --full` is the verdict, and
// `npm run bench -- create page` measures some rows. No test depends on it, because machines are shared and noisy.
import { parseArgs } from 'node:util';
import { installPeers } from './harness/install.ts';
import { measureHeap, measureSize } from './harness/kept.ts';
import { measureCold, measureWarm } from './harness/pairs.ts';
import { printRow } from './harness/print.ts';
import type { Entry } from './harness/ratios.ts';
import { type Measured, writeRow } from './harness/results.ts';
import { COLD_ROWS } from './rows/cold.ts';
import { KEPT_ROWS } from './rows/kept.ts';
import type { AnyRow } from './rows/row.ts';
import { WARM_ROWS } from './rows/warm.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false }, save: { type: 'boolean', default: false } },
});
// These need no peer, and print their own tables.
for (const own of ['limits', 'receiver', 'records', 'reconcile', 'catch-up'] as const) {
  if (!positionals.includes(own)) continue;
  await import(`./${own}/run.ts`);
  process.exit();
}
installPeers();

const ROWS: readonly AnyRow[] = [...WARM_ROWS, ...COLD_ROWS, ...KEPT_ROWS];
const ids = ROWS.map(({ id }) => id);
const unknown = positionals.filter((id) => !ids.includes(id));
if (unknown.length > 0)
  throw new Error(
    `no row ${unknown.join(', ')}; rows are ${ids.join(', ')} and limits, receiver, records, reconcile, catch-up`,
  );

async function measure(row: AnyRow): Promise<Entry[]> {
  switch (row.kind) {
    case 'warm':
      return await measureWarm(row, values.full);
    case 'cold':
      return await measureCold(row, values.full);
    case 'size':
      return await measureSize(row);
    case 'heap':
      return await measureHeap(row);
  }
}

for (const row of ROWS.filter(({ id }) => positionals.length === 0 || positionals.includes(id))) {
  const { id, title, measure: what, baseline, ours, goal, stretch } = row;
  const [date = ''] = new Date().toISOString().split('T');
  const mode = values.full ? 'verdict' : 'look';
  const entries = await measure(row);
  const result: Measured = { id, title, measure: what, baseline, ours, goal, stretch, mode, date, entries };
  printRow(result);
  // Each row at once, so that an interrupted run keeps what it has measured.
  if (values.save || positionals.length === 0) writeRow(result, ids);
}
