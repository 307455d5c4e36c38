import { base64url, signWebhook, type WebhookHeaders } from '../../webhooks/verify/signature.ts';
import type { Dialect } from '../dialect/dialects.ts';

/** A delivery that is to be signed. */
export interface Unsigned {
  /** Default a random one. */
  readonly id?: string | undefined;
  readonly body: string;
  readonly eventType: string;
  /** Epoch milliseconds, or the header as it is to be. */
  readonly timestamp: number | string;
}

/**
 * Every header of a delivery that depends on the dialect.
 * @see [Headers on every delivery](../../../docs/service-interface.md#headers-on-every-delivery)
 */
export async function signedHeaders(
  dialect: Dialect,
  secret: string,
  { id, body, eventType, timestamp }: Unsigned,
): Promise<WebhookHeaders & Record<string, string>> {
  const signed = await signWebhook(body, secret, {
    id,
    timestamp: typeof timestamp === 'number' ? stampText(timestamp, dialect.timestampFormat) : timestamp,
    encoding: dialect.signatureEncoding.startsWith('hex') ? 'hex' : 'base64',
  });
  return {
    ...signed,
    'X-Webhook-Signature': signatureText(signed['X-Webhook-Signature'], dialect),
    ...(dialect.eventName === 'header' ? { 'X-Webhook-Event': eventType } : {}),
    ...(dialect.webhookHeaders === 'some' ? { 'X-Webhook-Version': '1', 'X-Business-Id': 'sandbox' } : {}),
  };
}

/** A signature in plain hex or base64 as the dialect writes it. */
export function signatureText(
  plain: string,
  { signatureEncoding, signaturePrefix }: Pick<Dialect, 'signatureEncoding' | 'signaturePrefix'>,
): string {
  if (signatureEncoding === 'hex_upper') return signaturePrefix + plain.toUpperCase();
  if (signatureEncoding === 'base64url') return signaturePrefix + base64url(plain);
  return signaturePrefix + (signatureEncoding === 'base64_unpadded' ? plain.replace(/=+$/, '') : plain);
}

function stampText(at: number, format: Dialect['timestampFormat']): string {
  const iso = new Date(at).toISOString();
  if (format === 'iso') return iso;
  if (format === 'seconds_fraction') return (at / 1000).toFixed(3);
  if (format === 'iso_offset') return `${iso.slice(0, -1)}000+00:00`;
  return String(format === 'seconds' ? Math.floor(at / 1000) : at);
}
