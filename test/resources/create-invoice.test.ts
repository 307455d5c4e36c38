import { describe, expect, test } from 'vitest';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { InvoiceAlreadyExistsError, InvoiceMismatchError } from '../../src/errors/classes.ts';
import type { MerchantClientOptions } from '../../src/options.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { type FaultServer, type Step, serve } from '../support/fault-server.ts';
import { answer, ok, refuse, resetAfterReading, resetMidBody, stall } from '../support/fault-steps.ts';
import { createdInvoice, pendingInvoice, successInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

const conflict = refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id: 'order-1042', status: 'pending' });
const unavailable = refuse(503, null);

function pathsOf(server: FaultServer): string[] {
  return server.requests.map(({ method, url }) => `${method} ${url.replace('/api/v1/external', '')}`);
}

function page(items: readonly unknown[], number = 1, pages = 1): object {
  const total_items = pages * 100;
  return {
    items,
    page: number,
    per_page: 100,
    total_items,
    total_pages: pages,
    has_next: number < pages,
    has_prev: number > 1,
  };
}

const other = (index: number) => ({ ...successInvoice, uuid: `u-${index}`, external_id: `other-${index}` });

describe('create', () => {
  test.each<[string, (runtime: FakeRuntime) => Step]>([
    ['a 503', () => unavailable],
    ['a reset', () => resetAfterReading],
    ['half a response', () => resetMidBody()],
    ['a page of a proxy', () => answer(200, '<html>')],
    ['a timeout', (runtime) => stall(runtime.expire)],
    ['a 408', () => answer(408, '')],
  ])('after %s, a conflict is its own invoice: it is read back', async (_name, first) => {
    const runtime = new FakeRuntime();
    const server = await serve(first(runtime), conflict, ok(pendingInvoice));
    const { data, response } = await clientOf(server.url, { runtime }).invoices.create(order).withResponse();
    expect(data).toMatchObject({ uuid: pendingInvoice.uuid, external_id: 'order-1042' });
    expect(response).toMatchObject({ recovered: true, attempts: 3, status: 200 });
    expect(pathsOf(server)).toEqual(['POST /invoices', 'POST /invoices', 'GET /invoices/order-1042']);
  });

  test.each<[string, Step]>([
    ['nothing', conflict],
    ['a rate limit', refuse(429, null)],
  ])('after %s, a conflict is somebody else’s: the typed conflict', async (name, first) => {
    const server = await serve(...(name === 'nothing' ? [] : [first]), conflict, ok(pendingInvoice));
    const error = await errorOf(clientOf(server.url).invoices.create(order));
    expect(error).toBeInstanceOf(InvoiceAlreadyExistsError);
    expect(error).toMatchObject({ outcome: 'rejected', externalId: 'order-1042', existingStatus: 'pending' });
    expect(pathsOf(server)).not.toContain('GET /invoices/order-1042');
  });

  test('without a conflict there is nothing to recover', async () => {
    const server = await serve(unavailable, ok(createdInvoice));
    const { response } = await clientOf(server.url).invoices.create(order).withResponse();
    expect(response).toMatchObject({ recovered: false, attempts: 2 });
  });

  test('a recovered invoice that differs is a mismatch: ours was not created', async () => {
    const server = await serve(unavailable, conflict, ok({ ...pendingInvoice, amount: '26.00' }));
    const error = await errorOf(clientOf(server.url).invoices.create(order));
    expect(error).toMatchObject({ kind: 'mismatch', outcome: 'rejected', differences: ['amount'] });
  });
});

test.each([
  [422, 'VALIDATION_ERROR', 'eur', 'The currency was sent as "eur": codes are usually written "EUR".'],
  [400, 'CURRENCY_NOT_ALLOWED', 'eur', 'codes are usually written "EUR"'],
  [422, 'VALIDATION_ERROR', 'EUR', null],
  [401, 'UNAUTHORIZED', 'eur', null],
])(
  'a creation refused with %i %s in %s has a hint at the case where that may be the cause',
  async (status, code, currency, hint) => {
    const server = await serve(refuse(status, code));
    const { message } = await errorOf(clientOf(server.url).invoices.create({ ...order, currency }));
    if (hint === null) expect(message).not.toContain('usually written');
    else expect(message).toContain(hint);
  },
);

