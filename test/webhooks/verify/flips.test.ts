import { beforeEach, describe, expect, it } from 'vitest';
import { WebhookVerificationError } from '../../../src/errors/classes.ts';
import type { WebhookReason } from '../../../src/errors/codes.ts';
import { verifyWebhook } from '../../../src/webhooks/index.ts';
import { RUNTIMES } from '../runtimes.ts';
import { headersOf, NOW, PAID, PAID_HEADERS, SECRET, VECTORS } from '../vectors.ts';

const HEX = VECTORS[0].signature;
const BASE64 = VECTORS[1].signature;

async function refusal(verified: Promise<unknown>): Promise<WebhookReason> {
  const error = await verified.catch((thrown: unknown) => thrown);
  if (!(error instanceof WebhookVerificationError)) throw new Error(`expected a refusal, got ${String(error)}`);
  return error.reason;
}

describe.each(RUNTIMES)('verifyWebhook with $runtime', ({ enter }) => {
  beforeEach(enter);

  it('refuses every flip of a bit of the body', async () => {
    const body = new TextEncoder().encode(PAID);
    const reasons = new Set<string>();
    for (let bit = 0; bit < body.length * 8; bit += 1) {
      const flipped = body.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      reasons.add(await refusal(verifyWebhook(flipped, PAID_HEADERS, SECRET, { now: NOW })));
    }
    expect([...reasons]).toEqual(['signature_mismatch']);
  }, 30_000);

  it('refuses every flip of a bit of the digest, in hex and base64', async () => {
    const digest = Buffer.from(HEX, 'hex');
    for (let bit = 0; bit < 256; bit += 1) {
      const flipped = Buffer.from(digest);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      for (const encoding of ['hex', 'base64'] as const) {
        const headers = headersOf(flipped.toString(encoding));
        expect(await refusal(verifyWebhook(PAID, headers, SECRET, { now: NOW }))).toBe('signature_mismatch');
      }
    }
  });

  it('refuses every flip of a bit of the signature text that is not its case', async () => {
    for (const [text, bits] of [
      [HEX, 8],
      [BASE64, 8],
    ] as const) {
      for (let bit = 0; bit < text.length * bits; bit += 1) {
        const chars = Buffer.from(text, 'latin1');
        chars[bit >> 3] = (chars[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const flipped = chars.toString('latin1');
        if (text === HEX && flipped.toLowerCase() === HEX) continue; // the same bytes, spelled in the other case
        await refusal(verifyWebhook(PAID, headersOf(flipped), SECRET, { now: NOW }));
      }
    }
  });
});
