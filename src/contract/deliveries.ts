import type { Endpoint } from './endpoint.ts';
import { holdsResource } from './envelope.ts';
import { isObject, type JsonObject } from './json.ts';
import { ident, identHint } from './parameters.ts';
import type { KnownDeliveryStatus } from './statuses.ts';
import type { DeliveryStatus, EventType } from './types.ts';
import {
  check,
  listOf,
  openEnum,
  optionalScalar,
  parameters,
  prepared,
  resource,
  shapeOf,
  text,
} from './values/codecs.ts';
import { dateFrom } from './values/scalars.ts';

/**
 * One attempt to deliver a webhook. The interface names the members but not their types, so each is null if the service
 * does not send it, or sends it in a form that cannot be read.
 */
export interface DeliveryAttempt {
  /** HTTP status of the receiver's response. Null when there was no response. */
  readonly status_code: number | null;
  /** Whether the receiver answered 2xx. */
  readonly success: boolean | null;
  /** Why there was no 2xx response, in the words of the service. Null after a success. */
  readonly error: string | null;
  /** Milliseconds until the response. */
  readonly duration_ms: number | null;
  /** The trigger of the attempt, such as a schedule or a manual resend. */
  readonly triggered_by: string | null;
  /** When the attempt was made. */
  readonly created_at: Date | null;
}

/**
 * One webhook delivery of an invoice. The interface does not show the wire names of most members. These are the names
 * of this package, and each is read from several plausible wire names.
 * @see [Webhook delivery record](../../docs/service-interface.md#webhook-delivery-record)
 */
export interface WebhookDelivery {
  /** Equals the header X-Webhook-Id. */
  readonly id: string;
  /** The name of the event. Null if the service does not send it. */
  readonly event_type: EventType | null;
  /** Whether the delivery waits, runs, or has ended. See {@link DeliveryStatus}. */
  readonly status: DeliveryStatus;
  /** Attempts made so far. Null if the service sends neither their number nor a list of them. */
  readonly attempts: number | null;
  /** Attempts after which the delivery fails, 7 by default. */
  readonly max_attempts: number | null;
  /** HTTP status of the last response. Null if no attempt got one. */
  readonly last_http_status: number | null;
  /** When the next attempt is due. Null without a further attempt. */
  readonly next_retry_at: Date | null;
  /** When a 2xx response was received. */
  readonly delivered_at: Date | null;
  /** The attempts as the service lists them. Empty if it lists none. */
  readonly attempt_log: readonly DeliveryAttempt[];
}

// The interface shows neither the names of the record nor the form of the list. This is what is accepted:
//
// | form                        | example                                                    |
// |-----------------------------|------------------------------------------------------------|
// | a list                      | [{"id": "…", "status": "failed"}]                          |
// | a page                      | {"items": […], "page": 1, "per_page": 20}                  |
// | a list under a name         | {"deliveries": […]}, also beside or inside the invoice     |
// | one record, also under a name | {"delivery": {"id": "…", "status": "failed"}}            |
// | none                        | null, {}, {"items": null}                                  |

const LIST_NAMES = ['items', 'deliveries', 'webhooks', 'webhook_deliveries', 'results', 'data'];
const RECORD_WRAPPERS = ['delivery', 'webhook', 'webhook_delivery'];

/**
 * The wire names under which each member is looked for, the most likely first. `attempts` may be the count or the log.
 */
const RECORD_NAMES: Readonly<Record<keyof WebhookDelivery, readonly string[]>> = {
  id: ['x_webhook_id', 'delivery_id', 'webhook_id', 'webhook_delivery_id', 'id', 'uuid'],
  event_type: ['event_type', 'event', 'event_name', 'type'],
  status: ['status', 'state', 'delivery_status'],
  attempts: ['attempts', 'attempts_made', 'attempt_count', 'attempts_count'],
  max_attempts: ['max_attempts'],
  last_http_status: ['last_http_status', 'last_status_code', 'last_http_status_code', 'http_status'],
  next_retry_at: ['next_retry_at', 'next_retry_time', 'next_retry', 'next_attempt_at'],
  delivered_at: ['delivered_at', 'delivered_time', 'received_at'],
  attempt_log: ['attempt_log', 'attempts', 'attempt_logs', 'attempts_log', 'attempt_history', 'log', 'history'],
};

/** The list of deliveries in any of the forms above. Another payload is returned for the schema to refuse. */
function readDeliveryList(payload: unknown): unknown {
  if (payload === null) return [];
  if (Array.isArray(payload)) return payload.map(readRecord);
  if (!isObject(payload)) return payload;
  if (Object.keys(payload).length === 0) return [];
  const list = find(payload, LIST_NAMES, (value) => value === null || Array.isArray(value));
  if (list !== undefined) return readDeliveryList(list);
  const wrapped = find(payload, RECORD_WRAPPERS, isObject);
  return isDelivery(payload) || wrapped !== undefined ? [readRecord(payload)] : payload;
}

