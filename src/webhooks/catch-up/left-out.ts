/** More invoices than this are not carried from run to run: the cursor then stays where it is. */
const CARRIED_MAX = 1_000;

/** The invoices that a run could not finish. The cursor carries them to the next run. */
export class LeftOut {
  readonly #retry = new Set<string>();
  readonly #unreadable = new Set<string>();
  #isBlocked = false;

  /** Invoices that failed or were busy. */
  get retry(): readonly string[] {
    return [...this.#retry];
  }

  /** Invoices that cannot be decoded, or contradict themselves. */
  get unreadable(): readonly string[] {
    return [...this.#unreadable];
  }

  /** True if the cursor must not advance, because something could not be carried. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Carries an invoice, if it can be named. */
  add(uuid: unknown, canBeRead: boolean): void {
    const carried = canBeRead ? this.#retry : this.#unreadable;
    if (typeof uuid === 'string' && uuid !== '') carried.add(uuid);
    else this.block();
    if (this.#retry.size + this.#unreadable.size > CARRIED_MAX) this.block();
  }

  block(): void {
    this.#isBlocked = true;
  }
}
