/** A table of a page in `docs/` that a script writes. */
export interface PrintedTable {
  /** The page in `docs/`, without its extension. */
  readonly page: string;
  /** The name in the marks of the page. */
  readonly name: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}
