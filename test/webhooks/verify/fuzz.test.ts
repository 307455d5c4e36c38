import { describe, expect, it } from 'vitest';
import { isMerchantError } from '../../../src/errors/guards.ts';
import { parseInvoiceEvent, signWebhook, verifyWebhook } from '../../../src/webhooks/index.ts';
import fc from '../../support/fast-check.ts';
import { scaled } from '../../support/scaled.ts';
import { headersOf, NOW, PAID, PAID_HEADERS, SECRET, UUID, VECTORS } from '../vectors.ts';

const HEX = VECTORS[0].signature;

/** Whatever is given: refused, and by an error of ours. */
async function refused(body: unknown, headers: unknown, secret: unknown = SECRET, options: unknown = { now: NOW }) {
  const ended = await verifyWebhook(body as never, headers as never, secret as never, options as never).then(
    () => 'accepted',
    (error: unknown) => (isMerchantError(error) ? 'refused' : error),
  );
  expect(ended).toBe('refused');
}

const throwing = new Proxy(
  {},
  {
    get() {
      throw new Error('get');
    },
    has() {
      throw new Error('has');
    },
    ownKeys() {
      throw new Error('ownKeys');
    },
    getPrototypeOf() {
      throw new Error('getPrototypeOf');
    },
  },
);
const revoked = Proxy.revocable({}, {});
revoked.revoke();
const endless = {
  *[Symbol.iterator]() {
    for (;;) yield ['a', 'b'];
  },
};
const odd = [
  throwing,
  revoked.proxy,
  endless,
  Symbol('s'),
  1n,
  () => {},
  new Date(Number.NaN),
  new Map(),
  new WeakMap(),
  Object.create(null),
];
const anything = fc.anything({
  withBigInt: true,
  withTypedArray: true,
  withSparseArray: true,
  withNullPrototype: true,
});

describe('whatever is thrown at the verifier', () => {
  it('random bodies under a genuine signature are refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), (body) => refused(body, PAID_HEADERS)),
      { numRuns: scaled(300) },
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), (body) => refused(body, PAID_HEADERS)),
      { numRuns: scaled(300) },
    );
  });

  it('random signatures are refused', async () => {
    const hex = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
    const signature = fc
      .oneof(fc.string(), hex, fc.base64String(), fc.mixedCase(fc.constant('sha256=')))
      .filter((text) => text !== HEX);
    await fc.assert(
      fc.asyncProperty(signature, (text) => refused(PAID, headersOf(text))),
      { numRuns: scaled(500) },
    );
  });

  it('random timestamps are refused', async () => {
    const timestamp = fc
      .oneof(
        fc.string(),
        fc.integer().map(String),
        fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      )
      .filter((text) => text !== '1767225600');
    await fc.assert(
      fc.asyncProperty(timestamp, (text) => refused(PAID, headersOf(HEX, text))),
      { numRuns: scaled(500) },
    );
  });

  it('any value as body, headers, secret or options ends in an error of ours', async () => {
    await fc.assert(
      fc.asyncProperty(anything, (body) => refused(body, PAID_HEADERS)),
      { numRuns: scaled(500) },
    );
    await fc.assert(
      fc.asyncProperty(anything, (headers) => refused(PAID, headers)),
      { numRuns: scaled(500) },
    );
    await fc.assert(
      fc.asyncProperty(anything, (value) => refused(PAID, { ...PAID_HEADERS, 'x-webhook-signature': value })),
      { numRuns: scaled(500) },
    );
    await fc.assert(
      fc.asyncProperty(anything, (value) => refused(PAID, { ...PAID_HEADERS, 'x-webhook-timestamp': value })),
      { numRuns: scaled(500) },
    );
    const secret = anything.filter((value) => value !== undefined); // which the helper would take for its default
    await fc.assert(
      fc.asyncProperty(secret, (value) => refused(PAID, PAID_HEADERS, value)),
      { numRuns: scaled(500) },
    );
    // The system clock is far from the vector's, so that even untouched options refuse it.
    const options = anything.filter((value) => value !== undefined);
    await fc.assert(
      fc.asyncProperty(options, (value) => refused(PAID, PAID_HEADERS, SECRET, value)),
      { numRuns: scaled(500) },
    );
  }, 60_000);

  it('values that throw when they are looked at end in an error of ours', async () => {
    for (const value of odd) {
      await refused(value, PAID_HEADERS);
      await refused(PAID, value);
      await refused(PAID, { ...PAID_HEADERS, 'x-webhook-id': [value, value] });
      await refused(PAID, { ...PAID_HEADERS, 'x-webhook-signature': value });
      await refused(PAID, PAID_HEADERS, value);
      await refused(PAID, PAID_HEADERS, [value]);
      await refused(PAID, PAID_HEADERS, SECRET, value);
      await refused(PAID, PAID_HEADERS, SECRET, { now: value });
      expect(() => parseInvoiceEvent(value)).toThrow();
    }
  });

  it('any genuine JSON is an event or malformed, never a crash', async () => {
    const member = fc.constantFrom(
      'invoice_uuid',
      'external_id',
      'status',
      'amount',
      'credited_usdt',
      'adjusted',
      'original_amount',
      'event',
      'type',
      'data',
      '__proto__',
      'constructor',
    );
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('success', 'expired', UUID, '25.00', '1e9', true, false, null),
    );
    const body = fc.oneof(
      fc.jsonValue(),
      fc.array(fc.tuple(member, value)).map((pairs) => Object.fromEntries(pairs)),
    );
    await fc.assert(
      fc.asyncProperty(body, async (json) => {
        const text = JSON.stringify(json);
        const headers = { ...(await signWebhook(text, SECRET, { timestamp: NOW })) };
        const ended = await verifyWebhook(text, headers, SECRET, { now: NOW }).catch((error: unknown) => error);
        if (ended instanceof Error) expect(ended).toMatchObject({ kind: 'webhook', reason: 'malformed_payload' });
        else expect(parseInvoiceEvent(JSON.parse(JSON.stringify(ended)))).toEqual(ended);
      }),
      { numRuns: scaled(500) },
    );
  });

  it('any value as the JSON of an event ends in an error of ours', () => {
    fc.assert(
      fc.property(anything, (value) => {
        let error: unknown;
        try {
          parseInvoiceEvent(value);
        } catch (thrown) {
          error = thrown;
        }
        expect(error).toMatchObject({ reason: 'malformed_payload' });
      }),
      { numRuns: scaled(500) },
    );
  });
});
