import type { Invoice } from '../../contract/invoices.ts';
import { eventOfStatus } from '../../contract/statuses.ts';
import { Decimal } from '../../contract/values/decimal.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { eventOfInvoice } from '../../webhooks/catch-up/invoice-event.ts';
import type { InvoiceRow } from '../rows/rows.ts';

/** The members of an invoice that `reconcile` reads. */
export type ReconcileInvoice = Pick<
  Invoice,
  | 'uuid'
  | 'external_id'
  | 'status'
  | 'amount'
  | 'currency'
  | 'created_at'
  | 'expires_at'
  | 'finished_at'
  | 'settled_amount_usdt'
  | 'is_adjusted'
  | 'adjustment'
>;

/** Reads an invoice. What contradicts itself becomes a `problem`, as for `catchUp`. */
export function invoiceRow(invoice: ReconcileInvoice): InvoiceRow {
  const { uuid, external_id, status, created_at, expires_at, finished_at } = invoice;
  return {
    side: 'i',
    id: external_id,
    uuid,
    status,
    amount: invoice.amount.toFixed(),
    currency: invoice.currency.code.toUpperCase(),
    adjusted: invoice.is_adjusted,
    created: created_at.getTime(),
    expires: expires_at.getTime(),
    ended: finished_at === null ? null : finished_at.getTime(),
    ...paymentOf(invoice),
  };
}

type Payment = Pick<InvoiceRow, 'paid' | 'credited' | 'problem'>;

const UNPAID: Payment = { paid: null, credited: null, problem: null };

function paymentOf(invoice: ReconcileInvoice): Payment {
  const { status, settled_amount_usdt: settled, is_adjusted, adjustment } = invoice;
  if (status === 'pending') return UNPAID;
  const event = eventOfStatus(status);
  if (event === null) return { ...UNPAID, problem: 'its status is not one that the interface knows' };
  const isPaid = event === 'invoice.paid';
  const isPlain = !is_adjusted && adjustment === null && (settled !== null) === isPaid;
  // Nearly all invoices are plain. The event of any other one goes through JSON, which costs more than its comparison.
  if (isPlain && settled === null) return UNPAID;
  if (isPlain && settled?.isNegative() === false && !invoice.amount.isNegative()) {
    return { paid: invoice.amount.toFixed(), credited: settled.toFixed(), problem: null };
  }
  try {
    const { amount, credited_usdt } = eventOfInvoice(invoice);
    if (!isPaid) return UNPAID;
    return { paid: textOf(amount), credited: textOf(credited_usdt), problem: null };
  } catch (error) {
    return { ...UNPAID, problem: isMerchantError(error) ? error.message : 'it cannot be read' };
  }
}

function textOf(amount: Decimal | null): string | null {
  return amount === null ? null : new Decimal(amount).toFixed();
}
