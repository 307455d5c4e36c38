import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { InvoiceAlreadyExistsError, InvoiceMismatchError } from '../../src/errors/classes.ts';
import type { MerchantClientOptions } from '../../src/options.ts';
import { FakeRuntime, START } from '../support/fake-runtime.ts';
import { type FaultServer, type Step, serve } from '../support/fault-server.ts';
import { answer, ok, onceRead, refuse, resetAfterReading, resetMidBody, stall } from '../support/fault-steps.ts';
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
  ])('throws the conflict where it follows %s: the invoice is of another call', async (_name, before) => {
    const server = await serve(...before, conflict, ok(pendingInvoice));
    const error = await errorOf(clientOf(server.url).invoices.create(order));
    expect(error).toBeInstanceOf(InvoiceAlreadyExistsError);
    expect(error).toMatchObject({ outcome: 'rejected', externalId: 'order-1042', existingStatus: 'pending' });
    expect(pathsOf(server)).not.toContain('GET /invoices/order-1042');
  });

  it('recovers nothing where the repeat creates', async () => {
    const server = await serve(unavailable, ok(createdInvoice));
    const { response } = await clientOf(server.url).invoices.create(order).withResponse();
    expect(response).toMatchObject({ recovered: false, attempts: 2 });
  });

  it('says that its invoice was not created, where the one that exists differs', async () => {
    const server = await serve(unavailable, conflict, ok({ ...pendingInvoice, amount: '26.00' }));
    const error = await errorOf(clientOf(server.url).invoices.create(order));
    expect(error).toMatchObject({ kind: 'mismatch', outcome: 'rejected', differences: ['amount'] });
  });

  it('takes an http callback_url with allowHttp only', async () => {
    const params = { ...order, callback_url: 'http://shop:3000/webhooks' };
    const server = await serve(ok({ ...pendingInvoice, callback_url: params.callback_url }));
    const fields = { callback_url: ['must be an https:// address'] };
    const error = await errorOf(clientOf(server.url).invoices.create(params));
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', fields });
    const { callback_url } = await clientOf(server.url, { allowHttp: true }).invoices.create(params);
    expect(callback_url).toBe(params.callback_url);
    expect(server.requests).toHaveLength(1);
  });
});

describe('createOrGet', () => {
  it('says that it created', async () => {
    const server = await serve(ok(createdInvoice));
    const result = await clientOf(server.url).invoices.createOrGet(order);
    expect(result).toMatchObject({ created: true, invoice: { external_id: 'order-1042' } });
  });

  it('says that it found, also an invoice that is final, whatever the conflict tells', async () => {
    const found = { ...successInvoice, external_id: 'order-1042', customer_id: 'customer-7', amount: '25' };
    const server = await serve(refuse(400, 'invoice_already_exists'), ok(found));
    const { data, response } = await clientOf(server.url).invoices.createOrGet(order).withResponse();
    expect(data).toMatchObject({ created: false, invoice: { status: 'success' } });
    expect(data.created || data.invoice.settled_amount_usdt?.toFixed()).toBe('108.695652');
    expect(response).toMatchObject({ recovered: false, attempts: 2 });
  });

  it('names the texts in which the invoice found differs', async () => {
    const asked = { ...order, callback_url: 'https://new.example/hook', purpose: 'Two tickets' };
    const found = ok({ ...pendingInvoice, callback_url: 'https://old.example/hook' });
    const server = await serve(conflict, found, conflict, found);
    const { invoices } = clientOf(server.url);
    expect(await invoices.createOrGet(asked)).toMatchObject({ created: false, differences: ['callback_url'] });
    expect(await invoices.createOrGet(order)).toMatchObject({ created: false, differences: [] });
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
    const call = clientOf(server.url).invoices.createOrGet({ ...order, ...asked });
    if (differences.length === 0) return expect(await call).toMatchObject({ created: false });
    const error = await errorOf(call);
    expect(error).toBeInstanceOf(InvoiceMismatchError);
    expect(error).toMatchObject({ code: 'SDK_INVOICE_MISMATCH', outcome: 'rejected', differences });
    expect(error).toMatchObject({ existing: { uuid: pendingInvoice.uuid } });
    for (const name of differences) expect(error.message).toContain(name);
  });
});

