import { MAX_ATTEMPTS } from './delivery-schedule.ts';
import type { DeliveryRecord } from './store.ts';
import { wireTime } from './wire-time.ts';
import type { SandboxDelivery } from './wire-types.ts';
import type { World } from './world.ts';

/** A delivery with everything the sandbox knows of it. */
export function deliveryOf(record: DeliveryRecord): SandboxDelivery {
  const { invoice, log, nextRetryAt, deliveredAt } = record;
  return {
    id: record.id,
    invoice_uuid: invoice.uuid,
    external_id: invoice.external_id,
    event_type: record.eventType,
    status: record.status,
    url: record.url,
    body: record.body,
    attempts: log.length,
    max_attempts: MAX_ATTEMPTS,
    last_http_status: log.at(-1)?.status_code ?? null,
    next_retry_at: nextRetryAt === null ? null : wireTime(nextRetryAt),
    delivered_at: deliveredAt === null ? null : wireTime(deliveredAt),
    created_at: wireTime(record.createdAt),
    attempt_log: [...log],
  };
}

/** The record as the service answers it. @see service interface, "Webhook delivery record" */
export function deliveryForm(world: World, record: DeliveryRecord): object {
  const { dialect } = world.settings;
  const time = (at: number | null): string | null => (at === null ? null : wireTime(at, dialect.timeForm));
  const number = (value: number | null): number | string | null =>
    value === null || dialect.attemptNumbers === 'number' ? value : String(value);
  const log = record.log.map((attempt) => ({
    status_code: number(attempt.status_code),
    success: attempt.success,
    error: attempt.error,
    duration_ms: number(attempt.duration_ms),
    triggered_by: attempt.triggered_by,
    created_at: time(Date.parse(attempt.created_at)),
  }));
  const { id, event_type, status, attempts, max_attempts, last_http_status } = deliveryOf(record);
  const [next, delivered] = [time(record.nextRetryAt), time(record.deliveredAt)];
  if (dialect.deliveryNames === 'long') {
    return {
      id,
      event_type,
      status,
      attempts,
      max_attempts,
      last_http_status,
      next_retry_at: next,
      delivered_at: delivered,
      attempt_log: log,
    };
  }
  return {
    delivery_id: id,
    event: event_type,
    status,
    attempts: log,
    max_attempts,
    last_status_code: last_http_status,
    next_retry: next,
    delivered_time: delivered,
  };
}
