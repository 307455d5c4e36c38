import { describe, expect, it, vi } from 'vitest';
import type { DriftEvent, InvalidItem, MerchantClient } from '../../src/index.ts';
import { serve } from '../support/fault-server.ts';
import { ok } from '../support/fault-steps.ts';
import { paymentMethods } from '../support/fixtures/payment-methods.ts';
import { buyRate, sellRate } from '../support/fixtures/rates.ts';
import { scaled } from '../support/scaled.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

// One odd row of rates or payment methods does not stop a checkout: it is left out, and the merchant is told.

const [card, transfer] = paymentMethods;
const CHARGE = { currency: 'eur', amount: '25.00' };

async function watched(data: unknown) {
  const drift: DriftEvent[] = [];
  const invalid: InvalidItem[] = [];
  const client = clientOf((await serve(ok(data))).url, { onDrift: (event) => drift.push(event) });
  return { drift, invalid, client, options: { onInvalidItem: (row: InvalidItem) => void invalid.push(row) } };
}

it('a rate that cannot be read is left out and reported', async () => {
  const odd = { ...buyRate, price: '1.08 EUR' };
  const { client, drift, invalid, options } = await watched([odd, sellRate, 5]);
  expect((await client.rates.list({}, options)).map(({ side }) => side)).toEqual(['sell']);
  expect(invalid).toEqual([
    { page: 1, index: 0, path: 'price', raw: odd },
    { page: 1, index: 2, path: '', raw: 5 },
  ]);
  expect(drift).toEqual([
    { operation: 'rates.list', path: '*.price', kind: 'invalid_item' },
    { operation: 'rates.list', path: '*', kind: 'invalid_item' },
  ]);
});

it('a payment method that cannot be read keeps no other from being offered', async () => {
  const { client, drift, invalid, options } = await watched([
    { ...card, id: null },
    { ...transfer, min_amount: 'x' },
    card,
  ]);
  expect((await client.paymentMethods.forCharge(CHARGE, options)).map(({ id }) => id)).toEqual([11]);
  expect(invalid.map(({ index, path }) => [index, path])).toEqual([
    [0, 'id'],
    [1, 'min_amount'],
  ]);
  expect(drift.map(({ path }) => path)).toEqual(['*.id', '*.min_amount']);
  expect((await client.paymentMethods.list()).map(({ id }) => id)).toEqual([11]);
});

it('a row that is left out is printed once for a client where nobody listens', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const methods = ok([{ ...card, min_amount: '-1' }, transfer]);
  const server = await serve(methods, ok([{ ...buyRate, asset: 'BTC' }, sellRate]), methods);
  const client = clientOf(server.url);
  expect(await client.paymentMethods.list()).toHaveLength(1);
  expect(await client.rates.list()).toHaveLength(1);
  await clientOf(server.url).paymentMethods.list({ onInvalidItem: () => {} });
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/paymentMethods\.list left out a row.*min_amount/)]]);
  warn.mockRestore();
});

it('a report that throws costs nothing, at once or later', async () => {
  const { client } = await watched([{}, sellRate]);
  const thrown = (): never => {
    throw new Error('mine');
  };
  expect(await client.rates.list({}, { onInvalidItem: thrown })).toHaveLength(1);
  expect(await client.rates.list({}, { onInvalidItem: async () => thrown() })).toHaveLength(1);
});

it('a rate without limits is no odd row, and one without a price is none: a pair without fresh data is omitted', async () => {
  const { client, drift } = await watched([{}, { ...buyRate, min_amount: null, max_amount: null }]);
  expect(await client.rates.list()).toMatchObject([{ side: 'buy', min_amount: null, max_amount: null }]);
  expect(drift).toEqual([]);
});

describe.each<[string, (client: MerchantClient, options?: never) => PromiseLike<unknown>]>([
  ['rates.list', (client, options) => client.rates.list({}, options)],
  ['paymentMethods.list', (client, options) => client.paymentMethods.list(options)],
  ['paymentMethods.list', (client, options) => client.paymentMethods.forCharge(CHARGE, options)],
])('%s', (operation, call) => {
  it('is refused where no row can be read: an empty list would say that nothing can be charged', async () => {
    const { client, invalid, options } = await watched([{ price: '1' }, { price: '2', renamed: 2 }]);
    expect(await errorOf(call(client))).toMatchObject({ code: 'SDK_CONTRACT', operation });
    expect(await call(client, options as never), 'each is reported').toEqual([]);
    expect(invalid).toHaveLength(2);
  });
});

describe('a flood of odd rows', () => {
  const FLOOD = scaled(300_000);
  const flood = Array.from({ length: FLOOD }, () => ({}));

  it('reaches the report row by row, and is one drift', async () => {
    const { client, drift } = await watched([card, ...flood]);
    let count = 0;
    const onInvalidItem = () => {
      count += 1;
    };
    expect(await client.paymentMethods.list({ onInvalidItem })).toHaveLength(1);
    expect(count).toBe(FLOOD);
    expect(drift).toEqual([{ operation: 'paymentMethods.list', path: '*.id', kind: 'invalid_item' }]);
  });
});
