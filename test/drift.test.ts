import { describe, expect, it, vi } from 'vitest';
import { type DriftEvent, MerchantClient, type MerchantClientOptions } from '../src/index.ts';
import { createdInvoice } from './support/fixtures/invoices.ts';

/** A client whose service answers these bodies, one after the other. */
function clientOf(bodies: readonly unknown[], onDrift: (event: DriftEvent) => void): MerchantClient {
  let next = 0;
  return new MerchantClient({
    baseUrl: 'https://pay.test',
    apiKey: 'sk_live_secret',
    onDrift,
    fetch: async () => Response.json(bodies[next++]),
  });
}

const order = { external_id: 'order-1042', customer_id: 'c-7', amount: '25.00', currency: 'EUR' };

describe('onDrift', () => {
  it('is told of each drift once, however often it comes', async () => {
    const told: DriftEvent[] = [];
    const odd = { ...(createdInvoice as object), amount: 25, status: 'on_hold', loyalty: { points: 1 } };
    const merchant = clientOf([{ success: true, data: odd }, { success: true, data: odd }, odd], (event) =>
      told.push(event),
    );
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
    await clientOf([{ success: true, data: createdInvoice }], (event) => told.push(event)).invoices.create(order);
    expect(told).toEqual([]);
  });

  it('never sees the key, and can fail without harm: its error is printed, once', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    const told: DriftEvent[] = [];
    const merchant = clientOf([{ data: { ...(createdInvoice as object), sk_live_secret: 1 } }], (event) => {
      told.push(event);
      throw new Error('metric failed');
    });
    expect((await merchant.invoices.create(order)).external_id).toBe('order-1042');
    expect(told).toEqual([{ operation: 'invoices.create', path: '[redacted]', kind: 'unknown_field' }]);
    await clientOf([{ data: { ...(createdInvoice as object), other: 1 } }], () => {
      throw new Error('metric failed');
    }).invoices.create(order);
    expect(print.mock.calls).toEqual([[expect.stringContaining('callback'), new Error('metric failed')]]);
    print.mockRestore();
  });
});

describe('onDrift, over a long life', () => {
  it('may reject later without harm', async () => {
    const merchant = clientOf([{ data: { ...(createdInvoice as object), points: 1 } }], (async () => {
      throw new Error('metric failed');
    }) as () => void);
    expect((await merchant.invoices.create(order)).external_id).toBe('order-1042');
  });

  it('is told of a thousand drifts at the most', async () => {
    const told: DriftEvent[] = [];
    const bodies = Array.from({ length: 12 }, (_, answer) => {
      const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`field_${answer}_${index}`, index]));
      return { data: { ...(createdInvoice as object), ...many } };
    });
    const merchant = clientOf(bodies, (event) => told.push(event));
    for (const _ of bodies) await merchant.invoices.create(order);
    expect(told).toHaveLength(1_000);
  });
});

describe('withdrawalQuery', () => {
  it('names the query of the withdrawals list, which the interface does not show', async () => {
    const asked: string[] = [];
    const merchant = new MerchantClient({
      baseUrl: 'https://pay.test',
      apiKey: 'k',
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

  it.each([
    [{ pages: 'p' }, 'withdrawalQuery has the names status, page and per_page'],
    [{ page: 'a b' }, 'withdrawalQuery.page must be a query name'],
  ])('refuses %j', (withdrawalQuery, message) => {
    // The cast is the caller who writes JavaScript.
    expect(
      () =>
        new MerchantClient({
          baseUrl: 'https://pay.test',
          apiKey: 'k',
          withdrawalQuery: withdrawalQuery as NonNullable<MerchantClientOptions['withdrawalQuery']>,
        }),
    ).toThrow(message);
  });
});
