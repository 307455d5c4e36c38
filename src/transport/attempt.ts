import type { Runtime } from './runtime.ts';

/** Why an attempt was interrupted. */
export type Interruption = 'timeout' | 'deadline' | 'aborted';

/**
 * The time and the signal of one attempt. The signal fires at the attempt's time limit, at the call's deadline or when
 * the caller aborts. {@link Attempt.end} leaves no timer and no listener behind.
 */
export class Attempt {
  readonly #runtime: Runtime;
  readonly #controller = new AbortController();
  readonly #release: () => void;
  readonly #interrupted: Promise<never>;
  interruption: Interruption | null = null;
  /** True as soon as the request has been passed to fetch. */
  sent = false;

  constructor(runtime: Runtime, timeout: number, timeLeft: number, callerSignal: AbortSignal | null) {
    this.#runtime = runtime;
    let reject: (reason: unknown) => void = () => {};
    this.#interrupted = new Promise((_, rejectPromise) => {
      reject = rejectPromise;
    });
    this.#interrupted.catch(() => {}); // no code waits for it when the attempt is not interrupted
    const interrupt = (why: Interruption): void => {
      if (this.interruption !== null) return;
      this.interruption = why;
      const reason = new Error(`attempt ended: ${why}`);
      reject(reason);
      this.#controller.abort(reason);
    };
    const onAbort = (): void => interrupt('aborted');
    callerSignal?.addEventListener('abort', onAbort);
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

  /** Returns the result of the work. Rejects at once when the attempt is interrupted, because work may ignore its signal. */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#interrupted]);
  }

  /** Removes the timer and the listener. */
  end(): void {
    this.#release();
  }
}
