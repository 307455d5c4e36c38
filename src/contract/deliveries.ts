import { countOrNull, deliveryList, flagOrNull, numberOrNull } from './delivery-names.ts';
import type { Endpoint } from './endpoint.ts';
import { ident } from './parameters.ts';
import type { DeliveryAttempt, EventType, KnownDeliveryStatus, WebhookDelivery } from './types.ts';
import {
  after,
  check,
  listOf,
  openEnum,
  optionalScalar,
  parameters,
  resource,
  shapeOf,
  text,
} from './values/codecs.ts';
import { dateFrom } from './values/scalars.ts';

// The types inside the record and its log are not shown: what cannot be read as the type that the name promises is
// null, because a history with a gap tells more than none.

/** An HTTP status; 0 is how some clients write that there was no answer. */
function statusOrNull(value: unknown): number | null {
  return numberOrNull(value) || null;
}

function textOrNull(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    return 'too deeply nested to show'; // thousands of levels parse, but cannot be written
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

const unsaid = { kind: 'anything' } as const;

const attemptShape = shapeOf<DeliveryAttempt>()({
  status_code: optionalScalar(statusOrNull, unsaid),
  success: optionalScalar(flagOrNull, unsaid),
  error: optionalScalar(textOrNull, unsaid),
  duration_ms: optionalScalar(numberOrNull, unsaid),
  triggered_by: optionalScalar(textOrNull, unsaid),
  created_at: optionalScalar(dateOrNull, unsaid),
});

const deliveryShape = shapeOf<WebhookDelivery>()({
  id: text,
  event_type: optionalScalar((value) => textOrNull(value) as EventType | null, unsaid),
  status: openEnum<KnownDeliveryStatus>(['pending', 'delivering', 'delivered', 'failed']),
  attempts: optionalScalar<number>((value) => countOrNull(value) ?? 0, unsaid),
  max_attempts: optionalScalar(numberOrNull, unsaid),
  last_http_status: optionalScalar(statusOrNull, unsaid),
  next_retry_at: optionalScalar(dateOrNull, unsaid),
  delivered_at: optionalScalar(dateOrNull, unsaid),
  attempt_log: listOf<DeliveryAttempt>(resource(attemptShape)),
});

const delivery = resource(deliveryShape, 'WebhookDelivery', { namesUnsaid: true });

/**
 * @see [GET /api/v1/external/invoices/{ident}/webhooks](../../docs/service-interface.md#get-apiv1externalinvoicesidentwebhooks)
 */
export const listDeliveries: Endpoint<WebhookDelivery[]> = {
  operation: 'webhooks.deliveries',
  method: 'GET',
  path: '/api/v1/external/invoices/{ident}/webhooks',
  idempotent: true,
  envelope: 'unsaid',
  params: check(() => parameters({ ident })),
  query: null,
  body: null,
  data: check(() => after((payload) => deliveryList(payload), listOf(delivery))),
};

/**
 * @see [POST /api/v1/external/invoices/{ident}/resend-webhook](../../docs/service-interface.md#post-apiv1externalinvoicesidentresend-webhook)
 */
export const resendWebhook: Endpoint<void> = {
  operation: 'webhooks.resend',
  method: 'POST',
  path: '/api/v1/external/invoices/{ident}/resend-webhook',
  idempotent: false, // each one starts an attempt of its own
  envelope: 'unsaid',
  params: check(() => parameters({ ident })),
  query: null,
  body: null,
  data: () => ({ ok: true, value: undefined }), // the response body is not shown, so nothing is read from it
};
