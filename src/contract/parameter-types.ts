import type { KnownInvoiceStatus, KnownWithdrawalStatus } from './types.ts';
import type { Decimal } from './values/decimal.ts';

/**
 * Money as it may be given: a plain decimal string such as `"25.00"`, or a Decimal of any copy of decimal.js. No number,
 * which cannot hold every amount exactly, and no bigint: `2500n` could mean 2500.00 or, in cents, 25.00.
 */
export type DecimalInput = string | Decimal | DecimalLike;

/** What a host's own decimal.js instance looks like. */
export interface DecimalLike {
  readonly s: number;
  readonly e: number;
  readonly d: readonly number[];
  toFixed(): string;
}

/**
 * What an invoice is created from.
 * @see [POST /api/v1/external/invoices](../../docs/service-interface.md#post-apiv1externalinvoices)
 */
export interface CreateInvoiceParams {
  /** The merchant's order id, 1 to 128 characters. Creation is idempotent on it: use the order's own id, never a random one. */
  readonly external_id: string;
  /** 1 to 128 characters. */
  readonly customer_id: string;
  /** Greater than 0, at most 2 decimals: `"25.00"`. */
  readonly amount: DecimalInput;
  /** 2 to 16 characters, such as `EUR`. `paymentMethods.forCharge` says what can be charged. */
  readonly currency: string;
  /** At most 255 characters, shown to the customer. */
  readonly purpose?: string | null | undefined;
  /** HTTPS, at most 512 characters. Falls back to the business settings, as the next two do. */
  readonly callback_url?: string | null | undefined;
  readonly success_url?: string | null | undefined;
  readonly fail_url?: string | null | undefined;
}

/** Which page of a list. */
export interface PageQuery {
  /** From 1; default 1. */
  readonly page?: number | null | undefined;
  /** 1 to 100; default 20. */
  readonly per_page?: number | null | undefined;
}

/** @see [GET /api/v1/external/invoices](../../docs/service-interface.md#get-apiv1externalinvoices) */
export interface ListInvoicesQuery extends PageQuery {
  /** Only the words that the interface lists: the service answers any other with 422. */
  readonly status?: KnownInvoiceStatus | null | undefined;
  /** Currency code. */
  readonly currency?: string | null | undefined;
}

/** The interface does not name these parameters on the wire; see docs/decisions.md. */
export interface ListWithdrawalsQuery extends PageQuery {
  readonly status?: KnownWithdrawalStatus | null | undefined;
}
