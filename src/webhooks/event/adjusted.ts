import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Decimal } from '../../contract/values/decimal.ts';
import { printable } from '../../errors/printable.ts';
import { valueAt } from './order-id.ts';
import { malformed, optionalAmount, readableAmount, readMember } from './payload.ts';

// Whether a payment was adjusted must be said, because an absent word would ship goods that were paid in part. It is said
// by `adjusted`, by `is_adjusted`, by an `adjustment` that is an object, or by an `original_amount`. Where they contradict
// each other, or none is there, the payload is malformed, and the service sends it again. What stands beside a pinned
// member, or in an envelope around a whole invoice, says nothing, but it must not say "adjusted" of a payment in full.

/** What the merchant has pinned about the member that says whether a payment was adjusted. */
export interface AdjustedPins {
  readonly adjustedMember: string | undefined;
  readonly adjustedAbsent: 'as_ordered' | undefined;
}

const PIN =
  "If the service says it elsewhere, set adjustedMember: 'path.of.the.member'. If it leaves the member out of a payment as ordered, set adjustedAbsent: 'as_ordered'.";

/** The adjustment of a payment: the amounts that it states. */
interface Adjustment {
  readonly adjusted: boolean;
  /** The fiat originally ordered. Null if it is not said. */
  readonly original_amount: Decimal | null;
}

/** Whether an object says by any of the four members that the payment was adjusted. Null if it says nothing of it. */
export function saidOf(payload: JsonObject): boolean | null {
  const words = [readMember(payload, 'adjusted'), readMember(payload, 'is_adjusted')];
  const [amount, original_amount] = [readableAmount(payload, 'amount'), readableAmount(payload, 'original_amount')];
  const isDifferent = original_amount !== null && (amount === null || !original_amount.eq(amount));
  if (isDifferent || words.includes(true) || isObject(readMember(payload, 'adjustment'))) return true;
  return words.includes(false) ? false : null;
}

/**
 * Reads whether the payment was adjusted.
 *
 * @param layers The envelopes around the invoice, and the invoice.
 * @param paid The amounts of the payload, with which an `adjustment` must agree.
 * @throws WebhookVerificationError `malformed_payload`
 */
export function readAdjusted(
  payload: JsonObject,
  layers: readonly JsonObject[],
  paid: { readonly amount: Decimal; readonly credited_usdt: Decimal },
  pins: AdjustedPins,
): Adjustment {
  const read = readStated(payload, layers[0] ?? payload, paid, pins);
  if (!read.adjusted && [...layers, payload].some((layer) => saidOf(layer) === true)) throw contradiction();
  return read;
}

function contradiction() {
  return malformed('its members contradict each other about whether the payment was adjusted');
}

/** What the members say that may say it: those of the invoice, or the pinned one. */
function readStated(
  payload: JsonObject,
  root: JsonObject,
  paid: { readonly amount: Decimal; readonly credited_usdt: Decimal },
  { adjustedMember, adjustedAbsent }: AdjustedPins,
): Adjustment {
  const original_amount = optionalAmount(payload, 'original_amount');
  const adjustment = readMember(payload, 'adjustment');
  const stated =
    adjustedMember === undefined
      ? [readMember(payload, 'adjusted'), readMember(payload, 'is_adjusted')]
      : [valueAt(payload, adjustedMember) ?? valueAt(root, adjustedMember)];
  const name = adjustedMember === undefined ? 'adjusted' : printable(adjustedMember);
  const isDifferent = original_amount !== null && !original_amount.eq(paid.amount);
  let said = isDifferent || isObject(adjustment) ? true : null;
  if (isObject(adjustment)) checkAdjustment(adjustment, original_amount, paid);
  for (const word of stated) {
    if (word === undefined || word === null) continue;
    if (typeof word !== 'boolean') throw malformed(`"${name}" is not a boolean`);
    if (said !== null && said !== word)
      throw isDifferent
        ? malformed(`"${name}" is false, but "original_amount" differs from "amount"`)
        : contradiction();
    said = word;
  }
  if (said !== null) return { adjusted: said, original_amount };
  if (original_amount !== null) return { adjusted: true, original_amount };
  if (adjustedAbsent === 'as_ordered') return { adjusted: false, original_amount: null };
  throw malformed(`"${name}" is missing, so it is not known whether all of the order was paid`, PIN);
}

/** Refuses an adjustment that states other amounts than the payload. */
function checkAdjustment(
  adjustment: JsonObject,
  original_amount: Decimal | null,
  { amount, credited_usdt }: { readonly amount: Decimal; readonly credited_usdt: Decimal },
): void {
  const pairs = [
    ['actual_amount_fiat', amount],
    ['actual_amount_usdt', credited_usdt],
    ['expected_amount_fiat', original_amount],
  ] as const;
  for (const [member, other] of pairs) {
    const value = optionalAmount(adjustment, member);
    if (value !== null && other !== null && !value.eq(other))
      throw malformed(`"adjustment.${member}" differs from what the payload says beside it`);
  }
}
