/** Rows may be out of order by this much: services that sort by a serial number create several rows at once. */
const DETECTED_TOLERANCE = 1_000;
/** The same where the merchant vouches for the order. */
const PINNED_TOLERANCE = 60_000;
/** A page whose rows happen to be in order has fewer steps down than this. */
const STEPS_MIN = 3;

/** Observes whether the rows of a list come newest first, by one of their times. */
export class NewestFirst {
  readonly #isPinned: boolean;
  readonly tolerance: number;
  #lowest = Number.POSITIVE_INFINITY;
  #step = Number.POSITIVE_INFINITY;
  #steps = -1;
  #isRefuted = false;

  /** `isPinned`: the merchant says that it holds. */
  constructor(isPinned: boolean) {
    this.#isPinned = isPinned;
    this.tolerance = isPinned ? PINNED_TOLERANCE : DETECTED_TOLERANCE;
  }

  /** Takes the next row. A row without a time has no place in the order. */
  observe(time: number | null): void {
    if (time === null || time > this.#lowest + this.tolerance) this.#isRefuted = true;
    if (time === null) return;
    this.#lowest = Math.min(this.#lowest, time);
    if (this.#step - time <= this.tolerance) return;
    this.#step = time;
    this.#steps += 1;
  }

  /** The earliest time of a row, or infinity before the first. */
  get lowest(): number {
    return this.#lowest;
  }

  /** False once a row has contradicted the order. */
  get mayHold(): boolean {
    return this.#isPinned || !this.#isRefuted;
  }

  /** True when enough rows confirm the order. */
  get holds(): boolean {
    return this.#isPinned || (this.mayHold && this.#steps >= STEPS_MIN);
  }

  /** True when no later row can be of this time or newer, if the order holds. */
  isPast(time: number): boolean {
    return this.#lowest < time - this.tolerance;
  }
}