describe('createOrGet', () => {
  test('says that it created', async () => {
    const server = await serve(ok(createdInvoice));
    const result = await clientOf(server.url).invoices.createOrGet(order);
    expect(result).toMatchObject({ created: true, invoice: { external_id: 'order-1042' } });
  });

  test('says that it found, even when the invoice is final', async () => {
    const found = { ...successInvoice, external_id: 'order-1042', customer_id: 'customer-7', amount: '25' };
    const server = await serve(conflict, ok(found));
    const { data, response } = await clientOf(server.url).invoices.createOrGet(order).withResponse();
    if (data.created) throw new Error('was found');
    expect(data.invoice.status).toBe('success');
    expect(data.invoice.settled_amount_usdt?.toFixed()).toBe('108.695652');
    expect(response).toMatchObject({ recovered: false, attempts: 2 });
  });

  test('an invoice of an own lost attempt counts as created', async () => {
    const server = await serve(unavailable, conflict, ok(pendingInvoice));
    const { data, response } = await clientOf(server.url).invoices.createOrGet(order).withResponse();
    expect(data.created).toBe(true);
    expect(response.recovered).toBe(true);
  });

  test('names the texts in which the invoice found differs', async () => {
    const asked = { ...order, callback_url: 'https://new.example/hook', purpose: 'Two tickets' };
    const server = await serve(conflict, ok({ ...pendingInvoice, callback_url: 'https://old.example/hook' }));
    const result = await clientOf(server.url).invoices.createOrGet(asked);
    expect(result).toMatchObject({ created: false, differences: ['callback_url'] });
    const same = await serve(conflict, ok(pendingInvoice));
    expect(await clientOf(same.url).invoices.createOrGet(order)).toMatchObject({ created: false, differences: [] });
  });

  test.each([null, 7])('does not compare a customer that cannot be read: %j', async (customer_id) => {
    const server = await serve(conflict, ok({ ...pendingInvoice, customer_id }));
    expect(await clientOf(server.url).invoices.createOrGet(order)).toMatchObject({ created: false, differences: [] });
  });

  test.each<[string, object, object, string[]]>([
    ['25 is 25.00', { amount: '25' }, {}, []],
    ['as a Decimal', { amount: new Decimal('25.0') }, {}, []],
    ['eur is EUR', { currency: 'eur' }, {}, []],
    ['another amount', {}, { amount: '25.01' }, ['amount']],
    ['another currency', {}, { currency: { ...pendingInvoice.currency, code: 'USD' } }, ['currency']],
    ['another customer', {}, { customer_id: 'Customer-7' }, ['customer_id']],
    ['another of all', { amount: '1', currency: 'USD', customer_id: 'x' }, {}, ['amount', 'currency', 'customer_id']],
    ['another purpose is the same charge', { purpose: 'Three tickets' }, {}, []],
  ])('%s', async (_name, asked, found, differences) => {
    const server = await serve(conflict, ok({ ...pendingInvoice, ...found }));
    const result = await clientOf(server.url)
      .invoices.createOrGet({ ...order, ...asked })
      .result();
    if (differences.length === 0) return expect(result).toMatchObject({ ok: true, value: { created: false } });
    if (result.ok) throw new Error('must differ');
    expect(result.error).toBeInstanceOf(InvoiceMismatchError);
    expect(result.error).toMatchObject({
      code: 'SDK_INVOICE_MISMATCH',
      outcome: 'rejected',
      differences,
      existing: { uuid: pendingInvoice.uuid },
    });
    for (const name of differences) expect(result.error.message).toContain(name);
  });
});

