// The events that hooks receive, and the reports of `onDrift`. Hooks are the one way to watch the client.

import type { Endpoint, HttpMethod } from '../contract/endpoint.ts';
import type { Named, Operation } from '../contract/endpoints.ts';
import { payloadOf, unwrapped } from '../contract/envelope.ts';
import { isObject } from '../contract/json.ts';
import { type DriftKind, driftsIn } from '../contract/values/drift.ts';
import type { Callback } from '../errors/checks.ts';
import type { ErrorCode, Outcome } from '../errors/codes.ts';
import type { AnyMerchantError } from '../errors/guards.ts';
import { type Hide, shown } from '../errors/hide.ts';
import { notify } from '../errors/notify.ts';
import { printable } from '../errors/printable.ts';

/** The call that an event is about. It never holds a body, a header or a secret. */
interface ObservedCall {
  /** The requests of a read-back have the operation of their endpoint, and the `callId` of the creation. */
  readonly operation: Operation;
  readonly method: HttpMethod;
  /** Path template, such as `/api/v1/external/invoices/{ident}`. The path as given for {@link MerchantClient.request}. */
  readonly url: string;
  /**
   * The same in all events of a call. Each page of a list is a call, and so is the end of a walk with `SDK_PAGE`,
   * which has `onError` alone.
   */
  readonly callId: string;
  /** The `external_id` of a creation, or the ident of a read, as in errors. Null for other calls. */
  readonly externalId: string | null;
}

