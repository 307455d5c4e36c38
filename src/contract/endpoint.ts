import type { Page } from './types.ts';
import type { Check } from './values/check.ts';

/** The operations of the service, named as the client's methods. */
export type Operation =
  | 'invoices.create'
  | 'invoices.list'
  | 'invoices.get'
  | 'webhooks.resend'
  | 'webhooks.deliveries'
  | 'withdrawals.list'
  | 'withdrawals.get'
  | 'paymentMethods.list'
  | 'rates.list';

/** Text values only; an undefined one is left out of the request. */
export type WireRecord = Readonly<Record<string, string | undefined>>;

/** One endpoint of the interface, as data. `Data` is what its success decodes to. */
export interface Endpoint<Data> {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST';
  /** Path below the base address, with `{name}` for each path parameter. */
  readonly path: `/api/v1/external/${string}`;
  /** True when repeating the request cannot do the work twice. */
  readonly idempotent: boolean;
  /** Whether the interface shows the success in an envelope, or does not show its shape. Both are read for either. */
  readonly envelope: 'shown' | 'unsaid';
  /** Path parameters, checked; null where the path has none. */
  readonly params: Check<WireRecord> | null;
  /** Query, as text; null where the interface lists none. */
  readonly query: Check<WireRecord> | null;
  /** JSON body; null where the interface lists none. */
  readonly body: Check<WireRecord> | null;
  /** The payload of a success, decoded tolerantly. */
  readonly data: Check<Data>;
}

/** An endpoint that answers a page, whose items can also be decoded one by one. */
export interface PageEndpoint<T> extends Endpoint<Page<T>> {
  readonly item: Check<T>;
}

/** An endpoint that answers all its rows at once, each of which stands alone. */
export interface RowsEndpoint<T> extends Endpoint<T[]> {
  readonly item: Check<T>;
  /** True for a row that the service should have left out. */
  readonly isOmitted?: (raw: unknown) => boolean;
}
