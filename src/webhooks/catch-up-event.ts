import type { CatchUpInvoice } from './catch-up-options.ts';
import { eventFrom, malformed } from './event-decoder.ts';
import type { InvoiceEvent } from './events.ts';
import { isPayload, type Payload } from './payload-names.ts';

/**
 * The event that the webhook of a final invoice would have brought. Goes through the decoder of deliveries, so that
 * both have one digest, and nothing is guessed: a needed value that is missing is an error, never a zero.
 *
 * @throws WebhookVerificationError `malformed_payload`
 * @see service interface, "Payload members"
 */
export function eventOfInvoice(invoice: CatchUpInvoice): InvoiceEvent {
  const raw: unknown = JSON.parse(JSON.stringify(invoice)); // text forms, as the wire and a queue have them
  if (!isPayload(raw)) throw malformed('the invoice is not an object');
  const { status } = invoice;
  const inner = status === 'success' ? paidPayload(invoice) : basePayload(invoice, invoice.amount);
  return eventFrom(
    { inner, root: inner, status, bodyName: null, raw },
    { source: 'catch_up', id: null, signed_at: null, secretIndex: null, headerName: null },
  );
}

function paidPayload(invoice: CatchUpInvoice): Payload {
  const { adjustment, is_adjusted } = invoice;
  const credited_usdt = text(invoice.settled_amount_usdt ?? adjustment?.actual_amount_usdt);
  if (!is_adjusted) return { ...basePayload(invoice, invoice.amount), credited_usdt, adjusted: false };
  return {
    ...basePayload(invoice, adjustment?.actual_amount_fiat),
    credited_usdt,
    adjusted: true,
    original_amount: text(adjustment?.expected_amount_fiat ?? invoice.amount),
  };
}

type Money = CatchUpInvoice['amount'] | null | undefined;

function basePayload({ uuid, external_id, status }: CatchUpInvoice, amount: Money): Payload {
  return { invoice_uuid: uuid, external_id, status, amount: text(amount) };
}

// Through text, as the Decimal may be of another copy of decimal.js. What is no Decimal is left to the decoder to judge:
// numbers have a toFixed, too, and theirs rounds to whole ones.
function text(amount: Money): unknown {
  return typeof amount === 'object' && amount !== null ? amount.toFixed() : amount;
}
