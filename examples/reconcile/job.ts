import { MerchantClient } from 'merchant-invoicing';
import { type ReconcileOptions, type ReconcileOrder, reconcile } from 'merchant-invoicing/reconcile';

/** A row of the shop. Amounts are text, as NUMERIC is in pg. */
export interface ShopRow {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly credited_usdt: string | null;
  readonly status: keyof typeof STATES;
  readonly created_at: Date | string;
}

/** The meaning of each state of this shop. */
const STATES = {
  new: 'open',
  processing: 'paid',
  shipped: 'fulfilled',
  cancelled: 'canceled',
  refunded: 'refunded',
} as const;

export function toOrder({ id, amount, currency, credited_usdt, status, created_at }: ShopRow): ReconcileOrder {
  return { external_id: id, amount, currency, credited_usdt, state: STATES[status], created_at };
}

const DAY = 86_400_000;
/** Invoices of the last week. Run it over everything once a month: corrections may come later. */
const since = new Date(Date.now() - 7 * DAY);
/** Orders of a day more: an invoice may be younger than its order. */
export const firstOrder = new Date(Date.now() - 8 * DAY);

/** Prints a line of JSON for each finding. A cron job reports a code that is not 0. */
export async function nightly(orders: ReconcileOptions['orders']): Promise<void> {
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  const merchant = new MerchantClient({ deadline: 120_000 });
  const run = reconcile({ merchant, orders, since, signal: stop.signal });
  for await (const finding of run) console.log(JSON.stringify(finding));
  const { matched, findings, notCompared } = await run.summary();
  console.log(JSON.stringify({ matched, findings, notCompared }));
  process.exitCode = findings + notCompared > 0 ? 1 : 0;
}
