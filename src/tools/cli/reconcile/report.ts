// What a run of `reconcile` found, as a report: the verdict, the money, and a section for each thing to do. The terminal
// and the page print this value.
import { Decimal } from '../../../contract/values/decimal.ts';
import { ADVICE, remedyOf } from '../../../reconcile/compare.ts';
import type { Advice, Finding, FindingMoney, NotCompared, ReconcileSummary } from '../../../reconcile/types.ts';
import { moneyText, usdtOf } from '../../story.ts';
import { oneLine } from '../terminal.ts';

export interface ReconcileReport {
  readonly grade: 'pass' | 'fail' | 'inconclusive';
  /** Shop, file, period, service and time. */
  readonly about: readonly string[];
  /** Both sums that a shop has to look after, or what else the run ended with. */
  readonly verdict: readonly string[];
  readonly counts: readonly string[];
  /** A line for each currency with money that somebody has to look after, the one with the most first. */
  readonly money: readonly CurrencyLine[];
  /** The one with the most money first. */
  readonly sections: readonly Section[];
  /** What has names alone: the open invoices without an order, and the ids that something changed. */
  readonly folded: readonly Folded[];
}

export interface CurrencyLine {
  readonly currency: string;
  /** In the order of {@link SUMS}. One of zero is empty where there are several currencies. */
  readonly sums: readonly { readonly amount: string; readonly orders: string }[];
}

/** The head of a column. A `free` text may be of any length, such as an id. */
export interface Head {
  readonly text: string;
  readonly form: 'number' | 'word' | 'free';
}

/** Orders for which the same thing is to do, each once. */
export interface Section {
  /** The thing to do. */
  readonly title: string;
  /** How many orders, and their money. */
  readonly extent: string;
  /** What the title does not say. Empty where it says all. */
  readonly advice: string;
  readonly heads: readonly Head[];
  readonly rows: readonly (readonly string[])[];
  /** False for what nobody has to do, such as what could not be compared. */
  readonly isTodo: boolean;
}

interface Folded {
  readonly title: string;
  readonly advice: string;
  readonly names: string;
}

/** The sums, for a table and in full. */
export const SUMS = [
  { of: 'paidNotGiven', head: 'Paid, not given', title: 'You owe goods or money' },
  { of: 'givenNotPaid', head: 'Given, not paid', title: 'You gave and were not paid' },
  { of: 'paidTooMuch', head: 'Paid too much', title: 'Paid too much, not yet sent back' },
] as const satisfies readonly { readonly of: FindingMoney['of']; readonly head: string; readonly title: string }[];

/** The findings of one order. The first one decides in which section it stands. */
type Found = readonly [Finding, ...Finding[]];

interface Column extends Head {
  readonly cell: (found: Found) => string;
}

const number = (text: string, cell: Column['cell']): Column => ({ text, form: 'number', cell });
const word = (text: string, cell: Column['cell']): Column => ({ text, form: 'word', cell });

/** A status that is no word of English. */
const STATUSES: Readonly<Record<string, string>> = { fail: 'failed' };

const COLUMNS = {
  order: { text: 'Order', form: 'free', cell: ([finding]) => nameOf(finding) },
  ordered: number('Ordered', ([{ row }]) => (row ? amount(row.amount, row.currency) : '')),
  given: number('Given', ([{ row }]) => (row ? amount(row.amount, row.currency) : '')),
  money: number('Paid', (found) => moneyTextOf(found, 'paidNotGiven')),
  paid: number('Paid', (found) => paidOf(found)),
  missing: number('Missing', (found) => differenceOf(found, true)),
  over: number('Too much', (found) => differenceOf(found, false)),
  payments: number('Payments', ([{ actual }]) => String(actual)),
  tooMuch: number('Too much', (found) => moneyTextOf(found, 'paidTooMuch')),
  credited: number('USDT credited', ([{ invoice }]) => usdt(invoice?.credited_usdt)),
  booked: number('USDT booked', ([{ row }]) => usdt(row?.credited_usdt)),
  back: number('Went back', ([{ row }]) => (row?.refunded_amount ? amount(row.refunded_amount, row.currency) : '')),
  books: word('Your books', ([{ row }]) => row?.state ?? ''),
  says: word('The service', ([{ invoice }]) => (invoice ? (STATUSES[invoice.status] ?? invoice.status) : 'no invoice')),
  at: word('Since (UTC)', ([{ invoice }]) => when(invoice?.finished_at ?? null)),
  place: number('Line', ([{ row }]) => lineOf(row?.place ?? '')),
} as const satisfies Readonly<Record<string, Column>>;

