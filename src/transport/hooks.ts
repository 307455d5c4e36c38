// The events that hooks receive. Hooks are the one way to watch the client, and MERCHANT_DEBUG prints the same events.

import type { HttpMethod } from '../contract/endpoint.ts';
import type { Operation } from '../contract/endpoints.ts';
import { type Callback, namesOf } from '../errors/checks.ts';
import type { ErrorCode, Outcome } from '../errors/codes.ts';
import { environment } from '../errors/environment.ts';
import type { AnyMerchantError } from '../errors/guards.ts';
import type { Hide } from '../errors/hide.ts';
import { notify } from '../errors/notify.ts';
import { printable } from '../errors/printable.ts';

/** The call that an event is about. It never holds a body, a header or a secret. */
interface ObservedCall {
  /** The requests of a read-back have the operation of their endpoint, and the `callId` of the creation. */
  readonly operation: Operation;
  readonly method: HttpMethod;
  /**
   * Path template, such as `/api/v1/external/invoices/{ident}`. The path as given for {@link MerchantClient.request}.
   */
  readonly url: string;
  /** The same in all events of a call. Each page of a list is a call, and so is the end of a walk with `SDK_PAGE`. */
  readonly callId: string;
  /** The `external_id` of a creation, or the ident of a read, as in errors. Null for other calls. */
  readonly externalId: string | null;
}

/** The event of a hook. It never holds a body, a header or a secret. */
export interface CallEvent extends ObservedCall {
  /**
   * The number of the attempt, from 1. At the end of a call: the number of its requests, 0 if it ended before the
   * first.
   */
  readonly attempt: number;
}
/** An attempt got a response, of any status. If its body is broken or unusable, a retry or an error follows. */
export interface ResponseEvent extends CallEvent {
  /** HTTP status. */
  readonly status: number;
  /** Milliseconds of this attempt. */
  readonly durationMs: number;
  /** The request id header of the response. Null if absent. */
  readonly requestId: string | null;
}
/** An attempt failed, and the call makes another one. */
export interface RetryEvent extends CallEvent {
  /** The code of the error that this attempt alone would cause. */
  readonly code: ErrorCode;
  /** HTTP status of the failed attempt. Null if no response came. */
  readonly status: number | null;
  /** Whether this attempt may have succeeded. */
  readonly outcome: Outcome;
  /** Milliseconds until the next attempt. Longer if another call is rate limited in the meantime. */
  readonly delayMs: number;
}
/** The end of a call, successful or not. */
export interface EndEvent extends CallEvent {
  /** True if the call resolved. */
  readonly ok: boolean;
  /** HTTP status of the success or of the error. Null if the last attempt got no response. */
  readonly status: number | null;
  /** The request id header of the last response. Null if absent. */
  readonly requestId: string | null;
  /** Null for a success. */
  readonly code: ErrorCode | null;
  /** Null for a success. */
  readonly outcome: Outcome | null;
  /** The error that the call rejects with. Null for a success. */
  readonly error: AnyMerchantError | null;
  /**
   * True for a failure that needs no repair: an ident that is not found, an invoice that exists already, arguments that
   * the client refuses, an abort by the caller, or a page of a list that turned out not to be needed. Log these as
   * warnings, and others as errors. False for a success.
   */
  readonly expected: boolean;
  /** True when one of the call's attempts that got no response had created the invoice, and it was read back. */
  readonly recovered: boolean;
  /** The whole call, waits included. */
  readonly durationMs: number;
}

/**
 * Functions that are called at each step of a call. An error thrown in one is printed, each message once, and
 * changes nothing.
 *
 * @example
 * const hooks: Hooks = { onRetry: ({ operation, code }) => console.warn(`${operation} is repeated after ${code}`) };
 */
export interface Hooks {
  /** Before each attempt. */
  readonly onRequest?: Callback<[event: CallEvent]> | undefined;
  /** After each response, whatever its status and its body. */
  readonly onResponse?: Callback<[event: ResponseEvent]> | undefined;
  /** Before each wait. */
  readonly onRetry?: Callback<[event: RetryEvent]> | undefined;
  /**
   * Once for each call. The failure of a page that was read ahead is reported when the list needs the page, or ends.
   */
  readonly onEnd?: Callback<[event: EndEvent]> | undefined;
}

