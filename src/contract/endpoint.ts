import type { InvoiceStatus, Page } from './types.ts';
import type { Check } from './values/check.ts';

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

  // What is special about an endpoint. Without these members it is an ordinary one.

  /** The parameter that names the order, for errors and events. */
  readonly order?: 'external_id' | 'ident';
  /**
   * Returns the members in which the data is not what was asked for: a proxy, a cache or a wrong connection may have
   * answered another request.
   */
  differences?(data: Data, sent: WireRecord): readonly string[];
  /** True for a record whose own members look like those of an error. An error response with one shows that the work was done. */
  readonly isRecord?: (value: unknown) => boolean;
  /** What to do where it is unknown whether the work was done. */
  readonly remedy?: string;
  /** A hint for a request that the service has refused. Empty for none. */
  readonly hint?: (sent: WireRecord) => string;
  /** How the service says that the order exists. The table of all endpoints sets it. */
  readonly conflict?: ConflictForm;
}

/** How the error of an order that exists is read. */
export interface ConflictForm {
  /** What to call in place of the creation. */
  readonly advice: string;
  /** The order that the details name, or null. */
  readonly named: (details: unknown) => string | null;
  readonly read: (details: unknown) => Conflict;
}

/** The facts about the existing invoice in the details of INVOICE_ALREADY_EXISTS. */
export interface Conflict {
  readonly externalId: string | null;
  readonly existingStatus: InvoiceStatus | null;
  /** The whole invoice, decoded. Undefined unless the details hold it. */
  readonly existing: unknown;
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
