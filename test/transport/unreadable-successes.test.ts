import { describe, expect, it } from 'vitest';
import type { MerchantClient } from '../../src/client.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { answer, drip, ok, refuse, resetMidBody } from '../support/fault-steps.ts';
import { createdInvoice, pendingInvoice, successInvoice } from '../support/fixtures/invoices.ts';
import { approvedWithdrawal } from '../support/fixtures/withdrawals.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';
import { CALLS } from './calls.ts';

// A 2xx that cannot be read: nobody knows whether the work was done. It is repeated where another response may come.

const brackets = '['.repeat(100_000) + ']'.repeat(100_000);
const TEN_MB = 10_000_000;
const HALF = '{"success": true, "da';

/** A creation's response with one member written as this raw text; undefined leaves the member out. */
function created(member: string, raw: string | undefined): string {
  const { [member]: _, ...rest } = createdInvoice as Record<string, unknown>; // members are taken by name
  const text = JSON.stringify(rest);
  return `{"success":true,"data":${raw === undefined ? text : `{"${member}":${raw},${text.slice(1)}`}}`;
}

const bytes = (...codes: number[]): Step => ({
  play: ({ response }) => response.writeHead(200).end(Buffer.of(...codes)),
});
const noContent: Step = { play: ({ response }) => response.writeHead(204).end() };

it('a body that the own fetch has read says so', async () => {
  const server = await serve(ok([]));
  const fetch = async (url: string | URL | Request, init?: RequestInit) => {
    const response = await globalThis.fetch(url, init);
    await response.text(); // a log
    return response;
  };
  const client = clientOf(server.url, { fetch, retry: false });
  const error = await errorOf(client.rates.list());
  expect(error).toMatchObject({ code: 'SDK_UNREADABLE_BODY' });
  expect(error.message).toContain('your fetch has read it: let it read response.clone()');
});

it.each<[string, Step, string, number]>([
  ['HTML', answer(200, '<html>Welcome</html>'), 'SDK_UNREADABLE_BODY', 3],
  ['an empty body', answer(200, ''), 'SDK_UNREADABLE_BODY', 3],
  ['no content', noContent, 'SDK_UNREADABLE_BODY', 3],
  ['half a JSON text', answer(200, HALF), 'SDK_UNREADABLE_BODY', 3],
  ['bytes that are no UTF-8', bytes(0x22, 0xff, 0xfe, 0x22), 'SDK_UNREADABLE_BODY', 3],
  ['another shape', ok({ hello: 'world' }), 'SDK_CONTRACT', 1],
  ['an empty envelope', answer(200, '{"success":true}'), 'SDK_CONTRACT', 1],
  ['null', answer(200, 'null'), 'SDK_CONTRACT', 1],
  ['brackets in the envelope', answer(200, `{"success":true,"data":${brackets}}`), 'SDK_CONTRACT', 1],
])('%s is no success of a read or a creation', async (_name, step, code, requests) => {
  for (const call of [CALLS.get, CALLS.list, CALLS.create]) {
    const server = await serve(step);
    const error = await errorOf(call(clientOf(server.url, { runtime: new FakeRuntime() })));
    expect(error).toMatchObject({ kind: 'unexpected_response', code, outcome: 'unknown' });
    expect(server.requests).toHaveLength(requests);
  }
});

it.each<[string, Step]>([
  ['half a JSON text', answer(200, HALF)],
  ['a body that broke', resetMidBody(200, HALF)],
])('what came of %s is in the error', async (_name, step) => {
  const error = await errorOf(clientOf((await serve(step)).url, { retry: false }).invoices.get('a'));
  expect(error).toMatchObject({ code: 'SDK_UNREADABLE_BODY', raw: HALF });
});

it('a response that is nested too deeply says so, and names its page and anchor', async () => {
  const client = clientOf((await serve(answer(200, `{"data":${brackets}}`))).url);
  const message = /: the response is nested deeper than 100 levels \(HTTP 200\)\. See docs\/errors\.md#sdk_contract$/;
  for (const call of [client.rates.list(), client.request({ method: 'GET', path: '/' })]) {
    expect(await errorOf(call)).toMatchObject({ code: 'SDK_CONTRACT', message: expect.stringMatching(message) });
  }
});

it('a slow body is a body', async () => {
  const server = await serve(drip(200, { success: true, data: [] }));
  expect(await clientOf(server.url).paymentMethods.list()).toEqual([]);
});

it.each<[string, Step]>([
  ['nothing', answer(200, '')],
  ['no content', noContent],
  ['text', answer(202, 'queued')],
  ['an envelope', ok({ queued: true })],
])('%s is a success of a resend', async (_name, step) => {
  const server = await serve(step);
  expect(await clientOf(server.url).webhooks.resend('order-1042')).toBeUndefined();
  expect(server.requests).toHaveLength(1);
});

it('a page is no success of a resend, and is not sent again', async () => {
  const server = await serve(answer(200, '<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' }));
  const error = await errorOf(clientOf(server.url).webhooks.resend('order-1042'));
  expect(error).toMatchObject({ code: 'SDK_UNREADABLE_BODY', outcome: 'unknown' });
  expect(error.message).toContain('an HTML page: a login, or another program, answers at this baseUrl');
  expect(server.requests).toHaveLength(1);
});

