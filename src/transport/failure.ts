import type { Issue } from '../contract/values/check.ts';
import { isLoopback } from '../contract/values/scalars.ts';
import {
  AbortedError,
  ConfigurationError,
  ConnectionError,
  TimeoutError,
  UnexpectedResponseError,
  ValidationError,
} from '../errors/classes.ts';
import { type ErrorCode, guideTo, type Outcome } from '../errors/codes.ts';
import { loopbackProxyRemedy } from '../errors/environment.ts';
import { type CallError, isMerchantError } from '../errors/guards.ts';
import { type Hide, shown } from '../errors/hide.ts';
import { printable } from '../errors/printable.ts';
import { type ConflictFacts, errorOfResponse, excerpt, sentences } from './error-response.ts';
import { failureAlone } from './retry.ts';
import type { ClientCore, Failure, FailureFacts, OpenCall, RetryClass } from './types.ts';

// Failures without a usable response, and the one place where the facts of a failure become the error that the caller
// gets.

/** What to do about a failure of the platform's fetch, by its system code. */
const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there. Is the service running, and is baseUrl right?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'No TLS is spoken there: is it http:, or another port?',
};
/** For an address that no name server knows, such as that of a sandbox without a port. */
const RESERVED =
  'A host that ends in .invalid is never found: for a sandbox, give its fetch to the client, or call listen() first.';
const OWN_FETCH =
  'It must return the Response for every status, also for that of an error. It must throw only if there is no Response.';
const PATH_MAX = 200;
const PROBLEM_MAX = 600;

/** Makes the error of a failed call. `known`: what the resource knows about a conflict beside the response. */
export function toError(call: OpenCall<unknown>, failure: Failure, known: ConflictFacts = {}): CallError {
  const { endpoint, client, page } = call;
  const { code, status, outcome, attempts, stoppedBy, retryAfter, facts } = failure;
  const { operation, method, remedy } = endpoint;
  const externalId = call.externalId === null ? null : client.hide(call.externalId);
  const requestId = 'response' in facts ? facts.response.requestId : null;
  const init = { operation, externalId, page, code, status, requestId, outcome, attempts, stoppedBy };
  const isDoubtful = outcome === 'unknown' && method !== 'GET' && remedy !== undefined;
  const doubt = isDoubtful ? `It may have been processed: ${remedy}.` : '';
  if (facts.is === 'error_response') return errorOfResponse(facts, { ...init, retryAfter }, call, doubt, known);
  if (facts.is === 'unexpected') {
    const { problem, response, issues } = facts;
    const { hide } = response;
    return new UnexpectedResponseError({
      ...init,
      raw: excerpt(response),
      issues: issues.map(({ path, message }) => ({
        path: shown(hide, path, PATH_MAX),
        message: shown(hide, message, PROBLEM_MAX),
      })),
      message: sentences(
        `${operation}: ${shown(hide, problem, PROBLEM_MAX)} (HTTP ${status}).`,
        doubt,
        `See ${guideTo(code)}`,
      ),
    });
  }
  if (facts.is === 'key') {
    const message = `${operation}: ${facts.problem}. No request was made with it. See ${guideTo(code)}`;
    return new ConfigurationError(message, init);
  }
  const message = sentences(`${operation}: ${facts.problem}.`, doubt, doubt === '' ? '' : `See ${guideTo(code)}`);
  switch (facts.is) {
    case 'timeout':
      return new TimeoutError({ ...init, message: sentences(message, throughProxy(client)) });
    case 'aborted':
      return new AbortedError({ ...init, message, reason: facts.reason });
    case 'connection': {
      // A copy: the platform's error may hold the request.
      const { detail, systemCode, advice, byFetch } = facts;
      const cause = Object.assign(new Error(detail), systemCode === undefined ? {} : { code: systemCode });
      const isReserved = outcome === 'not_sent' && new URL(client.baseUrl).hostname.endsWith('.invalid');
      const known = advice ?? ADVICE[systemCode ?? ''] ?? (isReserved ? RESERVED : '');
      const remedy = byFetch ? OWN_FETCH : throughProxy(client) || known;
      return new ConnectionError({ ...init, message: sentences(message, remedy), cause });
    }
  }
}