/** A record under the names of this package. Other members are unchanged. */
function readRecord(row: unknown): unknown {
  const raw = isObject(row) && !isDelivery(row) ? (find(row, RECORD_WRAPPERS, isObject) ?? row) : row;
  if (!isObject(raw)) return raw;
  const record: Record<string, unknown> = { ...raw };
  for (const [name, names] of Object.entries(RECORD_NAMES)) {
    record[name] = find(raw, names, (value) => Array.isArray(value) === (name === 'attempt_log'));
  }
  const log = record['attempt_log'];
  record['attempts'] = numberOrNull(record['attempts']) ?? (Array.isArray(log) ? log.length : null);
  record['attempt_log'] ??= [];
  if (typeof record['id'] === 'number') record['id'] = String(record['id']);
  return record;
}

/** True for an object that has the id and the status of a delivery under names of the table. */
function isDelivery(raw: JsonObject): boolean {
  const isText = (value: unknown): boolean => typeof value === 'string';
  return find(raw, RECORD_NAMES.id, Boolean) !== undefined && find(raw, RECORD_NAMES.status, isText) !== undefined;
}

/** The first member under one of the names whose value fits. */
function find(raw: JsonObject, names: readonly string[], fits: (value: unknown) => boolean): unknown {
  const name = names.find((candidate) => Object.hasOwn(raw, candidate) && fits(raw[candidate]));
  return name === undefined ? undefined : raw[name];
}

// The types inside the record are not shown either. A member that cannot be read is null, because a history with a gap
// is better than none.

/** Reads a number, also from digits as text. */
function numberOrNull(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}(?:\.\d{1,6})?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Reads an HTTP status. 0 is null, because some clients write it where there was no response. */
function statusOrNull(value: unknown): number | null {
  return numberOrNull(value) || null;
}

function textOrNull(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function dateOrNull(value: unknown): Date | null {
  const date = dateFrom(value);
  return date instanceof Date ? date : null;
}

const FLAGS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** Reads true and false, also as 1 and 0 or as text. */
function flagOrNull(value: unknown): boolean | null {
  return typeof value === 'object' ? null : (FLAGS[String(value).toLowerCase()] ?? null);
}

function attempt() {
  const shape = shapeOf<DeliveryAttempt>()({
    status_code: optionalScalar(statusOrNull),
    success: optionalScalar(flagOrNull),
    error: optionalScalar(textOrNull),
    duration_ms: optionalScalar(numberOrNull),
    triggered_by: optionalScalar(textOrNull),
    created_at: optionalScalar(dateOrNull),
  });
  return resource(shape);
}

function delivery() {
  const shape = shapeOf<WebhookDelivery>()({
    id: text,
    event_type: optionalScalar((value) => textOrNull(value) as EventType | null), // any text is an EventType
    status: openEnum<KnownDeliveryStatus>(),
    attempts: optionalScalar(numberOrNull),
    max_attempts: optionalScalar(numberOrNull),
    last_http_status: optionalScalar(statusOrNull),
    next_retry_at: optionalScalar(dateOrNull),
    delivered_at: optionalScalar(dateOrNull),
    attempt_log: listOf<DeliveryAttempt>(attempt()),
  });
  return resource(shape);
}

/**
 * @see [GET /api/v1/external/invoices/{ident}/webhooks](../../docs/service-interface.md#get-apiv1externalinvoicesidentwebhooks)
 */
export const listDeliveries: Endpoint<WebhookDelivery[]> = {
  method: 'GET',
  path: '/api/v1/external/invoices/{ident}/webhooks',
  idempotent: true,
  params: check(() => parameters({ ident: ident() })),
  data: check(() => prepared(readDeliveryList, listOf(delivery()))),
  order: 'ident',
  hint: identHint,
};

const ATTEMPT_NAMES = ['duration_ms', 'triggered_by'];

/**
 * True for an attempt of a delivery, which a resend may return. Its members `success` and `error` are facts about the
 * receiver, and look like those of an error response.
 */
function isAttempt(value: unknown): boolean {
  return isObject(value) && ATTEMPT_NAMES.some((name) => Object.hasOwn(value, name));
}

/**
 * @see [POST /api/v1/external/invoices/{ident}/resend-webhook](../../docs/service-interface.md#post-apiv1externalinvoicesidentresend-webhook)
 */
export const resendWebhook: Endpoint<void> = {
  method: 'POST',
  path: '/api/v1/external/invoices/{ident}/resend-webhook',
  idempotent: false, // each resend starts another attempt
  params: check(() => parameters({ ident: ident() })),
  data: () => ({ ok: true, value: undefined }), // the interface does not show the response body
  order: 'ident',
  hint: identHint,
  isRecord: isAttempt,
  isDone: (body) => isAttempt(body) || (isObject(body) && isAttempt(body['data'])) || holdsResource(body),
  remedy: 'look at webhooks.deliveries before you send it again',
};
