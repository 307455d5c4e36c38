// One call: `open` reads what the caller gave, once. send.ts sends it. `settle` and `settleOrThrow` call the hooks for
// its end.

import type { Endpoint, WireRecord } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import type { Check, Issue } from '../contract/values/check.ts';
import { codePoints } from '../contract/values/scalars.ts';
import { argumentFail, type Fail } from '../errors/checks.ts';
import { type AnyMerchantError, isMerchantError } from '../errors/guards.ts';
import { notify } from '../errors/notify.ts';
import { type CallOptions, readCallOptions } from '../options.ts';
import { argumentError, invalidInput, toError } from './failure.ts';
import { type ErrorEvent, type EventFacts, errorEvent, eventFacts, reportFailure, reportSuccess } from './hooks.ts';
import { send } from './send.ts';
import type { ClientCore, CompleteOptions, OpenCall, Success } from './types.ts';

/** What a resource method asks for. Parameters, query and body are as the caller gave them. */
export interface Input<Data> {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly options?: CallOptions | undefined;
  /** Options that have been read already, in place of `options`. */
  readonly settings?: CompleteOptions;
  /** Decodes in place of the endpoint's codec. */
  readonly data?: Check<Data>;
  /** The JSON body of a request that the interface does not describe. */
  readonly json?: unknown;
  /** The service's names of query parameters that the interface does not name. */
  readonly queryNames?: Readonly<Record<string, string>>;
  /** The requested page of a list, for errors. */
  readonly page?: number;
  /** When the call must be over at the latest, on the monotonic clock. */
  readonly deadlineAt?: number;
  /** The call that this request is a part of. Both have one id. */
  readonly within?: OpenCall<unknown>;
}

/** Makes one call, from what the caller gave to its data. */
export async function call<Data>(
  client: ClientCore,
  endpoint: Named<Endpoint<Data>>,
  input: Input<Data>,
): Promise<Success<Data>> {
  const opened = open(client, endpoint, input);
  return settleOrThrow(opened, sendOrThrow(opened));
}

/** Sends a call, and throws its failure as an error. For a call whose resource adds no advice. */
export async function sendOrThrow<Data>(opened: OpenCall<Data>): Promise<Success<Data>> {
  const sent = await send(opened);
  if (sent.ok) return sent.success;
  throw toError(sent.failed);
}

/**
 * Sends a request as a part of another call, with that call's settings, deadline and id. `onError` and `onEnd` are not
 * called.
 */
export async function callWithin<Data>(
  outer: OpenCall<unknown>,
  endpoint: Named<Endpoint<Data>>,
  input: Input<Data>,
): Promise<Success<Data>> {
  // The query parameters that the caller added are meant for the endpoint of the outer call.
  const settings = { ...outer, query: {} };
  const { client, deadlineAt } = outer;
  return sendOrThrow(openInput(client, endpoint, { settings, deadlineAt, within: outer, ...input }, outer.externalId));
}

const EXTERNAL_ID_MAX = 128;
const EMPTY: WireRecord = {};

/**
 * Checks and copies what the caller gave, at once. Later changes by the caller have no effect.
 *
 * @throws ValidationError for parameters, ConfigurationError for options. No request is made. `onError` and `onEnd` are
 * called.
 */
export function open<Data>(client: ClientCore, endpoint: Named<Endpoint<Data>>, input: Input<Data>): OpenCall<Data> {
  const externalId = idIn(endpoint, input);
  return readArguments(client, endpoint, externalId, () => openInput(client, endpoint, input, externalId));
}

/**
 * Runs `read` at once, in the one `try` around what the caller gave: a getter that throws becomes an error of this
 * package.
 *
 * @throws The error of the arguments, after `onError` and `onEnd` were called.
 */
export function readArguments<T>(
  client: ClientCore,
  endpoint: Named<Endpoint<unknown>>,
  externalId: string | null,
  read: () => T,
): T {
  const startedAt = client.runtime.monotonic();
  try {
    return read();
  } catch (thrown) {
    const shownId = externalId === null ? null : client.hide(externalId);
    const error = argumentError(thrown, endpoint.operation, shownId);
    const { hooks } = client;
    if (hooks !== null && isMerchantError(error)) {
      const facts = eventFacts(endpoint, crypto.randomUUID(), externalId, client.hide);
      const event = errorEvent(facts, error, client.runtime.monotonic() - startedAt, false);
      notify(() => hooks.onError?.(event));
      reportFailure(hooks, event, error);
    }
    throw error;
  }
}