const SECTIONS: Readonly<Record<Advice, readonly (keyof typeof COLUMNS)[]>> = {
  fulfil: ['order', 'money', 'credited', 'at', 'place'],
  agree: ['order', 'ordered', 'money', 'missing', 'over', 'at', 'place'],
  find_order: ['order', 'paid', 'credited', 'at'],
  reclaim: ['order', 'given', 'says', 'at', 'place'],
  wait: ['order', 'given', 'says', 'books', 'place'],
  look_up: ['order', 'ordered', 'paid', 'says', 'books', 'place'],
  find_payment: ['order', 'given', 'books', 'place'],
  find_refund: ['order', 'ordered', 'paid', 'back', 'books', 'place'],
  ask: ['order', 'ordered', 'paid', 'missing', 'credited', 'place'],
  send_back: ['order', 'ordered', 'paid', 'over', 'credited', 'place'],
  give_back: ['order', 'ordered', 'payments', 'tooMuch', 'books', 'place'],
  compare_payments: ['order', 'ordered', 'payments', 'books', 'place'],
  find_currency: ['order', 'ordered', 'paid', 'credited', 'place'],
  correct_credit: ['order', 'credited', 'booked', 'place'],
  cancel: ['order', 'ordered', 'says', 'at', 'place'],
  create: ['order', 'ordered', 'place'],
  keep_one: ['order', 'ordered', 'books', 'place'],
};

/** What else is wrong with an order of another section, where the columns do not show it. */
const ALSO: Partial<Record<Finding['kind'], string>> = {
  paid_twice: 'paid twice',
  currency_differs: 'another currency',
  credited_differs: 'another credit booked',
};

/** @param about Shop, file, period, service and time. */
export function reportOf(
  entries: readonly (Finding | NotCompared)[],
  summary: ReconcileSummary,
  about: readonly string[],
  grace: string,
): ReconcileReport {
  const skipped = entries.filter((entry) => entry.kind === 'not_compared');
  const changed = skipped.filter(({ reason }) => reason === 'id_changed');
  const unread = skipped.filter((each) => !changed.includes(each));
  const all = foundOf(entries.filter((entry) => entry.kind !== 'not_compared'));
  const waiting = all.filter(([{ row, money }]) => row === null && money === null);
  const found = all.filter((each) => !waiting.includes(each));
  const currencies = mostFirst(summary.currencies);
  return {
    grade: summary.findings > 0 ? 'fail' : summary.notCompared > 0 || summary.matched === 0 ? 'inconclusive' : 'pass',
    about,
    verdict: verdictOf(summary, currencies),
    counts: countsOf(summary, grace),
    money: moneyIn(currencies, found),
    sections: [...sectionsOf(found, currencies), ...(unread.length === 0 ? [] : [unreadOf(unread)])],
    folded: [
      ...foldedOf(
        `${some(waiting.length, 'invoice waits', 'invoices wait')} for a payment, and no order has ${waiting.length === 1 ? 'it' : 'them'}`,
        remedyOf('find_order'),
        waiting.map(([finding]) => nameOf(finding)),
      ),
      ...foldedOf(
        `${some(changed.length, 'id was', 'ids were')} changed by a spreadsheet or a CHAR column`,
        'These orders were not compared. Format the column of the ids as text, without blanks at the end, and export the file again.',
        changed.map(({ external_id, place }) => `${JSON.stringify(external_id)} (${place})`),
      ),
    ],
  };
}

type Currencies = ReconcileSummary['currencies'];

/** The currency with the most money first. Verdict, table and sections name the currencies in this order. */
function mostFirst(currencies: Currencies): Currencies {
  const mostOf = (row: Currencies[number]): number => Math.max(...SUMS.map(({ of }) => Number(row[of]))); // to sort by
  return [...currencies].sort((a, b) => mostOf(b) - mostOf(a));
}

