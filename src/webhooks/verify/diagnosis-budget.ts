/** Diagnoses per minute: enough to set up an endpoint, and cheap against thousands of wrong requests. */
const PER_MINUTE = 30;
const MINUTE = 60_000;

/** Limits how often a mismatch is diagnosed, because any sender can cause one. */
export class DiagnosisBudget {
  readonly #now: () => number;
  #left = PER_MINUTE;
  #filledAt: number | null = null;

  /** @param now Returns milliseconds. A clock may go back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns whether one more mismatch may be diagnosed. Never throws: if the clock fails, no diagnosis is allowed. */
  take(): boolean {
    let now: number;
    try {
      now = this.#now();
    } catch {
      return false;
    }
    const passed = this.#filledAt === null ? 0 : now - this.#filledAt;
    const refill = Math.floor((Math.max(0, passed) * PER_MINUTE) / MINUTE);
    this.#left = Math.min(PER_MINUTE, this.#left + refill);
    // The time of a fraction of a diagnosis is kept for the next call.
    if (refill > 0 || passed < 0 || this.#filledAt === null) this.#filledAt = now;
    if (this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }
}
