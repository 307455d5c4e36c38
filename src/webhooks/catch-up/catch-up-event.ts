import type { Decimal } from '../../contract/values/decimal.ts';
import { decimalFrom, Problem } from '../../contract/values/scalars.ts';
import { eventFrom, malformed } from '../event/event-decoder.ts';
import type { InvoiceEvent } from '../event/events.ts';
import { isPayload, type Payload } from '../event/payload-names.ts';
import type { CatchUpInvoice } from './catch-up-options.ts';

/**
 * The event that the webhook of a final invoice would have brought. Goes through the decoder of deliveries, so that
 * both have one digest, and nothing is guessed: a needed value that is missing is an error, never a zero, and so is an
 * invoice that contradicts itself.
 *
 * @throws WebhookVerificationError `malformed_payload`
 * @see [Payload members](../../../docs/service-interface.md#payload-members)
 */
export function eventOfInvoice(invoice: CatchUpInvoice): InvoiceEvent {
  const raw: unknown = JSON.parse(JSON.stringify(invoice)); // text forms, as the wire and a queue have them
  if (!isPayload(raw)) throw malformed('the invoice is not an object');
  const { status } = invoice;
  checkConsistency(invoice);
  const inner = status === 'success' ? paidPayload(invoice) : basePayload(invoice, invoice.amount);
  return eventFrom(
    { inner, root: inner, status, named: null, raw },
    { source: 'catch_up', id: null, signed_at: null, secretIndex: null, headerName: null },
  );
}

/** Refuses an invoice whose members tell two stories: to choose one could ship goods that were not paid. */
function checkConsistency(invoice: CatchUpInvoice): void {
  const { status, is_adjusted, adjustment } = invoice;
  const amount = decimal('amount', invoice.amount);
  const settled = decimal('settled_amount_usdt', invoice.settled_amount_usdt);
  if (status !== 'success') {
    const corrected = decimal('adjustment.actual_amount_usdt', adjustment?.actual_amount_usdt);
    for (const [name, credited] of [
      ['settled_amount_usdt', settled],
      ['adjustment.actual_amount_usdt', corrected],
    ] as const) {
      if (credited?.isZero() === false) throw malformed(`its status is ${status}, but "${name}" was credited`);
    }
    return;
  }
  if (adjustment === null || adjustment === undefined) return;
  const expected = decimal('adjustment.expected_amount_fiat', adjustment.expected_amount_fiat);
  const actual = decimal('adjustment.actual_amount_fiat', adjustment.actual_amount_fiat);
  decimal('adjustment.expected_amount_usdt', adjustment.expected_amount_usdt);
  const credited = decimal('adjustment.actual_amount_usdt', adjustment.actual_amount_usdt);
  if (differ(settled, credited)) {
    throw malformed(
      '"settled_amount_usdt" and "adjustment.actual_amount_usdt" differ: how much was credited is unclear',
    );
  }
  if (differ(amount, expected)) throw malformed('"amount" and "adjustment.expected_amount_fiat" differ');
  if (!is_adjusted && differ(amount, actual)) {
    throw malformed('"is_adjusted" is not true, but "adjustment.actual_amount_fiat" differs from "amount"');
  }
}

/** An amount where there is one. What cannot be read is left to the decoder of deliveries, which needs only some of them. */
function decimal(name: string, money: Money): Decimal | null {
  const value = decimalFrom(text(money));
  if (value instanceof Problem) return null;
  if (value.isNegative()) throw malformed(`"${name}" is negative`);
  return value;
}

function differ(a: Decimal | null, b: Decimal | null): boolean {
  return a !== null && b !== null && !a.eq(b);
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
