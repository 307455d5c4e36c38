import { type AttemptRecord, BRAND, type ErrorCode, type ErrorKind, type Outcome, type StoppedBy } from './codes.ts';
import type { MerchantErrorInit } from './error-fields.ts';

/**
 * The class that every error of this package extends.
 *
 * Compare `code` for the exact reason, or `kind` for the reaction. {@link isMerchantError} also recognises errors of a
 * second copy of the package, which `instanceof` does not. Neither an error nor its cause nor its inspection holds the
 * API key, a webhook secret, request headers or a request body.
 *
 * @example
 * try {
 *   await merchant.invoices.create(params);
 * } catch (error) {
 *   if (!isMerchantError(error)) throw error;
 *   if (error.outcome === 'unknown') retryLater(params); // with the same external_id
 * }
 */
export abstract class MerchantError extends Error {
  abstract readonly kind: ErrorKind;
  /** Identifier that does not change between versions: the code of the service, or a code that begins with `SDK_`. */
  readonly code: ErrorCode;
  /** Whether the operation happened, over all attempts of the call. */
  readonly outcome: Outcome;
  /** The method that was called, such as `invoices.create`. Null outside a call. */
  readonly operation: string | null;
  /** The `external_id` of a creation, or the ident of a read. Null for other calls. */
  readonly externalId: string | null;
  /** The failed attempts, oldest first. Empty when no request was made. */
  readonly attempts: readonly AttemptRecord[];
  /** Why there was no further attempt. */
  readonly stoppedBy: StoppedBy;
  /** The page that the client was reading, for a list. A loop can resume there. */
  declare readonly page?: number;

  constructor(init: MerchantErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = init.code;
    this.outcome = init.outcome ?? 'not_sent';
    this.operation = init.operation ?? null;
    this.externalId = init.externalId ?? null;
    this.attempts = init.attempts ?? [];
    this.stoppedBy = init.stoppedBy ?? 'not_retryable';
    if (init.page !== undefined) this.page = init.page;
  }

  /** Returns plain data for a log line: name, message and fields, without the stack and the cause. */
  toJSON(): Record<string, unknown> {
    const { cause: _cause, stack: _stack, ...fields } = this as Record<string, unknown>;
    return { name: this.name, message: this.message, ...fields };
  }
}
Object.defineProperty(MerchantError.prototype, BRAND, { value: true });
