import type { CallEvent, ErrorEvent, Hooks, Logger, ResponseEvent, RetryEvent } from '../call/options.ts';
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
    quietly(() => this.#hooks.onRequest?.(event));
    quietly(() => this.#logger.debug?.(`${event.operation}: attempt ${event.attempt}`, event));
  }

  response(event: ResponseEvent): void {
    quietly(() => this.#hooks.onResponse?.(event));
    quietly(() =>
      this.#logger.debug?.(`${event.operation}: HTTP ${event.status} in ${Math.round(event.durationMs)} ms`, event),
    );
  }

  retry(failure: RetryEvent): void {
    const event = { ...failure, code: printable(failure.code) };
    quietly(() => this.#hooks.onRetry?.(event));
    quietly(() =>
      this.#logger.warn?.(`${event.operation}: ${event.code}, next attempt in ${Math.round(event.delayMs)} ms`, event),
    );
  }

  error(failure: ErrorEvent): void {
    const event = { ...failure, code: printable(failure.code) };
    quietly(() => this.#hooks.onError?.(event));
    quietly(() => this.#logger.error?.(`${event.operation}: ${event.code}, outcome ${event.outcome}`, event));
  }
}

/** Tells a merchant's function something; its failure, also a later one, is its own. */
export function quietly(tell: () => unknown): void {
  try {
    const result = tell();
    // An async function rejects later, when nobody else would catch it.
    if (typeof result === 'object' && result !== null) Promise.resolve(result).catch(() => {});
  } catch {
    // its own, too
  }
}
