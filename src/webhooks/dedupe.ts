import type { InvoiceEvent } from './events.ts';
import { engine } from './hmac.ts';
import { plainId } from './uuid-form.ts';

/**
 * What makes two deliveries the same event. Signed content only: X-Webhook-Id is outside the signature, so whoever
 * replays a delivery can change it.
 */
export function dedupeKey(event: InvoiceEvent): string {
  const uuid = plainId(event.invoice_uuid);
  if (event.type === 'invoice.paid') return `${uuid}:paid`;
  if (event.type === 'invoice.canceled') return `${uuid}:canceled`;
  return `${uuid}:unknown:${event.status.slice(0, MAX_STATUS)}`;
}

const MAX_STATUS = 100;

/** Digest of what the merchant acts on. A duplicate with another digest is not a duplicate to be silent about. */
export async function eventDigest(event: InvoiceEvent): Promise<string> {
  const { amount, credited_usdt, adjusted, status } = event;
  return await engine().sha256(
    JSON.stringify([amount?.toFixed() ?? null, credited_usdt?.toFixed() ?? null, adjusted, status]),
  );
}
