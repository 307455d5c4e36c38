import type { FinalInvoiceStatus } from '../../contract/statuses.ts';
import type { Invoice } from '../../contract/types.ts';
import type { InvalidItem } from '../../resources/list-options.ts';

/** The members of an invoice that its event is built from, and the time of its creation. */
export interface CatchUpInvoice
  extends Pick<
    Invoice,
    'uuid' | 'external_id' | 'status' | 'amount' | 'finished_at' | 'settled_amount_usdt' | 'is_adjusted' | 'adjustment'
  > {
  /** Without it, every list is read to its end. */
  readonly created_at?: Date | undefined;
}

/** The part of a page that `catchUp` reads. Without the optional members, the list is read to its end. */
export interface CatchUpPage {
  readonly page: number;
  readonly total_pages: number;
  readonly per_page?: number | undefined;
  readonly total_items?: number | undefined;
  readonly items?: readonly CatchUpInvoice[] | undefined;
}

/** The part of the options of a list that `catchUp` sets. */
export interface CatchUpListOptions {
  readonly signal?: AbortSignal | undefined;
  readonly prefetch?: number | undefined;
  readonly onPage: (page: CatchUpPage) => void;
  readonly onInvalidItem: (item: InvalidItem) => void;
}

/** The answer to a list: the header `Date` is the time of the service. */
export interface CatchUpAnswer {
  readonly response: { readonly headers: { get(name: string): string | null } };
}

/** A list of invoices. Without the optional members, there is no cursor. */
export interface CatchUpList extends AsyncIterable<CatchUpInvoice> {
  /** The same invoices, page by page. */
  readonly pages?:
    | (() => AsyncIterable<{ readonly items: readonly CatchUpInvoice[]; readonly page?: number | undefined }>)
    | undefined;
  /** The first answer. */
  readonly withResponse?: (() => PromiseLike<CatchUpAnswer>) | undefined;
}

/** The part of a `MerchantClient` that `catchUp` needs: the list of invoices and, for a cursor, single reads. */
export interface CatchUpClient {
  readonly invoices: {
    list(
      query: { readonly status: 'pending' | FinalInvoiceStatus; readonly per_page: number },
      options: CatchUpListOptions,
    ): CatchUpList;
    /** Reads one invoice by its uuid or external_id. Without it, a cursor saves no request. */
    readonly get?:
      | ((ident: string, options: { readonly signal?: AbortSignal | undefined }) => PromiseLike<CatchUpInvoice>)
      | undefined;
  };
}
