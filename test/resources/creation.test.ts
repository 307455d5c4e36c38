import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { InvoiceAlreadyExistsError, InvoiceMismatchError } from '../../src/errors/classes.ts';
import { hasCode } from '../../src/errors/guards.ts';
import type { MerchantClientOptions } from '../../src/options.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { type FaultServer, type Step, serve } from '../support/fault-server.ts';
import { answer, ok, refuse, resetAfterReading, resetMidBody, stall } from '../support/fault-steps.ts';
import { createdInvoice, pendingInvoice, successInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

// A creation is repeated, and the service answers a repeat with a conflict. Whose invoice is it?

const conflict = refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id: 'order-1042', status: 'pending' });
const unavailable = refuse(503, null);

function pathsOf(server: FaultServer): string[] {
  return server.requests.map(({ method, url }) => `${method} ${url.replace('/api/v1/external', '')}`);
}

function page(items: readonly unknown[], number = 1, pages = 1): object {
  return {
    items,
    page: number,
    per_page: 100,
    total_items: pages === 1 ? items.length : pages * 100,
    total_pages: pages,
    has_next: number < pages,
    has_prev: number > 1,
  };
}

const other = (index: number) => ({ ...successInvoice, uuid: `u-${index}`, external_id: `other-${index}` });

it('an invoice found on a later page of the list took the time of the whole call', async () => {
  const runtime = new FakeRuntime();
  const taken = { success: false, error: { code: 'INVOICE_ALREADY_EXISTS', message: '' } };
  const full = page(
    Array.from({ length: 100 }, (_, index) => other(index)),
    1,
    2,
  );
  const responses: [number, object][] = [
    [409, taken],
    [404, { success: false, error: { code: 'NOT_FOUND', message: '' } }],
    [200, { success: true, data: full }],
    [200, { success: true, data: page([pendingInvoice], 2, 2) }],
  ];
  const fetch = async (): Promise<Response> => {
    runtime.pass(100);
    const [status, body] = responses.shift() ?? [500, {}];
    return Response.json(body, { status });
  };
  const client = clientOf('https://pay.example', { runtime, fetch, deadline: 60_000 });
  const { response } = await client.invoices.createOrRenew(order).withResponse();
  expect(response).toMatchObject({ attempts: 4, durationMs: 400 });
});

