import { argumentFail } from '../checks.ts';
import type { Check, Issue } from '../contract/values/codecs.ts';
import { ValidationError } from '../errors/classes.ts';
import { isMerchantError } from '../errors/guards.ts';

// Arguments that are refused before any request is made.

/** Runs code that reads objects of the caller, whose getters and proxies may throw anything. */
export function readArguments<T>(operation: string, read: () => T, externalId: () => string | null = () => null): T {
  try {
    return read();
  } catch (error) {
    if (isMerchantError(error)) throw error;
    // The error of the caller's code is not kept, because it may hold anything.
    return argumentFail(operation, externalId())('the parameters or options cannot be read');
  }
}

/** Returns the checked input, or throws a ValidationError with the origin `client`. */
export function readInput<T>(check: Check<T>, given: unknown, operation: string): T {
  const checked = readArguments(operation, () => check(given));
  if (!checked.ok) throw invalidInput(operation, checked.issues);
  return checked.value;
}

const NAMED_MAX = 5;

/** The error of an input that the service would refuse. */
export function invalidInput(
  operation: string,
  issues: readonly Issue[],
  externalId: string | null = null,
): ValidationError {
  const named = issues
    .slice(0, NAMED_MAX)
    .map(({ path, message }) =>
      path === '' ? `the parameters ${message.replace(/^is /, 'are ')}` : `${path} ${message}`,
    );
  return new ValidationError({
    code: 'VALIDATION_ERROR',
    operation,
    externalId,
    status: null,
    issues,
    origin: 'client',
    message: `${operation}: ${named.join('; ')}. No request was made.`,
  });
}
