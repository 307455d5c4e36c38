import type { Structure } from './structure.ts';

/** One deviation from the interface, or one unusable parameter. */
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
      /** The first issues. Decoding stops where there are more. */
      readonly issues: readonly Issue[];
      /** True where there are more. */
      readonly isMore?: true;
    };

/** Wire value to typed value, or typed parameters to wire value. */
export interface Check<T> {
  (value: unknown): Checked<T>;
  /** Returns the structure that the check reads. Absent where nothing is read. */
  readonly structure?: () => Structure;
}
