// The folder `reconcile` is one command: it reads orders from CSV and prints findings. It imports the client when it runs.
import { createReadStream } from 'node:fs';
import { INVOICE_STATUS_NAMES } from '../../contract/statuses.ts';
import { instantFrom } from '../../contract/values/instants.ts';
import { isMerchantError } from '../../errors/guards.ts';
import type { ReconcileOptions } from '../../reconcile/options.ts';
import { reconcile } from '../../reconcile/reconcile.ts';
import type { ReconcileSummary } from '../../reconcile/summary.ts';
import { parseDuration } from '../../sandbox/option-checks.ts';
import { readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { CliError, EXIT, type ExitCode, fileBytes, type Io, misuse } from '../io.ts';
import { styleOf } from '../report.ts';
import { csvOrders } from './csv-orders.ts';
import { CSV_HEADER, csvOf, ProgressBar, summaryText, textOf } from './report.ts';

const EXAMPLE = exampleOf(COMMANDS.reconcile);
/** A run in the night may wait longer for the service than a checkout. */
const DEADLINE = 120_000;
const ATTEMPTS = 5;

function readFlags(args: readonly string[]) {
  return readArguments(COMMANDS.reconcile, args, 'reconcile').values;
}
type Flags = ReturnType<typeof readFlags>;

/** `reconcile`: compares a file of orders with the invoices. Code 2 means that something could not be compared. */
export async function reconcileCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const flags = readFlags(args);
  if (flags.csv && flags.json) throw misuse('--csv and --json exclude each other', EXAMPLE);
  const bar = new ProgressBar(io);
  const options = await optionsOf(flags, io);
  try {
    const run = reconcile({ ...options, onProgress: (progress) => bar.show(progress) });
    const style = styleOf(io);
    if (flags.csv) io.out(CSV_HEADER);
    for await (const entry of run) {
      bar.clear();
      if (flags.json) io.out(`${JSON.stringify(entry)}\n`);
      else io.out(flags.csv ? csvOf(entry) : textOf(entry, style));
    }
    bar.clear();
    const summary = await run.summary();
    if (flags.json) io.out(`${JSON.stringify({ kind: 'summary', ...summary })}\n`);
    else (flags.csv ? io.err : io.out)(summaryText(summary, style));
    return exitCodeOf(summary);
  } catch (error) {
    bar.clear();
    if (error instanceof CliError || !isMerchantError(error)) throw error;
    throw new CliError(EXIT.misuse, `could not compare: ${error.message}`, fixOf(error.kind));
  }
}

function fixOf(kind: string): string {
  return kind === 'configuration' || kind === 'aborted' ? EXAMPLE : 'npx merchant-invoicing doctor';
}

function exitCodeOf({ findings, currencies }: ReconcileSummary): ExitCode {
  if (findings > 0) return EXIT.finding;
  const isLeftOut = currencies.some(({ notCompared }) =>
    Object.keys(notCompared).some((why) => why !== 'within_grace'),
  );
  return isLeftOut ? EXIT.misuse : EXIT.fine;
}

async function optionsOf(flags: Flags, io: Io): Promise<ReconcileOptions> {
  const { column: columns, state: states, 'decimal-comma': hasDecimalComma, folder } = flags;
  const statuses = flags.status.map((given) => {
    const known = INVOICE_STATUS_NAMES.find((name) => name === given);
    if (known !== undefined) return known;
    throw misuse(`--status takes ${INVOICE_STATUS_NAMES.join(', ')}, not ${JSON.stringify(given)}`, EXAMPLE);
  });
  const times = { since: instantOf('--since', flags.since), until: instantOf('--until', flags.until) };
  const grace = parseDuration(flags.grace, '--grace');
  const orders = csvOrders(inputOf(flags.orders, io), { columns, states, hasDecimalComma });
  const merchant = await clientOf(flags, io);
  const some = statuses.length === 0 ? {} : { statuses };
  return { merchant, orders, ...times, ...some, grace, folder, signal: io.signal };
}

function inputOf(path: string | undefined, io: Io): AsyncIterable<Uint8Array> {
  if (path === undefined) throw misuse('reconcile needs --orders', EXAMPLE);
  if (path !== '-') return bytesOf(path);
  // At a terminal the command would wait for input without a word.
  if (io.keyboard !== null) throw misuse('--orders - reads standard input, which is a terminal', EXAMPLE);
  return io.input();
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* createReadStream(path);
  } catch {
    throw misuse(`cannot read ${path}`, EXAMPLE);
  }
}

/** A time, or how long ago it was. */
function instantOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const isAgo = /^\d+(?:\.\d+)?(?:ms|min|[smhd])/.test(text);
  const time = isAgo ? Date.now() - parseDuration(text, flag) : instantFrom(text);
  if (time !== null) return time;
  throw misuse(`${flag} takes a time such as 2026-01-31T12:00:00Z, or 7d, not ${JSON.stringify(text)}`, EXAMPLE);
}

async function clientOf(flags: Flags, io: Io): Promise<ReconcileOptions['merchant']> {
  const fromEnv = (name: string): string | undefined => io.env[name] || undefined;
  const baseUrl = flags['base-url'] ?? fromEnv('MERCHANT_BASE_URL');
  const path = flags['key-file'];
  // A file that an editor or a secret store wrote ends with a line break.
  const apiKey =
    path === undefined ? fromEnv('MERCHANT_API_KEY') : String(fileBytes(path, EXAMPLE)).replace(/\r?\n$/, '');
  if (baseUrl === undefined)
    throw misuse('MERCHANT_BASE_URL is not set', `${EXAMPLE} --base-url https://pay.example.com`);
  if (apiKey === undefined) throw misuse('MERCHANT_API_KEY is not set', `${EXAMPLE} --key-file key.txt`);
  const { MerchantClient } = await import('../../index.ts');
  const allowHttp = flags['allow-http'];
  return new MerchantClient({ baseUrl, apiKey, allowHttp, deadline: DEADLINE, retry: { attempts: ATTEMPTS } });
}
