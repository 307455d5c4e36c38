import { describe, expect, it } from 'vitest';
import { isMerchantError } from '../../../src/errors/guards.ts';
import { parseInvoiceEvent, signWebhook, verifyWebhook } from '../../../src/webhooks/index.ts';
import fc from '../../support/fast-check.ts';
import { scaled } from '../../support/scaled.ts';
import { NOW, PAID, PAID_HEADERS, SECRET, UUID } from '../vectors.ts';

/** Whatever is given: refused, and by an error of ours. */
async function refused(body: unknown, headers: unknown, secret: unknown = SECRET, options: unknown = { now: NOW }) {
  const ended = await verifyWebhook(body as never, headers as never, secret as never, options as never).then(
    () => 'accepted',
    (error: unknown) => (isMerchantError(error) ? 'refused' : error),
  );
  expect(ended).toBe('refused');
}

const anything = fc.anything({
  withBigInt: true,
  withTypedArray: true,
  withSparseArray: true,
  withNullPrototype: true,
});

describe('whatever is thrown at the verifier', () => {
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
