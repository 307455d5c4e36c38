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
  /** The names of the members that it reads, for `doctor --survey`. Absent if it reads none. */
  readonly shape?: () => MemberNames;
}

/** The members of a record by name, or the items of a list. */
export interface MemberNames {
  readonly members?: Readonly<Record<string, MemberNames>>;
  readonly item?: MemberNames;
}
