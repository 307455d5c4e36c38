// The payments that the shop has not heard of, and why. Menu, overview, chart, lists and the page of a payment ask here.

import { Decimal } from '../../../contract/values/decimal.ts';
import { moneyText } from '../../story.ts';
import { CHECK_CUSTOMER } from '../actions.ts';
import type { Diagnosis } from '../delivery/diagnose.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import type { World } from '../world.ts';

/** False for an order that `webhooks check` made. */
export function isOwn({ customer_id }: InvoiceRecord): boolean {
  return customer_id !== CHECK_CUSTOMER;
}

/**
 * The last delivery of each ended invoice that no 2xx has answered, the newest first. A first attempt that is still in
 * progress does not count.
 */
export function unheardIn({ store }: World): DeliveryRecord[] {
  return latestOf(store).filter(({ deliveredAt, made }) => deliveredAt === null && made > 0);
}

/** The last deliveries that only a page for people has answered with a 2xx: perhaps another program than the receiver. */
export function pagesIn({ store }: World): DeliveryRecord[] {
  return latestOf(store).filter(
    ({ deliveredAt, log }) => deliveredAt !== null && log.at(-1)?.cause?.id === 'html_page',
  );
}

function latestOf(store: World['store']): DeliveryRecord[] {
  const all = store.deliveries().filter((row) => isOwn(row.invoice) && store.latestDelivery(row.invoice) === row);
  return all.reverse();
}

/** Deliveries to one endpoint with one cause. */
export interface Cause {
  readonly diagnosis: Diagnosis;
  readonly status: number | null;
  /** The newest first. */
  readonly rows: readonly DeliveryRecord[];
  /** What was paid, in USDT. */
  readonly weight: Decimal;
}

/** The causes of some deliveries, the one with most money first, of equal ones the oldest. */
export function causesOf(rows: readonly DeliveryRecord[]): Cause[] {
  const keyOf = ({ url, log }: DeliveryRecord): string => {
    const last = log.at(-1);
    return `${url} ${last?.cause?.id} ${last?.status_code}`;
  };
  const causes = [...Map.groupBy(rows, keyOf).values()].flatMap((group): Cause[] => {
    const last = group[0]?.log.at(-1); // its text is that of the latest
    if (!last?.cause) return [];
    return [
      {
        diagnosis: last.cause,
        status: last.status_code,
        rows: group,
        weight: weightOf(group.map(({ invoice }) => invoice)),
      },
    ];
  });
  return causes.sort((a, b) => b.weight.comparedTo(a.weight) || sinceOf(a.rows) - sinceOf(b.rows));
}

/** What was paid for the orders of some deliveries, a sum for each currency, most money first. Empty if nothing was paid. */
export function paidFor(rows: readonly DeliveryRecord[]): readonly string[] {
  const paid = rows.flatMap(({ invoice }) => (invoice.status === 'success' ? invoice : []));
  const sums = [...Map.groupBy(paid, ({ currency }) => currency.code)].map(([code, invoices]) => {
    const amounts = invoices.map(({ adjustment, amount }) => adjustment?.actual_amount_fiat ?? amount);
    return { weight: weightOf(invoices), text: moneyText(Decimal.sum(...amounts).toFixed(2), code) };
  });
  return sums.sort((a, b) => b.weight.comparedTo(a.weight)).map(({ text }) => text);
}

/** What was paid for some invoices in USDT, so that currencies can be compared. */
export function weightOf(invoices: readonly InvoiceRecord[]): Decimal {
  return Decimal.sum(0, ...invoices.map(({ settledUsdt }) => settledUsdt ?? 0));
}

/** When the first webhook of some deliveries was sent, in epoch milliseconds. */
export function sinceOf(rows: readonly DeliveryRecord[]): number {
  return Math.min(...rows.map(({ createdAt }) => createdAt));
}

/**
 * Since when most of the money is not heard of, or all of it. A receiver that never worked is no outage of tonight, so
 * the beginning of the dearest cause counts where it has more than half.
 */
export function outageOf(rows: readonly DeliveryRecord[]): { readonly since: number; readonly isMost: boolean } {
  const causes = causesOf(rows);
  const [first] = causes;
  const begins = sinceOf(rows);
  const dearest = first === undefined ? begins : sinceOf(first.rows);
  const total = Decimal.sum(0, ...causes.map(({ weight }) => weight));
  const isMost = first !== undefined && dearest > begins && first.weight.times(2).gt(total);
  return { since: isMost ? dearest : begins, isMost };
}

/** When the next attempt of some deliveries comes, in epoch milliseconds. Null if none follows. */
export function nextOf(rows: readonly DeliveryRecord[]): number | null {
  const times = rows.flatMap(({ nextRetryAt }) => nextRetryAt ?? []);
  return times.length === 0 ? null : Math.min(...times);
}
