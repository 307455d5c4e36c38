/** An answer that a client has received, and the part of its request that is needed to understand it. */
export interface SeenAnswer {
  /** The method of the client, such as `invoices.get`. */
  readonly operation: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** The amount that was sent. */
  readonly amount?: string | undefined;
  readonly status: number;
  readonly headers: Headers;
  /** The text of the body. */
  readonly raw: string;
}

/** A point that an answer fills in otherwise than the dialect file. Both values are words of this package. */
export interface Departure {
  readonly point: string;
  /** The value in the file. */
  readonly expected: string | number;
  /** The value that the answer shows. */
  readonly seen: string | number;
}

/** Returns the points that one answer fills in otherwise. */
export type DepartureReader = (answer: SeenAnswer) => readonly Departure[];
