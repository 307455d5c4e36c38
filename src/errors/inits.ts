import type { Invoice, InvoiceStatus } from '../contract/types.ts';
import type { AttemptRecord, ErrorCode, Outcome, StoppedBy } from './codes.ts';

/** One finding of a validation. */
export interface ValidationIssue {
  /** Field path, members joined with dots; empty for the request as a whole. */
  readonly path: string;
  readonly message: string;
  /** The service's own type of the finding, where it sends one. */
  readonly type?: string;
}

/** A member that says whether two invoices are the same charge. */
export type ComparedField = 'amount' | 'currency' | 'customer_id';

/** What every error knows. `code` and `message` are given; the rest has a quiet default. */
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

/** What an {@link ApiError} knows beyond {@link MerchantErrorInit}. */
export interface ApiErrorInit extends MerchantErrorInit {
  readonly status: number | null;
  readonly details?: Readonly<Record<string, unknown>> | null;
  readonly requestId?: string | null;
  readonly retryAfter?: number | undefined;
  readonly raw?: string;
}

/** What a {@link ValidationError} knows beyond {@link ApiErrorInit}. */
export interface ValidationErrorInit extends ApiErrorInit {
  readonly issues: readonly ValidationIssue[];
  readonly origin: 'service' | 'client';
}

/** What an {@link InvoiceAlreadyExistsError} knows beyond {@link ApiErrorInit}. */
export interface InvoiceAlreadyExistsErrorInit extends ApiErrorInit {
  readonly existingStatus: InvoiceStatus | null;
  readonly existing?: Invoice | undefined;
}

/** What an {@link UnexpectedResponseError} knows beyond {@link MerchantErrorInit}. */
export interface UnexpectedResponseErrorInit extends MerchantErrorInit {
  readonly status: number | null;
  readonly raw?: string;
  readonly requestId?: string | null;
  readonly issues?: readonly ValidationIssue[];
}
