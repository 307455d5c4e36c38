import { expect, it } from 'vitest';
import type { CreateInvoiceParams } from '../../src/contract/invoices.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { answer, refuse } from '../support/fault-steps.ts';
import { pendingInvoice } from '../support/fixtures/invoices.ts';
import { paymentMethods } from '../support/fixtures/payment-methods.ts';
import { rates } from '../support/fixtures/rates.ts';
import { movingList, uuids } from '../support/moving-list.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

// What the caller gives is read when the method is called. What the caller changes afterwards changes nothing.

/** A merchant's object before it is frozen by a type. */
type Draft = { -readonly [K in keyof CreateInvoiceParams]: CreateInvoiceParams[K] };

it('one object that is reused in a loop finds one invoice for each order', async () => {
  const conflictThenRead: Step = {
    play: (exchange) =>
      (exchange.request.method === 'POST'
        ? refuse(409, 'INVOICE_ALREADY_EXISTS')
        : answer(200, { ...pendingInvoice, external_id: exchange.request.url.split('/').at(-1) })
      ).play(exchange),
  };
  const server = await serve(conflictThenRead);
  const { invoices } = clientOf(server.url);
  const params: Draft = { ...order };
  const calls = ['order-1', 'order-2', 'order-3'].map((id) => {
    params.external_id = id;
    return invoices.createOrRenew(params);
  });
  const found = await Promise.all(calls);
  expect(found.map(({ invoice }) => invoice.external_id)).toEqual(['order-1', 'order-2', 'order-3']);
});

it('parameters and options that are changed after the call change neither its repeats nor what is compared', async () => {
  const server = await serve(refuse(503, null), refuse(409, 'INVOICE_ALREADY_EXISTS'), answer(200, pendingInvoice));
  const options = {
    headers: { 'x-tenant': 'one' } as Record<string, string>,
    query: { trace: 'a' } as Record<string, string>,
    retry: { attempts: 2, baseDelay: 0, maxDelay: 0 },
    deadline: 20_000,
    timeout: 10_000,
  };
  const params: Draft = { ...order };
  const call = clientOf(server.url).invoices.createOrRenew(params, options);
  params.amount = '26';
  params.purpose = 'changed';
  options.headers['x-tenant'] = 'two';
  options.query['trace'] = 'b';
  options.retry.attempts = 1;
  options.deadline = Number.NaN;
  options.timeout = -1;
  expect(await call).toMatchObject({ created: true }); // a changed amount would be a mismatch
  expect(server.requests.slice(0, 2).map(({ body }) => JSON.parse(body))).toEqual([order, order]);
  expect(server.requests.map(({ headers }) => headers['x-tenant'])).toEqual(['one', 'one', 'one']);
  expect(server.requests.map(({ url }) => url.split('?')[1])).toEqual(['trace=a', 'trace=a', undefined]);
});

it('a query, headers and options that are changed after the call change no page of its walk', async () => {
  const list = await movingList(uuids(60));
  const query: Record<string, unknown> = { status: 'pending', per_page: 20 };
  const headers = new Headers({ 'x-shop': 'one' });
  const extra = { tenant: 'one' };
  const options: Record<string, unknown> = { headers, query: extra, prefetch: 1 };
  const call = clientOf(list.server.url).invoices.list(query, options);
  Object.assign(query, { status: 'success', page: 9, per_page: 1, currency: 'USD' });
  headers.set('x-shop', 'two');
  extra.tenant = 'two';
  Object.assign(options, { prefetch: 99, headers: {}, query: {}, signal: AbortSignal.abort() });
  expect(await call.collect({ limit: 100 })).toHaveLength(60);
  expect(list.server.requests.map(({ url, headers }) => [url.split('?')[1], headers['x-shop']])).toEqual([
    ['status=pending&per_page=20&tenant=one', 'one'],
    ['status=pending&per_page=20&tenant=one&page=2', 'one'],
    ['status=pending&per_page=20&tenant=one&page=3', 'one'],
  ]);
});

it.each<[string, (options: never) => Promise<unknown>]>([
  ['a call', (options) => clientOf('https://pay.example').invoices.get('order-1042', options)],
  ['a list', (options) => clientOf('https://pay.example').invoices.list({}, options)],
  ['rates', (options) => clientOf('https://pay.example').rates.list({}, options)],
])('the signal of %s is read once', async (_name, call) => {
  let reads = 0;
  const options = {
    get signal() {
      reads += 1;
      return reads === 1 ? AbortSignal.abort('gone') : undefined;
    },
  };
  expect(await errorOf(call(options as never))).toMatchObject({ kind: 'aborted', reason: 'gone' });
  expect(reads).toBe(1);
});

it('filters of rates and payment methods are read at the call', async () => {
  const server = await serve(answer(200, rates), answer(200, paymentMethods));
  const client = clientOf(server.url);
  const filter = { fiat: 'EUR' };
  const asked = client.rates.list(filter);
  filter.fiat = 'XXX';
  expect((await asked).map(({ fiat }) => fiat)).toContain('EUR');
  const charge = { currency: 'EUR', amount: '25.00' };
  const fitting = client.paymentMethods.forCharge(charge);
  charge.currency = 'XXX';
  expect(await fitting).not.toEqual([]);
});

it.each<[string, (bad: never) => unknown]>([
  ['parameters', (bad) => clientOf('https://pay.example').invoices.create(bad)],
  ['options', (bad) => clientOf('https://pay.example').invoices.create(order, bad)],
  ['a query', (bad) => clientOf('https://pay.example').invoices.list(bad)],
  ['list options', (bad) => clientOf('https://pay.example').invoices.list({}, bad)],
  ['a filter', (bad) => clientOf('https://pay.example').rates.list(bad)],
  ['a charge', (bad) => clientOf('https://pay.example').paymentMethods.forCharge(bad)],
  ['the options of a filter', (bad) => clientOf('https://pay.example').rates.list({}, bad)],
])('%s that cannot be read reject the call with a typed error', async (_name, call) => {
  const trap = () => {
    throw new Error('the password of the vault');
  };
  const bad = new Proxy({}, { get: trap, ownKeys: trap, getOwnPropertyDescriptor: trap });
  const error = await errorOf(call(bad as never) as Promise<unknown>); // unusable on purpose
  expect(error).toMatchObject({ kind: 'configuration', code: 'SDK_INVALID_ARGUMENT', outcome: 'not_sent' });
  expect(JSON.stringify(error)).not.toContain('vault');
});
