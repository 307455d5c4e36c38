// The folder `reconcile` is one command: it reads orders from a file and prints findings. It imports the client when it runs.
import { createReadStream, writeFileSync } from 'node:fs';
import { Decimal } from '../../../contract/values/decimal.ts';
import { instantFrom } from '../../../contract/values/scalars.ts';
import { isMerchantError } from '../../../errors/guards.ts';
import { reconcile } from '../../../reconcile/reconcile.ts';
import type { Finding, NotCompared, ReconcileOptions } from '../../../reconcile/types.ts';
import { parseDuration } from '../../sandbox/option-checks.ts';
import { readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { CliError, EXIT, type ExitCode, type Io, misuse } from '../io.ts';
import { jsonLine, styleOf } from '../report.ts';
import { serviceOf } from '../service.ts';
import { ordersOf } from './orders-file.ts';
import { pageOf, textOf } from './print.ts';
import { reportOf } from './report.ts';

const EXAMPLE = exampleOf(COMMANDS.reconcile);
/** Longer than the defaults of the client, because no customer waits for it. */
const PATIENCE = { deadline: 120_000, attempts: 5 };

function readFlags(args: readonly string[]) {
  return readArguments(COMMANDS.reconcile, args, 'reconcile').values;
}
type Flags = ReturnType<typeof readFlags>;

/** `reconcile`: compares a file of orders with the invoices. Code 2 means that something could not be compared. */
export async function reconcileCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const flags = readFlags(args);
  if (flags.csv && flags.json) throw misuse('--csv and --json exclude each other', EXAMPLE);
  const options = await optionsOf(flags, io);
  const entries: Entry[] = [];
  try {
    const run = reconcile(options);
    if (flags.csv) io.out(csvLine(Object.keys(CELLS)));
    for await (const entry of run) {
      entries.push(entry);
      if (flags.json) io.out(jsonLine(entry));
      if (flags.csv) io.out(csvLine(Object.values(CELLS).map((cell) => cell(entry))));
    }
    const summary = await run.summary();
    const report = reportOf(entries, summary);
    if (flags.json) io.out(jsonLine({ kind: 'summary', ...summary }));
    else if (flags.csv) io.err(textOf({ ...report, tables: [], folded: null }, styleOf(io)));
    else io.out(textOf(report, styleOf(io)));
    if (flags.html !== undefined) writePage(flags.html, pageOf(report, `Reconciliation of ${flags.orders}`));
    return summary.findings > 0 ? EXIT.finding : summary.notCompared > 0 ? EXIT.misuse : EXIT.fine;
  } catch (error) {
    if (error instanceof CliError || !isMerchantError(error)) throw error;
    const isOwn = error.kind === 'configuration' || error.kind === 'aborted';
    throw new CliError(
      EXIT.misuse,
      `could not compare: ${error.message}`,
      isOwn ? EXAMPLE : 'npx merchant-invoicing doctor',
    );
  }
}

function writePage(path: string, page: string): void {
  try {
    writeFileSync(path, page);
  } catch {
    throw misuse(`cannot write ${path}`, EXAMPLE);
  }
}

async function optionsOf(flags: Flags, io: Io): Promise<ReconcileOptions> {
  const since = instantOf('--since', flags.since);
  const grace = parseDuration(flags.grace, '--grace');
  const orders = ordersOf(inputOf(flags.orders, io), flags.column);
  const { merchant } = await serviceOf(flags, io, EXAMPLE, PATIENCE);
  return { merchant, orders, since, grace, signal: io.signal };
}

function inputOf(path: string | undefined, io: Io): AsyncIterable<Uint8Array> {
  if (path === undefined) throw misuse('reconcile needs --orders', EXAMPLE);
  if (path !== '-') return bytesOf(path);
  // At a terminal the command would wait for input and print nothing.
  if (io.isInputTerminal) throw misuse('--orders - reads standard input, which is a terminal', EXAMPLE);
  return io.input();
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* createReadStream(path);
  } catch {
    throw misuse(`cannot read ${path}`, EXAMPLE);
  }
}

/** Reads a time, or how long ago it was, such as `7d`, as epoch milliseconds. */
function instantOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const isAgo = /^\d+(?:\.\d+)?(?:ms|min|[smhd])/.test(text);
  const time = isAgo ? Date.now() - parseDuration(text, flag) : instantFrom(text);
  if (time !== null) return time;
  throw misuse(`${flag} takes a time such as 2026-01-31T12:00:00Z, or 7d, not ${JSON.stringify(text)}`, EXAMPLE);
}

type Entry = Finding | NotCompared;

const valueText = (value: Finding['expected']): string =>
  Decimal.isDecimal(value) ? value.toFixed() : String(value ?? '');
const ofFinding =
  (cell: (finding: Finding) => Finding['expected'] | undefined) =>
  (entry: Entry): string =>
    entry.kind === 'not_compared' ? '' : valueText(cell(entry) ?? null);

/** The columns of `--csv`. */
const CELLS: Readonly<Record<string, (entry: Entry) => string>> = {
  kind: ({ kind }) => kind,
  external_id: ({ external_id }) => external_id ?? '',
  currency: ({ currency }) => currency ?? '',
  expected: ofFinding(({ expected }) => expected),
  actual: ofFinding(({ actual }) => actual),
  difference: ofFinding(({ difference }) => difference),
  confirmed: ofFinding(({ confirmed }) => String(confirmed)),
  order_state: ofFinding(({ order }) => order?.state),
  order_amount: ofFinding(({ order }) => order?.amount),
  order_credited_usdt: ofFinding(({ order }) => order?.credited_usdt),
  invoice_uuid: ofFinding(({ invoice }) => invoice?.uuid),
  invoice_status: ofFinding(({ invoice }) => invoice?.status),
  invoice_paid_amount: ofFinding(({ invoice }) => invoice?.paid_amount),
  invoice_credited_usdt: ofFinding(({ invoice }) => invoice?.credited_usdt),
  place: (entry) => (entry.kind === 'not_compared' ? entry.place : (entry.order?.place ?? '')),
  action: (entry) => (entry.kind === 'not_compared' ? entry.problem : entry.action),
};

/**
 * A line of CSV that runs nothing in a spreadsheet: what begins a cell with = + - @ gets an apostrophe. So does what would
 * begin one if the spreadsheet separated the cells by another character than the comma.
 */
function csvLine(cells: readonly string[]): string {
  const texts = cells.map((cell) => {
    const text = cell.replace(/(^|[,;|\t\r\n"])(\s*)(?=[=+\-@＝＋－＠])/g, "$1$2'").replace(/^(?=[\t\r])/, "'");
    return /[",;\r\n\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${texts.join(',')}\r\n`;
}
