import { beforeEach, describe, expect, it } from 'vitest';
import { isMerchantError } from '../../../src/errors/guards.ts';
import { parseInvoiceEvent, signWebhook, verifyWebhook } from '../../../src/webhooks/index.ts';
import fc from '../../support/fast-check.ts';
import { scaled } from '../../support/scaled.ts';
import { AGAIN } from '../../support/seed.ts';
import { RUNTIMES } from '../runtimes.ts';
import { headersOf, NOW, PAID, PAID_HEADERS, SECRET, UUID, VECTORS } from '../vectors.ts';

const HEX = VECTORS[0].signature;
const BASE64 = VECTORS[1].signature;

/** The reason of the refusal. Fails if the values were accepted, or the error is not one of ours. */
async function refused(body: unknown, headers: unknown, secret: unknown = SECRET, options: unknown = { now: NOW }) {
  // Values of any kind, on purpose.
  const verified = verifyWebhook(body as string, headers as Headers, secret as string, options as object);
  const error = await verified.then(
    () => 'accepted',
    (thrown: unknown) => thrown,
  );
  if (!isMerchantError(error)) throw new Error(`expected an error of ours, got ${String(error)}`);
  return error.code;
}

/** Every copy of the bytes that differs from them in one bit. */
function* flips(bytes: Uint8Array): Generator<Buffer> {
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield flipped;
  }
}

describe.each(RUNTIMES)('verifyWebhook with $runtime', ({ enter }) => {
  beforeEach(enter);

  it('refuses every flip of a bit of the body, of the digest and of the signature text', async () => {
    const codes = new Set<string>();
    for (const body of flips(Buffer.from(PAID))) codes.add(await refused(body, PAID_HEADERS));
    for (const digest of flips(Buffer.from(HEX, 'hex'))) {
      for (const text of [digest.toString('hex'), digest.toString('base64')])
        codes.add(await refused(PAID, headersOf(text)));
    }
    expect([...codes]).toEqual(['SDK_WEBHOOK_SIGNATURE_MISMATCH']);
    for (const text of [HEX, BASE64]) {
      for (const flipped of flips(Buffer.from(text, 'latin1'))) {
        const changed = flipped.toString('latin1');
        if (text === HEX && changed.toLowerCase() === HEX) continue; // the same bytes, spelled in the other case
        await refused(PAID, headersOf(changed));
      }
    }
  });
});

const anything = fc.anything({
  withBigInt: true,
  withTypedArray: true,
  withSparseArray: true,
  withNullPrototype: true,
});
const given = anything.filter((value) => value !== undefined); // otherwise the default applies

it.each<[string, fc.Arbitrary<unknown>, (value: unknown) => Promise<unknown>]>([
  ['a body', anything, (body) => refused(body, PAID_HEADERS)],
  ['headers', anything, (headers) => refused(PAID, headers)],
  ['a signature', anything, (value) => refused(PAID, { ...PAID_HEADERS, 'x-webhook-signature': value })],
  ['a timestamp', anything, (value) => refused(PAID, { ...PAID_HEADERS, 'x-webhook-timestamp': value })],
  ['a secret', given, (secret) => refused(PAID, PAID_HEADERS, secret)],
  // The system clock is far from the vector's, so that even untouched options refuse it.
  ['options', given, (options) => refused(PAID, PAID_HEADERS, SECRET, options)],
  ['the JSON of an event', anything, async (value) => expect(() => parseInvoiceEvent(value)).toThrow('payload')],
])(`any value as %s ends in an error of the package (${AGAIN})`, async (_name, values, refuse) => {
  await fc.assert(
    fc.asyncProperty(values, async (value) => void (await refuse(value))),
    { numRuns: scaled(500) },
  );
});

it(`any genuine JSON is an event, or malformed, and never a crash (${AGAIN})`, async () => {
  const members = ['invoice_uuid', 'external_id', 'status', 'amount', 'credited_usdt', 'adjusted', 'original_amount'];
  const member = fc.constantFrom(...members, 'event', 'type', 'data', '__proto__', 'constructor');
  const usual = fc.constantFrom('success', 'expired', UUID, '25.00', '1e9', true, false, null);
  const object = fc.array(fc.tuple(member, fc.oneof(fc.jsonValue(), usual))).map((pairs) => Object.fromEntries(pairs));
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.jsonValue(), object), async (json) => {
      const text = JSON.stringify(json);
      const headers = { ...(await signWebhook(text, SECRET, { timestamp: NOW })) };
      const ended = await verifyWebhook(text, headers, SECRET, { now: NOW }).catch((error: unknown) => error);
      if (ended instanceof Error) expect(ended).toMatchObject({ kind: 'webhook', reason: 'malformed_payload' });
      else expect(parseInvoiceEvent(JSON.parse(JSON.stringify(ended)))).toEqual(ended);
    }),
    { numRuns: scaled(500) },
  );
});
