/** Time that jumps to the next timer whenever all calls wait, so that a run takes seconds and its seed repeats it. */
export class VirtualClock {
  readonly random: () => number;
  #now = Date.UTC(2026, 0, 1);
  #count = 0;
  readonly #timers = new Map<number, { readonly at: number; readonly callback: () => void }>();

  constructor(random: () => number) {
    this.random = random;
  }

  now(): number {
    return this.#now;
  }

  /** Lets time pass without a timer. */
  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }

  timer(milliseconds: number, callback: () => void): () => void {
    this.#count += 1;
    const id = this.#count;
    this.#timers.set(id, { at: this.#now + Math.max(0, milliseconds), callback });
    return () => this.#timers.delete(id);
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.timer(milliseconds, resolve);
      signal?.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    });
  }

  /** Moves time until the work is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const finished = work.finally(() => {
      done = true;
    });
    finished.catch(() => {}); // reported by the caller, who awaits it below
    for (let idle = 0; !done && idle < 1_000; ) {
      // Streams need a few turns of the event loop to hand their bytes on.
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      idle = this.#fireNext() ? 0 : idle + 1;
    }
    if (!done) throw new Error('no timer is left and the work is not done: something hangs');
    return finished;
  }

  #fireNext(): boolean {
    let next: number | null = null;
    let earliest = Number.POSITIVE_INFINITY;
    for (const [id, { at }] of this.#timers) {
      if (at >= earliest) continue;
      next = id;
      earliest = at;
    }
    const timer = next === null ? undefined : this.#timers.get(next);
    if (next === null || timer === undefined) return false;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, timer.at);
    timer.callback();
    return true;
  }
}
