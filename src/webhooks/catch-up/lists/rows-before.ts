/** A page of a list: the count of all rows, and uuid and time of each row on it. */
export interface TimedPage {
  /** Rows of the list on earlier pages. */
  readonly before: number;
  readonly total: number;
  /** Null if not every row of the page is known. */
  readonly rows: readonly TimedRow[] | null;
}

export interface TimedRow {
  readonly uuid: string;
  readonly time: number | null;
}

/** With more rows out of order than this, the list has no order. */
const STRAY_MAX = 1_000;

/**
 * Counts the rows of a list that are older than a time. The list comes newest first, and rows join it meanwhile. One page
 * is enough: the service counts all rows, and the place of the page tells how many of them are newer.
 */
export class RowsBefore {
  readonly #time: number;
  readonly #tolerance: number;
  /** Older rows on earlier pages: the order is only as exact as the tolerance. */
  readonly #stray = new Set<string>();
  #isSettled = false;
  #count: number | null = null;

  constructor(time: number, tolerance: number) {
    this.#time = time;
    this.#tolerance = tolerance;
  }

  /** The number of rows, or null if it is not known. Final once it {@link isSettled}, or the list has ended. */
  get count(): number | null {
    return this.#count;
  }

  /** True when no later page changes the count. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  observe({ before, total, rows }: TimedPage): void {
    if (this.#isSettled) return;
    if (rows === null || this.#stray.size > STRAY_MAX) {
      this.#isSettled = true;
      this.#count = null;
      return;
    }
    for (const { uuid } of rows) this.#stray.delete(uuid); // rows that joined have moved it here
    const older = rows.filter(({ time }) => time !== null && time < this.#time);
    this.#count = total - before - (rows.length - older.length) + this.#stray.size;
    for (const { uuid, time } of older) {
      this.#stray.add(uuid);
      if (time !== null && time < this.#time - this.#tolerance) this.#isSettled = true;
    }
  }
}
