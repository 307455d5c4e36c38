import { MerchantClient } from 'merchant-invoicing';
import { type ReconcileOptions, type ReconcileOrder, reconcile } from 'merchant-invoicing/reconcile';

/** A row of the shop: SELECT id, amount, currency, credited_usdt, status. Amounts are text, as NUMERIC is in pg. */
export interface ShopRow {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly credited_usdt: string | null;
  readonly status: keyof typeof STATES;
}

/** The meaning of each state of this shop. */
const STATES = {
  new: 'open',
  processing: 'paid',
  shipped: 'fulfilled',
  cancelled: 'canceled',
  refunded: 'refunded',
} as const;

export function toOrder({ id, amount, currency, credited_usdt, status }: ShopRow): ReconcileOrder {
  return { external_id: id, amount, currency, credited_usdt, state: STATES[status] };
}

/** Orders and invoices of the last week. Run it over everything once a month: corrections may come later. */
export const since = new Date(Date.now() - 7 * 86_400_000);

/** Prints a line of JSON for each finding. A cron job reports a code that is not 0. */
export async function nightly(sides: Pick<ReconcileOptions, 'orders' | 'lookup'>): Promise<void> {
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  const merchant = new MerchantClient({ deadline: 120_000 });
  const run = reconcile({ merchant, ...sides, since, signal: stop.signal });
  for await (const finding of run) console.log(JSON.stringify(finding));
  const { matched, findings, notCompared } = await run.summary();
  console.log(JSON.stringify({ matched, findings, notCompared }));
  process.exitCode = findings > 0 ? 1 : 0;
}