describe('a creation whose response cannot be decoded', () => {
  const CONFLICT = refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id: 'order-1042', status: 'pending' });

  // Every member that is missing, null or of another type: test/contract/members.test.ts.
  it.each<[string, string, string | undefined]>([
    ['an amount that is missing', 'amount', undefined],
    ['a huge exponent', 'amount', '"1e1000000000"'],
    ['a number that has lost digits', 'amount', '25.000000000000004'],
    ['a day that does not exist', 'expires_at', '"2026-02-30T10:00:00Z"'],
    ['10 MB of digits', 'amount', `"${'9'.repeat(TEN_MB)}"`],
    ['10 MB as a time', 'created_at', `"${'2'.repeat(TEN_MB)}"`],
  ])('is unknown and not repeated, and createOrRenew finds the invoice: %s', async (_name, member, raw) => {
    const server = await serve(answer(201, created(member, raw)), CONFLICT, ok(pendingInvoice));
    const merchant = clientOf(server.url);
    const error = await errorOf(merchant.invoices.create(order));
    expect(error).toMatchObject({ kind: 'unexpected_response', code: 'SDK_CONTRACT', outcome: 'unknown', status: 201 });
    expect(error).toMatchObject({ issues: [{ path: member }] });
    expect(error.message.length).toBeLessThan(1_000);
    expect('raw' in error && error.raw.length).toBeLessThanOrEqual(2_000);
    expect(server.requests).toHaveLength(1);
    expect(await merchant.invoices.createOrRenew(order)).toMatchObject({ created: false });
  });

  it.each<[string, string, string]>([
    ['10 MB of text', 'purpose', `"${'x'.repeat(TEN_MB)}"`],
    ['__proto__', '__proto__', '{"isAdmin":true}'],
    ['constructor', 'constructor', '{"prototype":{"isAdmin":true}}'],
    ['a status that nobody knows', 'status', '"on_hold"'],
    ['an amount with 18 decimals', 'amount', '"25.000000000000000000"'],
  ])('is none because of %s', async (_name, member, raw) => {
    const server = await serve(answer(201, created(member, raw)));
    const client = clientOf(server.url);
    const invoice = await client.invoices.create(order);
    expect(invoice).toMatchObject({ uuid: createdInvoice.uuid, external_id: 'order-1042' });
    expect(invoice).not.toHaveProperty('isAdmin');
    expect({}).not.toHaveProperty('isAdmin');
  });
});