describe('create', () => {
  it.each<[string, (runtime: FakeRuntime) => Step]>([
    ['a 503', () => unavailable],
    ['a reset', () => resetAfterReading],
    ['half a response', () => resetMidBody()],
    ['a page of a proxy', () => answer(200, '<html>')],
    ['an empty response', () => answer(200, '')],
    ['a timeout', ({ expire }) => stall(expire)],
    ['a 408', () => answer(408, '')],
  ])('returns its own invoice, read back, where a conflict follows %s', async (_name, first) => {
    const runtime = new FakeRuntime();
    const server = await serve(first(runtime), conflict, ok(pendingInvoice));
    const { data, response } = await clientOf(server.url, { runtime }).invoices.create(order).withResponse();
    expect(data).toMatchObject({ uuid: pendingInvoice.uuid, external_id: 'order-1042' });
    expect(response).toMatchObject({ recovered: true, attempts: 3, status: 200 });
    expect(pathsOf(server)).toEqual(['POST /invoices', 'POST /invoices', 'GET /invoices/order-1042']);
  });

  it.each<[string, readonly Step[]]>([
    ['nothing', []],
    ['a rate limit', [refuse(429, null)]],
  ])('throws the conflict where it follows %s, with the invoice of another call', async (_name, before) => {
    const server = await serve(...before, conflict, ok(pendingInvoice));
    const error = await errorOf(clientOf(server.url).invoices.create(order));
    expect(error).toBeInstanceOf(InvoiceAlreadyExistsError);
    expect(error).toMatchObject({ outcome: 'rejected', externalId: 'order-1042', existingStatus: 'pending' });
    expect(error).toMatchObject({ existing: { uuid: pendingInvoice.uuid, created_at: expect.any(Date) } });
    expect(error.message).not.toContain('An attempt of this call');
    expect(pathsOf(server).at(-1)).toBe('GET /invoices/order-1042');
  });

  it('recovers nothing where the repeat creates', async () => {
    const server = await serve(unavailable, ok(createdInvoice));
    const { response } = await clientOf(server.url).invoices.create(order).withResponse();
    expect(response).toMatchObject({ recovered: false, attempts: 2 });
  });

  it('says that its invoice was not created, where the one that exists differs', async () => {
    const server = await serve(unavailable, conflict, ok({ ...pendingInvoice, amount: '26.00' }));
    const error = await errorOf(clientOf(server.url).invoices.create(order));
    expect(error).toMatchObject({ kind: 'conflict', outcome: 'rejected' });
    expect(error).not.toHaveProperty('existing');
    expect(error.message).toContain('another amount');
  });

  it.each([
    ['https://pay.example.com', 1],
    ['https://sandbox.invalid', 0], // never found, which its error says
  ])('warns of a callback_url on localhost at %s: %i lines, by both verbs', async (baseUrl, lines) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const stop = new AbortController();
    const params = { ...order, callback_url: 'https://localhost/webhook' };
    for (const verb of ['create', 'createOrRenew'] as const) {
      warn.mockClear();
      const call = clientOf(baseUrl).invoices[verb](params, { signal: stop.signal });
      stop.abort(); // before a request is made
      await errorOf(call);
      expect(warn).toHaveBeenCalledTimes(lines);
    }
  });

  it.each<[string, object]>([
    ['customer_id', { customer_id: 'cust-undefined' }],
    ['customer_id', { customer_id: String({}) }],
    ['purpose', { purpose: 'Order of undefined' }],
  ])('warns once of a %s that is made of a missing value: a customer may have this name (%#)', async (name, texts) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    for (const verb of ['create', 'createOrRenew'] as const) {
      warn.mockClear();
      const { invoices } = clientOf((await serve(ok(createdInvoice), ok(createdInvoice))).url);
      for (const external_id of ['order-1042', 'order-1042']) await invoices[verb]({ ...order, ...texts, external_id });
      expect(warn.mock.calls).toEqual([[expect.stringContaining(`${name} seems to be made of a missing value`)]]);
    }
  });

  it('takes an http callback_url with allowHttp only', async () => {
    const params = { ...order, callback_url: 'http://shop:3000/webhooks' };
    const server = await serve(ok({ ...pendingInvoice, callback_url: params.callback_url }));
    const error = await errorOf(clientOf(server.url).invoices.create(params));
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(error.message).toContain('callback_url must be an https:// address');
    const { callback_url } = await clientOf(server.url, { allowHttp: true }).invoices.create(params);
    expect(callback_url).toBe(params.callback_url);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a conflict', () => {
  it('says that an invoice was found, also one that is final, whatever the conflict tells', async () => {
    const found = { ...successInvoice, external_id: 'order-1042', customer_id: 'customer-7', amount: '25' };
    const server = await serve(refuse(400, 'invoice_already_exists'), ok(found));
    const error = await errorOf(clientOf(server.url).invoices.create(order));
    if (!hasCode(error, 'INVOICE_ALREADY_EXISTS')) throw error;
    expect(error).toMatchObject({ outcome: 'rejected', attempts: { length: 1 }, existing: { status: 'success' } });
    expect(error.existingStatus).toBe('success');
    expect(error.existing?.settled_amount_usdt?.toFixed()).toBe('108.695652');
    expect(error.message).toContain('invoices.createOrRenew returns the invoice with which the order can be paid');
  });

  it.each<[string, object, object, string[]]>([
    ['25 is 25.00', { amount: '25' }, {}, []],
    ['as a Decimal', { amount: new Decimal('25.0') }, {}, []],
    ['eur is EUR', { currency: 'eur' }, {}, []],
    ['a customer that is null', {}, { customer_id: null }, []],
    ['a customer that cannot be read', {}, { customer_id: 7 }, []],
    ['another purpose is the same charge', { purpose: 'Three tickets' }, {}, []],
    ['another amount', {}, { amount: '25.01' }, ['amount']],
    ['another currency', {}, { currency: { ...pendingInvoice.currency, code: 'USD' } }, ['currency']],
    ['another customer', {}, { customer_id: 'Customer-7' }, ['customer_id']],
    ['another of all', { amount: '1', currency: 'USD', customer_id: 'x' }, {}, ['amount', 'currency', 'customer_id']],
  ])('compares the charge: %s', async (_name, asked, found, differences) => {
    const server = await serve(conflict, ok({ ...pendingInvoice, ...found }));
    const { invoices } = clientOf(server.url);
    const error = await errorOf(invoices.create({ ...order, ...asked }));
    expect(error).toBeInstanceOf(InvoiceAlreadyExistsError);
    expect(error).toMatchObject({ code: 'INVOICE_ALREADY_EXISTS', outcome: 'rejected', externalId: 'order-1042' });
    server.script = [conflict, ok({ ...pendingInvoice, ...found })];
    const renewed = await invoices.createOrRenew({ ...order, ...asked }).result();
    if (differences.length === 0) {
      expect(error).toMatchObject({ existing: { uuid: pendingInvoice.uuid } });
      expect(error.message).not.toContain('has another');
      return expect(renewed).toMatchObject({ ok: true, value: { created: false } });
    }
    if (renewed.ok) throw new Error('it is another charge');
    expect(error, 'nothing of another charge').not.toHaveProperty('existing');
    expect(error.message).toContain(`The existing invoice has another ${differences.join(' and ')}.`);
    expect(error.message).not.toContain('createOrRenew');
    const mismatch = renewed.error;
    expect(mismatch).toBeInstanceOf(InvoiceMismatchError);
    expect(mismatch).toMatchObject({ code: 'SDK_INVOICE_MISMATCH', outcome: 'rejected', differences });
    expect(mismatch).toMatchObject({ existing: { uuid: pendingInvoice.uuid }, status: 200 }); // of the read
    for (const name of differences) expect(mismatch.message).toContain(name);
  });
});

