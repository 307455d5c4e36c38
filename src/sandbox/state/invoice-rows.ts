import type { InvoiceRecord } from './store.ts';

/** Invoices by time of creation, equal times in the order in which they came. A page is cut out without sorting anything. */
export class InvoiceRows {
  readonly #rows: InvoiceRecord[] = [];

  get length(): number {
    return this.#rows.length;
  }

  /** Usually at the end; elsewhere when the clock was put back, or a state is reached later than by younger ones. */
  add(row: InvoiceRecord): void {
    this.#rows.splice(this.#placeOf(row), 0, row);
  }

  remove(row: InvoiceRecord): void {
    const place = this.#placeOf(row);
    if (this.#rows[place] === row) this.#rows.splice(place, 1);
  }

  /** Rows from `start` up to, not including, `end`, counted from the newest or the oldest. Beyond the end there are none. */
  part(start: number, end: number, order: 'newest' | 'oldest'): InvoiceRecord[] {
    const { length } = this.#rows;
    if (start >= length) return [];
    if (order === 'oldest') return this.#rows.slice(start, end);
    return this.#rows.slice(Math.max(0, length - end), length - start).reverse();
  }

  clear(): void {
    this.#rows.length = 0;
  }

  /** Where the row is, or belongs. */
  #placeOf(row: InvoiceRecord): number {
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#rows[middle];
      if (other !== undefined && isBefore(other, row)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isBefore(a: InvoiceRecord, b: InvoiceRecord): boolean {
  return a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.order < b.order);
}
