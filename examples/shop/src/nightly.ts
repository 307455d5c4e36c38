import type { MerchantClient } from 'merchant-invoicing';
import { type ReconcileOrder, reconcile } from 'merchant-invoicing/reconcile';
import type { WebhookHandler } from 'merchant-invoicing/webhooks';
import type { Database } from './database.ts';
import { Orders } from './orders.ts';

const DAY = 86_400_000;
const STATES = { open: 'open', paid: 'fulfilled', ended: 'canceled' } as const;

interface PaymentRow {
  readonly external_id: string;
  readonly amount: string;
  readonly currency: string;
  readonly state: keyof typeof STATES;
  readonly paid: string | null;
  readonly credited_usdt: string | null;
}

/** A payment that brought less or more is compared with what it brought: the pages ask for the rest. */
const toSide = ({ external_id, amount, currency, state, paid, credited_usdt }: PaymentRow): ReconcileOrder => ({
  external_id,
  amount: paid ?? amount,
  currency,
  credited_usdt,
  state: STATES[state],
});

/**
 * Handles payments whose webhook was lost, compares the week with the service, and removes old drafts. `tell` gets one line
 * for each finding. Returns the number of findings, which a person has to look at.
 */
export async function nightly(
  db: Database,
  merchant: MerchantClient,
  handler: WebhookHandler,
  tell: (line: string) => void,
  signal?: AbortSignal,
): Promise<number> {
  const saved = db.prepare(`SELECT value FROM settings WHERE name = 'cursor'`).get();
  const { cursor, played, failed, busy, invalid } = await handler.catchUp(merchant, {
    since: Date.now() - 3 * DAY, // for the first night: longer than the retries of the service
    cursor: saved === undefined ? null : JSON.parse(String(saved['value'])),
    signal,
  });
  if (cursor !== undefined) {
    db.prepare(`INSERT OR REPLACE INTO settings VALUES ('cursor', ?)`).run(JSON.stringify(cursor));
  }
  tell(JSON.stringify({ kind: 'caught_up', played, failed, busy, invalid }));
  let findings = failed + busy + invalid;

  const since = new Date(Date.now() - 7 * DAY);
  const select = 'SELECT payments.*, currency FROM payments JOIN orders ON orders.id = order_id';
  const ofWeek = db.prepare(`${select} WHERE payments.created_at >= ?`).all(since.toISOString());
  const byId = db.prepare(`${select} WHERE external_id IN (SELECT value FROM json_each(?))`);
  const sides = (rows: readonly unknown[]) => (rows as PaymentRow[]).map(toSide); // the columns are those of `select`
  const lookup = (ids: readonly string[]) => sides(byId.all(JSON.stringify(ids)));
  for await (const finding of reconcile({ merchant, orders: sides(ofWeek), lookup, since, signal })) {
    tell(JSON.stringify(finding));
    findings += 1;
  }

  const orders = new Orders(db);
  for (const { order_id } of db
    .prepare('SELECT order_id FROM shipments WHERE created_at >= ?')
    .all(since.toISOString())) {
    const order = orders.get(String(order_id));
    if (order === null || order.surplus.isZero()) continue;
    tell(JSON.stringify({ kind: 'return_to_customer', order: order.id, amount: order.surplus.toFixed(2) }));
    findings += 1;
  }
  const yesterday = new Date(Date.now() - DAY).toISOString();
  db.prepare('DELETE FROM orders WHERE placed_at IS NULL AND created_at < ?').run(yesterday);
  return findings;
}
