import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Decimal } from '../../contract/values/decimal.ts';
import { printable } from '../../errors/printable.ts';
import { valueAt } from './order-id.ts';
import { malformed, optionalAmount, readMember } from './payload.ts';

// Whether a payment was adjusted must be said, because an absent word would ship goods that were paid in part. It is said
// by `adjusted`, by `is_adjusted`, by an `adjustment` that is an object, or by an `original_amount`. Where they contradict
// each other, or none is there, the payload is malformed, and the service sends it again.

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

/**
 * Reads whether the payment was adjusted.
 *
 * @param paid The amounts of the payload, with which an `adjustment` must agree.
 * @throws WebhookVerificationError `malformed_payload`
 */
export function readAdjusted(
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
      throw malformed(
        isDifferent
          ? `"${name}" is false, but "original_amount" differs from "amount"`
          : 'its members contradict each other about whether the payment was adjusted',
      );
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
