import type { KyInstance } from 'ky';
import { argumentFail, type Fail } from '../checks.ts';
import type { Endpoint, WireRecord } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import type { Check, Issue } from '../contract/values/codecs.ts';
import { codePoints } from '../contract/values/scalars.ts';
import type { Failure } from './failure.ts';
import { invalidInput, readArguments } from './failure.ts';
import type { Hide } from './hide.ts';
import { type CallEvent, CallId, type DriftReporter, type Hooks } from './hooks.ts';
import type { WireRequest } from './http.ts';
import type { RateLimitGate, RetryBudget } from './limits.ts';
import { CALL_NAMES, type CallOptions, type CallSettings, readCallOptions } from './options.ts';
import type { Runtime } from './runtime.ts';

/** The key, or a function that gives it (a vault, a rotation), called before each attempt. */
export type ApiKey = string | (() => string | Promise<string>);

/** The parts of a client that all its calls share. */
export interface ClientCore {
  readonly http: KyInstance;
  readonly apiKey: ApiKey;
  readonly secrets: readonly string[];
  readonly runtime: Runtime;
  readonly budget: RetryBudget;
  readonly gate: RateLimitGate<Failure>;
  /** Null without hooks. */
  readonly hooks: Hooks | null;
  /** Hides a key that is given as text, and the webhook secrets. */
  readonly hide: Hide;
  readonly drift: DriftReporter | null;
  /** Allows plain http: to hosts other than loopback. */
  readonly allowHttp: boolean;
  /** Settings of a call that gives no options. */
  readonly settings: CallSettings;
}

/** The call that a resource method asks for. Parameters are as the user gave them. */
export interface CallSpec<Data> {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  /** Decodes in place of the endpoint's codec. */
  readonly data?: Check<Data>;
  /** Reads the order that the call is about, for its errors. */
  readonly externalId?: () => unknown;
  /** The service's names of query parameters that the interface does not name. */
  readonly queryNames?: Readonly<Record<string, string>>;
  /** The page of a list that is asked for, for its errors. */
  readonly page?: number;
  /** When the call must be over at the latest, on the monotonic clock. */
  readonly deadlineAt?: number;
  /** Options that have been read already. The options of {@link openCall} are ignored then. */
  readonly settings?: CallSettings;
  /** The call that this request is a part of. */
  readonly callId?: CallId;
}

/** One call: input and options read once, and carried unchanged through attempts, recovery and comparison. */
export interface CallScope<Data> extends CallSettings, WireRequest {
  readonly client: ClientCore;
  readonly endpoint: Named<Endpoint<Data>>;
  /** Decodes the payload of a success. */
  readonly data: Check<Data>;
  /** The members of the body, as encoded. Answers are compared with them. */
  readonly sent: WireRecord;
  readonly externalId: string | null;
  readonly callId: CallId;
  readonly page: number | undefined;
  /** The page size that is asked for, or null where no page is read. */
  readonly pageSize: number | null;
  /** Wall clock. */
  readonly startedOn: number;
  /** Monotonic clock, as is `deadlineAt`. */
  readonly startedAt: number;
  readonly deadlineAt: number;
}

/** The parts of a call that decide how its answer is read. */
export interface Reading<Data> extends Pick<CallScope<Data>, 'endpoint' | 'data' | 'pageSize' | 'externalId'> {
  readonly client: Pick<ClientCore, 'runtime'> & { readonly drift: Pick<DriftReporter, 'report'> | null };
}

/**
 * Checks and copies the parameters and options at once. Later changes by the caller have no effect.
 *
 * @throws ValidationError for parameters, ConfigurationError for options. No request is made.
 */
