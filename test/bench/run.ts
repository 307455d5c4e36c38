// What the package costs beside what a merchant would write by hand, and beside its peers: `npm run bench`. A word measures
// the rows whose id it is. A run of all rows takes about five minutes and writes its table into docs/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { startPostgres } from '../support/postgres.ts';
import {
  bundled,
  CONTROL,
  type Comparison,
  compare,
  type Figure,
  heapKept,
  installPeers,
  underLoad,
} from './measure.ts';

const OURS = 'merchant-invoicing';
/** A new process needs some thousand calls until its optimiser has seen all of a creation. */
const WARM = { measure: 'cpu', turns: 5, warmUp: 3_000, samples: 3 } as const;
const CREATION = {
  ...WARM,
  subject: 'create',
  baseline: 'ky',
  others: [OURS, 'raw fetch', 'stripe'],
} as const;
const COLD = { measure: 'cpu', turns: 12, calls: null } as const;

interface Row extends Comparison {
  readonly id: string;
  readonly title: string;
  /** The limit of each of our contenders. Null where the row explains another one. */
  readonly limits: Readonly<Record<string, number>>;
}

const ROWS: readonly Row[] = [
  { ...CREATION, id: 'create', title: 'a creation / ky', calls: 300, limits: { [OURS]: 1.15 } },
  {
    ...CREATION,
    id: 'flight',
    title: 'a creation, 32 in flight / ky',
    calls: 320,
    inFlight: 32,
    limits: { [OURS]: 1.15 },
  },
  {
    ...WARM,
    id: 'page',
    title: 'a page of 100 / ky and a zod schema to Decimal and Date',
    subject: 'page',
    baseline: 'ky and zod',
    others: [OURS, 'fetch and a decoder by hand', 'openai, without decimals and dates', 'polar, without decimals'],
    calls: 80,
    warmUp: 500,
    limits: { [OURS]: 1.05 },
  },
  {
    ...WARM,
    id: 'verify',
    title: 'a verified and typed event / node:crypto and JSON.parse',
    subject: 'verify',
    baseline: 'node:crypto and JSON.parse',
    others: [OURS, 'stripe', 'svix', 'standardwebhooks'],
    calls: 10_000,
    warmUp: 20_000,
    limits: { [OURS]: 2.1 },
  },
  {
    ...COLD,
    id: 'import',
    title: 'an import / stripe',
    subject: 'imports',
    baseline: 'stripe',
    others: [OURS, `${OURS}/webhooks`, `${OURS}/sandbox`, 'ky', 'openai', 'polar'],
    limits: { [OURS]: 0.5 },
  },
  {
    ...COLD,
    id: 'cold',
    title: 'from the import to the first page of 100, in a new process / raw fetch and JSON.parse',
    subject: 'cold',
    baseline: 'raw fetch',
    others: [OURS, 'fetch and a decoder by hand', 'ky and zod', 'stripe', 'openai'],
    limits: { [OURS]: 1.7 },
  },
  {
    id: 'walk',
    title: 'a walk of 5,000 items at 20 ms (wall time) / one page after the other by hand',
    subject: 'walk',
    baseline: 'one page after the other by hand',
    others: [OURS, `${OURS}, prefetch 4`, '4 requests at once by hand', 'stripe', 'openai'],
    measure: 'wall',
    turns: 2,
    calls: 1,
    warmUp: 1,
    latency: 20,
    limits: { [OURS]: 0.5, [`${OURS}, prefetch 4`]: 0.34 },
  },
];

/** Needs PostgreSQL, which is started for it. */
const EVENT: Row = {
  id: 'event',
  title: 'an event through postgresStore, 50 in flight (wall time) / the same SQL by hand',
  subject: 'event',
  baseline: 'the same SQL by hand',
  others: [`${OURS}, postgresStore`],
  measure: 'wall',
  turns: 5,
  calls: 1_500,
  inFlight: 50,
  warmUp: 1_500,
  samples: 3,
  limits: { [`${OURS}, postgresStore`]: 1.43 }, // 0.7 of its events in a second
};