describe('a page with far more rows than were asked for', () => {
  const page = (rows: number) => ({
    items: Array.from({ length: rows }, () => ({})),
    ...{ page: 1, per_page: 20, total_items: rows, total_pages: 1, has_next: false, has_prev: false },
  });

  it.each([
    [100_000, 20, 'the page has 100000 rows, and 20 were asked for'],
    [1_001, 100, 'the page has 1001 rows, and 100 were asked for'],
  ])('is refused before it is decoded: %i rows for %i', async (rows, per_page, problem) => {
    const server = await serve(ok(page(rows)));
    const error = await errorOf(clientOf(server.url).invoices.list({ per_page }));
    expect(error).toMatchObject({ code: 'SDK_CONTRACT', issues: [], message: expect.stringContaining(problem) });
  });

  it('is read up to a thousand rows, or ten times what was asked for', async () => {
    const server = await serve(ok(page(1_000)));
    expect(await errorOf(clientOf(server.url).invoices.list())).toMatchObject({ issues: { length: 20 } });
  });
});

describe('a response to another request', () => {
  it.each<[string, object]>([
    ['external_id', { external_id: 'order-1043' }],
    ['external_id', { external_id: 'ORDER-1042' }],
    ['amount', { amount: '25.01' }],
    ['currency', { currency: { ...createdInvoice.currency, code: 'USD' } }],
  ])('is no creation of this one: another %s (%j)', async (path, change) => {
    const server = await serve(ok({ ...createdInvoice, ...change }));
    for (const method of ['create', 'createOrRenew'] as const) {
      const error = await errorOf(clientOf(server.url).invoices[method](order));
      expect(error).toMatchObject({ code: 'SDK_CONTRACT', outcome: 'unknown', externalId: 'order-1042' });
      expect(error).toMatchObject({ issues: [{ path }] });
      expect(error.message).toContain(`${path} is not the one that was asked for`);
    }
    expect(server.requests).toHaveLength(2);
  });

  it.each<[string, object, object]>([
    ['the same amount in other digits', { amount: '25' }, { amount: '25.000000' }],
    ['the same currency in other letters', { currency: 'eur' }, {}],
  ])('is not seen in %s', async (_name, asked, change) => {
    const server = await serve(ok({ ...createdInvoice, ...change }));
    const invoice = await clientOf(server.url).invoices.create({ ...order, ...asked });
    expect(invoice.external_id).toBe('order-1042');
  });

  it.each<[string, (client: MerchantClient) => PromiseLike<unknown>, object]>([
    ['another order', (client) => client.invoices.get('order-1043'), pendingInvoice],
    ['an order in other letters', (client) => client.invoices.get('ORDER-1042'), pendingInvoice],
    ['another uuid', (client) => client.invoices.get(successInvoice.uuid), pendingInvoice],
    ['another withdrawal', (client) => client.withdrawals.get('w-2'), { ...approvedWithdrawal, uuid: 'w-1' }],
  ])('is no read of this one: %s', async (_name, call, data) => {
    const server = await serve(ok(data));
    const error = await errorOf(call(clientOf(server.url, { runtime: new FakeRuntime() })));
    expect(error).toMatchObject({ kind: 'unexpected_response', code: 'SDK_CONTRACT' });
    expect(server.requests).toHaveLength(1);
  });

  const { uuid } = pendingInvoice;
  it.each([uuid, uuid.toUpperCase(), uuid.replaceAll('-', ''), 'order-1042'])('is not seen in %s', async (ident) => {
    const server = await serve(ok(pendingInvoice));
    expect((await clientOf(server.url).invoices.get(ident)).uuid).toBe(uuid);
  });
});

it.each<[string, Step, string]>([
  ['a page of a login', answer(200, '<html>'), 'a login, or another program, answers at'],
  ['a path that is not known', refuse(404, 'NOT_FOUND'), 'Check the path, also that of baseUrl.'],
])('%s in place of a list leads to baseUrl', async (_name, step, advice) => {
  const error = await errorOf(clientOf((await serve(step)).url, { retry: false }).rates.list());
  expect(error.message).toContain(advice);
});