/** Returns the id of the order in the input, or null if no order can have such an id. */
function idIn({ order, body }: Endpoint<unknown>, input: Pick<Input<unknown>, 'body' | 'params'>): string | null {
  if (order === undefined) return null;
  try {
    // The type is a guess: the caller may have given anything.
    const given = (body === undefined ? input.params : input.body) as Readonly<Record<string, unknown>> | undefined;
    const id = given?.[order];
    return typeof id === 'string' && id !== '' && codePoints(id) <= EXTERNAL_ID_MAX ? id : null;
  } catch {
    return null; // a getter that throws, which is reported where all members are read
  }
}

function openInput<Data>(
  client: ClientCore,
  endpoint: Named<Endpoint<Data>>,
  input: Input<Data>,
  externalId: string | null,
): OpenCall<Data> {
  const { operation } = endpoint;
  const { options, queryNames = {}, within } = input;
  const startedOn = client.runtime.now();
  const startedAt = client.runtime.monotonic();
  const shownId = externalId === null ? null : client.hide(externalId);
  const fail: Fail = argumentFail(operation, shownId);
  const own = options === undefined ? client.settings : readCallOptions(client.settings, options, 'call', fail);
  const settings = input.settings ?? own;

  const issues: Issue[] = [];
  const encode = (check: Check<WireRecord> | undefined, value: unknown): WireRecord => {
    const checked = check?.(value);
    if (checked === undefined) return EMPTY;
    if (checked.ok) return checked.value;
    issues.push(...checked.issues);
    return EMPTY;
  };
  const params = encode(endpoint.params, input.params);
  const query = encode(endpoint.query, input.query);
  const body = encode(endpoint.body, input.body);
  if (issues.length > 0) throw invalidInput(operation, issues, shownId, client.hide);

  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(queryNames[name] ?? name, value);
  }
  for (const [name, value] of Object.entries(settings.query)) search.set(name, value);
  return {
    ...settings,
    client,
    endpoint,
    method: endpoint.method,
    path: endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
    search,
    json: endpoint.body === undefined ? input.json : body,
    data: input.data ?? endpoint.data,
    sent: endpoint.body === undefined ? params : body,
    externalId,
    callId: within?.callId ?? (client.hooks === null ? '' : crypto.randomUUID()),
    page: input.page,
    startedOn,
    startedAt,
    deadlineAt: Math.min(startedAt + settings.deadline, input.deadlineAt ?? Number.POSITIVE_INFINITY),
  };
}

/** The end of a call as a value. `event` is the event for `onError`, or null without hooks. */
export type Settled<Result> =
  | { readonly ok: true; readonly success: Result }
  | { readonly ok: false; readonly error: unknown; readonly event: ErrorEvent | null };

interface SettleOptions {
  /** True for a failure that the client handles itself. */
  readonly isHandled?: (error: AnyMerchantError) => boolean;
  /** Does not call `onError`, because the failure may not matter in the end. The caller then calls it. */
  readonly holdsError?: boolean;
}

/** Waits for a call, and calls `onError` and `onEnd` once for its end. */
export async function settle<Result extends Success<unknown>>(
  opened: OpenCall<unknown>,
  work: Promise<Result>,
  { isHandled = () => false, holdsError = false }: SettleOptions = {},
): Promise<Settled<Result>> {
  const { client, endpoint, callId, externalId } = opened;
  const { hooks, runtime } = client;
  const facts = (): EventFacts => eventFacts(endpoint, callId, externalId, client.hide);
  try {
    const success = await work;
    if (hooks !== null) reportSuccess(hooks, facts(), success);
    return { ok: true, success };
  } catch (error) {
    if (hooks === null || !isMerchantError(error)) return { ok: false, error, event: null };
    const event = errorEvent(facts(), error, runtime.monotonic() - opened.startedAt, isHandled(error));
    if (!holdsError) notify(() => hooks.onError?.(event));
    reportFailure(hooks, event, error);
    return { ok: false, error, event };
  }
}

/** Does the same as {@link settle}, and throws the failure. */
export async function settleOrThrow<Result extends Success<unknown>>(
  opened: OpenCall<unknown>,
  work: Promise<Result>,
  ending?: SettleOptions,
): Promise<Result> {
  const settled = await settle(opened, work, ending);
  if (settled.ok) return settled.success;
  throw settled.error;
}
