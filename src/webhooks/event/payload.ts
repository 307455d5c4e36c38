// The members of a payload, read one by one. Plain code, because the receiver must not load a schema library.
import type { JsonObject } from '../../contract/json.ts';
import type { Decimal } from '../../contract/values/decimal.ts';
import { decimalFrom, Problem } from '../../contract/values/scalars.ts';
import type { WebhookVerificationError } from '../../errors/classes.ts';
import { refusal } from '../reasons.ts';

/**
 * The error for a payload. It names members and rules, never a value, because the body holds a customer's data.
 */
export function malformed(why: string, remedy: string | null = null): WebhookVerificationError {
  return refusal('malformed_payload', { cause: `The payload is not as the interface says: ${why}.`, remedy });
}

/**
 * A member of the object itself, because a `__proto__` in the body, or a changed prototype, must not supply
 * one.
 */
export function readMember(payload: JsonObject, name: string): unknown {
  return Object.hasOwn(payload, name) ? payload[name] : undefined;
}

/** Reads an amount, or null if it is absent or empty. @throws WebhookVerificationError if it cannot be read or is negative */
export function optionalAmount(payload: JsonObject, name: string): Decimal | null {
  const value = readMember(payload, name) ?? null;
  if (value === null || value === '') return null;
  const decimal = decimalFrom(value);
  if (decimal instanceof Problem) throw malformed(`"${name}" ${decimal.message}`);
  if (decimal.isNegative()) throw malformed(`"${name}" is negative`);
  return decimal;
}

/** Reads an amount. @throws WebhookVerificationError if it is absent or empty, cannot be read or is negative */
export function requiredAmount(payload: JsonObject, name: string): Decimal {
  const decimal = optionalAmount(payload, name);
  if (decimal === null) throw malformed(`"${name}" is missing or empty`);
  return decimal;
}

/** Reads an amount, or null if it is absent or cannot be read. */
export function readableAmount(payload: JsonObject, name: string): Decimal | null {
  const decimal = decimalFrom(readMember(payload, name));
  return decimal instanceof Problem ? null : decimal;
}
