/** Diagnoses in a minute: enough for whoever sets an endpoint up, and nothing for a stranger who sends thousands. */
const PER_MINUTE = 30;
const MINUTE = 60_000;

/** Limits how often the cause of a mismatch is looked for, because a stranger decides how often one happens. */
export class DiagnosisBudget {
  readonly #now: () => number;
  #left = PER_MINUTE;
  #filledAt: number | null = null;

  /** @param now Milliseconds; a clock that goes back counts from there. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** True where one more mismatch may be diagnosed. Never throws: a clock that fails spends nothing and allows nothing. */
  take(): boolean {
    const now = this.#read();
    if (now === null) return false;
    const passed = this.#filledAt === null ? 0 : now - this.#filledAt;
    const refill = Math.floor((Math.max(0, passed) * PER_MINUTE) / MINUTE);
    this.#left = Math.min(PER_MINUTE, this.#left + refill);
    // What is left of a fraction of a token is kept for the next time.
    if (refill > 0 || passed < 0 || this.#filledAt === null) this.#filledAt = now;
    if (this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }

  #read(): number | null {
    try {
      return this.#now();
    } catch {
      return null;
    }
  }
}
