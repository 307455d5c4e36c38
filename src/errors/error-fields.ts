import type { Invoice, InvoiceStatus } from '../contract/types.ts';
import type { AttemptRecord, ErrorCode, Outcome, StoppedBy } from './codes.ts';

/** One finding of a validation. */
export interface ValidationIssue {
  /** Field path, members joined with dots. Empty for the request as a whole. */
  readonly path: string;
  readonly message: string;
  /** The type of the finding, when the service sends one. */
  readonly type?: string;
}

/** A member that says whether two invoices are the same charge. */
export type ComparedField = 'amount' | 'currency' | 'customer_id';

/** The values of every error. All but `code` and `message` have defaults. */
export interface MerchantErrorInit {
  readonly code: ErrorCode;
  readonly message: string;
  readonly outcome?: Outcome;
  readonly operation?: string | null;
  readonly externalId?: string | null;
  readonly attempts?: readonly AttemptRecord[];
  readonly stoppedBy?: StoppedBy;
  readonly page?: number | undefined;
  readonly cause?: unknown;
}

/** The values of an {@link ApiError}. */
export interface ApiErrorInit extends MerchantErrorInit {
  readonly status: number | null;
  readonly details?: Readonly<Record<string, unknown>> | null;
  readonly requestId?: string | null;
  readonly retryAfter?: number | undefined;
  readonly raw?: string;
}

/** The values of a {@link ValidationError}. */
export interface ValidationErrorInit extends ApiErrorInit {
  readonly issues: readonly ValidationIssue[];
  readonly origin: 'service' | 'client';
}

/** The values of an {@link InvoiceAlreadyExistsError}. */
export interface InvoiceAlreadyExistsErrorInit extends ApiErrorInit {
  readonly existingStatus: InvoiceStatus | null;
  readonly existing?: Invoice | undefined;
}

/** The values of an {@link UnexpectedResponseError}. */
export interface UnexpectedResponseErrorInit extends MerchantErrorInit {
  readonly status: number | null;
  readonly raw?: string;
  readonly requestId?: string | null;
  readonly issues?: readonly ValidationIssue[];
  readonly data?: unknown;
}
