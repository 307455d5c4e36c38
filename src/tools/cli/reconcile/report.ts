// What a run of `reconcile` found, as a report: the verdict, the money, and a table for each thing to do. The terminal
// and the page print this value.
import type { Decimal } from '../../../contract/values/decimal.ts';
import type { Finding, FindingKind, NotCompared, ReconcileSummary } from '../../../reconcile/types.ts';
import { moneyText } from '../../story.ts';
import { oneLine } from '../terminal.ts';

export interface ReconcileReport {
  readonly grade: 'pass' | 'fail' | 'inconclusive';
  /** The first sentence is the one that matters most. */
  readonly verdict: { readonly first: string; readonly rest: string };
  readonly counts: readonly string[];
  /** A line for each currency with money that somebody has to look after. */
  readonly money: Table | null;
  readonly tables: readonly Table[];
  /** Invoices without an order, by name alone. */
  readonly folded: { readonly title: string; readonly advice: string; readonly names: string } | null;
}

/** A table whose rows ask for the same thing. */
export interface Table {
  readonly title: string;
  /** What to do about each row. Empty if there is nothing to do. */
  readonly advice: string;
  readonly heads: readonly { readonly text: string; readonly isNumber: boolean }[];
  readonly rows: readonly (readonly string[])[];
}

interface Column {
  readonly head: string;
  readonly isNumber?: true;
  readonly cell: (finding: Finding) => string;
}

const COLUMNS = {
  order: { head: 'Order', cell: ({ external_id }) => external_id },
  ordered: {
    head: 'Ordered',
    isNumber: true,
    cell: ({ order }) => (order ? amount(order.amount, order.currency) : ''),
  },
  paid: {
    head: 'Paid',
    isNumber: true,
    cell: ({ invoice }) => (invoice?.paid_amount ? amount(invoice.paid_amount, invoice.currency) : ''),
  },
  difference: { head: 'Difference', isNumber: true, cell: ({ difference, currency }) => signed(difference, currency) },
  credited: { head: 'USDT credited', isNumber: true, cell: ({ invoice }) => invoice?.credited_usdt?.toFixed() ?? '' },
  booked: { head: 'USDT booked', isNumber: true, cell: ({ order }) => order?.credited_usdt?.toFixed() ?? '' },
  off: {
    head: 'Difference',
    isNumber: true,
    cell: ({ difference }) => (difference === null ? '' : `${signOf(difference)}${difference.abs().toFixed()}`),
  },
  books: { head: 'Your books', cell: ({ order }) => order?.state ?? '' },
  says: { head: 'The service', cell: ({ invoice }) => (invoice === null ? 'no such invoice' : invoice.status) },
  at: { head: 'Since (UTC)', cell: ({ invoice }) => when(invoice?.finished_at ?? null) },
  place: { head: 'Where', cell: ({ order }) => order?.place ?? '' },
} as const satisfies Readonly<Record<string, Column>>;

/** The tables in the order in which they matter, each with its columns. */
const TABLES: Readonly<
  Record<Exclude<FindingKind, 'invoice_without_order'>, readonly [string, ...(keyof typeof COLUMNS)[]]>
> = {
  paid_not_fulfilled: ['Paid, and not given', 'order', 'ordered', 'paid', 'credited', 'at', 'place'],
  paid_twice: ['Paid twice', 'order', 'ordered', 'paid', 'credited', 'books', 'place'],
  fulfilled_not_paid: ['Booked or given, and nothing was paid', 'order', 'ordered', 'says', 'at', 'books', 'place'],
  amount_differs: ['Another amount than ordered', 'order', 'ordered', 'paid', 'difference', 'credited', 'place'],
  currency_differs: ['Another currency than ordered', 'order', 'ordered', 'paid', 'credited', 'place'],
  credited_differs: ['Another credit than booked', 'order', 'credited', 'booked', 'off', 'place'],
  open_but_ended: ['Waits for money, and its invoice has ended', 'order', 'ordered', 'says', 'at', 'place'],
  order_without_invoice: ['Orders without an invoice', 'order', 'ordered', 'books', 'place'],
  duplicate_order: ['Twice in your data', 'order', 'ordered', 'books', 'place'],
};

export function reportOf(entries: readonly (Finding | NotCompared)[], summary: ReconcileSummary): ReconcileReport {
  const findings = entries.filter((entry): entry is Finding => entry.kind !== 'not_compared');
  const skipped = entries.filter((entry): entry is NotCompared => entry.kind === 'not_compared');
  const tables = Object.entries(TABLES).flatMap(([kind, [title, ...columns]]) =>
    tablesOf(
      title,
      columns.map((name): Column => COLUMNS[name]),
      findings.filter((finding) => finding.kind === kind),
    ),
  );
  return {
    grade: summary.findings > 0 ? 'fail' : summary.notCompared > 0 ? 'inconclusive' : 'pass',
    verdict: verdictOf(summary, findings),
    counts: countsOf(summary),
    money: moneyOf(summary),
    tables: [...tables, ...(skipped.length === 0 ? [] : [notComparedOf(skipped)])],
    folded: foldedOf(findings.filter(({ kind }) => kind === 'invoice_without_order')),
  };
}

