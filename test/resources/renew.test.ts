import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { orderOf } from '../../src/index.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { type FaultServer, type Step, serve } from '../support/fault-server.ts';
import { answer, ok, refuse, resetAfterReading } from '../support/fault-steps.ts';
import { adjustedInvoice, createdInvoice, pendingInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

// createOrRenew: the order's payable invoice, or the one that paid it, with what each state returns and how many requests.

const ID = 'order-1042';
const idOf = (renewal: number) => (renewal === 0 ? ID : `${ID}--${renewal}`);
const created = (renewal: number): Step => ok({ ...createdInvoice, external_id: idOf(renewal) });
/** A conflict that says nothing of the invoice, so that it must be read. */
const taken = refuse(409, 'INVOICE_ALREADY_EXISTS');
/** A conflict whose details have the status. */
const ended = (renewal: number, status: string): Step =>
  refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id: idOf(renewal), status });
const found = (renewal: number, change: object = {}, headers: Record<string, string> = {}): Step =>
  ok({ ...pendingInvoice, external_id: idOf(renewal), ...change }, headers);
const paid = { status: 'success', settled_amount_usdt: '26.86', finished_at: '2026-01-31T09:40:00Z' };
const adjusted = { ...adjustedInvoice, uuid: pendingInvoice.uuid, customer_id: 'customer-7', amount: '25.00' };
const adjustment = { ...adjustedInvoice.adjustment, expected_amount_fiat: '25.00', actual_amount_fiat: '10.00' };

const pathsOf = (server: FaultServer) =>
  server.requests.map(({ method, url, body }) =>
    method === 'POST' ? `POST ${JSON.parse(body).external_id}` : `GET ${url.split('/').at(-1)}`,
  );

describe('createOrRenew returns', () => {
  it.each<[string, Step[], number, string, boolean, string[]]>([
    ['a new invoice for a new order', [created(0)], 0, 'pending', true, ['POST order-1042']],
    ['the pending one', [taken, found(0)], 0, 'pending', false, ['POST order-1042', 'GET order-1042']],
    [
      'the one that paid the order',
      [taken, found(0, paid)],
      0,
      'success',
      false,
      ['POST order-1042', 'GET order-1042'],
    ],
    [
      'an adjusted one like a paid one',
      [taken, ok({ ...adjusted, external_id: ID, adjustment })],
      0,
      'success',
      false,
      ['POST order-1042', 'GET order-1042'],
    ],
    [
      'one with a status that nobody knows',
      [taken, found(0, { status: 'on_hold' })],
      0,
      'on_hold',
      false,
      ['POST order-1042', 'GET order-1042'],
    ],
    [
      'the first renewal after one that expired',
      [taken, found(0, { status: 'expired' }), created(1)],
      1,
      'pending',
      true,
      ['POST order-1042', 'GET order-1042', 'POST order-1042--1'],
    ],
    [
      'the first renewal, unread, where the conflict says that it ended',
      [ended(0, 'canceled'), created(1)],
      1,
      'pending',
      true,
      ['POST order-1042', 'POST order-1042--1'],
    ],
    [
      'the first renewal, also where the one that ended was another charge',
      [taken, found(0, { status: 'fail', amount: '99.00' }), created(1)],
      1,
      'pending',
      true,
      ['POST order-1042', 'GET order-1042', 'POST order-1042--1'],
    ],
    [
      'the pending one of the first renewal',
      [ended(0, 'expired'), taken, found(1)],
      1,
      'pending',
      false,
      ['POST order-1042', 'POST order-1042--1', 'GET order-1042--1'],
    ],
    [
      'the first of two that was paid late',
      [taken, found(0, paid)],
      0,
      'success',
      false,
      ['POST order-1042', 'GET order-1042'],
    ],
    [
      'the second renewal',
      [ended(0, 'expired'), ended(1, 'fail'), created(2)],
      2,
      'pending',
      true,
      ['POST order-1042', 'POST order-1042--1', 'POST order-1042--2'],
    ],
    [
      'what another tab has created meanwhile',
      [ended(0, 'expired'), taken, found(1)],
      1,
      'pending',
      false,
      ['POST order-1042', 'POST order-1042--1', 'GET order-1042--1'],
    ],
    [
      'the first renewal, where the creation is answered with the invoice that ended',
      [ok({ ...createdInvoice, status: 'expired' }), created(1)],
      1,
      'pending',
      true,
      ['POST order-1042', 'POST order-1042--1'],
    ],
    [
      'a new one of a status that nobody knows',
      [ok({ ...createdInvoice, status: 'on_hold' })],
      0,
      'on_hold',
      true,
      ['POST order-1042'],
    ],
    [
      'the one that paid the order, where the creation is answered with it',
      [ok({ ...createdInvoice, status: 'success' })],
      0,
      'success',
      false,
      ['POST order-1042'],
    ],
    [
      'the one that paid the order, where the conflict states two statuses',
      [
        refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id: ID, status: 'expired', existing_status: 'success' }),
        found(0, paid),
      ],
      0,
      'success',
      false,
      ['POST order-1042', 'GET order-1042'],
    ],
    [
      'the one that paid the order, where the invoice in the conflict has another status',
      [refuse(409, 'INVOICE_ALREADY_EXISTS', { status: 'fail', invoice: { status: 'success' } }), found(0, paid)],
      0,
      'success',
      false,
      ['POST order-1042', 'GET order-1042'],
    ],
    [
      'its own invoice after a lost response',
      [ended(0, 'expired'), resetAfterReading, taken, found(1)],
      1,
      'pending',
      true,
      ['POST order-1042', 'POST order-1042--1', 'POST order-1042--1', 'GET order-1042--1'],
    ],
  ])('%s', async (_name, script, renewal, status, isCreated, paths) => {
    const server = await serve(...script);
    const { data, response } = await clientOf(server.url).invoices.createOrRenew(order).withResponse();
    expect(data).toMatchObject({ order: ID, renewal, created: isCreated, invoice: { status } });
    expect(data.invoice.external_id).toBe(idOf(renewal));
    expect(orderOf(data.invoice.external_id)).toEqual({ order: ID, renewal });
    expect(pathsOf(server)).toEqual(paths);
    expect(response.attempts).toBe(paths.length);
  });

  it('the texts in which a found invoice differs', async () => {
    const server = await serve(taken, found(0), taken, found(0));
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const asked = { ...order, callback_url: 'https://new.example/hook' };
    const result = await clientOf(server.url).invoices.createOrRenew(asked);
    expect(result.differences).toEqual(['callback_url']);
    expect((await clientOf(server.url).invoices.createOrRenew(order)).differences).toEqual([]);
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining('another callback_url, so its webhook goes to that address')],
    ]);
  });
});

