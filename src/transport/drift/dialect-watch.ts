import { NOT_LOADED } from '../../checks.ts';
import type { Departure, DepartureReader, SeenAnswer } from '../../dialect-file/departure.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { isMerchantError } from '../../errors/guards.ts';
import type { Answer } from '../answer.ts';
import { Attempt } from '../attempt.ts';
import type { CallId } from '../observe/observer.ts';
import type { Runtime } from '../runtime.ts';
import type { WatchedCall } from './dialect-errors.ts';

/** A longer body is not compared: a list of a million rows must not block the process. */
const COMPARED_MAX = 256 * 1024;

/** A call, and how long it may wait. */
interface TimedCall extends WatchedCall {
  readonly timeout: number;
  readonly deadlineAt: number;
  readonly signal: AbortSignal | null;
  readonly client: WatchedCall['client'] & { readonly runtime: Runtime };
}

/** The parts that are loaded late. */
interface Rules {
  readonly read: DepartureReader;
  readonly errors: typeof import('./dialect-errors.ts');
}

/**
 * Compares the answers of a client with its dialect file. The rules are loaded with the first call. With
 * `onDrift: 'throw'` a call is carried to its end, and its error holds the result or the failure. Otherwise `onDrift`
 * receives each deviation once.
 */
export class DialectWatch {
  readonly #load: () => Promise<DepartureReader>;
  readonly #isStrict: boolean;
  #rules: Rules | null = null;
  /** The deviations of each call. A call may send several requests. */
  readonly #found = new WeakMap<CallId, Departure[]>();

  constructor(load: () => Promise<DepartureReader>, isStrict: boolean) {
    this.#load = load;
    this.#isStrict = isStrict;
  }

  /** Compares one answer. A part of a body shows nothing for certain. */
  see({ callId, endpoint, path, sent: { amount }, client }: WatchedCall, answer: Answer): void {
    const { status, headers, raw } = answer;
    if (this.#rules === null || answer.cut || answer.broken || answer.redirected) return;
    if (raw.length > COMPARED_MAX) return;
    const before = this.#found.get(callId) ?? [];
    const seen = { operation: endpoint.operation, path, amount, status, headers, raw };
    const found = departuresIn(this.#rules.read, seen).filter(({ point }) =>
      before.every((earlier) => earlier.point !== point),
    );
    if (this.#isStrict) this.#found.set(callId, [...before, ...found]);
    else for (const each of found) client.drift?.reportOnce(endpoint, each.point, 'other_dialect', each);
  }

  /**
   * Does the work of a call.
   *
   * @param externalId The order that the call is about, as an error may show it.
   * @throws UnexpectedResponseError (`SDK_CONTRACT`) for a deviation, with `onDrift: 'throw'`.
   * @throws ConfigurationError before any request, for a value of the file that the rules do not know. With
   *   `onDrift: 'throw'`, also if they cannot be loaded.
   */
  async judged<Result extends { readonly value: unknown; readonly answer: Answer }>(
    call: TimedCall,
    externalId: string | null,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const rules = this.#rules ?? (await this.#rulesFor(call, externalId));
    if (rules === null) return work();
    this.#rules = rules;
    const { errors } = rules;
    const found = (): readonly Departure[] => this.#found.get(call.callId) ?? [];
    let result: Result;
    try {
      result = await work();
    } catch (error) {
      if (found().length === 0 || !isMerchantError(error) || error.kind === 'aborted') throw error;
      throw errors.failed(call, found(), error);
    }
    if (found().length > 0) throw errors.succeeded(call, found(), result, externalId);
    return result;
  }

  /** Null for a call that continues without the rules: it has ended, or `onDrift` only observes it. */
  async #rulesFor(call: TimedCall, externalId: string | null): Promise<Rules | null> {
    const { runtime } = call.client;
    const wait = new Attempt(runtime, call.timeout, call.deadlineAt - runtime.monotonic(), call.signal);
    try {
      return await wait.race(this.#loadRules());
    } catch (cause) {
      const hasEnded = wait.interruption === 'aborted' || wait.interruption === 'deadline';
      if (hasEnded || (!this.#isStrict && !isMerchantError(cause))) return null;
      const { operation } = call.endpoint;
      const problem = isMerchantError(cause) ? cause.message : NOT_LOADED;
      throw new ConfigurationError(`${operation}: ${problem}`, { operation, externalId, cause });
    } finally {
      wait.end();
    }
  }

  /** A failure to load is not remembered, so the next call tries again. */
  async #loadRules(): Promise<Rules> {
    const [read, errors] = await Promise.all([
      this.#load(),
      import('./dialect-errors.ts').then(({ failed, succeeded }) => ({ failed, succeeded })),
    ]);
    return { read, errors };
  }
}

/** An answer that the rules cannot read shows nothing. The client reads it, or says what is wrong with it. */
function departuresIn(read: DepartureReader, seen: SeenAnswer): readonly Departure[] {
  try {
    return read(seen);
  } catch {
    return []; // such as nesting that is too deep for them
  }
}
