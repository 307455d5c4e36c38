import type { WebhookDelivery } from '../../contract/deliveries.ts';
import type { Dialect } from '../dialect/dialects.ts';
import { wireTime, withNothing } from '../dialect/wire-form.ts';
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
    next_retry_at: nextRetryAt === null ? null : wireTime(nextRetryAt),
    delivered_at: deliveredAt === null ? null : wireTime(deliveredAt),
    created_at: wireTime(record.createdAt),
    attempt_log: [...log],
  };
}

/**
 * A delivery as the service writes it.
 * @see [Webhook delivery record](../../../docs/service-interface.md#webhook-delivery-record)
 */
export function writeDelivery(world: World, record: DeliveryRecord): object {
  const { dialect } = world.settings;
  const time = (at: number | null): string | null => (at === null ? null : wireTime(at, dialect.timeForm));
  const known = toSandboxDelivery(record);
  const values: Readonly<Record<keyof WebhookDelivery, unknown>> = {
    id: known.id,
    event_type: known.event_type,
    status: dialect.newWords === 'some' && known.status === 'pending' ? 'queued' : known.status,
    attempts: known.attempts,
    max_attempts: known.max_attempts,
    last_http_status: known.last_http_status,
    next_retry_at: time(record.nextRetryAt),
    delivered_at: time(record.deliveredAt),
    attempt_log: record.log.map((attempt) => writeAttempt(dialect, attempt)),
  };
  const names = NAMES[dialect.deliveryNames];
  const named =
    names === null ? values : Object.fromEntries(Object.entries(names).map(([wire, ours]) => [wire, values[ours]]));
  const extra = dialect.extraMembers === 'none' ? {} : { region: 'sandbox', callback_url: record.url };
  return { ...withNothing(named, dialect.deliveryNulls), ...extra };
}

/** Our name of each member by its name on the wire, or null where the names are the same. */
const NAMES: Readonly<Record<Dialect['deliveryNames'], Readonly<Record<string, keyof WebhookDelivery>> | null>> = {
  long: null,
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

function writeAttempt(dialect: Dialect, attempt: SandboxAttempt): object {
  const { attemptNumbers, attemptFlags, attemptErrors, attemptNulls, timeForm } = dialect;
  const number = (value: number | null): number | string | null =>
    value === null || attemptNumbers === 'number' ? value : String(value);
  const flags = { boolean: attempt.success, number: Number(attempt.success), text: String(attempt.success) };
  const { error } = attempt;
  return withNothing(
    {
      status_code: number(attempt.status_code),
      success: flags[attemptFlags],
      error: error === null || attemptErrors === 'text' ? error : { type: 'delivery_failed', message: error },
      duration_ms: number(attempt.duration_ms),
      triggered_by: attempt.triggered_by,
      created_at: wireTime(Date.parse(attempt.created_at), timeForm),
    },
    attemptNulls,
  );
}