/** The names of the hooks. */
export const HOOK_NAMES = namesOf<Hooks>({ onRequest: true, onResponse: true, onRetry: true, onEnd: true });

type EventOf<Name extends keyof Hooks> = Parameters<NonNullable<Hooks[Name]>>[0];

/** Calls one hook of each watcher. */
export function emit<Name extends keyof Hooks>(hooks: readonly Hooks[], name: Name, event: EventOf<Name>): void {
  for (const watcher of hooks) {
    // The compiler does not see that the hook of this name takes the event of this name.
    notify(() => (watcher[name] as ((given: EventOf<Name>) => unknown) | undefined)?.call(watcher, event));
  }
}

/** The parts of an open call that its events show. */
interface Observed {
  readonly client: { readonly hide: Hide };
  readonly endpoint: { readonly operation: Operation; readonly method: HttpMethod; readonly path: string };
  readonly callId: string;
  readonly externalId: string | null;
}

/** The members that all events of a call share. */
export function eventFacts({ client, endpoint, callId, externalId }: Observed): Omit<CallEvent, 'attempt'> {
  const { operation, method, path } = endpoint;
  const url = operation === 'request' ? client.hide(path) : path; // a template holds nothing of the caller
  return { operation, method, url, callId, externalId: externalId === null ? null : client.hide(externalId) };
}

/** The parts of a success that its event shows. */
interface Succeeded {
  readonly response: { readonly status: number; readonly requestId: string | null };
  readonly attempts: number;
  readonly durationMs: number;
  readonly recovered: boolean;
}

/** The event of a call that has succeeded. */
export function successEvent(call: Observed, { response, attempts, durationMs, recovered }: Succeeded): EndEvent {
  const { status, requestId } = response;
  const end = { attempt: attempts, status, requestId, durationMs, recovered };
  return { ...eventFacts(call), ...end, ok: true, code: null, outcome: null, error: null, expected: false };
}

/** The event of a call that has failed. `isNeeded` is false for a page that its list does not need. */
export function failureEvent(call: Observed, error: AnyMerchantError, durationMs: number, isNeeded: boolean): EndEvent {
  const { outcome, attempts, status, requestId } = error;
  const facts = eventFacts(call);
  return {
    ...facts,
    externalId: error.externalId ?? facts.externalId,
    attempt: attempts.length,
    ok: false,
    status,
    requestId,
    code: printable(error.code) as ErrorCode, // any text is one
    outcome,
    error,
    expected: !isNeeded || isExpected(error, facts.url),
    recovered: false,
    durationMs,
  };
}

/** True for a failure that needs no repair: the caller asked for it, or the response is an ordinary one. */
function isExpected(error: AnyMerchantError, url: string): boolean {
  switch (error.kind) {
    case 'not_found':
      return url.includes('{'); // a path without an id that is not found shows a wrong address
    case 'conflict':
      return error.outcome === 'rejected';
    case 'aborted':
      return true;
    case 'validation':
      return error.origin === 'client';
    default:
      return error.code === 'SDK_INVALID_ARGUMENT';
  }
}

/**
 * The hooks of `MERCHANT_DEBUG=1`, or undefined: a line for each attempt on stderr, without id, key and body, so that a
 * first look needs no code.
 */
export function debugHooks(now: () => number): Hooks | undefined {
  if (environment('MERCHANT_DEBUG') !== '1') return undefined;
  const started = new Map<string, number>();
  const print = ({ method, url, callId }: CallEvent, end: string, requestId: string | null): void => {
    const line = `merchant-invoicing: ${method} ${url} ${end} ${Math.round(now() - (started.get(callId) ?? now()))} ms`;
    const text = requestId === null ? line : `${line} ${requestId}`;
    const { process } = globalThis as { process?: { stderr?: { write?: (text: string) => unknown } } }; // not in every runtime
    if (typeof process?.stderr?.write === 'function') process.stderr.write(`${text}\n`);
    else console.error(text);
  };
  return {
    onRequest: ({ callId }) => void started.set(callId, now()),
    onResponse: (event) => print(event, String(event.status), event.requestId),
    onRetry(event) {
      if (event.status === null) print(event, event.code, null);
    },
    onEnd(event) {
      if (event.status === null && event.attempt > 0) print(event, event.code ?? '', null);
      started.delete(event.callId);
    },
  };
}
