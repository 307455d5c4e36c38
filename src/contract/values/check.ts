import type { Form } from '../openapi/forms.ts';

/** One deviation from the interface, or one unusable parameter. */
export interface Issue {
  /** Members joined with dots; empty for the value as a whole. */
  readonly path: string;
  readonly message: string;
}

/** The result of reading or writing a value. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      /** The first of them; decoding stops where there are more. */
      readonly issues: readonly Issue[];
      /** True where there are more. */
      readonly isMore?: true;
    };

/** Wire value to typed value, or typed parameters to wire value. */
export interface Check<T> {
  (value: unknown): Checked<T>;
  /** What it reads, as data; absent where nothing is read. */
  readonly form?: () => Form;
}