describe('the existing invoice', () => {
  /** createOrRenew against a conflict and then this script, with what was asked. */
  async function readBack(script: readonly Step[], asked: object = {}, options: MerchantClientOptions = {}) {
    const params = { ...order, ...asked };
    const { external_id } = params;
    const taken = refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id, status: 'pending' });
    const server = await serve(taken, ...script);
    const result = await clientOf(server.url, options).invoices.createOrRenew(params).result();
    return { result, paths: pathsOf(server).slice(1) };
  }

  it.each<[string, Step]>([
    ['404', answer(404, '')],
    ['400', refuse(400, 'BAD_UUID')],
    ['405', answer(405, '')],
    ['410', answer(410, '')],
    ['422', refuse(422, 'VALIDATION_ERROR', { ident: ['must be a uuid'] })],
    ['409', answer(409, '')],
    ['500, as where a database wants a uuid', answer(500, '')],
    ['501', answer(501, '')],
    ['an error under 200', refuse(200, 'INVOICE_NOT_FOUND')],
    ['a page of HTML', answer(200, '<html>Not here</html>')],
    ['another shape', ok({ id: 7 })],
    ['another invoice', ok({ ...pendingInvoice, external_id: 'order-1043' })],
  ])('is searched in the list by currency, 100 a page, where its path gives %s', async (_name, step) => {
    const found = page([other(1), pendingInvoice], 2, 3);
    const { result, paths } = await readBack([step, ok(page([other(0)], 1, 3)), ok(found)], {}, { retry: false });
    expect(result).toMatchObject({ ok: true, value: { created: false, invoice: { external_id: 'order-1042' } } });
    expect(paths).toEqual([
      'GET /invoices/order-1042',
      'GET /invoices?currency=EUR&page=1&per_page=100',
      'GET /invoices?currency=EUR&page=2&per_page=100',
    ]);
  });

  it.each([401, 403, 429, 503])('cannot be read where its path gives %i: the conflict says why', async (status) => {
    const { result, paths } = await readBack([answer(status, '')], {}, { retry: false });
    if (result.ok) throw new Error('was not read');
    expect(result.error).toMatchObject({ kind: 'conflict', existingStatus: 'pending', outcome: 'rejected' });
    expect(result.error.message).toContain(`could not be read (SDK_HTTP_${status})`);
    expect(result.error.message).not.toContain('createOrRenew returns'); // it is what was called
    expect(result.error.cause).toMatchObject({ status });
    expect(paths).toEqual(['GET /invoices/order-1042']);
  });

  const endless: Step = {
    play(exchange) {
      const number = Number(new URL(exchange.request.url, 'http://x').searchParams.get('page'));
      ok(page([other(number)], number, 1_000)).play(exchange);
    },
  };
  it.each<[string, Step, number]>([
    ['20 pages without it', endless, 1 + 20],
    ['an empty list', ok(page([])), 2],
    ['a list that repeats its first page', ok(page([other(1)], 1, 9)), 3],
  ])('is given up after %s: the conflict', async (_name, list, requests) => {
    const { result, paths } = await readBack([answer(404, ''), list]);
    expect(result).toMatchObject({ ok: false, error: { kind: 'conflict', externalId: 'order-1042' } });
    expect(paths).toHaveLength(requests);
    if (result.ok || requests === 3) return;
    expect(result.error.message).toContain('neither by its external_id nor in the pages of the list');
    expect(result.error.cause).toBeUndefined();
  });

  it('is found beside a row that cannot be read', async () => {
    const { result } = await readBack([answer(404, ''), ok(page([{ nonsense: true }, pendingInvoice]))]);
    expect(result).toMatchObject({ ok: true, value: { created: false } });
  });

  it.each(['.', '..'])('is searched in the list alone, where no path can carry "%s"', async (external_id) => {
    const { result, paths } = await readBack([ok(page([{ ...pendingInvoice, external_id }]))], { external_id });
    expect(result).toMatchObject({ ok: true, value: { created: false, invoice: { external_id } } });
    expect(paths).toEqual(['GET /invoices?currency=EUR&page=1&per_page=100']);
  });

  it('is read by an encoded path', async () => {
    const external_id = 'a/ü%2e';
    const { result, paths } = await readBack([ok({ ...pendingInvoice, external_id })], { external_id });
    expect(result).toMatchObject({ ok: true });
    expect(paths).toEqual(['GET /invoices/a%2F%C3%BC%252e']);
  });

  it('is read again after failures of a moment, and each request counts as an attempt', async () => {
    const script = [unavailable, conflict, unavailable, answer(404, ''), ok(page([pendingInvoice]))];
    const server = await serve(...script);
    const { data, response } = await clientOf(server.url).invoices.createOrRenew(order).withResponse();
    expect(data.invoice.external_id).toBe('order-1042');
    expect(response.attempts).toBe(5);
    expect(server.requests).toHaveLength(5);
  });

  it.each<[string, readonly Step[], string]>([
    ['a conflict at once', [conflict], 'rejected'],
    ['a conflict after a 503', [unavailable, conflict], 'unknown'],
  ])('is read until the caller aborts, with the outcome of the creation: %s', async (_name, script, outcome) => {
    const controller = new AbortController();
    const reason = new Error('gone');
    const server = await serve(
      ...script,
      stall(() => controller.abort(reason)),
    );
    const error = await errorOf(clientOf(server.url).invoices.createOrRenew(order, { signal: controller.signal }));
    expect(error).toMatchObject({ kind: 'aborted', outcome, stoppedBy: 'aborted', reason });
    expect(error).toMatchObject({ operation: 'invoices.createOrRenew', attempts: { length: script.length } });
  });

  it('is read within the deadline of the creation: then the conflict is thrown', async () => {
    const runtime = new FakeRuntime();
    const late: Step = {
      play(exchange) {
        runtime.pass(99_000);
        conflict.play(exchange);
      },
    };
    const server = await serve(late, answer(404, '', { 'retry-after': '0' }), unavailable);
    const error = await errorOf(clientOf(server.url, { runtime }).invoices.createOrRenew(order));
    expect(error).toMatchObject({ kind: 'conflict', externalId: 'order-1042' });
    expect(server.requests.length).toBeLessThanOrEqual(5);
  });
});

