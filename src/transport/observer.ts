import type { CallEvent, ErrorEvent, Hooks, Logger, ResponseEvent, RetryEvent } from '../call/options.ts';
import { notify } from '../callbacks.ts';
import { printable } from '../printable.ts';

/** Tells hooks and logger what happens. Nothing they do reaches the call. */
export class Observer {
  readonly #hooks: Hooks;
  readonly #logger: Logger;

  constructor(hooks: Hooks, logger: Logger) {
    this.#hooks = hooks;
    this.#logger = logger;
  }

  request(event: CallEvent): void {
    notify(() => this.#hooks.onRequest?.(event));
    notify(() => this.#logger.debug?.(`${event.operation}: attempt ${event.attempt}`, event));
  }

  response(event: ResponseEvent): void {
    notify(() => this.#hooks.onResponse?.(event));
    notify(() =>
      this.#logger.debug?.(`${event.operation}: HTTP ${event.status} in ${Math.round(event.durationMs)} ms`, event),
    );
  }

  retry(failure: RetryEvent): void {
    const event = { ...failure, code: printable(failure.code) };
    notify(() => this.#hooks.onRetry?.(event));
    notify(() =>
      this.#logger.warn?.(`${event.operation}: ${event.code}, next attempt in ${Math.round(event.delayMs)} ms`, event),
    );
  }

  error(failure: ErrorEvent): void {
    const event = { ...failure, code: printable(failure.code) };
    notify(() => this.#hooks.onError?.(event));
    notify(() => this.#logger.error?.(`${event.operation}: ${event.code}, outcome ${event.outcome}`, event));
  }
}