describe('reading back', () => {
  /** createOrGet against a conflict and then this script; with what was asked. */
  async function readBack(script: readonly Step[], asked: object = {}, options: MerchantClientOptions = {}) {
    const params = { ...order, ...asked };
    const { external_id } = params;
    const taken = refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id, status: 'pending' });
    const server = await serve(taken, ...script);
    const result = await clientOf(server.url, options).invoices.createOrGet(params).result();
    return { result, paths: pathsOf(server).slice(1) };
  }

  test.each<[string, Step]>([
    ['404', answer(404, '')],
    ['400', refuse(400, 'BAD_UUID')],
    ['405', answer(405, '')],
    ['410', answer(410, '')],
    ['422', refuse(422, 'VALIDATION_ERROR', { ident: ['must be a uuid'] })],
    ['409', answer(409, '')],
    ['500, as where a database wants a uuid', answer(500, '')],
    ['501', answer(501, '')],
    ['a refusal under 200', refuse(200, 'INVOICE_NOT_FOUND')],
    ['a page of HTML', answer(200, '<html>Not here</html>')],
    ['another shape', ok({ id: 7 })],
    ['another invoice', ok({ ...pendingInvoice, external_id: 'order-1043' })],
  ])('by path answers %s: the list is walked with the currency, 100 a page', async (_name, step) => {
    const found = page([other(1), pendingInvoice], 2, 3);
    const { result, paths } = await readBack([step, ok(page([other(0)], 1, 3)), ok(found)], {}, { retry: false });
    expect(result).toMatchObject({ ok: true, value: { created: false, invoice: { external_id: 'order-1042' } } });
    expect(paths).toEqual([
      'GET /invoices/order-1042',
      'GET /invoices?currency=EUR&page=1&per_page=100',
      'GET /invoices?currency=EUR&page=2&per_page=100',
    ]);
  });

  test.each<[string, Step]>([
    ['401', answer(401, '')],
    ['403', answer(403, '')],
    ['429', answer(429, '')],
    ['503', answer(503, '')],
  ])('by path answers %s: the conflict, with what is known', async (_name, step) => {
    const { result, paths } = await readBack([step], {}, { retry: false });
    expect(result).toMatchObject({ ok: false, error: { kind: 'conflict', existingStatus: 'pending' } });
    expect(paths).toEqual(['GET /invoices/order-1042']);
  });

  test('gives up after 20 pages', async () => {
    const endless: Step = {
      play(exchange) {
        const number = Number(new URL(exchange.request.url, 'http://x').searchParams.get('page'));
        ok(page([other(number)], number, 1_000)).play(exchange);
      },
    };
    const { result, paths } = await readBack([answer(404, ''), endless]);
    expect(result).toMatchObject({ ok: false, error: { kind: 'conflict', externalId: 'order-1042' } });
    expect(paths).toHaveLength(1 + 20);
  });

  test('gives up where the service ignores the page', async () => {
    const { result, paths } = await readBack([answer(404, ''), ok(page([other(1)], 1, 9))]);
    expect(result).toMatchObject({ ok: false, error: { kind: 'conflict' } });
    expect(paths).toHaveLength(3);
  });

  test('passes over a broken neighbour in the list', async () => {
    const { result } = await readBack([answer(404, ''), ok(page([{ nonsense: true }, pendingInvoice]))]);
    expect(result).toMatchObject({ ok: true, value: { created: false } });
  });

  test.each(['.', '..'])('external_id "%s" cannot stand in a path: only the list is asked', async (external_id) => {
    const { result, paths } = await readBack([ok(page([{ ...pendingInvoice, external_id }]))], { external_id });
    expect(result).toMatchObject({ ok: true, value: { created: false, invoice: { external_id } } });
    expect(paths).toEqual(['GET /invoices?currency=EUR&page=1&per_page=100']);
  });

  test.each(['a/b', 'ü', '%2e%2e'])('external_id %j is encoded', async (external_id) => {
    const { result, paths } = await readBack([ok({ ...pendingInvoice, external_id })], { external_id });
    expect(result).toMatchObject({ ok: true });
    expect(paths).toEqual([`GET /invoices/${encodeURIComponent(external_id)}`]);
  });

  test('a read that fails for a moment is repeated', async () => {
    const { result, paths } = await readBack([unavailable, resetAfterReading, ok(pendingInvoice)]);
    expect(result).toMatchObject({ ok: true });
    expect(paths).toHaveLength(3);
  });

  test.each([
    [conflict, 'rejected', 1],
    [unavailable, 'unknown', 2],
  ] as const)('an abort during it is an abort', async (first, outcome, attempts) => {
    const controller = new AbortController();
    const reason = new Error('gone');
    const script = outcome === 'unknown' ? [first, conflict] : [first];
    const server = await serve(
      ...script,
      stall(() => controller.abort(reason)),
    );
    const call = clientOf(server.url).invoices.createOrGet(order, { signal: controller.signal });
    const error = await errorOf(call);
    expect(error).toMatchObject({
      kind: 'aborted',
      outcome,
      stoppedBy: 'aborted',
      operation: 'invoices.create',
      reason,
    });
    expect(error.attempts).toHaveLength(attempts);
  });

  test('shares the deadline of the call: then the conflict is thrown', async () => {
    const runtime = new FakeRuntime();
    const late: Step = {
      play(exchange) {
        runtime.pass(99_000);
        conflict.play(exchange);
      },
    };
    const server = await serve(late, answer(404, '', { 'retry-after': '0' }), unavailable);
    const error = await errorOf(clientOf(server.url, { runtime }).invoices.createOrGet(order));
    expect(error).toMatchObject({ kind: 'conflict', externalId: 'order-1042' });
    expect(server.requests.length).toBeLessThanOrEqual(5);
  });

  test.each<[string, unknown, string | null]>([
    ['missing', undefined, null],
    ['null', null, null],
    ['of other names', { order_id: 'order-1042', invoice_status: 'expired' }, 'expired'],
  ])('details %s do not keep it from reading', async (_name, details, existingStatus) => {
    const taken = refuse(400, 'INVOICE_ALREADY_EXISTS', details);
    const server = await serve(taken, ok(pendingInvoice), taken);
    const client = clientOf(server.url);
    expect(await client.invoices.createOrGet(order)).toMatchObject({ created: false });
    expect(await errorOf(client.invoices.create(order))).toMatchObject({ externalId: 'order-1042', existingStatus });
  });
});

test('allowHttp lets a callback_url of a container through, and nothing else does', async () => {
  const params = { ...order, callback_url: 'http://shop:3000/webhooks' };
  const server = await serve(ok({ ...pendingInvoice, callback_url: params.callback_url }));
  const refused = await errorOf(clientOf(server.url).invoices.create(params));
  expect(refused).toMatchObject({
    code: 'VALIDATION_ERROR',
    fields: { callback_url: ['must be an https:// address'] },
  });
  const { callback_url } = await clientOf(server.url, { allowHttp: true }).invoices.create(params);
  expect(callback_url).toBe(params.callback_url);
  expect(server.requests).toHaveLength(1);
});
