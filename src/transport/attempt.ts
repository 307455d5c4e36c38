import type { Runtime } from './runtime.ts';

/** Why an attempt was cut short. */
export type Interruption = 'timeout' | 'deadline' | 'aborted';

/**
 * The life of one attempt: a signal that fires at the attempt's time limit, at the call's deadline or when the caller
 * aborts, whichever is first, and that leaves nothing behind on the caller's signal.
 */
export class Attempt {
  readonly #runtime: Runtime;
  readonly #controller = new AbortController();
  readonly #release: () => void;
  readonly #interrupted: Promise<never>;
  interruption: Interruption | null = null;
  /** True from the moment the request was handed to fetch. */
  sent = false;

  constructor(runtime: Runtime, timeout: number, timeLeft: number, callerSignal: AbortSignal | null) {
    this.#runtime = runtime;
    let reject: (reason: unknown) => void = () => {};
    this.#interrupted = new Promise((_, rejectPromise) => {
      reject = rejectPromise;
    });
    this.#interrupted.catch(() => {}); // an attempt that ends by itself leaves it unwatched
    const interrupt = (why: Interruption): void => {
      if (this.interruption !== null) return;
      this.interruption = why;
      const reason = new Error(`attempt ended: ${why}`);
      reject(reason);
      this.#controller.abort(reason);
    };
    const onAbort = (): void => interrupt('aborted');
    callerSignal?.addEventListener('abort', onAbort, { once: true });
    const cancel = runtime.timer(Math.min(timeout, timeLeft), () =>
      interrupt(timeLeft <= timeout ? 'deadline' : 'timeout'),
    );
    this.#release = () => {
      cancel();
      callerSignal?.removeEventListener('abort', onAbort);
    };
    if (callerSignal?.aborted) onAbort();
  }

  /** The monotonic clock. */
  now(): number {
    return this.#runtime.monotonic();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The work's result, or a rejection at once when the attempt is cut short: work may ignore its signal. */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#interrupted]);
  }

  /** Takes the timer and the listener back. */
  end(): void {
    this.#release();
  }
}
