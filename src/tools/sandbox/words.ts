// The words in which pages and terminal name the state of a payment and of its webhook.
import { Decimal } from '../../contract/values/decimal.ts';

/** The members that the state of a payment is read from. Amounts are decimal text or `Decimal`. */
interface PaymentFacts {
  readonly status: string;
  readonly amount: string | Decimal;
  readonly adjustment: { readonly actual_amount_fiat: string | Decimal } | null;
}

const ENDS: Readonly<Record<string, string>> = {
  pending: 'Open',
  fail: 'Failed',
  expired: 'Expired',
  canceled: 'Canceled',
};

/** `Open`, `Paid`, `Paid less`, `Paid more`, `Failed`, `Expired` or `Canceled`. Another status as it is. */
export function paymentWord({ status, amount, adjustment }: PaymentFacts): string {
  if (status !== 'success') return ENDS[status] ?? status;
  const order = adjustment === null ? 0 : new Decimal(adjustment.actual_amount_fiat).comparedTo(amount);
  return order === 0 ? 'Paid' : order < 0 ? 'Paid less' : 'Paid more';
}

/** The members that the state of a webhook is read from. */
interface WebhookFacts {
  readonly status: string;
  readonly attempts: number | null;
  readonly last_http_status: number | null;
}

/** True while an attempt of a webhook is in progress, or none was made yet. */
export function isWebhookWaiting({ status, attempts }: Omit<WebhookFacts, 'last_http_status'>): boolean {
  return status === 'delivering' || attempts === 0;
}

/** `Delivered`, `Retrying · 401`, `Given up · no response`, `Sending` or `Held`. */
export function webhookWord({ status, attempts, last_http_status }: WebhookFacts): string {
  if (status === 'delivering') return 'Sending';
  if (status === 'delivered') return 'Delivered';
  const response = last_http_status ?? 'no response';
  if (status === 'failed') return `Given up · ${response}`;
  return attempts === 0 ? 'Held' : `Retrying · ${response}`;
}

/** The word for an invoice that no webhook was sent for: `No address`, `Not yet` or `None`. */
export function noWebhookWord(invoice: { readonly status: string; readonly callback_url: string | null }): string {
  if (invoice.callback_url === null) return 'No address';
  return invoice.status === 'pending' ? 'Not yet' : 'None'; // such as an initial invoice of a sandbox
}

/** The customer of the orders that `webhooks check` creates in a sandbox, by which the dashboard tells them from the merchant's. */
export const CHECK_CUSTOMER = 'merchant-invoicing webhooks check';
