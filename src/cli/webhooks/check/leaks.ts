import { engine, hexToBase64 } from '../../../webhooks/verify/signature.ts';
import type { ReceiverRequest, Reply } from '../deliver.ts';

/**
 * True if the answer holds a secret, or the signature that would have been right for a forged delivery. A reader
 * of either can forge deliveries. A signature that was sent and comes back is harmless.
 */
export async function leaks(
  { headers, body }: ReceiverRequest,
  reply: Reply,
  secrets: readonly string[],
): Promise<boolean> {
  if (reply.text === '') return false;
  if (secrets.some((secret) => reply.text.includes(secret))) return true;
  const sent = headers['X-Webhook-Signature'] ?? '';
  const stamp = headers['X-Webhook-Timestamp'];
  if (stamp === undefined) return false;
  for (const secret of secrets) {
    const hex = await engine().hmac(secret, `${stamp}.${body}`, new Uint8Array());
    const isInText = [hex, hexToBase64(hex)].some(
      (signature) => !sent.includes(signature) && reply.text.includes(signature),
    );
    if (isInText) return true;
  }
  return false;
}
