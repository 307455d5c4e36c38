import { describe, expect, it } from 'vitest';
import { type CatchUpClient, type CatchUpInvoice, Decimal, memoryStore } from '../../../src/webhooks/index.ts';
import { endpoint, paidBody, send } from '../endpoint.ts';
import { ManualClock } from '../manual-clock.ts';
import { NOW } from '../vectors.ts';

// A store that is bounded must not pass off what it dropped as new without a word.

const uuidOf = (n: number): string => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`;
const invoiceOf = (n: number): CatchUpInvoice => ({
  uuid: uuidOf(n),
  external_id: `order-${n}`,
  status: 'success',
  amount: new Decimal('25.00'),
  finished_at: new Date(NOW - 60_000),
  settled_amount_usdt: new Decimal('26.91'),
  is_adjusted: false,
  adjustment: null,
});

const ordersOf = (...numbers: number[]) => ({ orders: numbers.map((n) => `order-${n}`), concurrency: 1 });

/** A client with paid invoices, that says how many it was asked for. */
function clientOf() {
  const asked = { invoices: 0 };
  const client: CatchUpClient = {
    invoices: {
      async get(ident) {
        asked.invoices += 1;
        return invoiceOf(Number(ident.slice('order-'.length)));
      },
      list: () => expect.fail(),
    },
  };
  return { client, asked };
}

function shopWith(maxEntries: number, changes: object = {}) {
  const clock = new ManualClock();
  const store = { ...memoryStore({ maxEntries, now: clock.now }), ...changes };
  const shop = endpoint({ store }, clock);
  const deliver = (n: number) => send(shop, { ...paidBody, invoice_uuid: uuidOf(n), external_id: `order-${n}` });
  return { ...shop, deliver };
}

describe('a memory store that had to drop a record', () => {
  it('is reported once, with what it means', async () => {
    const shop = shopWith(3);
    for (const n of [1, 2, 3]) await shop.deliver(n);
    expect(shop.reports).toEqual([]);
    for (const n of [4, 5, 6]) expect(await shop.deliver(n)).toMatchObject({ status: 200, body: 'done' });
    expect(shop.reports).toMatchObject([
      {
        reason: 'store_forgot',
        status: null,
        key: `${uuidOf(4)}:paid`,
        message: expect.stringMatching(/holds 3 records .*had to drop older ones/),
      },
    ]);
  });

  it('is refused by catchUp, which would run again what was done', async () => {
    const shop = shopWith(2);
    for (const n of [1, 2, 3]) await shop.deliver(n);
    const { client, asked } = clientOf();
    await expect(shop.handler.catchUp(client, ordersOf(1, 2, 3))).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringMatching(
        /^handler\.catchUp: .*had to drop older ones.*Use a store that keeps its records\.$/,
      ),
    });
    expect(asked.invoices).toBe(0);
    expect(shop.calls).toEqual(['paid order-1', 'paid order-2', 'paid order-3']);
  });

  it('while catchUp runs plays nothing again', async () => {
    const shop = shopWith(2);
    for (const n of [1, 2]) await shop.deliver(n);
    // The third is new and takes the place of the first, which comes after it.
    expect(await shop.handler.catchUp(clientOf().client, ordersOf(3, 1, 2))).toMatchObject({ played: 1, failed: 2 });
    expect(shop.calls).toEqual(['paid order-1', 'paid order-2', 'paid order-3']);
    expect(shop.reasons()).toEqual(['store_forgot', 'store_failed', 'store_failed']);
    expect(shop.reports[1]?.message).toMatch(/order-1.*Not played\. .*had to drop older ones/);
  });
});

it('a store whose forgot() throws has failed: the service repeats the delivery', async () => {
  const broken = new Error('no such table');
  const shop = shopWith(3, {
    forgot: () => {
      throw broken;
    },
  });
  expect(await shop.deliver(1)).toMatchObject({ status: 503, body: 'store_failed' });
  expect(shop.reports).toMatchObject([{ reason: 'store_failed', error: broken }]);
});
