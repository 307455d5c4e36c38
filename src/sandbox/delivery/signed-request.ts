import { signWebhook, toBase64url } from '../../webhooks/verify/signature.ts';
import type { Dialect } from '../dialects.ts';
import type { DeliveryFault } from '../state/faults.ts';
import type { DeliveryRecord } from '../state/records.ts';
import type { SandboxWebhookRequest } from '../wire-types.ts';

const TEN_MINUTES = 600_000;

/**
 * Signs a delivery and adds the headers in the form of the dialect. Each attempt sends the same bytes as its body.
 * @see [Headers on every delivery](../../../docs/service-interface.md#headers-on-every-delivery)
 */
export async function signedRequest(
  { dialect, webhookSecret }: { readonly dialect: Dialect; readonly webhookSecret: string },
  { id, body, eventType }: Pick<DeliveryRecord, 'id' | 'body' | 'eventType'>,
  url: string,
  stampAt: number,
  fault: DeliveryFault | null = null,
): Promise<SandboxWebhookRequest> {
  const age = fault?.type === 'late_timestamp' ? (fault.age ?? TEN_MINUTES) : 0;
  const secret = fault?.type === 'wrong_signature' ? `${webhookSecret}_but_another` : webhookSecret;
  const signed = await signWebhook(body, secret, {
    id,
    timestamp: stampText(stampAt - age, dialect.timestampFormat),
    encoding: dialect.signatureEncoding === 'hex' ? 'hex' : 'base64',
  });
  return {
    url,
    method: 'POST',
    headers: {
      'User-Agent': 'merchant-invoicing-sandbox',
      ...signed,
      'X-Webhook-Signature': signatureText(signed['X-Webhook-Signature'], dialect),
      ...(dialect.eventName === 'header' && { 'X-Webhook-Event': eventType }),
      ...(dialect.laterVersion === 'some' && { 'X-Webhook-Version': '1', 'X-Business-Id': 'sandbox' }),
    },
    body: fault?.type === 'reserialized' ? JSON.stringify(JSON.parse(body), null, 2) : body,
  };
}

/** A signature in plain hex or base64 as the dialect writes it. */
export function signatureText(
  plain: string,
  { signatureEncoding, signaturePrefix }: Pick<Dialect, 'signatureEncoding' | 'signaturePrefix'>,
): string {
  return signaturePrefix + (signatureEncoding === 'base64url' ? toBase64url(plain) : plain);
}

function stampText(at: number, format: Dialect['timestampFormat']): string {
  if (format === 'iso') return new Date(at).toISOString();
  return String(format === 'seconds' ? Math.floor(at / 1000) : at);
}
