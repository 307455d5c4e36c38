// The type of a check, without its schema, so that rooms that only use checks load no zod.

/** One difference from the interface, or one unusable parameter. */
export interface Issue {
  /** Names of members joined with dots. Empty for the value as a whole. */
  readonly path: string;
  readonly message: string;
}

/** The result of reading or writing a value. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      /** The first issues. */
      readonly issues: readonly Issue[];
      /** True if there are more. */
      readonly isMore?: true;
    };

/** Reads a wire value into a typed one, or writes typed parameters as wire values. */
export interface Check<T> {
  (value: unknown): Checked<T>;
  /** Returns the structure of the value on the wire, for the report of drift. Absent if nothing is read. */
  readonly structure?: () => Structure;
}

/** What a value should be on the wire, for the report of drift. */
export interface Structure {
  readonly kind: 'text' | 'flag' | 'integer' | 'decimal' | 'timestamp' | 'list' | 'record' | 'anything';
  /** True if the member may be absent or null. */
  readonly isOptional?: boolean;
  /** True if a value that cannot be read becomes null, and does not make its record unreadable. */
  readonly isLenient?: boolean;
  /** The words that the interface lists. Others are accepted. */
  readonly words?: readonly string[];
  readonly members?: Readonly<Record<string, Structure>>;
  readonly item?: Structure;
  /**
   * True if this package chose the member names, because the interface shows none: then no name is reported as unknown.
   */
  readonly hasChosenNames?: boolean;
}
