import { describe, expect, it, vi } from 'vitest';
import { orderOf } from '../../src/index.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { type FaultServer, type Step, serve } from '../support/fault-server.ts';
import { ok, refuse, resetAfterReading } from '../support/fault-steps.ts';
import { adjustedInvoice, createdInvoice, pendingInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

// createOrRenew: the order's payable invoice, or the one that paid it, with what each state returns and how many requests.

const ID = 'order-1042';
const idOf = (attempt: number) => (attempt === 1 ? ID : `${ID}-r${attempt}`);
const created = (attempt: number): Step => ok({ ...createdInvoice, external_id: idOf(attempt) });
/** A conflict that says nothing of the invoice, so that it must be read. */
const taken = refuse(409, 'INVOICE_ALREADY_EXISTS');
/** A conflict whose details have the status. */
const ended = (attempt: number, status: string): Step =>
  refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id: idOf(attempt), status });
const found = (attempt: number, change: object = {}): Step =>
  ok({ ...pendingInvoice, external_id: idOf(attempt), ...change });
const paid = { status: 'success', settled_amount_usdt: '26.86', finished_at: '2026-01-31T09:40:00Z' };
const adjusted = { ...adjustedInvoice, uuid: pendingInvoice.uuid, customer_id: 'customer-7', amount: '25.00' };
const adjustment = { ...adjustedInvoice.adjustment, expected_amount_fiat: '25.00', actual_amount_fiat: '10.00' };

const pathsOf = (server: FaultServer) =>
  server.requests.map(({ method, url, body }) =>
    method === 'POST' ? `POST ${JSON.parse(body).external_id}` : `GET ${url.split('/').at(-1)}`,
  );

