import { createHmac } from 'node:crypto';

/** A delivery as it goes over the wire. */
export interface Delivery {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** A genuine one, and its parts. */
export interface Genuine extends Delivery {
  readonly timestamp: string;
  readonly signature: string;
}

/** When all of them were signed: 2026-01-01T00:00:00Z. */
export const NOW = 1_767_225_600_000;
/** The secrets of the receiver: a text and a binary key. */
export const SECRETS: readonly (string | Uint8Array)[] = [
  'whsec_of_the_receiver_1',
  Uint8Array.from({ length: 32 }, (_, index) => (index * 37) & 255),
];

const UUID = '3f2a9c1e-7b54-4d8e-9a10-6c2f5e8b7d41';
// Typed by hand from the interface, "Payload members". Some have dots and digits that look like the end of a timestamp.
const BODIES: readonly string[] = [
  `{"invoice_uuid":"${UUID}","external_id":"order-1042","status":"success","amount":"25.00","credited_usdt":"26.91","adjusted":false}`,
  `{"event":"invoice.paid","invoice_uuid":"${UUID}","external_id":"order-1043","status":"success","amount":"17.00","credited_usdt":"18.30","adjusted":true,"original_amount":"25.00"}`,
  `{"event":"invoice.canceled","data":{"invoice_uuid":"${UUID}","external_id":"1.{}","status":"expired","amount":"25.00"}}`,
  `{"1.5.{}":"1767225600.{","invoice_uuid":"${UUID}","external_id":"order-é-世","status":"success","amount":12.5,"credited_usdt":"0.1"}`,
  ` \n{"invoice_uuid":"${UUID}", "external_id":"o", "status":"fail", "amount":"1"}\n`,
];
const TIMESTAMPS: readonly string[] = [
  '1767225600',
  '1767225600.123',
  '1767225600.1',
  '1767225600000',
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00.123456+00:00',
  '2026-01-01T00:00:00',
  '2026-01-01 00:00:00.5',
];
const SPELLINGS: readonly ((digest: Buffer) => string)[] = [
  (digest) => digest.toString('hex'),
  (digest) => digest.toString('hex').toUpperCase(),
  (digest) => `sha256=${digest.toString('hex')}`,
  (digest) => `sha256:${digest.toString('hex')}`,
  (digest) => `v1=${digest.toString('base64')}`,
  (digest) => `hmac-sha256=${digest.toString('base64url')}`,
  (digest) => digest.toString('base64'),
];

/** Deliveries that a receiver of these secrets must accept. Signed with node:crypto, not with the package. */
export const GENUINE: readonly Genuine[] = BODIES.flatMap((text, index) =>
  TIMESTAMPS.map((timestamp, place): Genuine => {
    const body = new TextEncoder().encode(text);
    const secret = SECRETS[(index + place) % SECRETS.length] ?? '';
    const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
    const signature = (SPELLINGS[(index * 3 + place) % SPELLINGS.length] ?? String)(digest);
    const headers = {
      'X-Webhook-Id': `dlv_${index}_${place}`,
      'X-Webhook-Signature': signature,
      'X-Webhook-Timestamp': timestamp,
    };
    return { body, headers, timestamp, signature };
  }),
);
