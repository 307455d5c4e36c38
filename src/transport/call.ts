// The two ends of a call. `open` reads what the caller gave, once; `finish` reports once how the call ended, and throws
// its failure. send.ts lies between them.

import type { Endpoint, WireRecord } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import { clearTextProblem } from '../contract/parameters.ts';
import type { Check, Checked, Issue } from '../contract/values/check.ts';
import { codePoints } from '../contract/values/scalars.ts';
import { argumentFail, platformObject } from '../errors/checks.ts';
import { isMerchantError } from '../errors/guards.ts';
import { argumentError, invalidInput, toError } from './failure.ts';
import { emit, failureEvent, successEvent } from './hooks.ts';
import type { ClientCore, CompleteOptions, OpenCall, Result, Success, WrongOptions } from './types.ts';

/** What a resource method asks for. Parameters, query and body are as the caller gave them. */
export interface Input {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  /** Parameters by which the client itself selects rows. */
  readonly local?: unknown;
  /** The options, already read. Default: those of `within`. */
  readonly settings?: CompleteOptions | WrongOptions;
  /** The JSON of the body of a request that the interface does not describe. */
  readonly text?: string | null;
  /** The requested page of a list, for errors. */
  readonly page?: number;
  /** The call that this request is a part of. Both have one id, one beginning and one deadline. */
  readonly within?: OpenCall<unknown>;
}

const EXTERNAL_ID_MAX = 128;
const EMPTY: WireRecord = {};

/**
 * Checks and copies what the caller gave, at once. Later changes by the caller have no effect.
 *
 * @throws ValidationError for parameters, ConfigurationError for options. No request is made, and `onEnd` is called.
 */
export function open<Data>(client: ClientCore, endpoint: Named<Endpoint<Data>>, input: Input): OpenCall<Data> {
  const startedAt = input.within?.startedAt ?? client.runtime.monotonic();
  const callId = input.within?.callId ?? (client.hooks.length === 0 ? '' : crypto.randomUUID());
  let externalId = input.within?.externalId ?? null;
  try {
    externalId = orderIn(endpoint, input) ?? externalId;
    return read(client, endpoint, input, { externalId, startedAt, callId });
  } catch (thrown) {
    const error = argumentError(thrown, endpoint.operation, visibleId(client, externalId));
    if (input.within === undefined) reportEnd({ client, endpoint, callId, externalId, startedAt }, error);
    throw error;
  }
}

function refused(message: string): Checked<never> {
  return { ok: false, issues: [{ path: '', message }] };
}

/** The id of the order in the input, or null if no order can have such an id. */
function orderIn({ order, body }: Endpoint<unknown>, input: Input): string | null {
  if (order === undefined) return null;
  // The type is a guess: the caller may have given anything.
  const given = (body === undefined ? input.params : input.body) as Readonly<Record<string, unknown>> | undefined;
  const id = given?.[order];
  return typeof id === 'string' && id !== '' && codePoints(id) <= EXTERNAL_ID_MAX ? id : null;
}

function visibleId(client: ClientCore, externalId: string | null): string | null {
  return externalId === null ? null : client.hide(externalId);
}

function read<Data>(
  client: ClientCore,
  endpoint: Named<Endpoint<Data>>,
  input: Input,
  own: Pick<OpenCall<Data>, 'externalId' | 'startedAt' | 'callId'>,
): OpenCall<Data> {
  const { within } = input;
  const settings = input.settings ?? (within === undefined ? client.settings : settingsOf(within));
  const { operation } = endpoint;
  if ('problem' in settings) return argumentFail(operation, visibleId(client, own.externalId))(settings.problem);
  const issues: Issue[] = [];
  const encode = (check: Check<WireRecord> | undefined, value: unknown): WireRecord => {
    if (check === undefined) return EMPTY;
    const misplaced = platformObject(value);
    const checked = misplaced === null ? check(value) : refused(misplaced);
    if (checked.ok) return checked.value;
    issues.push(...checked.issues);
    return EMPTY;
  };
  const params = encode(endpoint.params, input.params);
  const query = encode(endpoint.query, input.query);
  const local = encode(endpoint.local, input.local);
  const body = encode(endpoint.body, input.body);
  for (const path of client.allowHttp ? [] : (endpoint.addresses ?? [])) {
    const problem = body[path] === undefined ? null : clearTextProblem(body[path]);
    if (problem !== null) issues.push({ path, message: problem });
  }
  if (issues.length > 0) throw invalidInput(operation, issues, visibleId(client, own.externalId), client.hide);

  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(endpoint.queryNames?.[name] ?? name, value);
  }
  for (const [name, value] of Object.entries(settings.query)) search.set(name, value);
  return {
    ...settings,
    ...own,
    client,
    endpoint,
    method: endpoint.method,
    path: endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
    search,
    text: endpoint.body === undefined ? (input.text ?? null) : JSON.stringify(body),
    sent: { ...params, ...query, ...local, ...body },
    page: input.page,
    isUrgent: endpoint.method !== 'GET' || within?.isUrgent === true,
    deadlineAt: within?.deadlineAt ?? own.startedAt + settings.deadline,
  };
}

/**
 * The outer call's settings without its extra query parameters, which are for the outer endpoint.
 */
function settingsOf({ timeout, deadline, retry, signal, headers }: CompleteOptions): CompleteOptions {
  return { timeout, deadline, retry, signal, headers, query: {} };
}

/** A call for another page of the list, with its own id and deadline. */
export function atPage<Data>(call: OpenCall<Data>, page: number, signal: AbortSignal | null): OpenCall<Data> {
  const { client, endpoint } = call;
  const search = new URLSearchParams(call.search);
  search.set(endpoint.queryNames?.['page'] ?? 'page', String(page));
  const startedAt = client.runtime.monotonic();
  const callId = client.hooks.length === 0 ? '' : crypto.randomUUID();
  return { ...call, search, page, signal, callId, startedAt, deadlineAt: startedAt + call.deadline };
}

/** Waits for a call, calls `onEnd` once, and throws the failure as an error. */
export async function finish<Value>(call: OpenCall<unknown>, work: Promise<Result<Value>>): Promise<Success<Value>> {
  try {
    const result = await work;
    if (!result.ok) throw toError(call, result);
    reportEnd(call, result);
    return result;
  } catch (error) {
    reportEnd(call, error);
    throw error;
  }
}

/** The parts of a call, perhaps one that could not be opened, that its end shows. */
type Ended = Pick<OpenCall<unknown>, 'client' | 'endpoint' | 'callId' | 'externalId' | 'startedAt'>;

/**
 * Calls `onEnd`.
 *
 * @param ending A success, or what was thrown.
 * @param isNeeded False for a page of a list that turned out not to be needed.
 */
export function reportEnd(call: Ended, ending: unknown, isNeeded = true): void {
  const { hooks, runtime } = call.client;
  if (hooks.length === 0) return;
  if (isMerchantError(ending)) {
    emit(hooks, 'onEnd', failureEvent(call, ending, runtime.monotonic() - call.startedAt, isNeeded));
  } else if (isSuccess(ending)) emit(hooks, 'onEnd', successEvent(call, ending));
}

function isSuccess(ending: unknown): ending is Success<unknown> {
  return typeof ending === 'object' && ending !== null && 'ok' in ending && ending.ok === true;
}
