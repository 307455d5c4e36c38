import type { MerchantClient } from 'merchant-invoicing';
import { type ReconcileOrder, reconcile } from 'merchant-invoicing/reconcile';
import type { WebhookHandler } from 'merchant-invoicing/webhooks';
import type { Database } from './database.ts';
import { Orders } from './orders.ts';

const DAY = 86_400_000;

/**
 * A row for each charge, with all its invoices. One that was paid once, with
 * less or more, is compared with what it brought: the pages ask for the rest.
 */
const COMPARED = `SELECT charges.id AS external_id, currency,
  CASE count(paid) WHEN 1 THEN max(paid) ELSE charges.amount END AS amount,
  CASE count(paid) WHEN 1 THEN max(credited_usdt) END AS credited_usdt,
  CASE charges.status WHEN 'pending' THEN 'open' WHEN 'paid' THEN 'fulfilled'
    ELSE 'canceled' END AS state
  FROM charges JOIN orders ON orders.id = order_id
    LEFT JOIN payments ON charge_id = charges.id
  WHERE charges.status <> 'new' AND changed_at >= ? GROUP BY charges.id`;

/**
 * Handles payments whose webhook was lost, compares the week with the service,
 * and removes old drafts. `tell` gets one line for each finding. Returns the
 * number of findings, which a person has to look at.
 */
export async function nightly(
  db: Database,
  merchant: MerchantClient,
  handler: WebhookHandler,
  tell: (line: string) => void,
  signal?: AbortSignal,
): Promise<number> {
  // Also what ended lately, and what was renewed: they may be paid late, or
  // twice.
  const waiting = db
    .prepare(
      `SELECT id FROM charges WHERE status = 'pending'
         OR changed_at > ? AND (status = 'canceled' OR renewal > 0)
       ORDER BY changed_at`,
    )
    .all(new Date(Date.now() - 7 * DAY).toISOString());
  const orders = waiting.map(({ id }) => String(id));
  const { played, failed, busy, unknown } = await handler.catchUp(merchant, {
    orders,
    signal,
  });
  tell(JSON.stringify({ kind: 'caught_up', played, failed, busy, unknown }));
  let findings = failed + busy + unknown;

  const since = new Date(Date.now() - 7 * DAY);
  // A day more than the invoices: an invoice may be younger than its charge.
  const charged: unknown[] = db
    .prepare(COMPARED)
    .all(new Date(Date.now() - 8 * DAY).toISOString());
  for await (const finding of reconcile({
    merchant,
    // the columns are those of the statement
    orders: charged as ReconcileOrder[],
    since,
    signal,
  })) {
    tell(JSON.stringify(finding));
    findings += 1;
  }

  const placed = new Orders(db);
  for (const { order_id } of db
    .prepare('SELECT order_id FROM shipments WHERE created_at >= ?')
    .all(since.toISOString())) {
    const order = placed.get(String(order_id));
    if (order === null || order.surplus.isZero()) continue;
    tell(
      JSON.stringify({
        kind: 'return_to_customer',
        order: order.id,
        amount: order.surplus.toFixed(2),
      }),
    );
    findings += 1;
  }
  const yesterday = new Date(Date.now() - DAY).toISOString();
  db.prepare(
    'DELETE FROM orders WHERE placed_at IS NULL AND created_at < ?',
  ).run(yesterday);
  return findings;
}
