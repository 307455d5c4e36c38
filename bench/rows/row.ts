/** What is counted: CPU of the main thread, wall time, bytes of a bundle, or heap. */
export type Measure = 'cpu' | 'wall' | 'size' | 'heap';

/** One row of the table: contenders beside a baseline. */
export interface Row {
  /** Short, for the command line. */
  readonly id: string;
  readonly title: string;
  readonly measure: Measure;
  /** The file in `contenders/`. */
  readonly subject: string;
  /** The contender that is 1.00. */
  readonly baseline: string;
  /** The contender whose figure is compared with the goal. */
  readonly ours: string;
  /** The peers, and other contenders. Names are those of the subject's file. */
  readonly others: readonly string[];
  readonly goal: number | null;
  readonly stretch: number | null;
}

/** A row whose contenders answer many calls in one process. */
export interface WarmRow extends Row {
  readonly kind: 'warm';
  /** Calls of one sample. */
  readonly calls: number;
  readonly inFlight: number;
  /** Milliseconds between the service and the contender. */
  readonly latency: number;
  /** Samples of a look. A verdict takes three times as many, from three processes of each contender. */
  readonly pairs: number;
}

/** A row whose contenders do one thing in a fresh process. */
export interface ColdRow extends Row {
  readonly kind: 'cold';
  readonly pairs: number;
}