/** The event of a hook. It never holds a body, a header or a secret. */
export interface CallEvent extends ObservedCall {
  /**
   * The number of the attempt, from 1. At the end of a call: the number of its requests, 0 if it ended before the first.
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
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
}
/** The call has failed finally. */
export interface ErrorEvent extends CallEvent {
  /** `code` of the error that the call rejects with. */
  readonly code: ErrorCode;
  /** HTTP status of the error. Null if its attempt got no response. */
  readonly status: number | null;
  /** `outcome` of the error, over all attempts of the call. */
  readonly outcome: Outcome;
  /** The whole call, waits included. */
  readonly durationMs: number;
  /**
   * True for a failure that needs no repair: an ident that is not found, an invoice that exists already, arguments that
   * the client refuses, an abort by the caller, or a failure that the client handles itself. Log these as warnings, and
   * others as errors.
   */
  readonly expected: boolean;
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
  /** As in {@link ErrorEvent}. False for a success. */
  readonly expected: boolean;
  /** True when one of the call's attempts that got no response had created the invoice, and it was read back. */
  readonly recovered: boolean;
  /** The whole call, waits included. */
  readonly durationMs: number;
}

/**
 * A difference of a response from the interface that was accepted. Reported once per operation, kind and path.
 *
 * | kind | what came | what the client does |
 * |---|---|---|
 * | `unknown_field` | a member that the interface does not name | keeps it |
 * | `unknown_word` | a word that is not listed, such as a new status | passes it |
 * | `number_for_decimal` | a JSON number where a decimal string should be | reads it, if it is certainly exact |
 * | `text_for_number` | digits as text where an integer should be | reads them |
 * | `list_for_object` | `[]` where an object or null should be | treats it as null |
 * | `null_for_list` | null where a list should be | treats it as an empty list |
 * | `no_envelope` | the payload without its envelope | reads it |
 * | `unreadable_member` | a member that cannot be read: of a withdrawal, a name or logo, `""` for an amount or time | null; a withdrawal has the value in `unreadable` |
 * | `invalid_item` | a row that cannot be read, of a list that leaves such rows out | leaves it out |
 * | `filter_ignored` | a row that contradicts the filter: the service may use another name for the query parameter | leaves it out |
 * | `size_ignored` | pages of another size than was requested | walks the list with that size |
 */
export interface DriftEvent {
  /** The operation whose response differs, such as `invoices.list`. */
  readonly operation: Operation;
  /** Members joined with dots, `*` for each item of a list: `items.*.amount`. Empty for the payload as a whole. */
  readonly path: string;
  /** What differs: see the table above. */
  readonly kind: DriftKind | 'invalid_item' | 'filter_ignored' | 'size_ignored';
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
  /** Once, when the call fails finally. For a page that a list has read ahead: only if the list needs it. */
  readonly onError?: Callback<[event: ErrorEvent]> | undefined;
  /** Once for each call, when it has succeeded or failed. */
  readonly onEnd?: Callback<[event: EndEvent]> | undefined;
}

/** The members that all events of a call share. */
export type EventFacts = Omit<CallEvent, 'attempt'>;

/** Returns the members that all events of a call share. */
export function eventFacts(
  { operation, method, path }: Named<Endpoint<unknown>>,
  callId: string,
  externalId: string | null,
  hide: Hide,
): EventFacts {
  const url = operation === 'request' ? hide(path) : path; // a template holds nothing of the caller
  return { operation, method, url, callId, externalId: externalId === null ? null : hide(externalId) };
}

/** The parts of a success that its event shows. */
interface Succeeded {
  readonly response: { readonly status: number; readonly requestId: string | null };
  readonly attempts: number;
  readonly durationMs: number;
  readonly recovered: boolean;
}

/** Calls `onEnd` for a call that has succeeded. */
export function reportSuccess(hooks: Hooks, facts: EventFacts, success: Succeeded): void {
  const { response, attempts, durationMs, recovered } = success;
  const { status, requestId } = response;
  const end = { attempt: attempts, status, requestId, durationMs, recovered };
  notify(() => hooks.onEnd?.({ ...facts, ...end, ok: true, code: null, outcome: null, expected: false }));
}

/** Calls `onEnd` for a call that has failed. */
export function reportFailure(hooks: Hooks, event: ErrorEvent, error: AnyMerchantError): void {
  const requestId = 'requestId' in error ? error.requestId : null;
  notify(() => hooks.onEnd?.({ ...event, ok: false, requestId, recovered: false }));
}

/** Returns the event of a failure. `handled`: whether the client handles it itself. */
export function errorEvent(
  facts: EventFacts,
  error: AnyMerchantError,
  durationMs: number,
  handled: boolean,
): ErrorEvent {
  const { code, outcome, attempts } = error;
  const status = 'status' in error ? error.status : null;
  const expected = handled || isExpected(error, facts);
  return { ...facts, attempt: attempts.length, code: printable(code), status, outcome, durationMs, expected };
}

/** True for a failure that needs no repair: the caller asked for it, or the response is an ordinary one. */
function isExpected(error: AnyMerchantError, { url }: EventFacts): boolean {
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

/** The most drifts that are remembered, because a service that sends a new name each time must not fill the memory. */
const REMEMBERED = 1_000;
const PATH_MAX = 300;

/** Calls `onDrift` once for each drift of a client. */
export class DriftReporter {
  readonly #onDrift: ((event: DriftEvent) => unknown) | undefined;
  readonly #reported = new Set<string>();
  #hasWarned = false;

  constructor(onDrift: ((event: DriftEvent) => unknown) | undefined) {
    this.#onDrift = onDrift;
  }

  /** Reports the drift of a success that was decoded. */
  report(endpoint: Named<Endpoint<unknown>>, body: unknown, hide: Hide): void {
    if (this.#onDrift === undefined) return;
    const structure = endpoint.data.structure?.();
    if (structure === undefined) return;
    const isBare = !isObject(body) || !Object.hasOwn(body, 'data');
    if (isBare && endpoint.envelope === 'shown') this.reportOnce(endpoint, '', 'no_envelope');
    for (const { path, kind } of driftsIn(structure, unwrapped(payloadOf(body)))) {
      this.reportOnce(endpoint, shown(hide, path, PATH_MAX), kind);
    }
  }

  /** Reports one drift, unless it was reported before. */
  reportOnce({ operation }: Named<Endpoint<unknown>>, path: string, kind: DriftEvent['kind']): void {
    const onDrift = this.#onDrift;
    if (onDrift === undefined) return;
    const key = `${operation} ${kind} ${path}`;
    if (this.#reported.has(key) || this.#reported.size >= REMEMBERED) return;
    this.#reported.add(key);
    notify(() => onDrift({ operation, path, kind }));
  }

  /**
   * Reports a row that is left out of a list. Without `onDrift` and `onInvalidItem` it is printed, once for each
   * client.
   */
  reportLeftOut(endpoint: Named<Endpoint<unknown>>, path: string, hasListener: boolean): void {
    this.reportOnce(endpoint, path === '' ? '*' : `*.${path}`, 'invalid_item');
    if (hasListener || this.#onDrift !== undefined || this.#hasWarned) return;
    this.#hasWarned = true;
    const member = path === '' ? '' : `: its ${printable(path.slice(0, PATH_MAX))} is not as the interface says`;
    notify(() =>
      console.warn(
        `merchant-invoicing: ${endpoint.operation} left out a row that cannot be read${member}. Give onInvalidItem or onDrift to get each one. This is printed once.`,
      ),
    );
  }
}
