/** One way of doing a task, made ready: called again and again. */
export type Task = () => unknown;

/**
 * The contenders of a subject by name. Each imports its peer when it is chosen, so that its process loads nothing else.
 * `address` is the server's.
 */
export type Contenders = Readonly<Record<string, (address: string) => Task | Promise<Task>>>;

/** What a contender's process is asked to do. */
export interface Order {
  readonly calls: number;
  /** Calls at the same time. */
  readonly inFlight: number;
  /** Also returns the heap in use after a garbage collection. */
  readonly heap?: boolean;
}

/** What one order cost. */
export interface Cost {
  /** Milliseconds of the main thread's CPU, for each call. */
  readonly cpu: number;
  /** Milliseconds of wall time, for each call. */
  readonly wall: number;
  /** Bytes in use, where asked. */
  readonly heap?: number;
}
