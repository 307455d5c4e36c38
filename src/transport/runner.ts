import type { CallOptions, DriftEvent } from '../call/options.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { isMerchantError } from '../errors/classes.ts';
import type { Answer } from './answer/answer.ts';
import type { RetryBudget } from './budget.ts';
import type { DriftReporter } from './drift-reporter.ts';
import type { RateLimitGate } from './gate.ts';
import { type CallLimits, limitsOf } from './limits.ts';
import type { Observer } from './observer.ts';
import { OperationRun } from './operation-run.ts';
import { type CallInput, prepareRequest, unreadable } from './request.ts';
import type { Runtime } from './runtime.ts';
import { type CallScope, type CallTraits, orderOf } from './scope.ts';
import type { Redactor } from './secrecy/redact.ts';
import type { Transport } from './transport.ts';

/** What a successful call brought, for `Call.withResponse`. */
export interface Success<T> {
  readonly value: T;
  readonly answer: Answer;
  /** Requests made, the successful one included. */
  readonly attempts: number;
  readonly durationMs: number;
  /** True when one of the call's attempts that got no answer had created the invoice, and it was read back. */
  readonly recovered: boolean;
}

/** What all calls of a client share. */
export interface ClientParts {
  readonly transport: Transport;
  readonly runtime: Runtime;
  readonly budget: RetryBudget;
  readonly gate: RateLimitGate;
  readonly observer: Observer;
  readonly redactor: Redactor;
  readonly drift: DriftReporter | null;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: CallLimits;
}

/** Takes one operation from its input to its data: checks, then the attempt loop, within the deadline. */
export class Runner {
  readonly #parts: ClientParts;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  get runtime(): Runtime {
    return this.#parts.runtime;
  }

  /**
   * Checks and copies everything that the caller gave, at once: what the caller changes later changes nothing.
   *
   * @throws ValidationError for parameters, ConfigurationError for options. No request is made.
   */
  open<Data>(
    endpoint: Endpoint<Data>,
    input: CallInput,
    options: CallOptions = {},
    traits: CallTraits<Data> = {},
  ): CallScope<Data> {
    const { operation } = endpoint;
    let externalId: string | null = null;
    try {
      externalId = orderOf(traits.externalId?.());
      const limits = limitsOf(this.#parts.limits, options, operation, () => this.#shown(externalId));
      return this.#scope(endpoint, input, limits, externalId, traits);
    } catch (error) {
      throw unreadable(error, operation, this.#shown(externalId));
    }
  }

  /** A further request of an open call, within its limits and its deadline. */
  part<Data>(
    { limits, deadlineAt, externalId }: CallScope<unknown>,
    endpoint: Endpoint<Data>,
    input: CallInput,
    traits: CallTraits<Data> = {},
  ): CallScope<Data> {
    // What was added to the query belongs to the call's own endpoint.
    return this.#scope(endpoint, input, { ...limits, query: {} }, externalId, { deadlineAt, ...traits });
  }

  /** The attempts of an open call. Its failure is not reported: it may not be the call's. */
  send<Data>(scope: CallScope<Data>): Promise<Success<Data>> {
    return new OperationRun(this.#parts, scope).toSuccess();
  }

  /** One whole call: opens it, sends it, and reports its failure to the hooks. */
  async run<Data>(
    endpoint: Endpoint<Data>,
    input: CallInput,
    options?: CallOptions,
    traits?: CallTraits<Data>,
  ): Promise<Success<Data>> {
    return this.reporting(endpoint, () => this.send(this.open(endpoint, input, options, traits)));
  }

  /** Does the work of one call; a failure for good is reported to the hooks once. */
  async reporting<T>(endpoint: Endpoint<unknown>, work: () => Promise<T>): Promise<T> {
    const startedAt = this.runtime.monotonic();
    try {
      return await work();
    } catch (error) {
      this.reportFailure(endpoint, error, startedAt);
      throw error;
    }
  }

  /** The order as an error may show it: a merchant may have put the key where the order belongs. */
  shownOrder(given: unknown): string | null {
    return this.#shown(orderOf(given));
  }

  /** Data of the service as an error may hold it: without key and secrets. */
  shownData<T>(data: T): T {
    return withTexts(data, (text) => this.#parts.redactor.text(text)) as T; // only texts are written anew
  }

  /** Reports a departure that only a resource can see. */
  noteDrift(endpoint: Endpoint<unknown>, path: string, kind: DriftEvent['kind']): void {
    this.#parts.drift?.tell(endpoint, path, kind);
  }

  #scope<Data>(
    endpoint: Endpoint<Data>,
    input: CallInput,
    limits: CallLimits,
    externalId: string | null,
    traits: CallTraits<Data>,
  ): CallScope<Data> {
    const { baseUrl, headers } = this.#parts;
    const startedAt = this.runtime.monotonic();
    const request = prepareRequest(endpoint, input, {
      baseUrl,
      headers: { ...headers, ...limits.headers },
      query: limits.query,
      queryNames: traits.queryNames ?? {},
      externalId: () => this.#shown(externalId),
    });
    return {
      endpoint,
      request,
      limits,
      data: traits.data ?? endpoint.data,
      externalId: request.sent['external_id'] ?? externalId,
      page: traits.page,
      startedAt,
      deadlineAt: Math.min(startedAt + limits.deadline, traits.deadlineAt ?? Number.POSITIVE_INFINITY),
    };
  }

  #shown(externalId: string | null): string | null {
    return externalId === null ? null : this.#parts.redactor.text(externalId);
  }

  /** Reports the failure of a call to the hooks. Once for each call: whoever runs the parts of one reports for them. */
  reportFailure(endpoint: Endpoint<unknown>, error: unknown, startedAt: number): void {
    if (!isMerchantError(error)) return;
    const { operation, method, path } = endpoint;
    const { code, outcome, attempts } = error;
    const durationMs = this.runtime.monotonic() - startedAt;
    const status = 'status' in error ? error.status : null;
    this.#parts.observer.error({
      operation,
      method,
      url: path,
      attempt: attempts.length,
      code,
      status,
      outcome,
      durationMs,
    });
  }
}

const DEEPEST = 24;

/** A copy of decoded data with each text as `write` gives it. Dates and decimals stay as they are. */
function withTexts(data: unknown, write: (text: string) => string, depth = 0): unknown {
  if (typeof data === 'string') return write(data);
  if (depth >= DEEPEST) return typeof data === 'object' && data !== null ? '[nested too deeply]' : data;
  if (Array.isArray(data)) return data.map((item) => withTexts(item, write, depth + 1));
  if (typeof data !== 'object' || data === null || Object.getPrototypeOf(data) !== Object.prototype) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, member]) => [write(name), withTexts(member, write, depth + 1)]),
  );
}
