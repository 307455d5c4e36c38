import type { Finding, FindingKind, NotCompared, NotComparedReason } from './findings.ts';

/** The counts of one currency. */
export interface CurrencySummary {
  /** In upper case. Null for what has none, such as an order that cannot be read. */
  readonly currency: string | null;
  /** Orders and invoices that agree, each pair once. */
  readonly matched: number;
  readonly findings: Readonly<Partial<Record<FindingKind, number>>>;
  readonly notCompared: Readonly<Partial<Record<NotComparedReason, number>>>;
}

/** The result of a run, by currency. */
export interface ReconcileSummary {
  /** True if the run was read to its end. */
  readonly complete: boolean;
  /** Orders read. With `lookup` alone: orders that were looked up. */
  readonly orders: number;
  /** Different invoices in the period. */
  readonly invoices: number;
  /** Orders that agree with their invoice. */
  readonly matched: number;
  /** The number of findings of each kind. */
  readonly findings: number;
  /** Including those that are left to their webhook (`within_grace`). */
  readonly notCompared: number;
  /** Paid and open orders whose deliveries were not read, because `maxDeliveryRequests` was reached or they were refused. */
  readonly deliveriesNotRead: number;
  /** Sorted by currency, the one without a currency last. */
  readonly currencies: readonly CurrencySummary[];
}

interface Counts {
  matched: number;
  readonly findings: Partial<Record<FindingKind, number>>;
  readonly notCompared: Partial<Record<NotComparedReason, number>>;
}

/** Different currencies that are counted apart. A file with an id in the wrong column must not fill the memory. */
const CURRENCIES_MAX = 200;

/** Counts the results of a run. */
export class Tally {
  orders = 0;
  invoices = 0;
  findings = 0;
  deliveriesNotRead = 0;
  #matched = 0;
  #notCompared = 0;
  readonly #currencies = new Map<string | null, Counts>();

  match(currency: string | null): void {
    this.#matched += 1;
    this.#of(currency).matched += 1;
  }

  find({ currency, kind }: Pick<Finding, 'currency' | 'kind'>): void {
    this.findings += 1;
    const { findings } = this.#of(currency);
    findings[kind] = (findings[kind] ?? 0) + 1;
  }

  leaveOut({ currency, reason }: { readonly currency: string | null; readonly reason: NotComparedReason }): void {
    this.#notCompared += 1;
    const { notCompared } = this.#of(currency);
    notCompared[reason] = (notCompared[reason] ?? 0) + 1;
  }

  /** Takes an entry of the run. */
  add(entry: Finding | NotCompared): void {
    if (entry.kind === 'not_compared') this.leaveOut(entry);
    else this.find(entry);
  }

  summary(complete: boolean): ReconcileSummary {
    const last = '\uffff';
    return {
      complete,
      orders: this.orders,
      invoices: this.invoices,
      matched: this.#matched,
      findings: this.findings,
      notCompared: this.#notCompared,
      deliveriesNotRead: this.deliveriesNotRead,
      currencies: [...this.#currencies]
        .sort(([a], [b]) => ((a ?? last) < (b ?? last) ? -1 : 1))
        .map(([currency, { matched, findings, notCompared }]) => ({
          currency,
          matched,
          findings: { ...findings },
          notCompared: { ...notCompared },
        })),
    };
  }

  #of(currency: string | null): Counts {
    const known = this.#currencies.get(currency);
    if (known !== undefined) return known;
    if (this.#currencies.size > CURRENCIES_MAX && currency !== null) return this.#of(null);
    const counts: Counts = { matched: 0, findings: {}, notCompared: {} };
    this.#currencies.set(currency, counts);
    return counts;
  }
}
