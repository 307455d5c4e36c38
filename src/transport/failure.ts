import type { Endpoint } from '../contract/endpoint.ts';
import type { Issue } from '../contract/values/codecs.ts';
import {
  AbortedError,
  ConfigurationError,
  ConnectionError,
  type MerchantErrorInit,
  TimeoutError,
  ValidationError,
} from '../errors/classes.ts';
import type { AttemptRecord, ErrorCode, Outcome, StoppedBy } from '../errors/codes.ts';
import { type CallError, isMerchantError } from '../errors/guards.ts';
import { printable } from '../printable.ts';
import type { Hide } from './hide.ts';
import type { FailedAttempt, RetryClass } from './retry.ts';

/** The facts about a call that each of its errors holds. */
export interface CallContext {
  readonly operation: string;
  /** The external_id that the call is about, if the caller gave one. */
  readonly externalId: string | null;
  readonly attempts: readonly AttemptRecord[];
  readonly outcome: Outcome;
  readonly stoppedBy: StoppedBy;
  readonly isWrite: boolean;
  /** The page of a list that was asked for. */
  readonly page?: number | undefined;
  /** What is left of the wait that the service asked another call for. */
  readonly retryAfter?: number | undefined;
}

/** A failed attempt: the input of the retry policy, and the error that it becomes if it is the last attempt. */
export interface Failure extends FailedAttempt {
  readonly code: ErrorCode;
  readonly status: number | null;
  readonly toError: (context: CallContext) => CallError;
}

/** True for a request that may change something. */
export function isWrite({ method }: Pick<Endpoint<unknown>, 'method'>): boolean {
  return method !== 'GET';
}

/** The end of a message: where cause and remedy of the code are written, in the package and beside its source. */
export function seeErrors(code: ErrorCode): string {
  return `See docs/errors.md#${code.toLowerCase()}`;
}

/** Returns the last sentence of a message when it is unknown whether a write happened, or an empty text. */
export function afterUnknown({
  operation,
  outcome,
  isWrite,
}: Pick<CallContext, 'operation' | 'outcome' | 'isWrite'>): string {
  if (outcome !== 'unknown' || !isWrite) return '';
  return ` It may have been processed: ${REMEDIES[operation] ?? 'repeat with the same external_id, or read it back'}.`;
}

/** The remedies for writes without an external_id. */
const REMEDIES: Readonly<Record<string, string>> = {
  'webhooks.resend': 'look at webhooks.deliveries before you send it again',
  request: 'find out whether it was done before you send it again',
};

/** A failure without an answer of the service. */
function unanswered(
  code: ErrorCode,
  outcome: Outcome,
  retryClass: RetryClass,
  problem: string,
  toError: (init: MerchantErrorInit) => CallError,
): Failure {
  return {
    code,
    status: null,
    outcome,
    retryClass,
    retryAfter: undefined,
    toError: (context) => {
      const remedy = afterUnknown(context);
      const message = `${context.operation}: ${problem}.${remedy}${remedy && ` ${seeErrors(code)}`}`;
      return toError({ ...context, code, message });
    },
  };
}

export function attemptTimeout(milliseconds: number, outcome: Outcome): Failure {
  const problem = `no complete answer within ${milliseconds} ms (option "timeout", body included)`;
  return unanswered('SDK_ATTEMPT_TIMEOUT', outcome, 'unanswered', problem, (init) => new TimeoutError(init));
}

export function deadlinePassed(milliseconds: number, outcome: Outcome): Failure {
  const problem = `not finished within ${milliseconds} ms (option "deadline", all attempts and waits)`;
  return unanswered('SDK_DEADLINE', outcome, 'never', problem, (init) => new TimeoutError(init));
}

/** The caller's reason is kept in `reason`, which logs do not print. */
export function aborted(reason: unknown, outcome: Outcome): Failure {
  const problem = "aborted by the caller's signal";
  return unanswered('SDK_ABORTED', outcome, 'never', problem, (init) => new AbortedError({ ...init, reason }));
}

/** The key function failed or returned an unusable key. Its error is not kept, because it may hold the key. */
export function unusableKey(problem: string): Failure {
  const code = 'SDK_API_KEY';
  const toError = (context: CallContext) =>
    new ConfigurationError(`${context.operation}: ${problem}. No request was made with it. ${seeErrors(code)}`, {
      ...context,
      code,
    });
  return { code, status: null, outcome: 'not_sent', retryClass: 'never', retryAfter: undefined, toError };
}

// These occur before any byte of the request is sent. After every other code the request may have arrived.
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
const HANDSHAKE =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|HOSTNAME_MISMATCH|ERR_TLS_CERT_|EPROTO$|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_UNSUPPORTED_PROTOCOL|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_NO_PROTOCOLS|ERR_SSL_.*ALERT_(?:HANDSHAKE_FAILURE|PROTOCOL_VERSION|NO_APPLICATION_PROTOCOL|INSUFFICIENT_SECURITY)$|ERR_SSL_.*UNRECOGNIZED_NAME$|INVALID_CA$)/;
const TLS = /^(?:ERR_TLS_|ERR_SSL_|CRL_)/;
/** Deno's fetch has no codes. This is its message for a connection that was never made, TLS included. */
const DENO_NOT_CONNECTED = /client error \(Connect\)/;
/** The host of a sandbox without a port. */
const SANDBOX_HOST = /sandbox\.invalid/;
/** Messages of fetch for a URL that it refuses without a connection. */
const NOT_FETCHABLE = /^(?:bad port|unknown scheme|URL scheme must be|Failed to parse URL|Invalid URL)/i;

