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
  /** True if a repeated request cannot do the work twice. */
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

  // The rest is what is special about an endpoint. An ordinary one has none of these members.

  /** The parameter with the id of the order, which errors and the events of hooks show. */
  readonly order?: 'external_id' | 'ident';
  /**
   * Returns the members in which the data is not what was asked for. A proxy or a cache may have sent the response to
   * another request.
   */
  differences?(data: Data, sent: WireRecord): readonly string[];
  /**
   * True for data of this endpoint whose members look like those of an error, such as `success` and `error`. Data of
   * this kind is not taken for an error, and if an error response contains it, the work was done.
   */
  readonly isRecord?: (value: unknown) => boolean;
  /** What to do if it is unknown whether the work was done. A part of a sentence, in the message of the error. */
  readonly remedy?: string;
  /** Returns a sentence about the likely mistake in a rejected request, or an empty text. */
  readonly hint?: (sent: WireRecord) => string;
  /** How to read INVOICE_ALREADY_EXISTS. The table in `endpoints.ts` sets it for every endpoint. */
  readonly conflict?: ConflictForm;
}

/** How to read the error response for an order that has an invoice already. */
export interface ConflictForm {
  /** What to call in place of the creation. */
  readonly advice: string;
  /**
   * Returns the external_id in the details, or null. It shows whether the response is about the order that was sent.
   */
  readonly externalIdIn: (details: unknown) => string | null;
  /** Returns all facts in the details. */
  readonly read: (details: unknown) => Conflict;
}

/** The facts about the existing invoice in the details of INVOICE_ALREADY_EXISTS. */
export interface Conflict {
  /**
   * The merchant's order id, also from less certain names such as `order_id`. Shown if the call itself names no order.
   */
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