/** What to set where the service is on this machine, and its requests may go through a proxy. */
export function throughProxy({ baseUrl }: Pick<ClientCore, 'baseUrl'>): string {
  return isLoopback(new URL(baseUrl).hostname) ? (loopbackProxyRemedy() ?? '') : '';
}

/** A failure without a response of the service. */
function unanswered(code: ErrorCode, outcome: Outcome, retryClass: RetryClass, facts: FailureFacts): Failure {
  return failureAlone({ code, status: null, outcome, retryClass, facts });
}

export function attemptTimeout(milliseconds: number, outcome: Outcome): Failure {
  const problem = `no complete response within ${milliseconds} ms (option "timeout", body included)`;
  return unanswered('SDK_ATTEMPT_TIMEOUT', outcome, 'unanswered', { is: 'timeout', problem });
}

export function deadlinePassed(milliseconds: number, outcome: Outcome): Failure {
  const problem = `not finished within ${milliseconds} ms (option "deadline", all attempts and waits)`;
  return unanswered('SDK_DEADLINE', outcome, 'never', { is: 'timeout', problem });
}

/** A signal of an earlier call, or of a time-out that counts from the start of the program. */
export const OVER_BEFORE = ', which was over before this request';

/** The failure of a call that the caller's signal ended. `reason` is the signal's, which logs do not print. */
export function aborted(reason: unknown, outcome: Outcome, when = ''): Failure {
  const problem = `aborted by the caller's signal${when}`;
  return unanswered('SDK_ABORTED', outcome, 'never', { is: 'aborted', problem, reason });
}

/** The failure of an attempt without a usable key. `problem` must not quote the key. */
export function unusableKey(problem: string): Failure {
  return unanswered('SDK_API_KEY', 'not_sent', 'never', { is: 'key', problem });
}

