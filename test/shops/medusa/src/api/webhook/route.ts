// src/api/webhook/route.ts
import { processPaymentWorkflow } from '@medusajs/core-flows';
import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { Decimal } from 'merchant-invoicing';
import {
  createWebhookHandler,
  type InvoiceAdjustedEvent,
  type InvoicePaidEvent,
  type PostgresTx,
  postgresStore,
  toNodeHandler,
} from 'merchant-invoicing/webhooks';
import { Pool } from 'pg';

let webhook: ReturnType<typeof toNodeHandler> | undefined;

function receiver(container: MedusaContainer) {
  const pool = new Pool({ connectionString: process.env['DATABASE_URL'] });
  pool.on('error', (error) => console.error(error.message));
  const store = postgresStore(pool); // run store.schema in a migration
  /** A second payment of a session is not captured: a person decides. */
  const capture = async (
    event: InvoicePaidEvent | InvoiceAdjustedEvent,
    { tx }: { readonly tx: PostgresTx<Pool> },
  ) => {
    // invoice_payment (invoice_uuid text PRIMARY KEY, session_id text,
    //   amount numeric, credited_usdt numeric, state text): in the migration
    await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [event.order]);
    const insert = `INSERT INTO invoice_payment
      SELECT $1, $2::text, $3::numeric,
      $4::numeric,
      CASE WHEN EXISTS (SELECT FROM invoice_payment WHERE session_id = $2)
        THEN 'review' ELSE 'captured' END RETURNING state`;
    const { rows } = await tx.query(insert, [
      event.invoice_uuid.toLowerCase(),
      event.order,
      event.amount.toFixed(),
      event.credited_usdt.toFixed(),
    ]);
    if (rows[0].state === 'captured') await captureOnce(container, event);
  };
  return toNodeHandler(() =>
    createWebhookHandler({
      secret: process.env['MERCHANT_WEBHOOK_SECRET'] ?? '',
      store,
      onPaid: capture,
      onAdjusted: capture, // captured by what was paid, at most the order
      onCanceled: () => {},
    }),
  );
}

/** Workflows have transactions of their own, so a repeat must find its work. */
async function captureOnce(
  container: MedusaContainer,
  event: InvoicePaidEvent | InvoiceAdjustedEvent,
): Promise<void> {
  const session_id = event.order;
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const isCaptured = async (): Promise<boolean> => {
    const { data } = await query.graph({
      entity: 'payment',
      fields: ['id', 'captures.id'],
      filters: { payment_session_id: session_id },
    });
    return (data[0]?.captures ?? []).length > 0;
  };
  const ordered = event.adjusted ? event.original_amount : event.amount;
  const amount = Decimal.min(event.amount, ordered ?? event.amount).toNumber();
  if (!(await isCaptured())) {
    const input = { action: 'captured', data: { session_id, amount } } as const;
    await processPaymentWorkflow(container).run({ input });
  }
  // The workflow ends well where a step of it has failed: here it throws.
  if (!(await isCaptured())) throw new Error(`${session_id}: not captured`);
  const session = await query.graph({
    entity: 'payment_session',
    fields: ['payment_collection_id'],
    filters: { id: session_id },
  });
  const cart = await query.graph({
    entity: 'cart_payment_collection',
    fields: ['cart_id'],
    filters: { payment_collection_id: session.data[0]?.payment_collection_id },
  });
  const order = await query.graph({
    entity: 'order_cart',
    fields: ['order_id'],
    filters: { cart_id: cart.data[0]?.cart_id },
  });
  if (order.data.length === 0) throw new Error(`${session_id}: no order`);
}

export async function POST(request: MedusaRequest, response: MedusaResponse) {
  webhook ??= receiver(request.scope);
  await webhook(request, response);
}
