import { MerchantClient } from 'merchant-invoicing';
import {
  type OrderState,
  type ReconcileOrder,
  reconcile,
} from 'merchant-invoicing/reconcile';

/** The meaning of each state of this shop, but `new`: it has no invoice. */
const STATES: Readonly<Record<string, OrderState>> = {
  pending: 'open',
  check: 'paid', // not given: a person decides
  paid: 'fulfilled',
  canceled: 'canceled',
  withdrawn: 'canceled',
  refunded: 'refunded',
};

/** A row of the shop. Amounts are text, as NUMERIC is in pg. */
export type ShopRow = Omit<ReconcileOrder, 'state'> & {
  readonly status: string;
};

/** Any other state is `not_compared`, with its name. */
function rowOf({ status, ...row }: ShopRow): ReconcileOrder {
  return { ...row, state: STATES[status] ?? (status as OrderState) };
}

const DAY = 86_400_000;
/**
 * Orders of a day more than invoices: an invoice may be younger than its order.
 */
export const firstOrder = new Date(Date.now() - 8 * DAY);

/**
 * Prints a line of JSON for each finding. A cron job reports a code that is not
 * 0.
 */
export async function nightly(rows: readonly ShopRow[]): Promise<void> {
  const run = reconcile({
    merchant: new MerchantClient({ deadline: 120_000 }),
    orders: rows.map(rowOf),
    // over everything once a month: corrections may come later
    since: new Date(Date.now() - 7 * DAY),
  });
  for await (const finding of run) console.log(JSON.stringify(finding));
  const { matched, findings, notCompared } = await run.summary();
  console.log(JSON.stringify({ matched, findings, notCompared }));
  process.exitCode = findings + notCompared > 0 ? 1 : 0;
}
