import { createReadStream, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { instantFrom } from '../../../contract/values/scalars.ts';
import { isMerchantError } from '../../../errors/guards.ts';
import { reconcile } from '../../../reconcile/reconcile.ts';
import type { Finding, NotCompared, ReconcileOptions } from '../../../reconcile/types.ts';
import { parseDuration } from '../../sandbox/duration.ts';
import { parseAbsent, readArguments } from '../arguments.ts';
import { COMMANDS, exampleOf } from '../commands.ts';
import { CliError, EXIT, type ExitCode, type Io, misuse } from '../io.ts';
import { serviceOf } from '../service.ts';
import { jsonLine, styleOf } from '../terminal.ts';
import { ordersOf } from './orders-file.ts';
import { pageOf } from './page.ts';
import { textOf } from './print.ts';
import { reportOf } from './report.ts';

const EXAMPLE = exampleOf(COMMANDS.reconcile);
/** Longer than the defaults of the client, because no customer waits for it. */
const PATIENCE = { deadline: 120_000, attempts: 5 };

function readFlags(args: readonly string[]) {
  return readArguments(COMMANDS.reconcile, args, 'reconcile').values;
}
type Flags = ReturnType<typeof readFlags>;

/** `reconcile`: compares a file of orders with the invoices. Code 2 means that something could not be compared, or that the file has no order. */
export async function reconcileCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const flags = readFlags(args);
  const { options, host } = await optionsOf(flags, io);
  const entries: (Finding | NotCompared)[] = [];
  try {
    const run = reconcile(options);
    for await (const entry of run) {
      entries.push(entry);
      if (flags.json) io.out(jsonLine(entry));
    }
    const summary = await run.summary();
    const about = aboutOf(flags, options.since, host, summary.orders);
    const report = reportOf(entries, summary, about, flags.grace);
    io.out(flags.json ? jsonLine({ kind: 'summary', ...summary }) : textOf(report, styleOf(io)));
    if (flags.html !== undefined)
      writePage(flags.html, pageOf(report, `${report.verdict.join(' ')} ${flags.shop ?? flags.orders}`));
    // An id that something changed is no doubt: somebody has to export the file again.
    const isFinding = entries.some((entry) => entry.kind !== 'not_compared' || entry.reason === 'id_changed');
    const isGap = summary.notCompared > 0 || summary.orders === 0;
    return isFinding ? EXIT.finding : isGap ? EXIT.misuse : EXIT.fine;
  } catch (error) {
    if (error instanceof CliError || !isMerchantError(error)) throw error;
    const isOwn = error.kind === 'configuration' || error.kind === 'aborted';
    const isGone = error.kind === 'connection' || error.kind === 'timeout';
    throw new CliError(
      isGone ? EXIT.unreachable : EXIT.misuse,
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

/** What the report is about: shop, file, period, service and time. */
function aboutOf(flags: Flags, since: ReconcileOptions['since'], host: string, orders: number): string[] {
  const file = flags.orders === '-' ? 'standard input' : basename(String(flags.orders));
  const now = timeText(new Date());
  return [
    ...(flags.shop === undefined ? [] : [flags.shop]),
    `${file}, ${orders} ${orders === 1 ? 'order' : 'orders'}`,
    since === undefined ? 'all invoices' : `since ${timeText(new Date(since))}`,
    `read from ${host} on ${now}`,
  ];
}

/** Such as `28 Nov 2026, 15:31 UTC`. */
function timeText(at: Date): string {
  return `${at.toUTCString().slice(5, 16).replace(/^0/, '')}, ${at.toISOString().slice(11, 16)} UTC`;
}

async function optionsOf(flags: Flags, io: Io) {
  const since = instantOf('--since', flags.since);
  const grace = parseDuration(flags.grace, '--grace');
  const adjustedAbsent = parseAbsent(flags['adjusted-absent'], EXAMPLE);
  const orders = ordersOf(inputOf(flags.orders, io));
  const { merchant, baseUrl } = await serviceOf(flags, io, EXAMPLE, PATIENCE);
  return {
    options: { merchant, orders, since, grace, adjustedAbsent, signal: io.signal },
    host: new URL(baseUrl).host,
  };
}

function inputOf(path: string | undefined, io: Io): AsyncIterable<Uint8Array> {
  if (path === undefined) throw misuse('reconcile needs --orders', EXAMPLE);
  if (path !== '-') return bytesOf(path);
  // At a terminal the command would wait for input and print nothing.
  if (io.isInputTerminal) throw misuse('--orders - reads standard input, which is a terminal', EXAMPLE);
  return io.input();
}

/** Opens the file when it is read, so that nothing stays open after misuse. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield* createReadStream(path);
}

/** Reads a time, or how long ago it was, such as `7d`, as epoch milliseconds. */
function instantOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const isAgo = /^\d+(?:\.\d+)?(?:ms|min|[smhd])/.test(text);
  const time = isAgo ? Date.now() - parseDuration(text, flag) : instantFrom(text);
  if (time !== null) return time;
  throw misuse(`${flag} takes a time such as 2026-01-31T12:00:00Z, or 7d, not ${JSON.stringify(text)}`, EXAMPLE);
}
