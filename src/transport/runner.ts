import type { CallOptions, DriftEvent } from '../call-options.ts';
import type { Check } from '../contract/codecs.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { isMerchantError } from '../errors.ts';
import type { Answer } from './answer.ts';
import type { RetryBudget } from './budget.ts';
import type { DriftReporter } from './drift-reporter.ts';
import type { RateLimitGate } from './gate.ts';
import { type CallLimits, limitsOf } from './limits.ts';
import type { Observer } from './observer.ts';
import { OperationRun } from './operation-run.ts';
import type { Redactor } from './redact.ts';
import { type CallInput, prepareRequest } from './request.ts';
import type { Runtime } from './runtime.ts';
import type { Transport } from './transport.ts';

/** What a successful call brought, for `Call.withResponse`. */
export interface Success<T> {
  readonly value: T;
  readonly answer: Answer;
  /** Attempts made, the successful one included. */
  readonly attempts: number;
  readonly durationMs: number;
  /** True when an own ambiguous attempt had created the invoice and it was read back. */
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

/** Refinements that a resource may ask for. */
export interface RunExtras<Data> {
  /** Decodes in place of the endpoint's own codec. */
  readonly data?: Check<Data>;
  /** The external_id that is being sent, for errors that should name it. */
  readonly externalId?: string;
  /** The wire's names of query parameters that the interface does not name. */
  readonly queryNames?: Readonly<Record<string, string>>;
  /** One request of several that make up a call; its failure may not be the call's. */
  readonly isPart?: true;
  /** The page of a list that is asked for, for errors that should name it. */
  readonly page?: number;
  /** When the call must be over, in milliseconds since the epoch; else its deadline counts from now. */
  readonly deadlineAt?: number;
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

  /** The limits that a call with these options has; throws a ConfigurationError for an unusable one. */
  limits(options: CallOptions, operation: string): CallLimits {
    return limitsOf(this.#parts.limits, options, operation);
  }

  async run<Data>(
    endpoint: Endpoint<Data>,
    input: CallInput,
    options: CallOptions = {},
    extras: RunExtras<Data> = {},
  ): Promise<Success<Data>> {
    const startedAt = this.runtime.now();
    try {
      const limits = this.limits(options, endpoint.operation);
      const { baseUrl, headers } = this.#parts;
      const names = extras.queryNames ?? {};
      const request = prepareRequest(endpoint, input, baseUrl, { ...headers, ...limits.headers }, limits.query, names);
      return await new OperationRun(this.#parts, endpoint, request, limits, extras).toSuccess();
    } catch (error) {
      if (extras.isPart !== true) this.reportFailure(endpoint, error, startedAt);
      throw error;
    }
  }

  /** Tells the merchant of a departure that only a resource can see. */
  noteDrift(endpoint: Endpoint<unknown>, path: string, kind: DriftEvent['kind']): void {
    this.#parts.drift?.tell(endpoint, path, kind);
  }

  /** Tells the hooks of a call that failed for good. Once for each call: whoever runs parts of one reports for them. */
  reportFailure(endpoint: Endpoint<unknown>, error: unknown, startedAt: number): void {
    if (!isMerchantError(error)) return;
    const { operation, method, path } = endpoint;
    const { code, outcome, attempts } = error;
    const durationMs = this.runtime.now() - startedAt;
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
