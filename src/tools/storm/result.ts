import { Decimal } from '../../contract/values/decimal.ts';
import { environment } from '../../errors/environment.ts';
import type { StormCustomer, StormNetwork, StormWebhook } from './options.ts';
import { type Case, moneyOf } from './rules.ts';
import { type Found, groupOf, KINDS, type StormFindingKind, type StormMistake } from './words.ts';

// What a storm resolves to, and its sums, which the summary and the page print.

/** Something that is wrong, as plain data: a failed assertion shows it. */
export interface StormFinding {
  readonly kind: StormFindingKind;
  /** The id of the order. Null for a finding about the whole storm. */
  readonly order: string | null;
  /** What is wrong, as sentences for people. */
  readonly problem: string;
  /** The usual mistake behind it, by its name, such as `no_dedupe`. */
  readonly mistake: StormMistake;
  /** What the storm has seen of the mistake, as sentences for people. */
  readonly cause: string;
  /** What to change. */
  readonly remedy: string;
  /** What the orders with this finding share and the others lack. Null where nothing stands out. */
  readonly shared: string | null;
  /**
   * How the storm is repeated, where it was found with the fewest customers. `story(order)` then shows what happened.
   */
  readonly replay: string;
}

/** The money of one currency. */
export interface StormMoney {
  /** What left the shop and was not paid: given twice, given below the price, given for nothing. */
  readonly lost: Decimal;
  /** What customers paid and got nothing for, also where an invoice asked for more than the price. */
  readonly owed: Decimal;
}

/** The result of a storm. */
export interface StormResult {
  /** The seed that repeats it. */
  readonly seed: number | string;
  /** The number of orders that were placed: all, unless the time limit ended the storm. */
  readonly orders: number;
  /** What is wrong. Empty for a correct shop. */
  readonly findings: readonly StormFinding[];
  /** What the findings cost, by currency: `money.EUR.lost`. Empty where they cost nothing. */
  readonly money: Readonly<Record<string, StormMoney>>;
  /** How often each kind was played. A customer without a payment link has no webhook. */
  readonly played: {
    readonly customers: Readonly<Partial<Record<StormCustomer, number>>>;
    readonly network: Readonly<Partial<Record<StormNetwork, number>>>;
    readonly webhooks: Readonly<Partial<Record<StormWebhook, number>>>;
    /** Customers whom the shop refused before they paid. */
    readonly refused: number;
    /** The kills that came while the shop worked. */
    readonly restarts: number;
    /** These kills by the work: the handling of a webhook, a run of the job, a press of the pay button. */
    readonly kills: { readonly delivery: number; readonly job: number; readonly press: number };
    /** How often two things happened at the same moment: `payment + return`, `payment + job`, `press + press`. */
    readonly together: Readonly<Record<string, number>>;
  };
  /** What the storm could not check, such as a mail that was sent twice, with what would make it visible. */
  readonly notSeen: readonly string[];
  /** The timeline of one order, a line for each event, by its id or that of its invoice. */
  story(order: string): string;
  /** One line: the number of orders, the money, what was found, and the seed. */
  summary(): string;
  /**
   * The report as a page in one file, without a request: the money, a line for each order over the hours of the day,
   * the story of each group of findings. The variable `STORM_REPORT=storm.html` writes it.
   */
  html(): string;
}

/** The findings of one kind. */
interface KindCount {
  readonly kind: StormFindingKind;
  /** Such as `10 given twice`. */
  readonly words: string;
  readonly money: StormResult['money'];
}

/** The sums of a storm. */
export interface Sums {
  /** The kinds of customers and faults that no order had, although their weight is not zero. */
  readonly notPlayed: readonly string[];
  /** The orders with a finding. */
  readonly wrong: number;
  readonly money: StormResult['money'];
  /** In the order of the table. */
  readonly kinds: readonly KindCount[];
  /** What one finding costs. */
  readonly ofFinding: (order: string | null, kind: StormFindingKind) => StormResult['money'];
}

/**
 * Sorts findings by what they cost: those of the whole storm first, then the dearest group, and in it the dearest order.
 */
export function byMoney<Any extends Found>(found: readonly Any[], cases: readonly Case[]): Any[] {
  const byOrder = new Map<string | null, Case>(cases.map((each) => [each.record.plan.order.id, each]));
  const costOf = ({ order, kind }: Any): Decimal => {
    const one = byOrder.get(order);
    if (one === undefined) return new Decimal(0);
    const { lost, owed } = moneyOf(one, new Set([kind]));
    return lost.plus(owed);
  };
  const costs = new Map(found.map((each) => [each, costOf(each)]));
  const cost = (each: Any): Decimal => costs.get(each) ?? new Decimal(0);
  const groups = [...Map.groupBy(found, groupOf).values()].map((all) => ({
    all: [...all].sort((a, b) => cost(b).comparedTo(cost(a))),
    isOfStorm: all.every(({ order }) => order === null),
    sum: all.reduce((sum, each) => sum.plus(cost(each)), new Decimal(0)),
  }));
  groups.sort(
    (a, b) => Number(b.isOfStorm) - Number(a.isOfStorm) || b.sum.comparedTo(a.sum) || b.all.length - a.all.length,
  );
  return groups.flatMap(({ all }) => all);
}