describe('the existing invoice', () => {
  /** createOrGet against a conflict and then this script, with what was asked. */
  async function readBack(script: readonly Step[], asked: object = {}, options: MerchantClientOptions = {}) {
    const params = { ...order, ...asked };
    const { external_id } = params;
    const taken = refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id, status: 'pending' });
    const server = await serve(taken, ...script);
    const result = await clientOf(server.url, options).invoices.createOrGet(params).result();
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
    expect(result.error.message).not.toContain('createOrGet'); // which is what was called
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
    expect(result.error.message).toContain('neither the path nor the pages of the list');
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
    const { data, response } = await clientOf(server.url).invoices.createOrGet(order).withResponse();
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
    const error = await errorOf(clientOf(server.url).invoices.createOrGet(order, { signal: controller.signal }));
    expect(error).toMatchObject({ kind: 'aborted', outcome, stoppedBy: 'aborted', reason });
    expect(error).toMatchObject({ operation: 'invoices.create', attempts: { length: script.length } });
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
    const error = await errorOf(clientOf(server.url, { runtime }).invoices.createOrGet(order));
    expect(error).toMatchObject({ kind: 'conflict', externalId: 'order-1042' });
    expect(server.requests.length).toBeLessThanOrEqual(5);
  });
});

describe('after an attempt that got no response, the invoice found', () => {
  interface Found {
    /** created_at, in milliseconds from the call's beginning on the service's clock. */
    readonly created: number;
    readonly status?: string;
    /** The purpose that was sent. */
    readonly purpose?: string;
    /** The purpose that the invoice shows. */
    readonly shown?: string | null;
    /** How far the service's clock is ahead of ours; null where no response has a Date header. */
    readonly serviceAhead?: number | null;
    /** What our wall clock is set forward by while the call runs. */
    readonly jump?: number;
    readonly age?: number;
  }

  const WAITED = 250; // half of the first wait's bound
  const HOUR = 3_600_000;
  const YEAR = 365 * 24 * HOUR;
  const at = (offset: number) => new Date(START + offset).toISOString();
  const httpDate = (offset: number) => new Date(START + offset).toUTCString();

  /** A client whose creation gets a reset, a conflict, and then this invoice; and what it creates. */
  async function play(found: Found) {
    const { created, status = 'pending', purpose, shown = 'Two tickets', serviceAhead = 0, jump = 0, age = 0 } = found;
    const runtime = new FakeRuntime(0.5);
    const ahead = serviceAhead ?? 0;
    const jumping: Step = {
      play(exchange) {
        runtime.time += jump;
        resetAfterReading.play(exchange);
      },
    };
    const date = serviceAhead === null ? '' : httpDate(ahead + WAITED - age);
    const headers = { date, ...(age > 0 && { age: String(age / 1_000) }) };
    const invoice = { ...pendingInvoice, status, purpose: shown, created_at: at(ahead + created) };
    const server = await serve(jumping, conflict, ok(invoice, headers));
    const params = { ...order, ...(purpose !== undefined && { purpose }) };
    return { params, invoices: clientOf(server.url, { runtime }).invoices };
  }

  it.each<[string, Found]>([
    ['created while the call ran', { created: 100 }],
    ['created in the second in which the call began', { created: -900 }],
    ['on a service whose clock is an hour ahead', { created: 100, serviceAhead: HOUR }],
    ['on a service whose clock is a day behind', { created: 100, serviceAhead: -24 * HOUR }],
    ['while our clock is set an hour ahead', { created: 100, jump: HOUR }],
    ['while our clock is set an hour back', { created: 100, jump: -HOUR }],
    ['behind a cache that says the age of its response', { created: 100, age: 600_000 }],
    ['on a service that tells no time', { created: 100, serviceAhead: null }],
    ['with the purpose that was sent', { created: 100, purpose: 'Two tickets' }],
    ['on a service that does not show the purpose', { created: 100, purpose: 'Two tickets', shown: null }],
  ])('is the call’s own: %s', async (_name, found) => {
    const get = await play(found);
    const { data, response } = await get.invoices.createOrGet(get.params).withResponse();
    expect(data.created).toBe(true);
    expect(response).toMatchObject({ recovered: true, attempts: 3 });
    const create = await play(found);
    expect((await create.invoices.create(create.params).withResponse()).response.recovered).toBe(true);
  });

  it.each<['older' | 'unclear', string, Found]>([
    ['older', 'created ten seconds before', { created: -10_000 }],
    ['older', 'created half an hour before', { created: -HOUR / 2 }],
    ['older', 'created a year before', { created: -YEAR }],
    ['older', 'created ten seconds before, on a service an hour ahead', { created: -10_000, serviceAhead: HOUR }],
    ['older', 'created half an hour before, while our clock is set back', { created: -HOUR / 2, jump: -HOUR }],
    ['older', 'created a year before, on a service that tells no time', { created: -YEAR, serviceAhead: null }],
    ['older', 'created before, and paid', { created: -HOUR, status: 'success' }],
    ['unclear', 'final, though created while the call ran', { created: 100, status: 'canceled' }],
    ['unclear', 'with the purpose of a concurrent call', { created: 100, purpose: 'Three tickets' }],
    ['unclear', 'an hour old on a service that tells no time', { created: -HOUR, serviceAhead: null }],
    ['unclear', 'half an hour old, while our clock is set or the machine slept', { created: -HOUR / 2, jump: HOUR }],
  ])('is %s: %s', async (origin, _name, found) => {
    const get = await play(found);
    const { data, response } = await get.invoices.createOrGet(get.params).withResponse();
    expect(data.created).toBe(false);
    expect(response).toMatchObject({ recovered: false, attempts: 3 });
    const create = await play(found);
    const error = await errorOf(create.invoices.create(create.params));
    const outcome = origin === 'older' ? 'rejected' : 'unknown';
    expect(error).toMatchObject({ code: 'INVOICE_ALREADY_EXISTS', outcome, externalId: 'order-1042' });
    expect(error).toMatchObject({ existingStatus: found.status ?? 'pending', existing: { uuid: pendingInvoice.uuid } });
    expect(error.message.includes('older than this call')).toBe(origin === 'older');
    expect(error.message.includes('may have been processed')).toBe(origin === 'unclear');
  });

  it('is older, also where the body of its response is slow', async () => {
    const runtime = new FakeRuntime(0.5);
    const invoice = JSON.stringify({ ...pendingInvoice, created_at: at(-8_000) });
    const slow: Step = {
      play({ response }) {
        response.writeHead(200, { 'content-type': 'application/json', date: httpDate(WAITED) });
        const finish = () => {
          runtime.pass(9_000);
          response.end(invoice.slice(10));
        };
        response.write(invoice.slice(0, 10), () => onceRead(finish)); // the client must have got the head before
      },
    };
    const server = await serve(resetAfterReading, conflict, slow);
    const { data, response } = await clientOf(server.url, { runtime }).invoices.createOrGet(order).withResponse();
    expect(data.created).toBe(false);
    expect(response.durationMs).toBe(WAITED + 9_000);
  });

  it('is never the call’s own where the first attempt got the conflict', async () => {
    const server = await serve(conflict, ok({ ...pendingInvoice, created_at: at(60_000) }));
    const { data } = await clientOf(server.url).invoices.createOrGet(order).withResponse();
    expect(data.created).toBe(false);
  });
});

it('every error of a creation and of a read has the order', async () => {
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
  const orderOf = async (external_id: string) =>
    (await errorOf(invoices.create({ ...order, external_id, amount: 'x' }))).externalId;
  expect(await orderOf('x'.repeat(129))).toBeNull();
  expect(await orderOf('')).toBeNull();
  expect(await orderOf('😀'.repeat(128)), 'the limit counts code points').toBe('😀'.repeat(128));
  expect((await errorOf(invoices.list())).externalId).toBeNull();
});