describe('a pending invoice past its end', () => {
  const END = Date.parse(pendingInvoice.expires_at);
  const HOUR = 3_600_000;
  const method = { payment_method: { name: 'Card', logo_url: 'https://cdn.example/card.svg' } };
  const { payment_method: _none, ...silent } = pendingInvoice;
  const dateOf = (at: number) => ({ date: new Date(at).toUTCString() });

  it.each<[string, number, object, 0 | 1]>([
    ['a second past it, and nobody has chosen a method: renewed', 1_000, pendingInvoice, 1],
    ['then it does not matter that it is another charge', 1_000, { ...pendingInvoice, amount: '99.00' }, 1],
    ['at its end: returned', 0, pendingInvoice, 0],
    ['a second past it, with a method chosen: returned', 1_000, { ...pendingInvoice, ...method }, 0],
    ['an hour past it, with a method chosen: returned', HOUR, { ...pendingInvoice, ...method }, 0],
    ['more than an hour past it, with a method chosen: renewed', HOUR + 1_000, { ...pendingInvoice, ...method }, 1],
    ['the response does not say the method, as the creation form: returned', 1_000, silent, 0],
    ['it does not say the method, more than an hour past it: renewed', HOUR + 1_000, silent, 1],
    ['paid: returned, however late it is', 9 * HOUR, { ...pendingInvoice, ...paid }, 0],
  ])('%s', async (_name, late, invoice, renewal) => {
    const server = await serve(taken, ok(invoice, dateOf(END + late)), created(1));
    const result = await clientOf(server.url).invoices.createOrRenew(order);
    expect(result).toMatchObject({ renewal, created: renewal === 1 });
  });

  it.each<[string, object, 0 | 1]>([
    ['says that nobody has chosen one: renewed', {}, 1],
    ['does not say it: returned', { payment_method: undefined }, 0],
  ])('the row of a list, where no path reads it, %s', async (_name, change, renewal) => {
    const others = { page: 1, per_page: 100, total_items: 2, total_pages: 1, has_next: false, has_prev: false };
    const items = [
      { ...pendingInvoice, uuid: 'another', external_id: 'another' },
      { ...pendingInvoice, ...change },
    ];
    const list = ok({ items, ...others }, dateOf(END + 1_000));
    const server = await serve(taken, answer(404, ''), list, created(1));
    expect(await clientOf(server.url).invoices.createOrRenew(order)).toMatchObject({ renewal });
  });

  it('is past by the Date header of the read alone: without one it is returned', async () => {
    const undated: Step = {
      play(exchange) {
        exchange.response.sendDate = false;
        exchange.response.writeHead(200).end(JSON.stringify({ success: true, data: pendingInvoice }));
      },
    };
    const server = await serve(taken, undated, created(1));
    expect(await clientOf(server.url).invoices.createOrRenew(order)).toMatchObject({ renewal: 0, created: false });
  });

  it('is not past because the clock of this machine is two hours ahead', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: END + 2 * HOUR });
    onTestFinished(() => void vi.useRealTimers());
    const server = await serve(taken, ok(pendingInvoice, dateOf(END - 1_000)), created(1));
    expect(await clientOf(server.url).invoices.createOrRenew(order)).toMatchObject({ renewal: 0, created: false });
  });
});

