import type { WebhookDelivery } from '../../../contract/deliveries.ts';
import { MAX_ATTEMPTS } from '../delivery/deliveries.ts';
import { wireForm } from '../dialects.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import type { SandboxDelivery, SandboxInvoice } from '../types.ts';
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
  return wireForm(world.settings.dialect, toSandboxInvoice(world, record));
}

/**
 * The creation fields and no others.
 * @see [Invoice](../../../../docs/service-interface.md#invoice)
 */
export function writeCreatedInvoice(world: World, record: InvoiceRecord): object {
  const { finished_at, payment_method, rate, settled_amount_usdt, is_adjusted, adjustment, ...fields } =
    toSandboxInvoice(world, record);
  return wireForm(world.settings.dialect, fields);
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
  const isLater = dialect.laterVersion === 'some';
  const written: Readonly<Record<keyof WebhookDelivery, unknown>> = {
    ...known,
    status: isLater && known.status === 'pending' ? 'queued' : known.status,
    attempt_log: record.log.map(({ status_code, success, error, duration_ms, triggered_by, created_at: at }) => ({
      status_code,
      success,
      error,
      duration_ms,
      triggered_by,
      created_at: at,
    })),
  };
  return isLater ? { ...written, region: 'sandbox', callback_url: record.url } : written;
}
