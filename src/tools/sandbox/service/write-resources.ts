import type { WebhookDelivery } from '../../../contract/deliveries.ts';
import { MAX_ATTEMPTS } from '../delivery/deliveries.ts';
import { type Dialect, wireForm, withNulls } from '../dialects.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import type { SandboxAttempt, SandboxDelivery, SandboxInvoice } from '../wire-types.ts';
import type { World } from '../world.ts';

/** An instant in epoch milliseconds as text. */
function wireTime(at: number): string;
function wireTime(at: number | null): string | null;
function wireTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** The full form, every member present: for the functions of the sandbox itself. */
export function toSandboxInvoice(world: World, record: InvoiceRecord): SandboxInvoice {
  const { method, adjustment, finishedAt } = record;
  return {
    uuid: record.uuid,
    external_id: record.external_id,
    customer_id: record.customer_id,
    purpose: record.purpose,
    amount: record.amount,
    amount_to_send: record.amountToSend,
    currency: record.currency,
    status: record.status,
    callback_url: record.callback_url,
    success_url: record.success_url,
    fail_url: record.fail_url,
    payment_url: `${world.url}/pay/${record.uuid}`,
    created_at: wireTime(record.createdAt),
    expires_at: wireTime(record.expiresAt),
    finished_at: wireTime(finishedAt),
    payment_method: method === null ? null : { name: method.name, logo_url: method.logo_url },
    rate: record.rate,
    settled_amount_usdt: record.settledUsdt,
    is_adjusted: adjustment !== null,
    adjustment,
  };
}

/** The full form as the service writes it. */
export function writeInvoice(world: World, record: InvoiceRecord): object {
  return inDialect(world, toSandboxInvoice(world, record));
}

/**
 * The creation fields and no others.
 * @see [Invoice](../../../../docs/service-interface.md#invoice)
 */
export function writeCreatedInvoice(world: World, record: InvoiceRecord): object {
  const { finished_at, payment_method, rate, settled_amount_usdt, is_adjusted, adjustment, ...fields } =
    toSandboxInvoice(world, record);
  return inDialect(world, fields);
}

function inDialect({ settings: { dialect } }: World, fields: object): object {
  // The interface says null or absent of these members, so they are never empty text.
  return wireForm(dialect, fields, dialect.nulls === 'empty' ? 'absent' : dialect.nulls);
}

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
    next_retry_at: wireTime(nextRetryAt),
    delivered_at: wireTime(deliveredAt),
    created_at: wireTime(record.createdAt),
    attempt_log: [...log],
  };
}

/**
 * A delivery as the service writes it.
 * @see [Webhook delivery record](../../../../docs/service-interface.md#webhook-delivery-record)
 */
export function writeDelivery({ settings: { dialect } }: World, record: DeliveryRecord): object {
  const { url, body, invoice_uuid, external_id, created_at, ...known } = toSandboxDelivery(record);
  const values: Readonly<Record<keyof WebhookDelivery, unknown>> = {
    ...known,
    status: dialect.laterVersion === 'some' && known.status === 'pending' ? 'queued' : known.status,
    attempt_log: record.log.map((attempt) => writeAttempt(dialect, attempt)),
  };
  const names = NAMES[dialect.deliveryRecord];
  const entries = Object.entries(values).map(([name, value]) => [names[name] ?? name, value] as const);
  const written = Object.fromEntries(entries.filter(([name]) => name !== ''));
  const extra = dialect.laterVersion === 'none' ? {} : { region: 'sandbox', callback_url: record.url };
  return { ...withNulls(written, dialect.nulls), ...extra };
}

/** The members that a form of the record names otherwise. Empty: the form does not have it. */
const NAMES: Readonly<Record<Dialect['deliveryRecord'], Readonly<Record<string, string>>>> = {
  long: {},
  short: {
    id: 'delivery_id',
    event_type: 'event',
    attempts: '', // the log has as many entries
    last_http_status: 'last_status_code',
    next_retry_at: 'next_retry',
    delivered_at: 'delivered_time',
    attempt_log: 'attempts',
  },
  counted: {
    id: 'webhook_id',
    event_type: 'event_name',
    status: 'state',
    attempts: 'attempt_count',
    last_http_status: 'last_http_status_code',
    next_retry_at: 'next_attempt_at',
    delivered_at: 'received_at',
    attempt_log: 'attempt_history',
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
