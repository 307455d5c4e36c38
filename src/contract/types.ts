import type { FinalInvoiceStatus, KnownDeliveryStatus, KnownEventType, KnownWithdrawalStatus } from './statuses.ts';

// The types that several resources share, and the unions of status and event words.

/**
 * A list of known words that stays open: a word that the service adds later arrives as text. After
 * `status === 'success'` the type is `'success'`, and a mistyped word does not compile. Compare with a word that is not
 * listed yet as `(status as string) === 'refunded'`.
 */
export type OpenEnum<Known extends string> = Known | UnlistedWord;

/** Text with a member that exists in the type only: with it, a comparison narrows the known words. */
type Unlisted = string & { readonly unlisted: true };
/** Text that is not one of the known words. In this form a comparison with a mistyped word does not compile. */
export type UnlistedWord = `${Unlisted}`;

/**
 * `pending` is the only state that is not final. `success` is the paid one.
 * @see [Invoice states](../../docs/service-interface.md#invoice-states)
 */
export type KnownInvoiceStatus = 'pending' | FinalInvoiceStatus;
/**
 * The status of an invoice: `pending`, or final: `success` (paid), `fail`, `expired`, `canceled`. A word that the
 * service adds later arrives as text.
 */
export type InvoiceStatus = OpenEnum<KnownInvoiceStatus>;

/**
 * The status of a withdrawal: `pending`, or final: `approved` (it has a `tx_hash`), `rejected` (it has a
 * `reject_reason`). A word that the service adds later arrives as text.
 */
export type WithdrawalStatus = OpenEnum<KnownWithdrawalStatus>;
/**
 * The status of a delivery: `pending` (it waits for its next attempt), `delivering` (an attempt runs), `delivered` (a
 * 2xx came, final), `failed` (no attempt is left, so only a resend makes another one). A word that the service adds
 * later arrives as text.
 */
export type DeliveryStatus = OpenEnum<KnownDeliveryStatus>;
/**
 * The name of a webhook event: `invoice.paid` for `success`, `invoice.canceled` for each other final status. A name
 * that the service adds later arrives as text.
 */
export type EventType = OpenEnum<KnownEventType>;

/** A fiat currency. @see [Currency (short form)](../../docs/service-interface.md#currency-short-form) */
export interface Currency {
  /** The service's number of the currency. */
  readonly id: number;
  /** Currency code, such as `EUR`. */
  readonly code: string;
  /** For people, such as `Euro`. `''` if it cannot be read. */
  readonly name: string;
  /**
   * The sign that is written with an amount, such as `€`. Several currencies share a sign: compare `code`. `''` like
   * `name`.
   */
  readonly symbol: string;
}

/**
 * A page of a list, as the service returns it.
 * @see [Response envelope](../../docs/service-interface.md#response-envelope)
 */
export interface Page<T> {
  /**
   * The items of this page alone: loop over the call with `for await` for those of all pages. A list call leaves out
   * those that contradict its filter, so there may be fewer than `per_page`.
   */
  readonly items: readonly T[];
  /** From 1. */
  readonly page: number;
  /** The size of a page. The last page may have fewer items. */
  readonly per_page: number;
  /** Items on all pages, at the time of this response. */
  readonly total_items: number;
  /** The number of pages. 0 or 1 for an empty list, so look at `items`. */
  readonly total_pages: number;
  /**
   * Whether a page follows, at the time of this response. To get all rows, iterate the list call: it also follows moved
   * rows.
   */
  readonly has_next: boolean;
  /** Whether a page precedes this one. */
  readonly has_prev: boolean;
}

/** The page of a list. */
export interface PageQuery {
  /** From 1. @defaultValue 1 */
  readonly page?: number | null | undefined;
  /** 1 to 100. @defaultValue 20 */
  readonly per_page?: number | null | undefined;
}