describe('createOrRenew throws', () => {
  it.each<[string, object, RegExp]>([
    [
      'pending, and says how long it can be paid',
      { amount: '26.00' },
      /another amount\. It can be paid until 2026-01-31T10:00:00/,
    ],
    ['paid', { ...paid, amount: '26.00' }, /another amount\. Give each charge/],
    [
      'of a status that nobody knows',
      { status: 'on_hold', currency: { ...pendingInvoice.currency, code: 'USD' } },
      /another currency/,
    ],
    [
      'adjusted, by its ordered amount',
      { ...paid, is_adjusted: true, adjustment: { ...adjustment, expected_amount_fiat: '26.00' } },
      /another amount/,
    ],
  ])('a mismatch for another charge that is %s', async (_name, change, message) => {
    const server = await serve(ended(0, 'expired'), taken, found(1, change));
    const error = await errorOf(clientOf(server.url).invoices.createOrRenew(order));
    expect(error).toMatchObject({
      code: 'SDK_INVOICE_MISMATCH',
      operation: 'invoices.createOrRenew',
      externalId: 'order-1042--1',
      existing: { uuid: pendingInvoice.uuid },
    });
    expect(error.message).toMatch(message);
    expect(server.requests).toHaveLength(3);
  });

  it('a mismatch that does not say that an invoice past its end can be paid', async () => {
    const late = new Date(Date.parse(pendingInvoice.expires_at) + 60_000).toUTCString();
    const chosen = { amount: '26.00', payment_method: { name: 'Card', logo_url: 'https://cdn.example/card.svg' } };
    const server = await serve(taken, found(0, chosen, { date: late }));
    const error = await errorOf(clientOf(server.url).invoices.createOrRenew(order));
    expect(error.message).toContain('another amount. It may still be paid for a while after 2026-01-31T10:00:00.000Z.');
  });

  it('the last conflict after 49 renewals', async () => {
    const server = await serve(refuse(409, 'INVOICE_ALREADY_EXISTS', { status: 'expired' }));
    const error = await errorOf(clientOf(server.url).invoices.createOrRenew(order));
    expect(error).toMatchObject({
      code: 'INVOICE_ALREADY_EXISTS',
      externalId: 'order-1042--49',
      existingStatus: 'expired',
    });
    expect(error.message).toContain('use a new order id');
    expect(server.requests).toHaveLength(50);
    expect(pathsOf(server).at(-1)).toBe('POST order-1042--49');
  });

  it('the failure of a renewal, with its id', async () => {
    const server = await serve(ended(0, 'expired'), refuse(403, 'FROZEN'));
    const error = await errorOf(clientOf(server.url).invoices.createOrRenew(order));
    expect(error).toMatchObject({ code: 'FROZEN', externalId: 'order-1042--1', outcome: 'rejected' });
  });

  it('the conflict of an invoice that cannot be read', async () => {
    const server = await serve(taken, refuse(401, 'NO'));
    const error = await errorOf(clientOf(server.url, { retry: false }).invoices.createOrRenew(order));
    expect(error).toMatchObject({ code: 'INVOICE_ALREADY_EXISTS', externalId: ID });
  });

  it.each(['create', 'createOrRenew'] as const)('for an id of a renewal, before any request: %s', async (method) => {
    const { invoices } = clientOf('https://pay.example');
    for (const number of [1, 9, 10, 49, 50, 99]) {
      const error = await errorOf(invoices[method]({ ...order, external_id: `order-1042--${number}` }));
      const problem = 'must not end in -- and a number from 1 to 99: createOrRenew gives such ids to renewals';
      expect(error).toMatchObject({ code: 'VALIDATION_ERROR', outcome: 'not_sent', attempts: [] });
      expect(error).toMatchObject({ fields: { external_id: [expect.stringContaining(problem)] } });
    }
  });

  it.each([
    ['x'.repeat(125), 'must have at most 124 characters'],
    [' order', 'must not begin or end with white space'],
  ])('for the order id %s, before any request', async (external_id, problem) => {
    const error = await errorOf(clientOf('https://pay.example').invoices.createOrRenew({ ...order, external_id }));
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: { external_id: [expect.stringContaining(problem)] },
    });
  });

  it('a refused id of a renewal with the words that its suffix is not the merchant’s', async () => {
    const details = { external_id: ['must match [A-Za-z0-9]+'] };
    const refusal = refuse(422, 'VALIDATION_ERROR', details);
    const server = await serve(ended(0, 'expired'), refusal, refusal);
    const { invoices } = clientOf(server.url);
    const error = await errorOf(invoices.createOrRenew(order));
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', operation: 'invoices.createOrRenew', fields: details });
    expect(error.message).toContain('The suffix of "order-1042--1" comes from createOrRenew');
    expect((await errorOf(invoices.createOrRenew(order))).message, 'a first invoice').not.toContain('The suffix of');
    server.script = [ended(0, 'expired'), refuse(422, 'VALIDATION_ERROR', { amount: ['too small'] })];
    expect((await errorOf(invoices.createOrRenew(order))).message, 'another field').not.toContain('The suffix of');
  });

  it('the failure of a later renewal, with all requests of the call', async () => {
    const runtime = new FakeRuntime();
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
    let asked = 0;
    const fetch = async (): Promise<Response> => {
      runtime.pass(100);
      asked += 1;
      if (asked === 3) throw new TypeError('fetch failed', { cause });
      const details = { external_id: idOf(asked - 1), status: 'expired' };
      return Response.json(
        { success: false, error: { code: 'INVOICE_ALREADY_EXISTS', message: '', details } },
        { status: 409 },
      );
    };
    const ends: unknown[] = [];
    const hooks = { onEnd: (event: object) => void ends.push(event) };
    const client = clientOf('https://pay.example', { runtime, fetch, hooks, retry: false });
    const error = await errorOf(client.invoices.createOrRenew(order));
    const whole = { code: 'SDK_CONNECTION', outcome: 'rejected', externalId: 'order-1042--2' };
    expect(error).toMatchObject({ ...whole, attempts: [{ status: 409 }, { status: 409 }, { status: null }] });
    expect(ends).toMatchObject([{ ...whole, ok: false, attempt: 3, durationMs: 300 }]);
  });

  it('within one deadline and one call for the hooks', async () => {
    const ends: unknown[] = [];
    const ids = new Set<string>();
    const operations: string[] = [];
    const hooks = {
      onEnd: (event: object) => void ends.push(event),
      onRequest({ callId, operation }: { callId: string; operation: string }) {
        ids.add(callId);
        operations.push(operation);
      },
    };
    const server = await serve(ended(0, 'expired'), taken, found(1));
    await clientOf(server.url, { hooks }).invoices.createOrRenew(order);
    expect(ends).toMatchObject([{ ok: true, operation: 'invoices.createOrRenew', externalId: ID, attempt: 3 }]);
    expect(ids.size).toBe(1);
    expect(operations).toEqual(['invoices.createOrRenew', 'invoices.createOrRenew', 'invoices.get']);
  });
});

it.each([undefined, null, 7, {}])('orderOf refuses %s', (value) => {
  expect(() => orderOf(value as never)).toThrow('the external_id must be text'); // wrong on purpose
});