function verdictOf(summary: ReconcileSummary, findings: readonly Finding[]): ReconcileReport['verdict'] {
  const { currencies, differing, invoicesWithoutOrder, notCompared, matched, withinGrace } = summary;
  const sumsOf = (of: 'paidNotGiven' | 'givenNotPaid'): string =>
    currencies
      .filter((row) => !row[of].isZero())
      .map((row) => amount(row[of], row.currency))
      .join(' and ');
  const ordersOf = (kinds: readonly FindingKind[]): number =>
    new Set(findings.flatMap(({ kind, order }) => (order !== null && kinds.includes(kind) ? [order.place] : []))).size;
  const [paid, given] = [sumsOf('paidNotGiven'), sumsOf('givenNotPaid')];
  const told = paid !== '' ? ordersOf(['paid_not_fulfilled', 'paid_twice']) : ordersOf(['fulfilled_not_paid']);
  const money = paid !== '' ? `${paid} is paid and not given.` : given !== '' ? `${given} is given and not paid.` : '';
  const other = money === '' ? '' : 'other ';
  const others = differing - (money === '' ? 0 : told);
  const parts = [
    others > 0 && some(others, `${other}order differs`, `${other}orders differ`),
    invoicesWithoutOrder > 0 && some(invoicesWithoutOrder, 'invoice has no order', 'invoices have no order'),
    notCompared > 0 && `${notCompared} could not be compared`,
  ].filter((part) => part !== false);
  const match = some(matched, 'order matches', 'orders match');
  const young = `${match}, and ${some(withinGrace, 'is', 'are')} too young to judge.`;
  const all = withinGrace > 0 ? young : `${matched === 1 ? '' : 'All '}${match}.`;
  const rest = parts.length > 0 ? `${parts.join(', ')}.` : money === '' ? all : '';
  return money === '' ? { first: rest, rest: '' } : { first: money, rest };
}

function some(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Counts that add up. */
function countsOf(summary: ReconcileSummary): string[] {
  const { orders, invoices, matched, withinGrace, differing, ordersNotCompared, invoicesWithoutOrder } = summary;
  const parts = [
    `${matched} matched`,
    ...(withinGrace > 0 ? [`${withinGrace} too young to judge`] : []),
    ...(differing > 0 ? [some(differing, 'differs', 'differ')] : []),
    ...(ordersNotCompared > 0 ? [`${ordersNotCompared} not compared`] : []),
  ];
  return [
    `${some(orders, 'order', 'orders')}: ${parts.join(', ')}`,
    `${some(invoices, 'invoice', 'invoices')}, ${invoicesWithoutOrder} paid or pending without an order`,
  ];
}

function moneyOf({ currencies }: ReconcileSummary): Table | null {
  if (currencies.length === 0) return null;
  const numbers = ['Paid, not given', 'Given, not paid', 'Difference'];
  return {
    title: 'The money',
    advice: '',
    heads: [{ text: '', isNumber: false }, ...numbers.map((text) => ({ text, isNumber: true }))],
    rows: currencies.map(({ currency, paidNotGiven, givenNotPaid, differences }) => [
      oneLine(currency, 20),
      amount(paidNotGiven, currency),
      amount(givenNotPaid, currency),
      signed(differences, currency),
    ]),
  };
}

/** A table for each remedy, so that the same advice stands once. */
function tablesOf(title: string, columns: readonly Column[], findings: readonly Finding[]): Table[] {
  const remedies = [...new Set(findings.map(({ remedy }) => remedy))];
  return remedies.map((advice) => ({
    title,
    advice,
    heads: columns.map(({ head, isNumber = false }) => ({ text: head, isNumber })),
    rows: findings
      .filter(({ remedy }) => remedy === advice)
      .map((each) => columns.map(({ cell }) => oneLine(cell(each), 300))),
  }));
}

function notComparedOf(entries: readonly NotCompared[]): Table {
  const heads = ['Order', 'Where', 'Why', 'Problem'].map((text) => ({ text, isNumber: false }));
  const rows = entries.map(({ external_id, place, reason, problem }) =>
    [external_id ?? '', place, reason, problem].map((text) => oneLine(text, 300)),
  );
  return { title: 'Not compared', advice: 'Nothing is said about these.', heads, rows };
}

function foldedOf(findings: readonly Finding[]): ReconcileReport['folded'] {
  const [first] = findings;
  if (first === undefined) return null;
  const paid = findings.filter(({ invoice }) => invoice?.paid_amount != null);
  const open = findings.filter((each) => !paid.includes(each));
  const sums = new Map<string, Decimal>();
  for (const { invoice } of paid) {
    if (invoice?.paid_amount) sums.set(invoice.currency, invoice.paid_amount.plus(sums.get(invoice.currency) ?? 0));
  }
  const sum = [...sums].map(([currency, value]) => amount(value, currency)).join(' and ');
  const names = (rows: readonly Finding[]): string =>
    rows.map(({ external_id }) => oneLine(external_id, 80)).join(', ');
  const groups = [
    paid.length > 0 && `${paid.length} paid, ${sum}: ${names(paid)}`,
    open.length > 0 && `${open.length} open: ${names(open)}`,
  ];
  const title = `${some(findings.length, 'invoice', 'invoices')} without an order`;
  return { title, advice: first.remedy, names: groups.filter(Boolean).join('. ') };
}

/** With two decimals at least. */
function amount(value: Decimal, currency: string): string {
  return oneLine(moneyText(value.toFixed(Math.max(2, value.decimalPlaces())), currency));
}

function signed(value: Decimal | null, currency: string): string {
  return value === null ? '' : `${signOf(value)}${amount(value.abs(), currency)}`;
}

function signOf(value: Decimal): string {
  return value.isZero() ? '' : value.isNegative() ? '−' : '+';
}

/** A day and a time, in UTC. */
function when(at: Date | null): string {
  return at === null ? '' : `${at.toUTCString().slice(5, 11)} ${at.toISOString().slice(11, 16)}`;
}
