import { describe, expect, it } from 'vitest';
import {
  type CatchUpClient,
  type CatchUpInvoice,
  toFetchHandler,
  toLambdaHandler,
} from '../../../src/webhooks/index.ts';
import fc from '../../support/fast-check.ts';
import { scaled } from '../../support/scaled.ts';
import { endpoint, request } from '../endpoint.ts';
import { NOW, PAID, PAID_HEADERS, UUID } from '../vectors.ts';

const anything = fc.anything({ withBigInt: true, withTypedArray: true, withNullPrototype: true });
const BYTES = Buffer.from(PAID);

/** A genuine body with one byte changed, put in or taken out, or cut short. */
const damaged = fc
  .record({ at: fc.nat(BYTES.length - 1), byte: fc.integer({ min: 1, max: 255 }), how: fc.nat(3) })
  .map(({ at, byte, how }) => {
    if (how === 0) return Buffer.concat([BYTES.subarray(0, at), Buffer.of(byte), BYTES.subarray(at)]);
    if (how === 1) return Buffer.concat([BYTES.subarray(0, at), BYTES.subarray(at + 1)]);
    if (how === 2) return BYTES.subarray(0, at);
    const copy = Buffer.from(BYTES);
    copy[at] = (copy[at] ?? 0) ^ byte;
    return copy;
  })
  .filter((bytes) => !bytes.equals(BYTES));

const METHOD = 'POST';

describe('whatever is sent to the endpoint', () => {
  it('a damaged delivery is handled by nobody, whichever way it comes', async () => {
    await fc.assert(
      fc.asyncProperty(damaged, async (body) => {
        const shop = endpoint();
        const headers = { ...PAID_HEADERS };
        const plain = await shop.handler.handle({ method: METHOD, headers, body });
        const fetched = await toFetchHandler(shop.handler)(
          new Request('http://localhost/webhook', { method: METHOD, headers, body: new Uint8Array(body) }),
        );
        const lambda = await toLambdaHandler(shop.handler)({
          httpMethod: METHOD,
          headers,
          body: body.toString('base64'),
          isBase64Encoded: true,
        });
        expect([plain.status, fetched.status, lambda.statusCode]).toEqual([401, 401, 401]);
        expect(shop.calls).toEqual([]);
      }),
      { numRuns: scaled(300) },
    );
  });

  it('a request of any shape is answered, and handled by nobody', async () => {
    const member = fc.constantFrom('method', 'headers', 'body');
    await fc.assert(
      fc.asyncProperty(member, anything, anything, async (name, value, junk) => {
        const shop = endpoint();
        const changed = { ...(await request(shop.clock)), [name]: value };
        for (const odd of [changed, junk]) {
          const { status } = await shop.handler.handle(odd as never);
          expect(status).toBeGreaterThanOrEqual(400);
        }
        expect(shop.calls).toEqual([]);
      }),
      { numRuns: scaled(500) },
    );
  });

  it('an invoice of any shape is played whole, or counted as failed', async () => {
    const member = fc.constantFrom<keyof CatchUpInvoice>(
      'uuid',
      'external_id',
      'amount',
      'finished_at',
      'settled_amount_usdt',
      'is_adjusted',
      'adjustment',
    );
    const genuine = {
      uuid: UUID,
      external_id: 'order-1',
      status: 'success',
      amount: '25.00',
      settled_amount_usdt: '26.91',
    };
    await fc.assert(
      fc.asyncProperty(member, anything, async (name, value) => {
        const shop = endpoint();
        const client: CatchUpClient = {
          invoices: {
            get: () => expect.fail(),
            async *list() {
              yield { ...genuine, [name]: value } as never; // junk on purpose
            },
          },
        };
        const { played, failed } = await shop.handler.catchUp(client, { since: NOW - 1 });
        expect([shop.calls.length, played + failed]).toEqual([played, 1]);
      }),
      { numRuns: scaled(500) },
    );
  });
});
