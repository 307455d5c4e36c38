import type { InvoiceStatus, Page } from './types.ts';
import type { Check, Issue } from './values/check.ts';

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
  /** Path parameters. Absent where the path has none. */
  readonly params?: Check<WireRecord>;
  /** Query, as text. Absent where the interface lists none. */
  readonly query?: Check<WireRecord>;
  /** Parameters that are not sent: the client itself selects rows by them. */
  readonly local?: Check<WireRecord>;
  /** JSON body. Absent where the interface lists none. */
  readonly body?: Check<WireRecord>;
  /** The payload of a success, decoded tolerantly. */
  readonly data: Check<Data>;

  // The rest is what is special about an endpoint. An ordinary one has none of these members.

  /** Members of the body that are addresses: plain http is for loopback hosts, or for a client with `allowHttp`. */
  readonly addresses?: readonly string[];
  /** The parameter with the id of the order, which errors and the events of hooks show. */
  readonly order?: 'external_id' | 'ident';
  /**
   * The members in which the data is not what was asked for. A proxy or a cache may have sent the response to
   * another request.
   */
  differences?(data: Data, sent: WireRecord): readonly string[];
  /**
   * True for data of this endpoint whose members look like those of an error, such as `success` and `error`. Data of
   * this kind is not taken for an error.
   */
  readonly isRecord?: (value: unknown) => boolean;
  /** True for the body of an error response which shows that the work was done all the same. */
  readonly isDone?: (body: unknown) => boolean;
  /** Of an endpoint with pages: the number of its rows is bounded before they are decoded. */
  readonly isPage?: true;
  /** The names of query parameters on the wire, where they are not the interface's. */
  readonly queryNames?: Readonly<Record<string, string>>;
  /** The name of a member that could not be read and is never used as a key, or null. It is printed once. */
  unreadable?(data: Data): string | null;
  /** What to do if it is unknown whether the work was done. A part of a sentence, in the message of the error. */
  readonly remedy?: string;
  /**
   * A sentence about the likely mistake in a rejected request, or one for an empty list. Otherwise an empty text.
   * `fields`: those that the response names.
   */
  readonly hint?: (sent: WireRecord, fields: readonly string[]) => string;
  /** How to read INVOICE_ALREADY_EXISTS. The table in `endpoints.ts` sets it for every endpoint. */
  readonly conflict?: ConflictForm;
}

/** How to read the error response for an order that has an invoice already. */
export interface ConflictForm {
  /** What to call in place of the creation. */
  readonly advice: string;
  /**
   * The external_id in the details, or null. It shows whether the response is about the order that was sent.
   */
  readonly externalIdIn: (details: unknown) => string | null;
  /** All facts in the details. */
  readonly read: (details: unknown) => Conflict;
}

/** The facts about the existing invoice in the details of INVOICE_ALREADY_EXISTS. */
export interface Conflict {
  /**
   * The merchant's order id, also from less certain names such as `order_id`. Shown if the call itself names no order.
   */
  readonly externalId: string | null;
  readonly existingStatus: InvoiceStatus | null;
}

/** An endpoint that returns a page, whose items can also be decoded one by one. */
export interface PageEndpoint<T> extends Omit<Endpoint<Page<T>>, 'differences'> {
  readonly item: Check<T>;
  readonly isPage: true;
  /** The parameters that select rows, each with its word in a row. A row with another word is left out. */
  readonly filters: Readonly<Record<string, (item: T) => string>>;
}

/** An endpoint that returns all its rows at once, each of them readable without the others. */
export interface RowsEndpoint<T> extends Endpoint<ReadRows<T>> {
  readonly item: Check<T>;
  /** True for a row that the service should have left out. */
  readonly isOmitted?: (raw: unknown) => boolean;
}

/** A row that cannot be read and is left out. */
export interface InvalidRow {
  /** Place in the payload, from 0. */
  readonly index: number;
  /** The first thing that is wrong with it. */
  readonly issue: Issue;
  readonly raw: unknown;
}

/** A page with the rows that were left out of it. */
export interface PageRows<T> {
  readonly page: Page<T>;
  readonly invalid: readonly InvalidRow[];
}

/** The rows of a list without pages, and those that were left out. */
export interface ReadRows<T> {
  readonly rows: T[];
  readonly invalid: readonly InvalidRow[];
}