const DETAIL_MAX = 300;
const CODE_MAX = 64;

/**
 * The failure of an attempt whose `fetch` has rejected.
 *
 * @param sent True when the request had been passed to `fetch`.
 * @param redact Makes a text of the platform safe to show.
 */
export function connectionFailure(thrown: unknown, sent: boolean, redact: (text: string) => string): Failure {
  const causes = causesOf(thrown);
  const coded = causes.filter(isSystemError);
  const code = coded[0]?.code;
  const tls = coded.some((cause) => HANDSHAKE.test(cause.code) || TLS.test(cause.code));
  const unfetchable = causes.some((cause) => NOT_FETCHABLE.test(messageOf(cause)));
  const unconnected =
    coded.length === 0 ? causes.some((cause) => DENO_NOT_CONNECTED.test(messageOf(cause))) : coded.every(isNeverSent);
  const unsent = !sent || unfetchable || unconnected;
  const outcome: Outcome = unsent ? 'not_sent' : 'unknown';
  const detail = redact(messageOf(causes.at(-1)) || 'fetch failed').slice(0, DETAIL_MAX);
  const shownCode = code === undefined ? undefined : redact(code).slice(0, CODE_MAX);
  const isSandbox = coded.some(({ code }) => code === 'ENOTFOUND') && SANDBOX_HOST.test(messageOf(causes.at(-1)));
  const problem = isSandbox
    ? 'this sandbox has no port, so give sandbox.fetch to the client as its option fetch, or call sandbox.listen() first'
    : tls
      ? 'the TLS connection could not be made'
      : 'no answer from the service';
  const said = shownCode === undefined || detail.includes(shownCode) ? detail : `${shownCode}: ${detail}`;
  const retryClass = tls || unfetchable || isSandbox || !sent ? 'never' : 'unanswered';
  // A copy: the platform's error may hold the request.
  const toError = (init: MerchantErrorInit): CallError => {
    const cause = Object.assign(new Error(detail), shownCode === undefined ? {} : { code: shownCode });
    return new ConnectionError({ ...init, cause });
  };
  return unanswered(tls ? 'SDK_TLS' : 'SDK_CONNECTION', outcome, retryClass, `${problem} (${said})`, toError);
}

interface SystemError {
  readonly code: string;
  readonly syscall?: unknown;
}

function isSystemError(cause: object): cause is SystemError {
  return 'code' in cause && typeof cause.code === 'string';
}

function isNeverSent({ code, syscall }: SystemError): boolean {
  return NEVER_SENT.has(code) || HANDSHAKE.test(code) || syscall === 'connect';
}

/** Returns the error, its causes, and the errors of an AggregateError: each address has its connection attempt. */
function causesOf(thrown: unknown): object[] {
  const found: object[] = [];
  const queue: unknown[] = [thrown];
  while (queue.length > 0 && found.length < 16) {
    const next = queue.shift();
    if (typeof next !== 'object' || next === null || found.includes(next)) continue;
    found.push(next);
    const { cause, errors } = next as { cause?: unknown; errors?: unknown };
    queue.push(cause, ...(Array.isArray(errors) ? errors : []));
  }
  return found;
}

function messageOf(cause: object | undefined): string {
  const message = (cause as { message?: unknown } | undefined)?.message;
  return typeof message === 'string' ? message : '';
}

// Arguments that are refused before any request is made.

/** The error of arguments that could not be read. What the caller's own code threw is not kept: it may hold anything. */
export function argumentError(thrown: unknown, operation: string, externalId: string | null): Error {
  if (isMerchantError(thrown)) return thrown;
  const message = `${operation}: the parameters or options cannot be read. No request was made.`;
  return new ConfigurationError(message, { code: 'SDK_INVALID_ARGUMENT', operation, externalId });
}

const NAMED_MAX = 5;

/** The error of an input that the service would refuse. */
export function invalidInput(
  operation: string,
  found: readonly Issue[],
  externalId: string | null,
  hide: Hide,
): ValidationError {
  const issues = found.map(({ path, message }) => ({ path, message: printable(hide(message)) }));
  const named = issues
    .slice(0, NAMED_MAX)
    .map(({ path, message }) =>
      path === '' ? `the parameters ${message.replace(/^is /, 'are ')}` : `${path} ${message}`,
    );
  return new ValidationError({
    code: 'VALIDATION_ERROR',
    operation,
    externalId,
    status: null,
    issues,
    origin: 'client',
    message: `${operation}: ${named.join('; ')}. No request was made.`,
  });
}
