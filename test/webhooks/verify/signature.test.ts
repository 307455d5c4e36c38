import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../src/errors/classes.ts';
import { engine, equalDigests, signWebhook, webEngine } from '../../../src/webhooks/verify/signature.ts';
import { RUNTIMES } from '../runtimes.ts';
import { MIXED, NOW, PAID, SECRET, UNICODE, VECTORS } from '../vectors.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(RUNTIMES)('signWebhook with $runtime', ({ runtime, enter }) => {
  beforeEach(enter);

  it('uses the cryptography of the runtime', () => {
    expect(engine() === webEngine).toBe(runtime === 'WebCrypto');
  });

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

  it('digests text as OpenSSL does', async () => {
    // printf '%s' abc | openssl dgst -sha256
    expect(await engine().sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
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

  it('gives WebCrypto a key that nobody can read back, for signing alone', async () => {
    const importKey = vi.spyOn(crypto.subtle, 'importKey');
    expect(await webEngine.hmac('key', 'a.', new Uint8Array())).toBe(
      await engine().hmac('key', 'a.', new Uint8Array()),
    );
    expect(importKey.mock.calls.map(([format, , , ...rest]) => [format, ...rest])).toEqual([['raw', false, ['sign']]]);
  });

  it('finds node:crypto in Node', () => {
    expect(engine()).not.toBe(webEngine);
  });
});
