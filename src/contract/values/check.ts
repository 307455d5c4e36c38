// What a check is, without its schema: the rooms that only use checks, and the public types, need no zod.

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
      /** True where there are more. */
      readonly isMore?: true;
    };

/** Wire value to typed value, or typed parameters to wire value. */
export interface Check<T> {
  (value: unknown): Checked<T>;
  /** Returns what is known of the value beside its schema. Absent where nothing is read. */
  readonly structure?: () => Structure;
}

/** What a value is on the wire, for the report of drift. */
export interface Structure {
  readonly kind: 'text' | 'flag' | 'integer' | 'decimal' | 'timestamp' | 'list' | 'record' | 'anything';
  /** True where the member may be absent or null. */
  readonly isOptional?: boolean;
  /** True where a value that cannot be read is null, and does not make its record unreadable. */
  readonly isLenient?: boolean;
  /** The words that the interface lists. Others are accepted. */
  readonly words?: readonly string[];
  readonly members?: Readonly<Record<string, Structure>>;
  readonly item?: Structure;
  /** True where the interface does not show the member names, so that no name is unknown. */
  readonly hasChosenNames?: boolean;
}
