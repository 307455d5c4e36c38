import type { KnownInvoiceStatus, KnownWithdrawalStatus } from './types.ts';
import type { Decimal } from './values/decimal.ts';

/**
 * Money as it may be given: a plain decimal string such as `"25.00"`, or a Decimal of any copy of decimal.js. No number,
 * which cannot hold every amount exactly, and no bigint: `2500n` could mean 2500.00 or, in cents, 25.00.
 */
export type DecimalInput = string | Decimal | DecimalLike;

/** The members of a decimal.js instance that this package reads. */
export interface DecimalLike {
  readonly s: number;
  readonly e: number;
  readonly d: readonly number[];
  toFixed(): string;
}

/**
 * The parameters of a new invoice.
 *
 * @example
 * await merchant.invoices.create({ external_id: 'order-1001', customer_id: 'c-7', amount: '25.00', currency: 'EUR' });
 * @see [POST /api/v1/external/invoices](../../docs/service-interface.md#post-apiv1externalinvoices)
 */
export interface CreateInvoiceParams {
  /** The merchant's order id, 1 to 128 characters. Creation is idempotent on it: use the id of the order, never a random one. */
  readonly external_id: string;
  /** 1 to 128 characters. */
  readonly customer_id: string;
  /** Greater than 0, at most 2 decimals: `"25.00"`. */
  readonly amount: DecimalInput;
  /** 2 to 16 characters, such as `EUR`. `paymentMethods.forCharge` says what can be charged. */
  readonly currency: string;
  /** Text for the customer, at most 255 characters. */
  readonly purpose?: string | null | undefined;
  /** Where the terminal webhook goes: HTTPS, at most 512 characters. Falls back to the business settings. */
  readonly callback_url?: string | null | undefined;
  /** Where the customer goes after a payment. Same rule and fallback as `callback_url`. */
  readonly success_url?: string | null | undefined;
  /** Where the customer goes after a failed payment. Same rule and fallback as `callback_url`. */
  readonly fail_url?: string | null | undefined;
}

/** The page of a list. */
export interface PageQuery {
  /** From 1. @defaultValue 1 */
  readonly page?: number | null | undefined;
  /** 1 to 100. @defaultValue 20 */
  readonly per_page?: number | null | undefined;
}

/**
 * The filters and the page of a list of invoices.
 *
 * @example
 * for await (const invoice of merchant.invoices.list({ status: 'success', currency: 'EUR' })) console.log(invoice.uuid);
 * @see [GET /api/v1/external/invoices](../../docs/service-interface.md#get-apiv1externalinvoices)
 */
export interface ListInvoicesQuery extends PageQuery {
  /** Only the words that the interface lists: the service refuses any other with 422. */
  readonly status?: KnownInvoiceStatus | null | undefined;
  /** Currency code. */
  readonly currency?: string | null | undefined;
}

/**
 * The filter and the page of a list of withdrawals. The interface does not name these parameters on the wire: see
 * docs/decisions.md.
 *
 * @example
 * for await (const withdrawal of merchant.withdrawals.list({ status: 'pending' })) console.log(withdrawal.uuid);
 */
export interface ListWithdrawalsQuery extends PageQuery {
  /** Only the words that the interface lists. */
  readonly status?: KnownWithdrawalStatus | null | undefined;
}
