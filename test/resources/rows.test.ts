import { describe, expect, test, vi } from 'vitest';
import type { CallResult, DriftEvent, InvalidItem, MerchantClient } from '../../src/index.ts';
import { serve } from '../support/fault-server.ts';
import { ok } from '../support/fault-steps.ts';
import { paymentMethods } from '../support/fixtures/payment-methods.ts';
import { buyRate, sellRate } from '../support/fixtures/rates.ts';
import { scaled } from '../support/scaled.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

// One odd row does not stop a checkout: it is left out, and the merchant is told.

const [card, transfer] = paymentMethods;

async function watched(data: unknown): Promise<{ client: MerchantClient; drift: DriftEvent[] }> {
  const drift: DriftEvent[] = [];
  const server = await serve(ok(data));
  return { drift, client: clientOf(server.url, { onDrift: (event) => drift.push(event) }) };
}

describe('a row that cannot be read', () => {
  test('is left out of the rates, and reported', async () => {
    const odd = { ...buyRate, price: '1.08 EUR' };
    const { client, drift } = await watched([odd, sellRate, 5]);
    const invalid: InvalidItem[] = [];
    const rates = await client.rates.list({}, { onInvalidItem: (row) => invalid.push(row) });
    expect(rates.map(({ side }) => side)).toEqual(['sell']);
    expect(invalid).toEqual([
      { page: 1, index: 0, path: 'price', raw: odd },
      { page: 1, index: 2, path: '', raw: 5 },
    ]);
    expect(drift).toEqual([
      { operation: 'rates.list', path: '*.price', kind: 'invalid_item' },
      { operation: 'rates.list', path: '*', kind: 'invalid_item' },
    ]);
  });

  test('is left out of the payment methods, and drift is told without any option', async () => {
    const { client, drift } = await watched([{ ...card, max_amount: null }, transfer]);
    expect((await client.paymentMethods.list()).map(({ id }) => id)).toEqual([12]);
    expect(drift).toEqual([{ operation: 'paymentMethods.list', path: '*.max_amount', kind: 'invalid_item' }]);
  });

  test('is printed once for a client where nobody listens', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    try {
      const server = await serve(
        ok([{ ...card, min_amount: '-1' }, transfer]),
        ok([{ ...buyRate, asset: 'BTC' }, sellRate]),
      );
      const client = clientOf(server.url);
      expect(await client.paymentMethods.list()).toHaveLength(1);
      expect(await client.rates.list()).toHaveLength(1);
      expect(warn.mock.calls).toEqual([[expect.stringMatching(/paymentMethods\.list left out a row.*min_amount/)]]);
      const other = clientOf((await serve(ok([{ ...card, min_amount: '-1' }, transfer]))).url);
      await other.paymentMethods.list({ onInvalidItem: () => {} });
      expect(warn).toHaveBeenCalledTimes(1);
    } finally {
      warn.mockRestore();
    }
  });

  test('does not keep the other methods from being offered', async () => {
    const invalid: InvalidItem[] = [];
    const { client, drift } = await watched([{ ...card, id: null }, { ...transfer, min_amount: 'x' }, card]);
    const methods = await client.paymentMethods.forCharge(
      { currency: 'eur', amount: '25.00' },
      { onInvalidItem: (row) => invalid.push(row) },
    );
    expect(methods.map(({ id }) => id)).toEqual([11]);
    expect(invalid.map(({ index, path }) => [index, path])).toEqual([
      [0, 'id'],
      [1, 'min_amount'],
    ]);
    expect(drift.map(({ path }) => path)).toEqual(['*.id', '*.min_amount']);
  });

  test('costs nothing when the report throws, at once or later', async () => {
    const { client } = await watched([{}, sellRate]);
    const thrown = (): never => {
      throw new Error('mine');
    };
    expect(await client.rates.list({}, { onInvalidItem: thrown })).toHaveLength(1);
    expect(await client.rates.list({}, { onInvalidItem: async () => thrown() })).toHaveLength(1);
  });

  test('a rate without limits is none', async () => {
    const { client, drift } = await watched([{ ...buyRate, min_amount: null, max_amount: null }]);
    expect(await client.rates.list()).toMatchObject([{ side: 'buy', min_amount: null, max_amount: null }]);
    expect(drift).toEqual([]);
  });
});

describe('a response none of whose rows can be read', () => {
  test.each<[string, (client: MerchantClient) => Promise<CallResult<unknown>>]>([
    ['rates.list', (client) => client.rates.list().result()],
    ['paymentMethods.list', (client) => client.paymentMethods.list().result()],
    ['paymentMethods.list', (client) => client.paymentMethods.forCharge({ currency: 'EUR', amount: '1' }).result()],
  ])('is refused: an empty list would say that nothing can be charged (%s)', async (operation, call) => {
    const { client } = await watched([{ price: '1' }, { price: '2', renamed: 2 }]);
    const result = await call(client);
    expect(result).toMatchObject({ ok: false, error: { code: 'SDK_CONTRACT', operation } });
  });

  test('is empty where each is reported', async () => {
    const { client } = await watched([{ renamed: 1 }, { renamed: 2 }]);
    const invalid: InvalidItem[] = [];
    expect(await client.paymentMethods.list({ onInvalidItem: (row) => invalid.push(row) })).toEqual([]);
    expect(invalid).toHaveLength(2);
  });
});

const FLOOD = scaled(300_000);

describe('a flood of odd rows', () => {
  const flood = Array.from({ length: FLOOD }, () => ({}));

  test('reaches the report row by row, and nothing of it is kept', async () => {
    const { client, drift } = await watched([card, ...flood]);
    let count = 0;
    const methods = await client.paymentMethods.list({
      onInvalidItem() {
        count += 1;
      },
    });
    expect([methods.length, count]).toEqual([1, FLOOD]);
    expect(drift).toEqual([{ operation: 'paymentMethods.list', path: '*.id', kind: 'invalid_item' }]);
  });

  test('of rows without a price is none: a pair without fresh data is omitted', async () => {
    const { client, drift } = await watched([sellRate, ...flood]);
    expect(await client.rates.list()).toHaveLength(1);
    expect(drift).toEqual([]);
  });
});

test.each([
  ['rates.list', (client: MerchantClient, options: never) => client.rates.list({}, options)],
  ['paymentMethods.list', (client: MerchantClient, options: never) => client.paymentMethods.list(options)],
  [
    'paymentMethods.list',
    (client: MerchantClient, options: never) =>
      client.paymentMethods.forCharge({ currency: 'EUR', amount: '1' }, options),
  ],
])('%s refuses an option that it does not have, and a report that is no function', async (operation, call) => {
  const client = clientOf('https://pay.example');
  const wrong = await errorOf(call(client, { onInvalidItem: 5 } as never)); // wrong on purpose
  expect(wrong.message).toBe(`${operation}: options.onInvalidItem must be a function, not 5. No request was made.`);
  const unknown = await errorOf(call(client, { onInvalidRow: () => {} } as never)); // wrong on purpose
  expect(unknown.message).toContain('options has no "onInvalidRow"; it has signal, ');
  expect(await errorOf(call(client, null as never))).toMatchObject({ code: 'SDK_INVALID_ARGUMENT' });
});
