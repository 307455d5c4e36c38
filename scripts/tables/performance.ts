// The tables of docs/performance.md, from the last run of the benchmarks: bench/results.json.
import { readFileSync } from 'node:fs';
import type { Entry } from '../../bench/harness/ratios.ts';
import type { Measured, Results } from '../../bench/harness/results.ts';
import type { PrintedTable } from './printed-table.ts';

const { machine, versions, rows }: Results = JSON.parse(
  readFileSync(new URL('../../bench/results.json', import.meta.url), 'utf8'),
);
const page = 'performance';
/** The heap moves by as much between two garbage collections of any program. In kB. */
const HEAP_NOISE = 150;

/** A ratio, or kB. */
function figure(row: Measured, value: number): string {
  if (row.measure === 'heap') return value < HEAP_NOISE ? 'none' : `${value.toFixed(0)} kB`;
  return row.measure === 'size' ? `${value.toFixed(1)} kB` : value.toFixed(2);
}

function withQuartiles(row: Measured, { figure: { low, median, high } }: Entry): string {
  const middle = figure(row, median);
  return low === high ? middle : `${middle} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

/** The aim of a row. An aim of zero means that nothing may be kept. */
const aim = (row: Measured, value: number | null): string => (value === null ? '' : figure(row, value));

const oursOf = (row: Measured): Entry => entryOf(row, row.ours);

function entryOf(row: Measured, name: string): Entry {
  const entry = row.entries.find((one) => one.name === name);
  if (entry === undefined) throw new Error(`bench/results.json has no ${name} in the row ${row.id}`);
  return entry;
}

const peersOf = (row: Measured): string =>
  row.entries
    .filter(({ name }) => name !== row.ours && name !== row.baseline)
    .map((entry) => `${entry.name.replace('import ', '')} ${figure(row, entry.figure.median)}`)
    .join(', ');

const milliseconds = (value: number): string => `${value.toPrecision(2)} ms`;
const microseconds = (value: number, items: number): string => `${((value * 1_000) / items).toPrecision(2)} µs`;

const rowsOf = (start: string): Measured[] => rows.filter(({ id }) => id.startsWith(start));
const count = ({ id }: Measured): string => Number(id.split('-')[1]).toLocaleString('en');

export const PERFORMANCE_TABLES: readonly PrintedTable[] = [
  {
    page,
    name: 'results',
    heads: ['What', 'Today', 'Goal', 'Stretch', 'Peers in the same run'],
    rows: rows
      .filter(({ id, goal }) => goal !== null || id === 'control')
      .map((row) => [
        row.title,
        withQuartiles(row, oursOf(row)),
        aim(row, row.goal),
        aim(row, row.stretch),
        peersOf(row),
      ]),
  },
  {
    page,
    name: 'machine',
    heads: ['Of the run', 'Value'],
    rows: [
      ['Processor', `${machine.cpu}, ${machine.cores} cores`],
      ['Node', machine.node],
      ['Date', [...new Set(rows.map(({ date, mode }) => `${date} (${mode})`))].join(', ')],
      [
        'Peers',
        Object.entries(versions)
          .map(([name, version]) => `${name} ${version}`)
          .join(', '),
      ],
    ],
  },
  {
    page,
    name: 'concurrency',
    heads: ['Creations at once', 'To bare ky', 'Each', 'Bare ky'],
    rows: rowsOf('flight-').map((row) => [
      count(row),
      withQuartiles(row, oursOf(row)),
      milliseconds(oursOf(row).each),
      milliseconds(entryOf(row, row.baseline).each),
    ]),
  },
  {
    page,
    name: 'items',
    heads: ['Invoices of a page', 'To a decoder by hand', 'An invoice', 'An invoice by hand'],
    rows: rowsOf('items-').map((row) => [
      count(row),
      withQuartiles(row, oursOf(row)),
      microseconds(oursOf(row).each, Number(row.id.split('-')[1])),
      microseconds(entryOf(row, row.baseline).each, Number(row.id.split('-')[1])),
    ]),
  },
  {
    page,
    name: 'pages',
    heads: ['Page over HTTP', 'To fetch and a decoder by hand', 'A page', 'A page by hand'],
    rows: [...rowsOf('page-'), ...rows.filter(({ id }) => id === 'page')].map((row) => [
      row.title.replace(/^page of (\S+).*/, '$1'),
      withQuartiles(row, oursOf(row)),
      milliseconds(oursOf(row).each),
      milliseconds(entryOf(row, row.baseline).each),
    ]),
  },
  {
    page,
    name: 'transports',
    heads: ['`fetch` of the client', 'CPU of a creation', "To the platform's fetch"],
    rows: rows
      .filter(({ id }) => id === 'transport')
      .flatMap((row) => row.entries.map((entry) => [entry.name, milliseconds(entry.each), withQuartiles(row, entry)])),
  },
];
