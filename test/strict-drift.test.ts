import { describe, expect, it } from 'vitest';
import { MerchantClient, type MerchantClientOptions, UnexpectedResponseError } from '../src/index.ts';
import { createdInvoice } from './support/fixtures/invoices.ts';

const order = { external_id: 'order-1042', customer_id: 'c-7', amount: '25.00', currency: 'EUR' };

function strict(bodies: readonly unknown[], more: Partial<MerchantClientOptions> = {}): MerchantClient {
  let next = 0;
  const fetch = async () => Response.json(bodies[next++]);
  return new MerchantClient({ baseUrl: 'https://pay.test', apiKey: 'sk_live', onDrift: 'throw', fetch, ...more });
}

async function errorOf(call: PromiseLike<unknown>): Promise<UnexpectedResponseError> {
  const error = await Promise.resolve(call).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof UnexpectedResponseError)) throw new Error(`not thrown: ${String(error)}`);
  return error;
}

const odd = { data: { ...(createdInvoice as object), loyalty: { points: 1 } } };

describe("onDrift: 'throw'", () => {
  it('accepts an answer as the interface describes it', async () => {
    const invoice = await strict([{ success: true, data: createdInvoice }]).invoices.create(order);
    expect(invoice.external_id).toBe('order-1042');
  });

  it('throws for each deviation, each time, with what the call has made', async () => {
    const merchant = strict([odd, odd]);
    for (let time = 0; time < 2; time += 1) {
      const error = await errorOf(merchant.invoices.create(order));
      expect(error).toMatchObject({
        code: 'SDK_CONTRACT',
        kind: 'unexpected_response',
        outcome: 'unknown',
        stoppedBy: 'not_retryable',
        issues: [{ path: 'loyalty', message: 'unknown_field' }],
      });
      expect(error.data).toMatchObject({ external_id: 'order-1042', status: 'pending' });
      expect(error.message).toContain('The call succeeded');
      expect(error.attempts).toHaveLength(1);
    }
  });

  it('shows the result in no log', async () => {
    const error = await errorOf(strict([odd]).invoices.create(order));
    expect(JSON.stringify(error)).not.toContain('customer');
    expect(Object.keys(error)).not.toContain('data');
  });

  it('has no data for an answer that cannot be decoded', async () => {
    const error = await errorOf(strict([{ data: { uuid: 7 } }]).invoices.create(order));
    expect([error.code, error.data]).toEqual(['SDK_CONTRACT', undefined]);
  });

  it('throws for a row that is left out, and not in the next call', async () => {
    const rate = {
      platform: 'binance',
      asset: 'USDT',
      fiat: 'EUR',
      side: 'buy',
      price: '0.92',
      min_amount: '1',
      max_amount: '2',
    };
    const merchant = strict([
      { data: [{ ...rate, price: 'high' }] },
      { data: [rate, { ...rate, price: 'high' }] },
      { data: [rate] },
    ]);
    await errorOf(merchant.rates.list()); // no row can be read
    const error = await errorOf(merchant.rates.list());
    expect(error.issues).toEqual([{ path: '*.price', message: 'invalid_item' }]);
    expect(error.data).toHaveLength(1);
    expect(await merchant.rates.list()).toHaveLength(1);
  });

  it.each([
    ['a filter that is ignored', { status: 'approved' } as const, 'filter_ignored'],
    ['a size that is ignored', { per_page: 5 } as const, 'size_ignored'],
  ])('throws for %s', async (_, query, kind) => {
    const items = [{ uuid: 'w-1', status: 'pending' }];
    const page = { items, page: 1, per_page: 20, total_items: 1, total_pages: 1, has_next: false, has_prev: false };
    const error = await errorOf(strict([{ data: page }]).withdrawals.list(query));
    expect(error).toMatchObject({ code: 'SDK_CONTRACT', operation: 'withdrawals.list', issues: [{ message: kind }] });
  });

  it('is the only word that the option takes', () => {
    expect(() => strict([], { onDrift: 'warn' as never })).toThrow('onDrift must be a function');
  });
});
