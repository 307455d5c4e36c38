/** What every row has. */
interface Row {
  /** Short, for the command line. */
  readonly id: string;
  readonly title: string;
  /** The contender that is 1.00. Rows in kB have none, or one for comparison only. */
  readonly baseline: string;
  /** The contender whose figure is compared with the goal. */
  readonly ours: string;
  /** Null where the row only explains another one. */
  readonly goal: number | null;
  readonly stretch: number | null;
}

/** A row whose contenders answer many calls in one process each. */
export interface WarmRow extends Row {
  readonly kind: 'warm';
  /** CPU of the main thread, or wall time. */
  readonly measure: 'cpu' | 'wall';
  /** The file in `contenders/`. */
  readonly subject: string;
  /** Contenders beside the package and the baseline. Names are those of the subject's file. */
  readonly others: readonly string[];
  /** Calls of one sample. */
  readonly calls: number;
  readonly inFlight: number;
  /** Milliseconds before each answer of the service. */
  readonly latency: number;
  /** Pairs of samples in a look. A verdict takes as many from each of three processes. */
  readonly pairs: number;
}

/** A row whose contenders do one thing in a fresh process. */
export interface ColdRow extends Row {
  readonly kind: 'cold';
  readonly measure: 'cpu' | 'wall';
  readonly subject: string;
  readonly others: readonly string[];
  /** Pairs of samples in a look. A verdict takes three times as many. */
  readonly pairs: number;
}

/** A row of bundles. */
export interface SizeRow extends Row {
  readonly kind: 'size';
  readonly measure: 'size';
  readonly bundles: readonly { readonly name: string; readonly statement: string; readonly folder: string }[];
}

/** A row of memory that stays in use. */
export interface HeapRow extends Row {
  readonly kind: 'heap';
  readonly measure: 'heap';
  readonly subject: string;
  /** Calls before the first look at the heap. */
  readonly first: number;
  readonly calls: number;
  readonly inFlight: number;
}

export type AnyRow = WarmRow | ColdRow | SizeRow | HeapRow;
