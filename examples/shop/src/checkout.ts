import type { MerchantClient } from 'merchant-invoicing';
import type { Order } from './order.ts';
import type { Orders } from './orders.ts';

export interface Checkout {
  readonly merchant: MerchantClient;
  readonly orders: Orders;
  /** The address of the shop, which the service and the customer reach. */
  readonly url: () => string;
  /** A sandbox plays the service, so its invoices may have an old address. */
  readonly isSandbox: boolean;
}

/**
 * Where the customer goes next. `uncharged`: no payment method takes this
 * amount.
 */
export type Next =
  | { readonly kind: 'payment_page'; readonly url: string }
  | { readonly kind: 'order' | 'uncharged' };

/**
 * Finds the invoice of the charge with this number, or creates or renews it.
 * Its id follows from the order, so a crash, a lost response or a second click
 * never creates a second one.
 *
 * @throws MerchantError if the service cannot be reached. The customer tries
 * again, with the same id.
 * @throws Error if the webhook of the invoice goes to another address.
 */
export async function startPayment(
  { merchant, orders, url, isSandbox }: Checkout,
  order: Order,
  number: number,
): Promise<Next> {
  const { id, currency, missing, charge, chargeId } = order;
  if (missing.isZero() || number !== charge) return { kind: 'order' };
  const amount = missing.toFixed(2);
  const methods = await merchant.paymentMethods.forCharge({ currency, amount });
  if (methods.length === 0) return { kind: 'uncharged' };

  orders.ask(order); // its payment finds it, whatever happens from here
  const found = await merchant.invoices.createOrRenew({
    external_id: chargeId,
    customer_id: id, // the shop has no accounts
    amount,
    currency,
    purpose: `Order ${id.slice(0, 8)}`,
    callback_url: `${url()}/webhook`,
    success_url: `${url()}/orders/${id}?returned=1`,
    fail_url: `${url()}/orders/${id}`,
  });
  const { invoice, renewal, differences } = found;
  if (!isSandbox && differences.includes('callback_url'))
    throw new Error(
      `another shop has an invoice with the id ${chargeId}, and would get ` +
        'its webhook: begin the ids of each shop with a prefix. If ' +
        'PUBLIC_URL is new, the invoice has the old one until it expires.',
    );
  // a paid invoice waits for its webhook, which decides
  if (invoice.status !== 'pending') return { kind: 'order' };
  // before the customer has the link, so that the nightly job asks about it
  return orders.offer(chargeId, renewal)
    ? { kind: 'payment_page', url: invoice.payment_url }
    : { kind: 'order' };
}