describe('createOrRenew returns', () => {
  it.each<[string, Step[], number, string, boolean, string[]]>([
    ['a new invoice for a new order', [created(1)], 1, 'pending', true, ['POST order-1042']],
    ['the pending one', [taken, found(1)], 1, 'pending', false, ['POST order-1042', 'GET order-1042']],
    [
      'the one that paid the order',
      [taken, found(1, paid)],
      1,
      'success',
      false,
      ['POST order-1042', 'GET order-1042'],
    ],
    [
      'an adjusted one like a paid one',
      [taken, ok({ ...adjusted, external_id: ID, adjustment })],
      1,
      'success',
      false,
      ['POST order-1042', 'GET order-1042'],
    ],
    [
      'one with a status that nobody knows',
      [taken, found(1, { status: 'on_hold' })],
      1,
      'on_hold',
      false,
      ['POST order-1042', 'GET order-1042'],
    ],
    [
      'the next attempt after one that expired',
      [taken, found(1, { status: 'expired' }), created(2)],
      2,
      'pending',
      true,
      ['POST order-1042', 'GET order-1042', 'POST order-1042-r2'],
    ],
    [
      'the next attempt, unread, where the conflict says that it ended',
      [ended(1, 'canceled'), created(2)],
      2,
      'pending',
      true,
      ['POST order-1042', 'POST order-1042-r2'],
    ],
    [
      'the next attempt, also where the one that ended was another charge',
      [taken, found(1, { status: 'fail', amount: '99.00' }), created(2)],
      2,
      'pending',
      true,
      ['POST order-1042', 'GET order-1042', 'POST order-1042-r2'],
    ],
    [
      'the pending one of the second attempt',
      [ended(1, 'expired'), taken, found(2)],
      2,
      'pending',
      false,
      ['POST order-1042', 'POST order-1042-r2', 'GET order-1042-r2'],
    ],
    [
      'the first of two that was paid late',
      [taken, found(1, paid)],
      1,
      'success',
      false,
      ['POST order-1042', 'GET order-1042'],
    ],
    [
      'the third',
      [ended(1, 'expired'), ended(2, 'fail'), created(3)],
      3,
      'pending',
      true,
      ['POST order-1042', 'POST order-1042-r2', 'POST order-1042-r3'],
    ],
    [
      'what another tab has created meanwhile',
      [ended(1, 'expired'), taken, found(2)],
      2,
      'pending',
      false,
      ['POST order-1042', 'POST order-1042-r2', 'GET order-1042-r2'],
    ],
    [
      'its own invoice after a lost response',
      [ended(1, 'expired'), resetAfterReading, taken, found(2)],
      2,
      'pending',
      true,
      ['POST order-1042', 'POST order-1042-r2', 'POST order-1042-r2', 'GET order-1042-r2'],
    ],
  ])('%s', async (_name, script, attempt, status, isCreated, paths) => {
    const server = await serve(...script);
    const { data, response } = await clientOf(server.url).invoices.createOrRenew(order).withResponse();
    expect(data).toMatchObject({ attempt, external_id: idOf(attempt), created: isCreated, invoice: { status } });
    expect(data.invoice.external_id).toBe(idOf(attempt));
    expect(orderOf(data.external_id)).toEqual({ order: ID, attempt });
    expect(pathsOf(server)).toEqual(paths);
    expect(response.attempts).toBe(paths.length);
  });

  it('the texts in which a found invoice differs', async () => {
    const server = await serve(taken, found(1));
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const asked = { ...order, callback_url: 'https://new.example/hook' };
    const result = await clientOf(server.url).invoices.createOrRenew(asked);
    expect(result.differences).toEqual(['callback_url']);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('another callback_url: its webhook goes there')]]);
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
    const server = await serve(ended(1, 'expired'), taken, found(2, change));
    const error = await errorOf(clientOf(server.url).invoices.createOrRenew(order));
    expect(error).toMatchObject({
      code: 'SDK_INVOICE_MISMATCH',
      externalId: 'order-1042-r2',
      existing: { uuid: pendingInvoice.uuid },
    });
    expect(error.message).toMatch(message);
    expect(server.requests).toHaveLength(3);
  });

  it('the last conflict after fifty attempts', async () => {
    const server = await serve(refuse(409, 'INVOICE_ALREADY_EXISTS', { status: 'expired' }));
    const error = await errorOf(clientOf(server.url).invoices.createOrRenew(order));
    expect(error).toMatchObject({
      code: 'INVOICE_ALREADY_EXISTS',
      externalId: 'order-1042-r50',
      existingStatus: 'expired',
    });
    expect(error.message).toContain('use a new order id');
    expect(server.requests).toHaveLength(50);
    expect(pathsOf(server).at(-1)).toBe('POST order-1042-r50');
  });

  it('the failure of an attempt, with the id of its attempt', async () => {
    const server = await serve(ended(1, 'expired'), refuse(403, 'FROZEN'));
    const error = await errorOf(clientOf(server.url).invoices.createOrRenew(order));
    expect(error).toMatchObject({ code: 'FROZEN', externalId: 'order-1042-r2', outcome: 'rejected' });
  });

  it('the conflict of an invoice that cannot be read', async () => {
    const server = await serve(taken, refuse(401, 'NO'));
    const error = await errorOf(clientOf(server.url, { retry: false }).invoices.createOrRenew(order));
    expect(error).toMatchObject({ code: 'INVOICE_ALREADY_EXISTS', externalId: ID });
  });

  it.each([
    ['order-1042-r2', 'must not end in -r2 to -r50'],
    ['order-1042-r50', 'must not end in -r2 to -r50'],
    ['x'.repeat(125), 'must have at most 124 characters'],
    [' order', 'must not begin or end with white space'],
  ])('for the order id %s, before any request', async (external_id, problem) => {
    const error = await errorOf(clientOf('https://pay.example').invoices.createOrRenew({ ...order, external_id }));
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: { external_id: [expect.stringContaining(problem)] },
    });
  });

  it('the failure of a later attempt, with all requests of the call', async () => {
    const runtime = new FakeRuntime();
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
    let asked = 0;
    const fetch = async (): Promise<Response> => {
      runtime.pass(100);
      asked += 1;
      if (asked === 3) throw new TypeError('fetch failed', { cause });
      const details = { external_id: idOf(asked), status: 'expired' };
      return Response.json(
        { success: false, error: { code: 'INVOICE_ALREADY_EXISTS', message: '', details } },
        { status: 409 },
      );
    };
    const ends: unknown[] = [];
    const hooks = { onEnd: (event: object) => void ends.push(event) };
    const client = clientOf('https://pay.example', { runtime, fetch, hooks, retry: false });
    const error = await errorOf(client.invoices.createOrRenew(order));
    const whole = { code: 'SDK_CONNECTION', outcome: 'rejected', externalId: 'order-1042-r3' };
    expect(error).toMatchObject({ ...whole, attempts: [{ status: 409 }, { status: 409 }, { status: null }] });
    expect(ends).toMatchObject([{ ...whole, ok: false, attempt: 3, durationMs: 300 }]);
  });

  it('within one deadline and one call for the hooks', async () => {
    const ends: unknown[] = [];
    const ids = new Set<string>();
    const hooks = {
      onEnd: (event: object) => void ends.push(event),
      onRequest: ({ callId }: { callId: string }) => void ids.add(callId),
    };
    const server = await serve(ended(1, 'expired'), taken, found(2));
    await clientOf(server.url, { hooks }).invoices.createOrRenew(order);
    expect(ends).toMatchObject([{ ok: true, operation: 'invoices.create', externalId: ID, attempt: 3 }]);
    expect(ids.size).toBe(1);
  });
});

it.each<[string, string, number]>([
  ['order-1042', 'order-1042', 1],
  ['order-1042-r2', 'order-1042', 2],
  ['order-1042-r50', 'order-1042', 50],
  ['order-1042-r51', 'order-1042-r51', 1],
  ['order-1042-r1', 'order-1042-r1', 1],
  ['order-1042-r02', 'order-1042-r02', 1],
  ['order-1042-R2', 'order-1042-R2', 1],
  ['-r2', '-r2', 1],
  ['a-r2-r3', 'a-r2', 3],
  ['order-r2x', 'order-r2x', 1],
])('orderOf %s', (external_id, id, attempt) => expect(orderOf(external_id)).toEqual({ order: id, attempt }));
