import type { WebhookDelivery } from '../../contract/deliveries.ts';
import { type Dialect, withNulls } from '../dialects.ts';
import type { DeliveryRecord } from '../state/records.ts';
import type { SandboxAttempt, SandboxDelivery } from '../wire-types.ts';
import type { World } from '../world.ts';
import { MAX_ATTEMPTS } from './deliveries.ts';

/** A delivery as the functions of the sandbox return it. */
export function toSandboxDelivery(record: DeliveryRecord): SandboxDelivery {
  const { invoice, log, nextRetryAt, deliveredAt } = record;
  return {
    id: record.id,
    invoice_uuid: invoice.uuid,
    external_id: invoice.external_id,
    event_type: record.eventType,
    status: record.status,
    url: record.url,
    body: record.body,
    attempts: record.made,
    max_attempts: MAX_ATTEMPTS,
    last_http_status: log.at(-1)?.status_code ?? null,
    next_retry_at: isoOrNull(nextRetryAt),
    delivered_at: isoOrNull(deliveredAt),
    created_at: new Date(record.createdAt).toISOString(),
    attempt_log: [...log],
  };
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/**
 * A delivery as the service writes it.
 * @see [Webhook delivery record](../../../docs/service-interface.md#webhook-delivery-record)
 */
export function writeDelivery({ settings: { dialect } }: World, record: DeliveryRecord): object {
  const { url, body, invoice_uuid, external_id, created_at, ...known } = toSandboxDelivery(record);
  const values: Readonly<Record<keyof WebhookDelivery, unknown>> = {
    ...known,
    status: dialect.laterVersion === 'some' && known.status === 'pending' ? 'queued' : known.status,
    attempt_log: record.log.map((attempt) => writeAttempt(dialect, attempt)),
  };
  const entries = Object.entries(NAMES[dialect.deliveryRecord]).map(([wire, ours]) => [wire, values[ours]]);
  const extra = dialect.laterVersion === 'none' ? {} : { region: 'sandbox', callback_url: record.url };
  return { ...withNulls(Object.fromEntries(entries), dialect.nulls), ...extra };
}

/** Our name of each member by its name on the wire. */
const NAMES: Readonly<Record<Dialect['deliveryRecord'], Readonly<Record<string, keyof WebhookDelivery>>>> = {
  long: {
    id: 'id',
    event_type: 'event_type',
    status: 'status',
    attempts: 'attempts',
    max_attempts: 'max_attempts',
    last_http_status: 'last_http_status',
    next_retry_at: 'next_retry_at',
    delivered_at: 'delivered_at',
    attempt_log: 'attempt_log',
  },
  // No count of attempts here: the log has as many entries.
  short: {
    delivery_id: 'id',
    event: 'event_type',
    status: 'status',
    attempts: 'attempt_log',
    max_attempts: 'max_attempts',
    last_status_code: 'last_http_status',
    next_retry: 'next_retry_at',
    delivered_time: 'delivered_at',
  },
  counted: {
    webhook_id: 'id',
    event_name: 'event_type',
    state: 'status',
    attempt_count: 'attempts',
    max_attempts: 'max_attempts',
    last_http_status_code: 'last_http_status',
    next_attempt_at: 'next_retry_at',
    received_at: 'delivered_at',
    attempt_history: 'attempt_log',
  },
};

function writeAttempt({ deliveryRecord: form, nulls }: Dialect, attempt: SandboxAttempt): object {
  const { status_code, success, error, duration_ms, triggered_by, created_at } = attempt;
  const number = (value: number | null): number | string | null =>
    value === null || form !== 'short' ? value : String(value);
  return withNulls(
    {
      status_code: number(status_code),
      success: form === 'short' ? String(success) : success,
      error: error !== null && form === 'counted' ? { type: 'delivery_failed', message: error } : error,
      duration_ms: number(duration_ms),
      triggered_by,
      created_at,
    },
    nulls,
  );
}
