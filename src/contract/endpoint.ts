import type { Page } from './types.ts';
import type { Check } from './values/codecs.ts';

/** Text values only. An undefined value is left out of the request. */
export type WireRecord = Readonly<Record<string, string | undefined>>;

/** The methods that a client can send. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One endpoint of the interface, as data. `Data` is the type of a decoded success. */
export interface Endpoint<Data> {
  readonly method: HttpMethod;
  /** Path below the base address, with `{name}` for each path parameter. */
  readonly path: `/${string}`;
  /** True where a repeated request cannot do the work twice. */
  readonly idempotent: boolean;
  /** Whether the interface shows the success in an envelope, or shows no shape at all. The client reads both forms for either. */
  readonly envelope: 'shown' | 'not_shown';
  /** Path parameters. Absent where the path has none. */
  readonly params?: Check<WireRecord>;
  /** Query, as text. Absent where the interface lists none. */
  readonly query?: Check<WireRecord>;
  /** JSON body. Absent where the interface lists none. */
  readonly body?: Check<WireRecord>;
  /** The payload of a success, decoded tolerantly. */
  readonly data: Check<Data>;
}

/** An endpoint that returns a page, whose items can also be decoded one by one. */
export interface PageEndpoint<T> extends Endpoint<Page<T>> {
  readonly item: Check<T>;
}

/** An endpoint that returns all its rows at once, each of them readable without the others. */
export interface RowsEndpoint<T> extends Endpoint<T[]> {
  readonly item: Check<T>;
  /** True for a row that the service should have left out. */
  readonly isOmitted?: (raw: unknown) => boolean;
}

/** The operations of the service, named as the client's methods. */
export type ServiceOperation =
  | 'invoices.create'
  | 'invoices.list'
  | 'invoices.get'
  | 'webhooks.resend'
  | 'webhooks.deliveries'
  | 'withdrawals.list'
  | 'withdrawals.get'
  | 'paymentMethods.list'
  | 'rates.list';

/** The operations of the client: those of the service, and `request` for an endpoint that the client does not know. */
export type Operation = ServiceOperation | 'request';

/** An endpoint with the name of its operation. */
export type Named<AnyEndpoint> = AnyEndpoint & { readonly operation: Operation };