/** Loads of loads.mjs. No limit: they show how a cost grows. */
const LOADS: readonly { readonly id: string; readonly title: string; readonly count: number }[] = [
  { id: 'backlog', title: 'webhooks through postgresStore, one process', count: 10_000 },
  { id: 'backlog-of-three', title: 'the same, three processes', count: 10_000 },
  { id: 'flood', title: 'forged requests beside 50 genuine ones a second', count: 120_000 },
  { id: 'flood-by-hand', title: 'the same to a receiver by hand', count: 120_000 },
  { id: 'reconcile', title: 'orders and invoices reconciled', count: 100_000 },
  { id: 'reconcile', title: 'the same, ten times as many', count: 1_000_000 },
  { id: 'storm', title: 'customers of a storm over SQLite', count: 200 },
  { id: 'storm', title: 'the same, five times as many', count: 1_000 },
];

const SIZES: Readonly<Record<string, string>> = {
  'the main entry, with the client': "export * from '../../dist/index.js'",
  '`verifyWebhook` alone': "export { verifyWebhook } from '../../dist/webhooks.js'",
  '`hasCode` alone': "export { hasCode } from '../../dist/index.js'",
  ky: "export { default } from 'ky'",
  stripe: "export { default } from 'stripe'",
  openai: "export { default } from 'openai'",
};

const words = process.argv.slice(2);
const isChosen = (id: string): boolean => words.length === 0 || words.includes(id);
const lines: string[] = [];

function report(line: string): void {
  lines.push(line);
  console.log(line);
}

const time = (milliseconds: number): string => `${Number(milliseconds.toPrecision(2))} ms`;

function tell({ name, ratio: { low, median, high }, each }: Figure, limit: number | undefined): string {
  const quartiles = `${low.toFixed(2)}–${high.toFixed(2)}`;
  return `| ${name} | ${median.toFixed(2)} | ${quartiles} | ${time(each)} | ${limit?.toFixed(2) ?? ''} |`;
}

installPeers();
const postgres = [EVENT.id, 'backlog', 'backlog-of-three'].some(isChosen) ? await startPostgres() : null;
if (postgres?.missing) console.log(`The rows over PostgreSQL are left out: ${postgres.missing}`);
if (postgres?.missing === null) process.env['BENCH_PG'] = postgres.connection.host;
for (const row of postgres?.missing === null ? [...ROWS, EVENT] : ROWS) {
  if (!isChosen(row.id)) continue;
  const figures = await compare(row);
  report(`### ${row.title}\n\n| | Ratio | Quartiles | Each | Limit |\n| --- | --- | --- | --- | --- |`);
  for (const figure of figures) report(tell(figure, row.limits[figure.name]));
  report('');
}
const loads = LOADS.filter(({ id }) => isChosen(id) && (postgres?.missing === null || !id.startsWith('backlog')));
if (loads.length > 0) {
  report('### loads\n\n| | Seconds | Each second | Peak memory | |\n| --- | --- | --- | --- | --- |');
  for (const { id, title, count } of loads) {
    const { seconds, peak, note } = await underLoad(id, count);
    const rate = Math.round(count / seconds).toLocaleString('en');
    report(`| ${count.toLocaleString('en')} ${title} | ${seconds.toFixed(1)} | ${rate} | ${peak} MB | ${note} |`);
  }
  report('');
}
if (postgres?.missing === null) await postgres.stop();
if (isChosen('heap')) {
  const kept = await Promise.all([OURS, 'ky'].map((name) => heapKept('create', name)));
  report('### heap kept by 20,000 creations, after the first 4,000\n\n| | kB |\n| --- | --- |');
  report(`| ${OURS} | ${kept[0]?.toFixed(0)} |\n| ky | ${kept[1]?.toFixed(0)} |\n`);
}
if (isChosen('size')) {
  report('### bundles by esbuild, minified and gzipped\n\n| | kB |\n| --- | --- |');
  for (const [name, statement] of Object.entries(SIZES))
    report(`| ${name} | ${(await bundled(statement)).toFixed(1)} |`);
  report('');
}
if (words.length === 0) {
  const page = new URL('../../docs/performance.md', import.meta.url);
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
  const peers = Object.entries(dependencies).map(([name, version]) => `${name} ${version}`);
  const machine = `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;
  const table = `${lines.join('\n')}\nMeasured on ${machine}, with ${peers.join(', ')}.\n`;
  const text = readFileSync(page, 'utf8');
  const [before, after] = text.split(/(?<=<!-- results: begin -->\n)[\s\S]*(?=<!-- results: end -->)/);
  if (after === undefined) throw new Error('docs/performance.md has no place for the results');
  writeFileSync(page, `${before}\n${table}\n${after}`);
  console.log(`written into docs/performance.md. Differences of the size of "${CONTROL}" say nothing.`);
}
