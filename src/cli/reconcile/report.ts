import type { Finding, NotCompared } from '../../reconcile/findings.ts';
import type { ReconcileProgress } from '../../reconcile/options.ts';
import type { ReconcileSummary } from '../../reconcile/summary.ts';
import type { Io } from '../io.ts';
import { excerpt, type Style } from '../report.ts';

/** A cell that begins with one of these is a formula in a spreadsheet. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",;\r\n\t]/;

/** A line of CSV, safe in a spreadsheet: a cell that would be a formula begins with an apostrophe. */
export function csvLine(cells: readonly (string | null)[]): string {
  const texts = cells.map((cell) => {
    const text = FORMULA.test(cell ?? '') ? `'${cell}` : (cell ?? '');
    return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${texts.join(',')}\r\n`;
}

/** The columns of `--csv`, with the cell of an entry. */
const CSV: Readonly<Record<string, (entry: Finding | NotCompared) => string | null>> = {
  kind: ({ kind }) => kind,
  external_id: ({ external_id }) => external_id,
  currency: ({ currency }) => currency,
  expected: (entry) => shown(entry, 'expected'),
  actual: (entry) => shown(entry, 'actual'),
  difference: (entry) => shown(entry, 'difference'),
  confirmed: (entry) => (entry.kind === 'not_compared' ? null : String(entry.confirmed)),
  order_state: (entry) => orderOf(entry)?.state ?? null,
  order_amount: (entry) => orderOf(entry)?.amount.toFixed() ?? null,
  order_credited_usdt: (entry) => orderOf(entry)?.credited_usdt?.toFixed() ?? null,
  invoice_uuid: (entry) => invoiceOf(entry)?.uuid ?? null,
  invoice_status: (entry) => invoiceOf(entry)?.status ?? null,
  invoice_paid_amount: (entry) => invoiceOf(entry)?.paid_amount?.toFixed() ?? null,
  invoice_credited_usdt: (entry) => invoiceOf(entry)?.credited_usdt?.toFixed() ?? null,
  place: (entry) => ('place' in entry ? entry.place : (entry.order?.place ?? null)),
  action: (entry) => (entry.kind === 'not_compared' ? entry.problem : entry.action),
};

/** The header of `--csv`. */
export const CSV_HEADER = csvLine(Object.keys(CSV));

/** An entry as a line of CSV. */
export function csvOf(entry: Finding | NotCompared): string {
  return csvLine(Object.values(CSV).map((cell) => cell(entry)));
}

function orderOf(entry: Finding | NotCompared) {
  return entry.kind === 'not_compared' ? null : entry.order;
}

function invoiceOf(entry: Finding | NotCompared) {
  return entry.kind === 'not_compared' ? null : entry.invoice;
}

function shown(entry: Finding | NotCompared, member: 'expected' | 'actual' | 'difference'): string | null {
  const value = entry.kind === 'not_compared' ? null : entry[member];
  if (value === null || typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'number' ? String(value) : value.toFixed();
}

/** An entry for people. */
export function textOf(entry: Finding | NotCompared, style: Style): string {
  const name = excerpt(entry.external_id ?? ('place' in entry ? entry.place : ''), 80);
  if (entry.kind === 'not_compared') {
    return `  ${style.soft('?')} not compared: ${name}  ${style.soft(`${entry.reason}, ${excerpt(entry.place, 80)}`)}\n      ${excerpt(entry.problem, 300)}\n`;
  }
  const [expected, actual, difference] = (['expected', 'actual', 'difference'] as const).map((member) =>
    shown(entry, member),
  );
  const facts = [
    ...(expected === null ? [] : [`expected ${expected}`]),
    ...(actual === null ? [] : [`actual ${actual}`]),
    ...(difference === null || difference === undefined || entry.kind === 'duplicate_order' ? [] : [difference]),
  ];
  const line = `  ${style.bad('✗')} ${entry.kind}: ${name}  ${style.soft(excerpt(`${facts.join(', ')} ${entry.currency}`))}`;
  return `${line}\n      ${style.warn('fix')}: ${entry.action}\n`;
}

/** The summary for people: one block for each currency. */
export function summaryText({ orders, invoices, currencies, ...summary }: ReconcileSummary, style: Style): string {
  const blocks = currencies.map(({ currency, matched, findings, notCompared }) => {
    const name = style.strong((currency === null ? '(no currency)' : excerpt(currency, 20)).padEnd(14));
    const counted = (prefix: string, counts: object) =>
      Object.entries(counts).map(([kind, count]) => `    ${prefix}${kind}: ${count}`);
    const lines = [...counted('', findings), ...counted('not compared, ', notCompared)];
    return [`  ${name} ${matched} matched`, ...lines].join('\n');
  });
  const more =
    summary.deliveriesNotRead === 0 ? '' : `\n  deliveries of ${summary.deliveriesNotRead} invoices were not read`;
  const totals = `${summary.matched} matched, ${summary.findings} findings, ${summary.notCompared} not compared`;
  return `\n  ${orders} orders, ${invoices} invoices: ${totals}\n${blocks.join('\n')}${blocks.length > 0 ? '\n' : ''}${more}`;
}

const BAR = 20;

/** A progress bar on the last line of a terminal. */
export class ProgressBar {
  readonly #io: Pick<Io, 'err' | 'isErrorTerminal'>;
  #shown = '';

  constructor(io: Pick<Io, 'err' | 'isErrorTerminal'>) {
    this.#io = io;
  }

  show({ phase, done, total, findings }: ReconcileProgress): void {
    const part = total === null || total === 0 ? 0 : Math.min(1, done / total);
    const count = total === null ? `${done}` : `${Math.floor(part * 100)} %`;
    const bar = '█'.repeat(Math.floor(part * BAR)).padEnd(BAR, '░');
    const text = `  ${bar}  ${phase} ${count}, ${findings} findings`;
    if (!this.#io.isErrorTerminal || text === this.#shown) return;
    this.#io.err(`\r${text}\u001b[K`);
    this.#shown = text;
  }

  /** Removes the bar, before other text is printed. */
  clear(): void {
    if (this.#shown !== '') this.#io.err('\r\u001b[K');
    this.#shown = '';
  }
}
