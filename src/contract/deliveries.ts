import { countOrNull, flagOrNull, numberOrNull, readDeliveryList } from './delivery-names.ts';
import type { Endpoint } from './endpoint.ts';
import { ident } from './parameters.ts';
import { DELIVERY_STATUSES } from './statuses.ts';
import type { DeliveryAttempt, EventType, WebhookDelivery } from './types.ts';
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

// The interface does not show the types inside the record and its log. A member that cannot be read is null, because a
// history with a gap is better than none.

/** Reads an HTTP status. 0 is null, because some clients write it where there was no answer. */
function statusOrNull(value: unknown): number | null {
  return numberOrNull(value) || null;
}

function textOrNull(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    return 'too deeply nested to show'; // JSON.parse reads more levels than JSON.stringify writes
  }
}

function dateOrNull(value: unknown): Date | null {
  const date = dateFrom(value);
  if (date instanceof Date) return date;
  const number = numberOrNull(value);
  // Seconds until the year 5138, milliseconds from 1973 on.
  const time = new Date(number === null ? Number.NaN : number < 100_000_000_000 ? number * 1000 : number);
  return Number.isNaN(time.getTime()) ? null : time;
}

const notShown = { kind: 'anything' } as const;

function attempt() {
  const shape = shapeOf<DeliveryAttempt>()({
    status_code: optionalScalar(statusOrNull, notShown),
    success: optionalScalar(flagOrNull, notShown),
    error: optionalScalar(textOrNull, notShown),
    duration_ms: optionalScalar(numberOrNull, notShown),
    triggered_by: optionalScalar(textOrNull, notShown),
    created_at: optionalScalar(dateOrNull, notShown),
  });
  return resource(shape);
}

function delivery() {
  const shape = shapeOf<WebhookDelivery>()({
    id: text,
    event_type: optionalScalar((value) => textOrNull(value) as EventType | null, notShown),
    status: openEnum(DELIVERY_STATUSES),
    attempts: optionalScalar<number>((value) => countOrNull(value) ?? 0, notShown),
    max_attempts: optionalScalar(numberOrNull, notShown),
    last_http_status: optionalScalar(statusOrNull, notShown),
    next_retry_at: optionalScalar(dateOrNull, notShown),
    delivered_at: optionalScalar(dateOrNull, notShown),
    attempt_log: listOf<DeliveryAttempt>(attempt()),
  });
  return resource(shape, 'WebhookDelivery', { hasChosenNames: true });
}

/**
 * @see [GET /api/v1/external/invoices/{ident}/webhooks](../../docs/service-interface.md#get-apiv1externalinvoicesidentwebhooks)
 */
export const listDeliveries: Endpoint<WebhookDelivery[]> = {
  method: 'GET',
  path: '/api/v1/external/invoices/{ident}/webhooks',
  idempotent: true,
  envelope: 'not_shown',
  params: check(() => parameters({ ident: ident() })),
  data: check(() => prepared((payload) => readDeliveryList(payload), listOf(delivery()))),
};

/**
 * @see [POST /api/v1/external/invoices/{ident}/resend-webhook](../../docs/service-interface.md#post-apiv1externalinvoicesidentresend-webhook)
 */
export const resendWebhook: Endpoint<void> = {
  method: 'POST',
  path: '/api/v1/external/invoices/{ident}/resend-webhook',
  idempotent: false, // each one starts another attempt
  envelope: 'not_shown',
  params: check(() => parameters({ ident: ident() })),
  data: () => ({ ok: true, value: undefined }), // the interface does not show the response body
};
