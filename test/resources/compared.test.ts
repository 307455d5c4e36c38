import { describe, expect, test } from 'vitest';
import type { MerchantClient } from '../../src/client.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { serve } from '../support/fault-server.ts';
import { ok } from '../support/fault-steps.ts';
import { createdInvoice, pendingInvoice, successInvoice } from '../support/fixtures/invoices.ts';
import { approvedWithdrawal } from '../support/fixtures/withdrawals.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

// A proxy, a cache or a mixed-up connection may answer for another request.

describe('a creation answered with another', () => {
  test.each<[string, object]>([
    ['external_id', { external_id: 'order-1043' }],
    ['external_id', { external_id: 'ORDER-1042' }],
    ['amount', { amount: '25.01' }],
    ['amount', { amount: '2500' }],
    ['currency', { currency: { ...createdInvoice.currency, code: 'USD' } }],
  ])('%s (%j)', async (path, change) => {
    const server = await serve(ok({ ...createdInvoice, ...change }));
    for (const call of ['create', 'createOrGet'] as const) {
      const error = await errorOf(clientOf(server.url).invoices[call](order));
      expect(error).toMatchObject({ code: 'SDK_CONTRACT', outcome: 'unknown', externalId: 'order-1042' });
      expect(error).toMatchObject({ issues: [{ path }] });
      expect(error.message).toContain(`${path} is not the one that was asked for`);
    }
    expect(server.requests).toHaveLength(2); // repeating it would not help
  });

  test.each<[string, object, object]>([
    ['the same amount in other digits', { amount: '25' }, { amount: '25.000000' }],
    ['the same currency in other letters', { currency: 'eur' }, {}],
  ])('%s is no other', async (_name, asked, answered) => {
    const server = await serve(ok({ ...createdInvoice, ...answered }));
    await clientOf(server.url).invoices.create({ ...order, ...asked });
  });
});

const uuid = pendingInvoice.uuid;

describe('a read answered with another object', () => {
  test.each<[string, (client: MerchantClient) => PromiseLike<unknown>, object]>([
    ['another order', (c) => c.invoices.get('order-1043'), pendingInvoice],
    ['an order in other letters', (c) => c.invoices.get('ORDER-1042'), pendingInvoice],
    ['another uuid', (c) => c.invoices.get(successInvoice.uuid), pendingInvoice],
    ['another withdrawal', (c) => c.withdrawals.get('w-2'), { ...approvedWithdrawal, uuid: 'w-1' }],
    ['a final order of somebody else', (c) => c.invoices.waitUntilFinal('order-1042'), successInvoice],
  ])('%s', async (_name, call, answered) => {
    const server = await serve(ok(answered));
    const error = await errorOf(call(clientOf(server.url, { runtime: new FakeRuntime() })));
    expect(error).toMatchObject({ kind: 'unexpected_response', code: 'SDK_CONTRACT' });
    expect(server.requests).toHaveLength(1);
  });

  test.each([uuid, uuid.toUpperCase(), uuid.replaceAll('-', ''), 'order-1042'])('%s is the one', async (ident) => {
    const server = await serve(ok(pendingInvoice));
    expect((await clientOf(server.url).invoices.get(ident)).uuid).toBe(uuid);
  });
});

test('every error of a creation and of a read has the order', async () => {
  const { invoices } = clientOf('https://pay.example', {
    fetch: () => Promise.reject(new TypeError('no')),
    retry: false,
  });
  const calls = [
    invoices.create(order),
    invoices.createOrGet(order),
    invoices.get('order-1042'),
    invoices.waitUntilFinal('order-1042', { signal: AbortSignal.abort() }),
    invoices.create({ ...order, amount: '0' }),
    invoices.create(order, { timeout: -1 }),
    invoices.get('order-1042', { retry: 7 as never }), // wrong on purpose
  ];
  for (const call of calls) {
    const error = await errorOf(call);
    expect(error.externalId, error.message).toBe('order-1042');
    expect(JSON.parse(JSON.stringify(error)).externalId).toBe('order-1042');
  }
  expect((await errorOf(invoices.create({ ...order, external_id: 'x'.repeat(129) }))).externalId).toBeNull();
  expect((await errorOf(invoices.create({ ...order, external_id: '' }))).externalId).toBeNull();
  // The limit counts code points: this id has 256 UTF-16 units.
  const longest = '😀'.repeat(128);
  const [wrong, whole] = [{ amount: 'x' }, { external_id: longest }];
  expect((await errorOf(invoices.create({ ...order, ...whole, ...wrong }))).externalId).toBe(longest);
  expect((await errorOf(invoices.list())).externalId).toBeNull();
});