describe('after an attempt that got no response, the invoice found', () => {
  const texts = {
    purpose: 'Two tickets',
    callback_url: 'https://shop.example',
    success_url: 'https://SHOP.example:443/ok',
  };

  /** Creates by one of the two methods against a reset, a conflict and this invoice. */
  async function play(method: 'create' | 'createOrRenew', found: object, asked: object) {
    const server = await serve(resetAfterReading, conflict, ok({ ...pendingInvoice, ...found }));
    const { invoices } = clientOf(server.url);
    return await invoices[method]({ ...order, ...asked }).withResponse();
  }

  it.each<[string, object, object]>([
    ['the same charge, pending, whenever the service says it was created', { created_at: '2020-01-01T00:00:00Z' }, {}],
    ['with the texts that were sent', texts, texts],
    ['on a service that does not show the texts', { purpose: null, callback_url: null, success_url: null }, texts],
    [
      'with addresses as Pydantic writes them',
      { ...texts, callback_url: 'https://shop.example/', success_url: 'https://shop.example/ok' },
      texts,
    ],
    ['with a trimmed text in NFC', { purpose: 'Cafe\u0301'.normalize('NFC') }, { purpose: ' Cafe\u0301 ' }],
    ['with a trimmed customer', { customer_id: 'customer-7' }, { customer_id: ' customer-7 ' }],
  ])('is the call’s own: %s', async (_name, found, asked) => {
    const response = { recovered: true, attempts: 3 };
    expect(await play('createOrRenew', found, asked)).toMatchObject({ data: { created: true }, response });
    expect(await play('create', found, asked)).toMatchObject({ data: { uuid: pendingInvoice.uuid }, response });
  });

  it.each<[string, object, object, RegExp]>([
    ['one that has ended', { status: 'canceled' }, {}, /may have been paid or have ended meanwhile/],
    ['one that is paid', { status: 'success' }, {}, /may have been paid or have ended meanwhile/],
    ['one with a status that nobody knows', { status: 'on_hold' }, {}, /may have been paid or have ended meanwhile/],
    [
      'one with the purpose of another call',
      { purpose: 'Three tickets' },
      { purpose: 'Two tickets' },
      /its purpose differs from what was sent/,
    ],
    [
      'one with another address',
      { callback_url: 'https://old.example/' },
      { callback_url: 'https://shop.example' },
      /its callback_url differs from what was sent/,
    ],
  ])('is perhaps not: %s. The outcome stays unknown', async (_name, found, asked, why) => {
    const error = await errorOf(play('create', found, asked));
    expect(error).toMatchObject({ code: 'INVOICE_ALREADY_EXISTS', outcome: 'unknown', externalId: 'order-1042' });
    expect(error).toMatchObject({ existing: { uuid: pendingInvoice.uuid, ...found } });
    expect(error.message).toMatch(why);
    if ('status' in found && found.status === 'canceled') return; // createOrRenew creates the next one
    const got = await play('createOrRenew', found, asked);
    expect(got.data).toMatchObject({ created: false, differences: Object.keys(asked) });
    expect(got.response).toMatchObject({ recovered: false, attempts: 3 });
  });

  it('is not where it is another charge: this call created nothing', async () => {
    const error = await errorOf(play('create', { amount: '26.00' }, {}));
    expect(error).toMatchObject({ code: 'INVOICE_ALREADY_EXISTS', outcome: 'rejected' });
    expect(error).not.toHaveProperty('existing');
    expect(error.message).not.toContain('An attempt of this call');
  });

  it('is never the call’s own where the first attempt got the conflict', async () => {
    const server = await serve(conflict, ok(pendingInvoice));
    const { data } = await clientOf(server.url).invoices.createOrRenew(order).withResponse();
    expect(data.created).toBe(false);
  });

  it.each([409, 423])('is reached by a repeat that first meets its own first attempt, as %i', async (status) => {
    const server = await serve(resetAfterReading, answer(status, ''), conflict, ok(pendingInvoice));
    const { response } = await clientOf(server.url, { retry: { attempts: 4, baseDelay: 0 } })
      .invoices.create(order)
      .withResponse();
    expect(response).toMatchObject({ recovered: true, attempts: 4 });
  });
});

it('every error of a creation and of a read has the order', async () => {
  const { invoices } = clientOf('https://pay.example', {
    fetch: () => Promise.reject(new TypeError('no')),
    retry: false,
  });
  const calls = [
    invoices.create(order),
    invoices.createOrRenew(order),
    invoices.get('order-1042'),
    invoices.create({ ...order, amount: '0' }),
    invoices.create(order, { timeout: -1 }),
    invoices.get('order-1042', { retry: 7 as never }), // wrong on purpose
  ];
  for (const call of calls) {
    const error = await errorOf(call);
    expect(error.externalId, error.message).toBe('order-1042');
    expect(JSON.parse(JSON.stringify(error)).externalId).toBe('order-1042');
  }
  const orderOf = async (external_id: string) =>
    (await errorOf(invoices.create({ ...order, external_id, amount: 'x' }))).externalId;
  expect(await orderOf('x'.repeat(129))).toBeNull();
  expect(await orderOf('')).toBeNull();
  expect(await orderOf('😀'.repeat(128)), 'the limit counts code points').toBe('😀'.repeat(128));
  expect((await errorOf(invoices.list())).externalId).toBeNull();
});
