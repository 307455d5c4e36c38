/**
 * Counts the rows that a walk was served against those that the service says it has. All counts are of uuids: a row
 * that comes twice is one row.
 */
export class Tally {
  readonly #seen = new Set<string>();
  /** Rows of the second reading. Null during the first. */
  #shownAgain: Set<string> | null = null;
  /** Rows on the pages before the one where the walk began. */
  readonly #before: number;
  #total: number;
  /** Rows that have joined since this reading began. They may be on pages that were read before. */
  #joined = 0;
  /** Of those, the ones that have not yet shown as repeats of the rows that they moved backward. */
  #credit = 0;
  /** Rows that have left since the walk began, and since this reading did: perhaps rows that were seen. */
  #lost = 0;
  #lostAgain = 0;
  #repeatedOn: number | null = null;

  constructor(total: number, before: number) {
    this.#total = total;
    this.#before = before;
  }

  /** Counts a row, and returns true if no page had it before. */
  isNew(key: string): boolean {
    this.#shownAgain?.add(key);
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  /** Takes the service's count, and returns by how much it is smaller than the last one. */
  countedAs(total: number): number {
    const lost = this.#total - total;
    this.#joined += Math.max(0, -lost);
    this.#credit += Math.max(0, -lost);
    this.#lost += Math.max(0, lost);
    this.#lostAgain += Math.max(0, lost);
    this.#total = total;
    return lost;
  }

  /** True when rows that have joined explain this number of repeats. */
  explains(repeats: number): boolean {
    return repeats > 0 && repeats <= this.#credit;
  }

  /** Counts the repeats on a page that was reached for the first time. */
  repeated(page: number, repeats: number): void {
    if (repeats > this.#credit) this.#repeatedOn ??= page;
    this.#credit = Math.max(0, this.#credit - repeats);
  }

  /** The first page with repeats that no growth accounts for: the list has no stable order. */
  get repeatedOn(): number | null {
    return this.#repeatedOn;
  }

  get total(): number {
    return this.#total;
  }

  /** Rows that the service counts and never served: exact unless rows have left, and then no less than the truth. */
  get missing(): number {
    const shownAgain = this.#shownAgain === null ? 0 : this.#shownAgain.size - this.#lostAgain;
    return this.#owed - Math.max(shownAgain, this.#seen.size - this.#lost);
  }

  /** Rows that are missing for certain, whichever rows have left. */
  get surelyMissing(): number {
    return this.#owed - this.#seen.size;
  }

  get #owed(): number {
    return this.#total - this.#before - this.#joined;
  }

  /** The list is read a second time. */
  again(): void {
    this.#shownAgain = new Set();
    this.#joined = 0;
    this.#credit = 0;
    this.#lostAgain = 0;
  }
}
