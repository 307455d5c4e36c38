import type { MerchantClient } from 'merchant-invoicing';
import type { Order } from './order.ts';
import type { Orders } from './orders.ts';

/**
 * Where the customer goes next. `uncharged`: no payment method takes this
 * amount.
 */
export type Next =
  | { readonly kind: 'payment_page'; readonly url: string }
  | { readonly kind: 'order' | 'uncharged' };

const UNPAID_ENDS: readonly string[] = ['expired', 'fail', 'canceled'];

/**
 * Starts the payment with this number, or finds it. The row exists before the
 * request, and its id is the external_id. So a crash, a lost response or a
 * second click never creates a second invoice.
 *
 * @throws MerchantError if the service cannot be reached. The customer tries
 * again, with the same external_id.
 */
export async function startPayment(
  merchant: MerchantClient,
  orders: Orders,
  { id, currency, missing }: Order,
  number: number,
  shopUrl: string,
): Promise<Next> {
  if (missing.isZero()) return { kind: 'order' };
  const methods = await merchant.paymentMethods.forCharge({
    currency,
    amount: missing,
  });
  if (methods.length === 0) return { kind: 'uncharged' };

  const payment = orders.openPayment(id, number);
  if (payment === null) return { kind: 'order' };
  const { invoice } = await merchant.invoices.createOrGet({
    external_id: payment.external_id,
    customer_id: id, // the shop has no accounts
    amount: payment.amount,
    currency,
    purpose: `Order ${id.slice(0, 8)}`,
    callback_url: `${shopUrl}/webhook`,
    success_url: `${shopUrl}/orders/${id}?returned=1`,
    fail_url: `${shopUrl}/orders/${id}`,
  });
  if (invoice.status === 'pending')
    return { kind: 'payment_page', url: invoice.payment_url };
  // its webhook is on its way
  if (UNPAID_ENDS.includes(invoice.status)) orders.end(payment.external_id);
  // a paid invoice waits for its webhook, which decides
  return { kind: 'order' };
}
