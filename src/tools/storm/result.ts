import type { Decimal } from '../../contract/values/decimal.ts';
import type { CauseId, StormFindingKind } from './kinds.ts';
import type { StormCustomer, StormNetwork, StormWebhook } from './options.ts';

// What a storm resolves to.

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
  /** How the storm is repeated, where it was found with the fewest customers. `story(order)` then shows what happened. */
  readonly replay: string;
}

/** The name of a mistake of a shop. The guide *Prove your shop* lists them. */
export type StormMistake = CauseId;

/** The money of one currency. */
export interface StormMoney {
  /** What left the shop and was not paid: given twice, given for less, given for nothing. */
  readonly lost: Decimal;
  /** What customers paid and got nothing for. */
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
    readonly restarts: number;
  };
  /** What the storm could not check, such as a mail that was sent twice, with what would make it visible. */
  readonly notSeen: readonly string[];
  /** The timeline of one order, a line for each event, by its id or that of its invoice. */
  story(order: string): string;
  /** One line: the number of orders, the money, what was found, and the seed. */
  summary(): string;
  /**
   * The report as a page in one file, without a request: the money, a line for each order over the hours of the day, the story
   * of each group of findings. The variable `STORM_REPORT=storm.html` writes it.
   */
  html(): string;
}
