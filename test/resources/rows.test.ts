import { describe, expect, it, vi } from 'vitest';
import type { InvalidItem, MerchantClient } from '../../src/index.ts';
import { serve } from '../support/fault-server.ts';
import { ok } from '../support/fault-steps.ts';
import { paymentMethods } from '../support/fixtures/payment-methods.ts';
import { buyRate, sellRate } from '../support/fixtures/rates.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

// One odd row of rates or payment methods does not stop a checkout: it is left out, and the merchant is told.

const [card, transfer] = paymentMethods;
const CHARGE = { currency: 'eur', amount: '25.00' };

async function watched(data: unknown) {
  const invalid: InvalidItem[] = [];
  const client = clientOf((await serve(ok(data))).url);
  return { invalid, client, options: { onInvalidItem: (row: InvalidItem) => void invalid.push(row) } };
}

it('a rate that cannot be read is left out and reported', async () => {
  const odd = { ...buyRate, price: '1.08 EUR' };
  const { client, invalid, options } = await watched([odd, sellRate, 5]);
  expect((await client.rates.list({}, options)).map(({ side }) => side)).toEqual(['sell']);
  expect(invalid).toEqual([
    { page: 1, index: 0, path: 'price', raw: odd },
    { page: 1, index: 2, path: '', raw: 5 },
  ]);
});

it('a payment method that cannot be read keeps no other from being offered', async () => {
  const { client, invalid, options } = await watched([{ ...card, id: null }, { ...transfer, min_amount: 'x' }, card]);
  expect((await client.paymentMethods.forCharge(CHARGE, options)).map(({ id }) => id)).toEqual([11]);
  expect(invalid.map(({ index, path }) => [index, path])).toEqual([
    [0, 'id'],
    [1, 'min_amount'],
  ]);
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
  const { client, invalid, options } = await watched([{}, { ...buyRate, min_amount: null, max_amount: null }]);
  expect(await client.rates.list({}, options)).toMatchObject([{ side: 'buy', min_amount: null, max_amount: null }]);
  expect(invalid).toEqual([]);
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

describe.each(['rates.list', 'paymentMethods.list'])('%s', (operation) => {
  const first = operation === 'rates.list' ? sellRate : card;
  const listOf = ({ rates, paymentMethods }: MerchantClient, options?: never): PromiseLike<unknown> =>
    operation === 'rates.list' ? rates.list({}, options) : paymentMethods.list(options);

  it('has as many rows as the service sends: the full list is returned', async () => {
    const { client } = await watched(Array.from({ length: 5_000 }, () => first));
    expect(await listOf(client)).toHaveLength(5_000);
  });

  it.each([499, 500, 100_000])('of %i odd rows and one that can be read: from 500 on it is refused', async (count) => {
    const odd = Array.from({ length: count }, () => ({ price: 'x' }));
    const { client, invalid, options } = await watched([first, ...odd]);
    const call = listOf(client, options as never);
    if (count < 500) {
      expect(await call).toHaveLength(1);
      return expect(invalid).toHaveLength(499);
    }
    const error = await errorOf(call);
    expect(error).toMatchObject({ code: 'SDK_CONTRACT', issues: { length: 20 } });
    expect(error.message).toContain('more than 20');
    expect(invalid).toEqual([]);
  });
});
