import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../src/errors/classes.ts';
import { equalDigests, signWebhook } from '../../../src/webhooks/verify/signature.ts';
import { RUNTIMES } from '../runtimes.ts';
import { MIXED, NOW, PAID, SECRET, UNICODE, VECTORS } from '../vectors.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(RUNTIMES)('signWebhook with $runtime', ({ enter }) => {
  beforeEach(enter);

  it.each(VECTORS)('signs as OpenSSL does: $name', async ({ signature, timestamp, sign }) => {
    const headers = await signWebhook(PAID, SECRET, { id: 'dlv_1', timestamp: NOW, ...sign });
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'X-Webhook-Id': 'dlv_1',
      'X-Webhook-Signature': signature,
      'X-Webhook-Timestamp': timestamp,
    });
  });

  it('takes secret and body as UTF-8, as text or bytes', async () => {
    for (const body of [UNICODE.body, new TextEncoder().encode(UNICODE.body)]) {
      const headers = await signWebhook(body, UNICODE.secret, { timestamp: UNICODE.timestamp });
      expect(headers['X-Webhook-Signature']).toBe(UNICODE.signature);
    }
  });
});

describe('signWebhook', () => {
  it('defaults to a random id, now, hex without prefix, seconds', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(NOW + 999);
    const headers = await signWebhook(PAID, SECRET);
    expect(headers['X-Webhook-Id']).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(headers['X-Webhook-Timestamp']).toBe('1767225600');
    expect(headers['X-Webhook-Signature']).toBe(VECTORS[0].signature);
  });

  it('writes the prefix when asked, and takes a Date', async () => {
    const headers = await signWebhook(PAID, SECRET, { timestamp: new Date(NOW), prefix: true });
    expect(headers['X-Webhook-Signature']).toBe(`sha256=${VECTORS[0].signature}`);
  });

  it('writes base64 in the url alphabet when asked', async () => {
    const { base64, base64url, timestamp } = MIXED;
    const signed = async (encoding: 'base64' | 'base64url') =>
      (await signWebhook(PAID, SECRET, { timestamp, encoding }))['X-Webhook-Signature'];
    expect([await signed('base64'), await signed('base64url')]).toEqual([base64, base64url]);
  });

  it.each([
    ['an empty secret', () => signWebhook('{}', ''), 'secret must be a string'],
    ['a blank secret', () => signWebhook('{}', ' \n'), 'secret has white space around it'],
    ['a padded secret', () => signWebhook('{}', 'whsec_padded\n'), 'secret has white space around it'],
    ['no secret', () => signWebhook('{}', undefined as never), 'secret must be a string'],
    [
      'an invalid date',
      () => signWebhook('{}', SECRET, { timestamp: new Date(Number.NaN) }),
      'The timestamp to sign is not a time.',
    ],
    [
      'an unknown encoding',
      () => signWebhook('{}', SECRET, { encoding: 'base32' as never }),
      'signWebhook: encoding must be "hex" or "base64" or "base64url".',
    ],
    [
      'an unknown format',
      () => signWebhook('{}', SECRET, { timestampFormat: 'rfc' as never }),
      'signWebhook: timestampFormat must be "seconds" or "milliseconds" or "iso".',
    ],
    [
      'a parsed body',
      () => signWebhook({} as never, SECRET),
      'signWebhook: the body must be text or bytes, exactly as it will be sent.',
    ],
    ['options that are null', () => signWebhook('{}', SECRET, null as never), 'signWebhook: options must be an object'],
  ])('refuses %s without showing the secret', async (_name, sign, message) => {
    const error = await sign().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toHaveProperty('message', expect.stringContaining(message));
    expect(String(error)).not.toContain('whsec_');
  });

  it('compares whole digests only, to the last character', () => {
    const zeros = '0'.repeat(64);
    expect(equalDigests(zeros, '0'.repeat(64))).toBe(true);
    for (let at = 0; at < 64; at += 1) {
      expect(equalDigests(zeros, `${zeros.slice(0, at)}1${zeros.slice(at + 1)}`)).toBe(false);
    }
    expect(equalDigests(zeros, zeros.slice(1))).toBe(false);
    expect(equalDigests('', '')).toBe(false);
  });
});