/** The steps before any byte of the request is sent: the look-up of the host, also by c-ares, and the connection. */
const BEFORE_SENDING = /^(?:connect|getaddrinfo|query\w*)$/;
/** Failures to connect that come without a syscall: undici's own timer, and a refusal in Bun. */
const NOT_CONNECTED = /^(?:UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED)$/;
const HANDSHAKE =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|HOSTNAME_MISMATCH|ERR_TLS_CERT_|EPROTO$|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_UNSUPPORTED_PROTOCOL|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_NO_PROTOCOLS|ERR_SSL_.*ALERT_(?:HANDSHAKE_FAILURE|PROTOCOL_VERSION|NO_APPLICATION_PROTOCOL|INSUFFICIENT_SECURITY)$|ERR_SSL_.*UNRECOGNIZED_NAME$|INVALID_CA$)/;
const TLS = /^(?:ERR_TLS_|ERR_SSL_|CRL_)/;
/** Deno's message for a connection that was never made, TLS included. Its fetch has no codes. */
const DENO_NOT_CONNECTED = /client error \(Connect\)/;
/** A proxy that refuses a tunnel, by undici's message and Bun's code: nothing of the request was sent. */
const TUNNEL_REFUSED = /^Proxy response \(/;
const ERROR_STATUS = /\b[45]\d\d\b/;
const BUN_TUNNEL = 'ERR_PROXY_TUNNEL';
/** A connection that was cut before TLS, so before the request. */
const CUT_BEFORE_TLS = /before secure TLS connection was established/;
/** The messages of fetch for a URL that it refuses before it connects. */
const NOT_FETCHABLE = /^(?:bad port|unknown scheme|URL scheme must be|Failed to parse URL|Invalid URL)/i;

const DETAIL_MAX = 300;
const CODE_MAX = 64;

/**
 * The failure of an attempt whose `fetch` has rejected.
 *
 * @param sent True when the request had been passed to `fetch`.
 * @param redact Makes a text of the platform safe to show.
 * @param byOwn True if it was thrown by a fetch that the merchant gave.
 */
export function connectionFailure(
  thrown: unknown,
  sent: boolean,
  redact: (text: string) => string,
  byOwn = false,
): Failure {
  const causes = causesOf(thrown);
  const coded = causes.filter(isSystemError);
  const code = coded[0]?.code;
  const tls = coded.some((cause) => HANDSHAKE.test(cause.code) || TLS.test(cause.code));
  const unfetchable = causes.some((cause) => NOT_FETCHABLE.test(messageOf(cause)));
  const unconnected =
    causes.some((cause) => CUT_BEFORE_TLS.test(messageOf(cause))) ||
    (coded.length === 0 ? causes.some((cause) => DENO_NOT_CONNECTED.test(messageOf(cause))) : coded.every(isNeverSent));
  const tunnel = tunnelRefusal(causes);
  const unsent = !sent || unfetchable || unconnected || tunnel !== null;
  const outcome: Outcome = unsent ? 'not_sent' : 'unknown';
  // A platform names the failure of a connection by a code. HTTP clients that throw for a status add their response.
  const byFetch = byOwn && !unsent && !tls && (coded.length === 0 || causes.some((cause) => 'response' in cause));
  const detail = redact(messageOf(causes.at(-1)) || 'fetch failed').slice(0, DETAIL_MAX);
  const systemCode = code === undefined ? undefined : redact(code).slice(0, CODE_MAX);
  const problem =
    tunnel !== null
      ? 'the proxy of the environment refused the connection'
      : tls
        ? 'the TLS connection could not be made'
        : byFetch
          ? 'your fetch threw'
          : 'no response from the service';
  const reason = systemCode === undefined || detail.includes(systemCode) ? detail : `${systemCode}: ${detail}`;
  // A 4xx of the proxy is final: it refuses the same again.
  const isFinal = tls || unfetchable || !sent || (tunnel !== null && tunnel >= 400 && tunnel < 500);
  return unanswered(tls ? 'SDK_TLS' : 'SDK_CONNECTION', outcome, isFinal ? 'never' : 'unanswered', {
    is: 'connection',
    problem: `${problem} (${reason})`,
    detail,
    ...(systemCode !== undefined && { systemCode }),
    byFetch,
    ...(tunnel !== null && { advice: tunnel === 407 ? PROXY_LOGIN : PROXY_REFUSES }),
  });
}

const PROXY_LOGIN =
  'The proxy wants a login: user and password belong into HTTPS_PROXY, as in http://user:password@proxy.example:8080.';
const PROXY_REFUSES = 'Ask whoever runs the proxy in HTTPS_PROXY to let requests to this host pass.';

/** The status with which a proxy refused the tunnel to the service, 0 if it is not known. Null for any other failure. */
function tunnelRefusal(causes: readonly object[]): number | null {
  for (const cause of causes) {
    const message = messageOf(cause);
    const isTunnel = TUNNEL_REFUSED.test(message) || (isSystemError(cause) && cause.code === BUN_TUNNEL);
    if (isTunnel) return Number(ERROR_STATUS.exec(message)?.[0] ?? 0);
  }
  return null;
}

interface SystemError {
  readonly code: string;
  readonly syscall?: unknown;
  readonly errors?: unknown;
}

function isSystemError(cause: object): cause is SystemError {
  return 'code' in cause && typeof cause.code === 'string';
}

function isNeverSent({ code, syscall, errors }: SystemError): boolean {
  // An AggregateError. Its errors are judged one by one, because `causesOf` lists them.
  if (Array.isArray(errors) && errors.length > 0) return true;
  return NOT_CONNECTED.test(code) || HANDSHAKE.test(code) || BEFORE_SENDING.test(String(syscall));
}

/**
 * The error, its causes, and the errors of an AggregateError, which has one for each address that was tried.
 */
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

/**
 * The error of arguments that could not be read. What a getter of the caller threw is not kept: it may hold a
 * secret.
 */
export function argumentError(thrown: unknown, operation: string, externalId: string | null): Error {
  if (isMerchantError(thrown)) return thrown;
  const message = `${operation}: the parameters or options cannot be read. No request was made.`;
  return new ConfigurationError(message, { code: 'SDK_INVALID_ARGUMENT', operation, externalId });
}

const NAMED_MAX = 5;

/** The error of an input that the service would not accept. */
export function invalidInput(
  operation: string,
  found: readonly Issue[],
  externalId: string | null,
  hide: Hide,
): ValidationError {
  const issues = found.map(({ path, message }) => ({ path, message: printable(hide(message)) }));
  const named = issues
    .slice(0, NAMED_MAX)
    .map(({ path, message }) => `${path === '' ? 'the parameters' : path} ${message}`);
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
