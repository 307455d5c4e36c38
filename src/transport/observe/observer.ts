import { notify } from '../../callbacks.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Named } from '../../contract/endpoints.ts';
import { payloadOf, unwrapped } from '../../contract/envelope.ts';
import { isObject } from '../../contract/json.ts';
import { type Drift, driftsIn } from '../../contract/values/drift.ts';
import { printable } from '../../printable.ts';
import type { Redactor } from '../secrecy/redact.ts';
import type {
  CallEvent,
  DriftEvent,
  EndEvent,
  ErrorEvent,
  Hooks,
  Logger,
  ResponseEvent,
  RetryEvent,
} from './events.ts';

/** Calls the hooks and the logger. Their errors are ignored. */
export class Observer {
  readonly #hooks: Hooks;
  readonly #logger: Logger;

  constructor(hooks: Hooks, logger: Logger) {
    this.#hooks = hooks;
    this.#logger = logger;
  }

  // Stryker disable OptionalChaining: notify ignores errors, and so also the call of a hook that is absent

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

  error(event: ErrorEvent): void {
    notify(() => this.#hooks.onError?.(event));
    const level = event.expected ? 'warn' : 'error';
    notify(() => this.#logger[level]?.(`${event.operation}: ${event.code}, outcome ${event.outcome}`, event));
  }

  end(event: EndEvent): void {
    notify(() => this.#hooks.onEnd?.(event));
  }

  // Stryker restore OptionalChaining
}

/** Identifies one call. The text is made when it is first read, because most calls have no observer. */
export class CallId {
  #text: string | null = null;

  get text(): string {
    this.#text ??= crypto.randomUUID();
    return this.#text;
  }
}

/** The error of a trace: name, code and outcome. The thrown one may hold what the service said, such as an invoice. */
export function shownFailure(name: string, { code, outcome }: Pick<ErrorEvent, 'code' | 'outcome'>): Error {
  const error = new Error(`${code}, outcome ${outcome}`);
  error.name = name;
  return Object.assign(error, { code, outcome });
}

/** Deviations remembered. A service that sends a new name each time must not fill the memory. */
const REMEMBERED = 1_000;
const PATH_MAX = 300;

/** Where the deviations of answers go. */
export interface DriftSink {
  /** Returns the sink of a client with other secrets. */
  with(redactor: Redactor): DriftSink;
  /** Called before an answer is decoded. */
  begin(): void;
  /** Takes the deviations of a success that was decoded. Returns those that make the call fail. */
  report(endpoint: Named<Endpoint<unknown>>, body: unknown): readonly Pick<DriftEvent, 'path' | 'kind'>[];
  /** Takes one deviation. */
  reportOnce(endpoint: Named<Endpoint<unknown>>, path: string, kind: DriftEvent['kind']): void;
}

/** Returns the deviations of a success that was decoded. */
export function departuresOf(endpoint: Named<Endpoint<unknown>>, body: unknown): readonly Drift[] {
  const structure = endpoint.data.structure?.();
  if (structure === undefined) return [];
  const isBare = !isObject(body) || !Object.hasOwn(body, 'data');
  const bare: readonly Drift[] = isBare && endpoint.envelope === 'shown' ? [{ path: '', kind: 'no_envelope' }] : [];
  return [...bare, ...driftsIn(structure, unwrapped(payloadOf(body)))];
}

/** Calls `onDrift` once for each deviation of an answer from the interface. */
export class DriftReporter implements DriftSink {
  readonly #onDrift: (event: DriftEvent) => unknown;
  readonly #redactor: Redactor;
  readonly #reported: Set<string>;

  constructor(onDrift: (event: DriftEvent) => unknown, redactor: Redactor, reported = new Set<string>()) {
    this.#onDrift = onDrift;
    this.#redactor = redactor;
    this.#reported = reported;
  }

  /** Returns a reporter for a client with other secrets, which does not repeat what this one has reported. */
  with(redactor: Redactor): DriftReporter {
    return new DriftReporter(this.#onDrift, redactor, this.#reported);
  }

  begin(): void {}

  /** Reports the deviations. None of them makes a call fail. */
  report(endpoint: Named<Endpoint<unknown>>, body: unknown): readonly [] {
    for (const { path, kind } of departuresOf(endpoint, body)) this.reportOnce(endpoint, path, kind);
    return [];
  }

  /** Reports one deviation, unless it was reported before. */
  reportOnce({ operation }: Named<Endpoint<unknown>>, path: string, kind: DriftEvent['kind']): void {
    const key = `${operation} ${kind} ${path}`;
    if (this.#reported.has(key) || this.#reported.size >= REMEMBERED) return;
    this.#reported.add(key);
    const shown = printable(this.#redactor.beginning(path, PATH_MAX));
    notify(() => this.#onDrift({ operation, path: shown, kind }));
  }
}
