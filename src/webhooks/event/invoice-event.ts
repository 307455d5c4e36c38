import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Decimal } from '../../contract/values/decimal.ts';
import { decimalFrom, Problem } from '../../contract/values/scalars.ts';
import type { AdjustedPins } from './adjusted.ts';
import { buildEvent } from './decode.ts';
import type { CatchUpInvoice, InvoiceEvent } from './event-types.ts';
import { amountText, EVENT_ROWS, eventNameOf } from './events.ts';
import { malformed } from './payload.ts';

/**
 * Builds the event that the webhook of a final invoice would have delivered. It uses the decoder of deliveries, so that
 * both have the same digest. A missing value, and members that contradict each other, are errors: nothing is guessed.
 *
 * @throws WebhookVerificationError `malformed_payload`
 * @see [Payload members](../../../docs/service-interface.md#payload-members)
 */
export function eventOfInvoice(invoice: CatchUpInvoice, pins: Pick<AdjustedPins, 'adjustedAbsent'>): InvoiceEvent {
  const raw: unknown = JSON.parse(JSON.stringify(invoice)); // the text forms of the wire
  if (!isObject(raw)) throw malformed('the invoice is not an object');
  return buildOf(invoice, raw, pins);
}

/**
 * What the event of a final invoice would say of the payment, without a copy of the invoice.
 *
 * @throws WebhookVerificationError `malformed_payload`
 */
export function paymentOfInvoice(invoice: CatchUpInvoice): Pick<InvoiceEvent, 'type' | 'amount' | 'credited_usdt'> {
  return buildOf(invoice, {}, { adjustedAbsent: undefined });
}

function buildOf(
  invoice: CatchUpInvoice,
  raw: JsonObject,
  { adjustedAbsent }: Pick<AdjustedPins, 'adjustedAbsent'>,
): InvoiceEvent {
  checkConsistency(invoice);
  const { uuid, external_id, status, amount } = invoice;
  const name = eventNameOf(status);
  const rows = EVENT_ROWS.filter((row) => row.name === name);
  // An event that cannot be adjusted has one row, which is taken whatever is_adjusted says.
  const is_adjusted = rows.length > 1 ? adjustedOf(invoice, adjustedAbsent) : false;
  const row = rows.find(({ adjusted }) => adjusted === is_adjusted) ?? rows[0];
  const amounts = row?.ofInvoice(invoice) ?? { amount: amountText(amount) };
  const inner = { invoice_uuid: uuid, external_id, status, ...amounts };
  return buildEvent(
    { inner, layers: [], name: null, raw },
    { source: 'catch_up', id: null, signed_at: null, secretIndex: null },
  );
}

/** Whether a paid invoice was adjusted. It must be said, as by a webhook. */
function adjustedOf(
  { is_adjusted, adjustment }: CatchUpInvoice,
  adjustedAbsent: AdjustedPins['adjustedAbsent'],
): boolean {
  if (typeof is_adjusted === 'boolean') return is_adjusted;
  if ((adjustment ?? null) !== null) return true;
  if (adjustedAbsent === 'as_ordered') return false;
  throw malformed(
    'the invoice does not say "is_adjusted", so it is not known whether all of the order was paid',
    "If the service leaves it out of a payment as ordered, set adjustedAbsent: 'as_ordered'.",
  );
}

/**
 * Refuses an invoice whose members contradict each other, because a wrong choice would ship goods that were not paid.
 */
function checkConsistency({ status, is_adjusted, adjustment, ...invoice }: CatchUpInvoice): void {
  const amount = readAmount('amount', invoice.amount);
  const settled = readAmount('settled_amount_usdt', invoice.settled_amount_usdt);
  const expected = readAmount('adjustment.expected_amount_fiat', adjustment?.expected_amount_fiat);
  const actual = readAmount('adjustment.actual_amount_fiat', adjustment?.actual_amount_fiat);
  const credited = readAmount('adjustment.actual_amount_usdt', adjustment?.actual_amount_usdt);
  if (status !== 'success') {
    const isSettled = settled?.isZero() === false;
    if (isSettled || credited?.isZero() === false) {
      const name = isSettled ? 'settled_amount_usdt' : 'adjustment.actual_amount_usdt';
      throw malformed(`its status is ${status}, but "${name}" was credited`);
    }
    if (is_adjusted === true || (adjustment ?? null) !== null)
      throw malformed(`its status is ${status}, but it says that a payment was adjusted`);
    return;
  }
  if (areDifferent(settled, credited)) {
    throw malformed(
      '"settled_amount_usdt" and "adjustment.actual_amount_usdt" differ: how much was credited is unclear',
    );
  }
  if (is_adjusted === true && actual === null)
    throw malformed('"is_adjusted" is true, but "adjustment.actual_amount_fiat" does not say how much was paid');
  if (areDifferent(amount, expected)) throw malformed('"amount" and "adjustment.expected_amount_fiat" differ');
  if (is_adjusted === false && (adjustment ?? null) !== null) {
    throw malformed('"is_adjusted" is false, but there is an "adjustment"');
  }
}

/**
 * Reads an amount, or null if it cannot be read: the decoder refuses that for the amounts that the event needs.
 * @throws WebhookVerificationError for a negative one
 */
function readAmount(name: string, money: CatchUpInvoice['amount'] | null | undefined): Decimal | null {
  const value = decimalFrom(amountText(money));
  if (value instanceof Problem) return null;
  if (value.isNegative()) throw malformed(`"${name}" is negative`);
  return value;
}

function areDifferent(a: Decimal | null, b: Decimal | null): boolean {
  return a !== null && b !== null && !a.eq(b);
}

/** True for a paid invoice that lacks a member of its end, as the creation form does. A list has the full form. */
export function lacksPayment({
  status,
  finished_at,
  settled_amount_usdt,
  is_adjusted,
  adjustment,
}: CatchUpInvoice): boolean {
  const credited = settled_amount_usdt ?? adjustment?.actual_amount_usdt;
  return status === 'success' && [finished_at, credited, is_adjusted].some((member) => (member ?? null) === null);
}
