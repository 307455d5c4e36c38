import type { MerchantClient } from 'merchant-invoicing';
import { type ReconcileOrder, reconcile } from 'merchant-invoicing/reconcile';
import type { WebhookHandler } from 'merchant-invoicing/webhooks';
import type { Database } from './database.ts';
import type { Payment } from './order.ts';
import { Orders } from './orders.ts';

const DAY = 86_400_000;
const STATES = { open: 'open', paid: 'fulfilled', ended: 'canceled' } as const;

interface PaymentRow extends Payment {
  readonly currency: string;
}

/**
 * A payment that brought less or more is compared with what it brought: the
 * pages ask for the rest. A rest (`ID.2`) is compared alone, and the invoices
 * of one charge (`ID`, `ID--1`) together, as `orderOf` reads them.
 */
const toSide = ({
  external_id,
  amount,
  currency,
  state,
  paid,
  credited_usdt,
}: PaymentRow): ReconcileOrder => ({
  external_id,
  amount: paid ?? amount,
  currency,
  credited_usdt,
  state: STATES[state],
});

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
  // Also what ended lately without a payment: an expired invoice may still be
  // paid.
  const waiting = db
    .prepare(
      `SELECT external_id FROM payments
       WHERE state = 'open' OR (state = 'ended' AND created_at > ?)
       ORDER BY created_at`,
    )
    .all(new Date(Date.now() - 7 * DAY).toISOString());
  const orders = waiting.map(({ external_id }) => String(external_id));
  const { played, failed, busy, unknown } = await handler.catchUp(merchant, {
    orders,
    signal,
  });
  tell(JSON.stringify({ kind: 'caught_up', played, failed, busy, unknown }));
  let findings = failed + busy + unknown;

  const since = new Date(Date.now() - 7 * DAY);
  // A day more than the invoices: an invoice may be younger than its payment.
  const rows: unknown[] = db
    .prepare(
      `SELECT payments.*, currency FROM payments
       JOIN orders ON orders.id = order_id WHERE payments.created_at >= ?`,
    )
    .all(new Date(Date.now() - 8 * DAY).toISOString());
  // the columns are those of the statement
  const sides = (rows as PaymentRow[]).map(toSide);
  for await (const finding of reconcile({
    merchant,
    orders: sides,
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