function moneyIn(currencies: Currencies, found: readonly Found[]): CurrencyLine[] {
  return currencies.map(({ currency, ...sums }) => ({
    currency: oneLine(currency, 20),
    sums: SUMS.map(({ of }) =>
      currencies.length > 1 && sums[of].isZero()
        ? { amount: '', orders: '' }
        : {
            amount: amount(sums[of], currency),
            orders: ordersText(
              found.filter((each) => moneyOf(each, of).some((money) => money.currency === currency)).length,
            ),
          },
    ),
  }));
}

/** The findings of each order. Those of one order have the same row. */
function foundOf(findings: readonly Finding[]): Found[] {
  const found = Map.groupBy(findings, (finding) => finding.row ?? finding);
  return [...found.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [[first, ...others] as const],
  );
}

/** What is to do, the most money first. */
function sectionsOf(found: readonly Found[], currencies: Currencies): Section[] {
  const names = Object.keys(ADVICE) as Advice[]; // the keys of a table
  const sections = names.flatMap((name) => {
    const rows = found.filter(([{ advice }]) => advice === name);
    if (rows.length === 0) return [];
    const sums = currencies.flatMap(({ currency }) => {
      const amounts = rows
        .flatMap((each) => moneyOf(each))
        .flatMap((one) => (one.currency === currency ? one.amount : []));
      return amounts.length === 0 ? [] : [{ currency, sum: Decimal.sum(...amounts) }];
    });
    const isNone = rows.every(([{ row }]) => row === null);
    const count = isNone ? some(rows.length, 'invoice', 'invoices') : ordersText(rows.length);
    const most = Math.max(0, ...sums.map(({ sum }) => Number(sum))); // to sort by, and to add to nothing
    const extent = [count, ...sums.map(({ currency, sum }) => amount(sum, currency))].join(', ');
    return [{ most, section: { ...tableOf(name, rows), extent, isTodo: true } }];
  });
  return sections.sort((a, b) => b.most - a.most).map(({ section }) => section);
}

function tableOf(name: Advice, rows: readonly Found[]): Pick<Section, 'title' | 'advice' | 'heads' | 'rows'> {
  const [title, , advice] = ADVICE[name];
  const also: Column = {
    text: 'Also',
    form: 'free',
    cell: ([first, ...others]) => {
      const isDoubt = !first.confirmed && first.advice !== 'look_up'; // its title says so
      return [...others.flatMap(({ kind }) => ALSO[kind] ?? []), ...(isDoubt ? ['not confirmed'] : [])].join(', ');
    },
  };
  const columns = [...SECTIONS[name].map((each): Column => COLUMNS[each]), also];
  const cells = columns.map(({ cell }) => rows.map((row) => oneLine(cell(row), 300)));
  // A column without a cell says nothing.
  const shown = columns.map((_, at) => at).filter((at) => at === 0 || cells[at]?.some((cell) => cell !== ''));
  return {
    title,
    advice,
    heads: shown.flatMap((at) => columns[at] ?? []).map(({ text, form }) => ({ text, form })),
    rows: rows.map((_, row) => shown.map((at) => cells[at]?.[row] ?? '')),
  };
}

function nameOf({ row, order, external_id }: Finding): string {
  if (row === null) return external_id;
  return row.part === true && external_id !== order ? `${external_id} of ${order}` : order;
}

/** The money of an order, one for each currency: of one sum, or of all. */
function moneyOf(found: Found, of?: FindingMoney['of']): FindingMoney[] {
  return found.flatMap(({ money }) => (money !== null && (of === undefined || money.of === of) ? money : []));
}

function moneyTextOf(found: Found, of: FindingMoney['of']): string {
  return moneyOf(found, of)
    .map((money) => amount(money.amount, money.currency))
    .join(' and ');
}

/** What was paid with the invoices of the findings. */
function paidOf(found: Found): string {
  const paid = new Map(
    found.flatMap(({ invoice }) =>
      invoice?.paid_amount ? [[invoice.uuid, amount(invoice.paid_amount, invoice.currency)] as const] : [],
    ),
  );
  return [...paid.values()].join(' and ');
}