export function sumsOf(cases: readonly Case[], findings: readonly StormFinding[], notPlayed: readonly string[]): Sums {
  const byKind = Map.groupBy(findings, ({ kind }) => kind);
  const kinds = (Object.keys(KINDS) as StormFindingKind[]).flatMap((kind): KindCount[] => {
    const all = byKind.get(kind);
    if (all === undefined) return [];
    const orders = all.filter(({ order }) => order !== null).length;
    const words = orders === 0 ? KINDS[kind].counted : `${all.length} ${KINDS[kind].counted}`;
    return [{ kind, words, money: moneyOfAll(cases, all) }];
  });
  const wrong = new Set(findings.flatMap(({ order }) => order ?? [])).size;
  const ofFinding: Sums['ofFinding'] = (order, kind) => {
    const own = cases.filter(({ record }) => record.plan.order.id === order);
    return moneyOfAll(
      own,
      findings.filter((each) => each.order === order && each.kind === kind),
    );
  };
  return { wrong, money: moneyOfAll(cases, findings), kinds, notPlayed, ofFinding };
}

function moneyOfAll(cases: readonly Case[], findings: readonly StormFinding[]): Record<string, StormMoney> {
  const byOrder = Map.groupBy(findings, ({ order }) => order);
  const money: Record<string, StormMoney> = {};
  for (const each of cases) {
    const kinds = byOrder.get(each.record.plan.order.id)?.map(({ kind }) => kind);
    const { lost, owed } = moneyOf(each, new Set(kinds));
    if (lost.isZero() && owed.isZero()) continue;
    const currency = each.invoices[0]?.currency.code ?? each.record.plan.order.currency;
    const before = money[currency] ?? { lost: new Decimal(0), owed: new Decimal(0) };
    money[currency] = { lost: before.lost.plus(lost), owed: before.owed.plus(owed) };
  }
  return money;
}

/** One sum in each of its currencies, such as `2,817.95 EUR and 10.00 USD`. Empty where it is nothing. */
export function sumText(money: StormResult['money'], sum: keyof StormMoney): string {
  const parts = Object.entries(money).filter(([, each]) => each[sum].gt(0));
  // Thousands are parted, cents are always there.
  const texts = parts.map(([code, each]) => `${each[sum].toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',')} ${code}`);
  return texts.join(' and ');
}

/** Such as `lost 2,817.95 EUR, owed 93.32 EUR`. Empty where it is nothing. */
export function moneyText(money: StormResult['money']): string {
  const sums = (['lost', 'owed'] as const).map((sum) => [sum, sumText(money, sum)] as const);
  return sums.flatMap(([sum, text]) => (text === '' ? [] : [`${sum} ${text}`])).join(', ');
}

/** How many orders went wrong, and nothing where no order shows what is wrong. */
export function verdictText(result: Pick<StormResult, 'orders' | 'findings'>, { wrong, notPlayed }: Sums): string {
  const { orders, findings } = result;
  const all = `${orders} ${orders === 1 ? 'order' : 'orders'}`;
  const few = notPlayed.length === 0 ? '' : `, and ${notPlayed.length} kinds of customers and faults not played`;
  if (findings.length === 0) return `${all}, nothing wrong${few}`;
  return wrong === 0 ? all : `${wrong} of ${all} went wrong`;
}

/** The title of the page, such as `34 of 200 orders wrong, 1,434.31 EUR lost`. */
export function titleText(result: Pick<StormResult, 'orders' | 'findings'>, sums: Sums): string {
  if (sums.wrong === 0) return `Storm: ${verdictText(result, sums)}`;
  const [lost, owed] = [sumText(sums.money, 'lost'), sumText(sums.money, 'owed')];
  const parts = [lost && `${lost} lost`, owed && `${owed} owed`].filter((part) => part !== '');
  return [`${sums.wrong} of ${result.orders} orders wrong`, ...parts].join(', ');
}

/** The verdict in one line. */
export function summaryOf(result: Pick<StormResult, 'seed' | 'orders' | 'findings'>, sums: Sums): string {
  const parts = [moneyText(sums.money), sums.kinds.map(({ words }) => words).join(', ')].filter((part) => part !== '');
  const file = environment('STORM_REPORT') ?? '';
  const end = file === '' || result.findings.length === 0 ? '.' : `: ${file}`;
  return `${[verdictText(result, sums), ...parts].join(': ')}. Replay with seed ${JSON.stringify(result.seed)}${end}`;
}
