import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../src/errors/classes.ts';
import { areEqual } from '../../../src/webhooks/crypto.ts';
import { signWebhook } from '../../../src/webhooks/verify/signature.ts';
import { RUNTIMES } from '../runtimes.ts';
import { MIXED, NOW, PAID, SECRET, UNICODE, VECTORS } from '../vectors.ts';

const [HEX, { signature: BASE64 }] = [VECTORS[0].signature, VECTORS[1]];

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(RUNTIMES)('signWebhook with $runtime', ({ enter }) => {
  beforeEach(enter);

  it.each(VECTORS)('signs as OpenSSL does: $name', async ({ signature, timestamp, sign }) => {
    expect(await signWebhook(PAID, SECRET, { id: 'dlv_1', timestamp: NOW, ...sign })).toEqual({
      'Content-Type': 'application/json',
      'X-Webhook-Id': 'dlv_1',
      'X-Webhook-Signature': signature,
      'X-Webhook-Timestamp': timestamp,
    });
  });

  const beyondAscii = { timestamp: UNICODE.timestamp };
  // The key of verify.test.ts.
  const key = Buffer.from('00ff80fe000102030405060708090a0b', 'hex');
  it.each<[string, Parameters<typeof signWebhook>, string]>([
    ['text beyond ASCII as UTF-8', [UNICODE.body, UNICODE.secret, beyondAscii], UNICODE.signature],
    ['bytes', [new TextEncoder().encode(UNICODE.body), UNICODE.secret, beyondAscii], UNICODE.signature],
    [
      'with a key beyond text',
      [PAID, key, { timestamp: '1767225600' }],
      '04cdc31c91278ce990aa0c44e431684d809d6c64bf337d5e06d0f67f879fc239',
    ],
    ['with a prefix', [PAID, SECRET, { timestamp: new Date(NOW), prefix: true }], `sha256=${HEX}`],
    [
      'in base64 with a prefix',
      [PAID, SECRET, { timestamp: NOW, encoding: 'base64', prefix: true }],
      `sha256=${BASE64}`,
    ],
    ['in base64', [PAID, SECRET, { timestamp: MIXED.timestamp, encoding: 'base64' }], MIXED.base64],
    ['in base64 of URLs', [PAID, SECRET, { timestamp: MIXED.timestamp, encoding: 'base64url' }], MIXED.base64url],
  ])('signs %s', async (_title, given, signature) => {
    expect((await signWebhook(...given))['X-Webhook-Signature']).toBe(signature);
  });
});

it('signWebhook defaults to a random id, now, hex without prefix, seconds', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(NOW + 999);
  const headers = await signWebhook(PAID, SECRET);
  expect(headers['X-Webhook-Id']).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(headers['X-Webhook-Timestamp']).toBe('1767225600');
  expect(headers['X-Webhook-Signature']).toBe(HEX);
});

it.each([
  ['an empty secret', ['{}', ''], 'secret must be a string'],
  ['a blank secret', ['{}', ' \n'], 'secret has white space around it'],
  ['a padded secret', ['{}', 'whsec_padded\n'], 'secret has white space around it'],
  ['no secret', ['{}', undefined], 'secret must be a string'],
  ['an invalid date', ['{}', SECRET, { timestamp: new Date(Number.NaN) }], 'The timestamp to sign is not a time.'],
  [
    'an unknown encoding',
    ['{}', SECRET, { encoding: 'base32' }],
    'signWebhook: encoding must be "hex" or "base64" or "base64url".',
  ],
  [
    'an unknown format',
    ['{}', SECRET, { timestampFormat: 'rfc' }],
    'signWebhook: timestampFormat must be "seconds" or "milliseconds" or "iso".',
  ],
  ['a parsed body', [{}, SECRET], 'signWebhook: the body must be text or bytes, exactly as it will be sent.'],
  ['options that are null', ['{}', SECRET, null], 'signWebhook: options must be an object'],
])('signWebhook refuses %s without showing the secret', async (_name, given, message) => {
  const error = await signWebhook(...(given as Parameters<typeof signWebhook>)).catch((thrown: unknown) => thrown); // wrong on purpose
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error).toHaveProperty('message', expect.stringContaining(message));
  expect(String(error)).not.toContain('whsec_');
});

it('two digests are equal only as a whole, to the last character', () => {
  const zeros = '0'.repeat(64);
  expect(areEqual(zeros, '0'.repeat(64))).toBe(true);
  for (let at = 0; at < 64; at += 1) {
    expect(areEqual(zeros, `${zeros.slice(0, at)}1${zeros.slice(at + 1)}`)).toBe(false);
  }
  expect(areEqual(zeros, zeros.slice(1))).toBe(false);
  expect(areEqual('', '')).toBe(false);
});
