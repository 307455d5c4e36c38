import { describe, expect, it, vi } from 'vitest';
import type { DriftEvent, MerchantClient, MerchantClientOptions } from '../src/index.ts';
import { createdInvoice } from './support/fixtures/invoices.ts';
import { API_KEY, clientOf, order } from './support/test-client.ts';

/** A client whose service answers these bodies, one after the other. */
function serviceOf(bodies: readonly unknown[], onDrift: MerchantClientOptions['onDrift']): MerchantClient {
  let next = 0;
  return clientOf('https://pay.test', { onDrift, fetch: async () => Response.json(bodies[next++]) });
}

/** The invoice of the order, with these members in place of its own or beside them. */
const created = (changes: object = {}) => ({ success: true, data: { ...createdInvoice, ...changes } });

describe('onDrift', () => {
  it('is told of each drift once, however often it comes', async () => {
    const told: DriftEvent[] = [];
    const odd = created({ amount: 25, status: 'on_hold', loyalty: { points: 1 } });
    const merchant = serviceOf([odd, odd, odd.data], (event) => told.push(event));
    for (let time = 0; time < 3; time += 1) await merchant.invoices.create(order);
    expect(told).toHaveLength(4);
    expect(told).toEqual(
      expect.arrayContaining([
        { operation: 'invoices.create', path: 'amount', kind: 'number_for_decimal' },
        { operation: 'invoices.create', path: 'status', kind: 'unknown_word' },
        { operation: 'invoices.create', path: 'loyalty', kind: 'unknown_field' },
        { operation: 'invoices.create', path: '', kind: 'no_envelope' },
      ]),
    );
  });

  it('is told nothing of a response as the interface describes it', async () => {
    const told: DriftEvent[] = [];
    await serviceOf([created()], (event) => told.push(event)).invoices.create(order);
    expect(told).toEqual([]);
  });

  it('never sees the key, and can fail without harm, at once or later: its error is printed, once', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    const told: DriftEvent[] = [];
    const fail = () => {
      throw new Error('metric failed');
    };
    const failing = (event: DriftEvent) => {
      told.push(event);
      fail();
    };
    for (const onDrift of [failing, fail, async () => fail()]) {
      const merchant = serviceOf([created({ [API_KEY]: 1 })], onDrift);
      expect((await merchant.invoices.create(order)).external_id).toBe('order-1042');
    }
    expect(told).toEqual([{ operation: 'invoices.create', path: '[redacted]', kind: 'unknown_field' }]);
    expect(print.mock.calls).toEqual([[expect.stringContaining('callback'), new Error('metric failed')]]);
    print.mockRestore();
  });

  it('is told of a thousand drifts at the most, over a long life', async () => {
    const told: DriftEvent[] = [];
    const bodies = Array.from({ length: 12 }, (_, answer) =>
      created(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`field_${answer}_${index}`, index]))),
    );
    const merchant = serviceOf(bodies, (event) => told.push(event));
    for (const _ of bodies) await merchant.invoices.create(order);
    expect(told).toHaveLength(1_000);
  });
});

describe('withdrawalQuery', () => {
  it('names the query of the withdrawals list, which the interface does not show', async () => {
    const asked: string[] = [];
    const merchant = clientOf('https://pay.test', {
      withdrawalQuery: { page: 'page_number', per_page: 'limit', status: 'state' },
      fetch: async (url) => {
        asked.push(new URL(url).search);
        const page = Number(new URL(url).searchParams.get('page_number') ?? 1);
        const items = [{ uuid: `w-${page}`, status: 'approved' }];
        return Response.json({
          data: { items, page, per_page: 5, total_items: 2, total_pages: 2, has_next: page < 2, has_prev: page > 1 },
        });
      },
    });
    const found = await merchant.withdrawals.list({ status: 'approved', per_page: 5 }).collect({ limit: 10 });
    expect(found.map(({ uuid }) => uuid)).toEqual(['w-1', 'w-2']);
    expect(asked).toEqual(['?state=approved&limit=5', '?state=approved&page_number=2&limit=5']);
  });
});