/** What was paid less, or too much. */
function differenceOf(found: Found, isLess: boolean): string {
  const { difference = null, row } = found.find(({ kind }) => kind === 'amount_differs') ?? {};
  if (difference === null || !row || difference.isNegative() !== isLess) return '';
  return amount(difference.abs(), row.currency);
}

function verdictOf(summary: ReconcileSummary, currencies: Currencies): string[] {
  const { differing, invoicesWithoutOrder, notCompared, matched, withinGrace } = summary;
  const sumOf = (of: FindingMoney['of']): string => {
    const sums = currencies.flatMap((row) => (row[of].isZero() ? [] : [amount(row[of], row.currency)]));
    return sums.length === 0 ? '' : `${sums.join(' and ')} ${sums.length === 1 ? 'is' : 'are'}`;
  };
  const [paid, given, over] = [sumOf('paidNotGiven'), sumOf('givenNotPaid'), sumOf('paidTooMuch')];
  if (paid !== '' || given !== '')
    return [
      ...(paid === '' ? [] : [`${paid} paid and not given.`]),
      ...(given === '' ? [] : [`${given} given and not paid.`]),
    ];
  if (over !== '') return [`${over} paid too much.`];
  const parts = [
    differing > 0 && some(differing, 'order differs', 'orders differ'),
    invoicesWithoutOrder > 0 && some(invoicesWithoutOrder, 'invoice has no order', 'invoices have no order'),
    notCompared > 0 && `${notCompared} could not be compared`,
  ].filter((part) => part !== false);
  if (parts.length > 0) return [`${parts.join(', ')}.`];
  if (summary.orders === 0) return ['The file of orders has no order: nothing was compared.'];
  const match = some(matched, 'order matches', 'orders match');
  if (withinGrace > 0) return [`${match}, and ${some(withinGrace, 'is', 'are')} too recent to compare.`];
  return [`${matched === 1 ? '' : 'All '}${match}.`];
}

/** Counts that add up. */
function countsOf(summary: ReconcileSummary, grace: string): string[] {
  const { orders, invoices, matched, withinGrace, differing, ordersNotCompared, invoicesWithoutOrder } = summary;
  const parts = [
    `${matched} matched`,
    ...(differing > 0 ? [`${differing} to decide`] : []),
    ...(ordersNotCompared > 0 ? [`${ordersNotCompared} not compared`] : []),
    ...(withinGrace > 0 ? [`${withinGrace} changed in the last ${grace}: for the next run`] : []),
  ];
  return [
    `${ordersText(orders)}: ${parts.join(', ')}`,
    `${some(invoices, 'invoice', 'invoices')}, ${invoicesWithoutOrder} paid or pending without an order`,
  ];
}

function unreadOf(entries: readonly NotCompared[]): Section {
  const heads = ['Order', 'Line', 'Why', 'Problem'].map(
    (text, at) => ({ text, form: at % 3 === 0 ? 'free' : 'word' }) as const,
  );
  const rows = entries.map(({ external_id, place, reason, problem }) =>
    [external_id ?? '', lineOf(place), reason, problem].map((text) => oneLine(text, 300)),
  );
  const advice = 'Correct each problem, and run again.';
  return { title: 'Not compared', extent: String(entries.length), advice, heads, rows, isTodo: false };
}

function foldedOf(title: string, advice: string, names: readonly string[]): Folded[] {
  return names.length === 0 ? [] : [{ title, advice, names: names.map((name) => oneLine(name, 80)).join(', ') }];
}

function ordersText(count: number): string {
  return some(count, 'order', 'orders');
}

function some(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** USDT with its six decimals, so that they stand below each other. */
function usdt(value: Decimal | null | undefined): string {
  if (value === null || value === undefined) return '';
  const [whole = '', part = ''] = usdtOf(value).split('.');
  return `${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}.${part}`;
}

/** The number of a line of the file, below the heading `Line`. */
function lineOf(place: string): string {
  return place.replace(/^line (?=\d+$)/, '');
}

/** With two decimals at least. */
function amount(value: Decimal, currency: string): string {
  return oneLine(moneyText(value.toFixed(Math.max(2, value.decimalPlaces())), currency));
}

/** A day and a time, in UTC. */
function when(at: Date | null): string {
  return at === null ? '' : `${at.toUTCString().slice(5, 11)} ${at.toISOString().slice(11, 16)}`;
}