export function openCall<Data>(
  client: ClientCore,
  endpoint: Named<Endpoint<Data>>,
  spec: CallSpec<Data>,
  options: CallOptions = {},
): CallScope<Data> {
  const { operation, method } = endpoint;
  const { runtime } = client;
  const startedOn = runtime.now();
  const startedAt = runtime.monotonic();
  let externalId: string | null = null;
  const shownId = (): string | null => shownExternalId(client, externalId);
  const read = (): CallScope<Data> => {
    externalId = readExternalId(spec.externalId?.());
    const fail: Fail = (problem) => argumentFail(operation, shownId())(problem);
    const settings = spec.settings ?? readCallOptions(client.settings, options, CALL_NAMES, fail);
    const { params, query, body, issues } = encode(endpoint, spec);
    if (issues.length > 0) throw invalidInput(operation, issues, shownId());
    const wireQuery = { ...renamed(query, spec.queryNames), ...settings.query };
    const lastAt = spec.deadlineAt ?? Number.POSITIVE_INFINITY;
    return {
      ...settings,
      client,
      endpoint,
      method,
      path: pathOf(endpoint.path, params) + queryOf(wireQuery),
      body: endpoint.body === undefined ? null : JSON.stringify(body),
      data: spec.data ?? endpoint.data,
      sent: body,
      externalId,
      callId: spec.callId ?? new CallId(),
      page: spec.page,
      pageSize: 'item' in endpoint ? pageSizeOf(wireQuery[spec.queryNames?.['per_page'] ?? 'per_page']) : null,
      startedOn,
      startedAt,
      deadlineAt: Math.min(startedAt + settings.deadline, lastAt),
    };
  };
  return readArguments(operation, read, shownId);
}

const EXTERNAL_ID_MAX = 128;

/** Returns the external_id as the caller gave it, or null where it cannot be one. */
function readExternalId(given: unknown): string | null {
  if (typeof given !== 'string' || given === '') return null;
  return codePoints(given) <= EXTERNAL_ID_MAX ? given : null;
}

/** Returns the external_id as an error may show it: a merchant may have put the key where the order belongs. */
export function shownExternalId({ hide }: Pick<ClientCore, 'hide'>, given: unknown): string | null {
  const externalId = readExternalId(given);
  return externalId === null ? null : hide(externalId);
}

/** Returns what an event says of its call. */
export function callFacts(
  client: ClientCore,
  { operation, method, path }: Named<Endpoint<unknown>>,
  { callId, externalId }: Pick<CallScope<unknown>, 'callId' | 'externalId'>,
): Omit<CallEvent, 'attempt'> {
  const url = operation === 'request' ? client.hide(path) : path; // a template holds nothing of the caller
  return { operation, method, url, callId: callId.text, externalId: shownExternalId(client, externalId) };
}

const EMPTY: WireRecord = {};

function encode(endpoint: Named<Endpoint<unknown>>, spec: CallSpec<unknown>) {
  const issues: Issue[] = [];
  const encoded = (check: Check<WireRecord> | undefined, value: unknown): WireRecord => {
    const checked = check?.(value);
    if (checked === undefined) return EMPTY;
    if (checked.ok) return checked.value;
    issues.push(...checked.issues);
    return EMPTY;
  };
  return {
    params: encoded(endpoint.params, spec.params),
    query: encoded(endpoint.query, spec.query),
    body: encoded(endpoint.body, spec.body),
    issues,
  };
}

/** Assumed where no size is asked for: the largest that the service allows, because its default may be any. */
const DEFAULT_PAGE_SIZE = 100;

function pageSizeOf(asked: string | undefined): number {
  const size = Number(asked ?? DEFAULT_PAGE_SIZE);
  return Number.isSafeInteger(size) && size > 0 ? size : DEFAULT_PAGE_SIZE;
}

function pathOf(template: string, params: WireRecord): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

/** The query under the names that the merchant pinned for this service. */
function renamed(query: WireRecord, names: Readonly<Record<string, string>> = {}): WireRecord {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [names[name] ?? name, value]));
}

function queryOf(query: WireRecord): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, value);
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
