import { describe, expect, it } from 'vitest';
import { type Step, serve } from '../support/fault-server.ts';
import { answer, ok, refuse } from '../support/fault-steps.ts';
import { createdInvoice, pendingInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

// Answers of a real server over HTTP, none of which may crash or hang the client, or make it lose what was created.

const DEEP = '['.repeat(100_000) + ']'.repeat(100_000);
const TEN_MB = 10_000_000;

/** JSON of the creation's answer with one member written as this raw text; undefined leaves the member out. */
function created(member: string, raw: string | undefined): string {
  const { [member]: _, ...rest } = createdInvoice as Record<string, unknown>; // members are taken by name
  const text = JSON.stringify(rest);
  const data = raw === undefined ? text : `{"${member}":${raw},${text.slice(1)}`;
  return `{"success":true,"data":${data}}`;
}

const json = (status: number, body: string): Step => answer(status, body, { 'content-type': 'application/json' });
const existing = pendingInvoice; // the same charge as `order`
const CONFLICT = refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id: 'order-1042', status: 'pending' });

const REQUIRED = ['uuid', 'external_id', 'amount', 'currency', 'status', 'payment_url', 'created_at'];

/** Member and the text in its place: each makes the creation unreadable. */
const UNREADABLE: readonly (readonly [string, string, string | undefined])[] = [
  ...REQUIRED.map((name) => [`${name} missing`, name, undefined] as const),
  ...REQUIRED.map((name) => [`${name} null`, name, 'null'] as const),
  ['amount as an object', 'amount', '{"value":"25.00"}'],
  ['amount as an empty text', 'amount', '""'],
  ['a currency as text', 'currency', '"EUR"'],
  ['a status as a number', 'status', '3'],
  ['a huge exponent', 'amount', '"1e1000000000"'],
  ['a huge number', 'amount', '1e400'],
  ['a number that has lost digits', 'amount', '25.000000000000004'],
  ['hexadecimal digits', 'amount', '"0x19"'],
  ['NaN', 'amount_to_send', '"NaN"'],
  ['a day that does not exist', 'expires_at', '"2026-02-30T10:00:00Z"'],
  ['an hour that does not exist', 'created_at', '"2026-01-31T25:00:00Z"'],
  ['a time as a number', 'created_at', '1769851800'],
  ['10 MB of digits', 'amount', `"${'9'.repeat(TEN_MB)}"`],
  ['10 MB as a time', 'created_at', `"${'2'.repeat(TEN_MB)}"`],
];

describe('a creation whose response cannot be read', () => {
  it.each(UNREADABLE)('%s: the error says "unknown", and the invoice is there to be read', async (_, member, raw) => {
    const server = await serve(json(201, created(member, raw)), CONFLICT, ok(existing));
    const merchant = clientOf(server.url);
    const error = await errorOf(merchant.invoices.create(order));
    expect(error).toMatchObject({ kind: 'unexpected_response', code: 'SDK_CONTRACT', outcome: 'unknown', status: 201 });
    if (error.kind === 'unexpected_response') {
      expect(error.issues[0]?.path.split('.')[0]).toBe(member);
      expect(error.raw.length).toBeLessThan(20_000);
    }
    expect(error.message.length).toBeLessThan(1_000);
    expect(server.requests).toHaveLength(1); // the same response would come again
    const found = await merchant.invoices.createOrGet(order);
    expect(found).toMatchObject({ created: false, invoice: { uuid: existing.uuid, external_id: 'order-1042' } });
  });

  it.each([
    ['100,000 brackets', DEEP, 'SDK_CONTRACT'],
    ['100,000 brackets in a member', created('purpose', DEEP), 'SDK_CONTRACT'],
    ['100,000 brackets in the envelope', `{"success":true,"data":${DEEP}}`, 'SDK_CONTRACT'],
    ['more than 10 MiB', created('purpose', `"${'x'.repeat(11_000_000)}"`), 'SDK_BODY_TOO_LARGE'],
    ['an empty envelope', '{"success":true}', 'SDK_CONTRACT'],
    ['null', 'null', 'SDK_CONTRACT'],
  ])('%s as the whole body', async (_, body, code) => {
    const server = await serve(json(201, body), CONFLICT, ok(existing));
    const merchant = clientOf(server.url);
    const error = await errorOf(merchant.invoices.create(order));
    expect(error).toMatchObject({ kind: 'unexpected_response', code, outcome: 'unknown' });
    expect(await merchant.invoices.createOrGet(order)).toMatchObject({ created: false });
  });

  it.each([
    ['nothing', ''],
    ['half of it', created('purpose', '"p"').slice(0, 90)],
    ['a page', '<!doctype html><h1>200</h1>'],
  ])('%s as the body: the creation is repeated and recovered', async (_, body) => {
    const server = await serve(json(200, body), CONFLICT, ok(existing));
    const { data, response } = await clientOf(server.url).invoices.create(order).withResponse();
    expect([data.uuid, response.recovered]).toEqual([existing.uuid, true]);
  });
});

describe('a response that is strange and can be read', () => {
  it.each([
    ['a JSON number for an amount', 'amount', '25', '25'],
    ['a JSON number with decimals', 'amount', '25.50', '25.5'],
    ['a JSON number with an exponent', 'amount', '2.5e1', '25'],
    ['an amount with 18 decimals', 'amount', '"25.000000000000000000"', '25'],
  ])('%s', async (_, member, raw, expected) => {
    const server = await serve(json(201, created(member, raw)));
    const drifts: string[] = [];
    const merchant = clientOf(server.url, { onDrift: ({ path, kind }) => drifts.push(`${path} ${kind}`) });
    const invoice = await merchant.invoices.create({ ...order, amount: expected });
    expect(invoice.amount.toString()).toBe(expected);
    expect(drifts).toEqual(raw.startsWith('"') ? [] : ['amount number_for_decimal']);
  });

  it.each([
    ['10 MB of text', 'purpose', `"${'x'.repeat(TEN_MB)}"`],
    ['__proto__', '__proto__', '{"isAdmin":true}'],
    ['constructor', 'constructor', '{"prototype":{"isAdmin":true}}'],
    ['a status that nobody knows', 'status', '"on_hold"'],
  ])('%s', async (_, member, raw) => {
    const server = await serve(json(201, created(member, raw)));
    const invoice = await clientOf(server.url).invoices.create(order);
    expect(invoice).toMatchObject({ uuid: createdInvoice.uuid, external_id: 'order-1042' });
    expect(invoice).not.toHaveProperty('isAdmin');
    expect({}).not.toHaveProperty('isAdmin');
  });
});

describe('one bad item in a page of 100', () => {
  const items = Array.from({ length: 100 }, (_, index) => ({ ...pendingInvoice, uuid: `row-${index}` }));
  const bad = items.map((item, index) => (index === 41 ? { ...item, amount: 'a lot' } : item));
  const counts = { total_items: 100, total_pages: 1, has_next: false, has_prev: false };
  const page = ok({ items: bad, page: 1, per_page: 100, ...counts });

  it('rejects the page, and names the item', async () => {
    const merchant = clientOf((await serve(page)).url);
    const error = await errorOf(merchant.invoices.list({ per_page: 100 }));
    expect(error).toMatchObject({ code: 'SDK_CONTRACT', outcome: 'unknown', page: 1 });
    if (error.kind === 'unexpected_response') expect(error.issues[0]?.path).toBe('items.41.amount');
  });

  it('is reported and left out with onInvalidItem, in the page and in the walk', async () => {
    const merchant = clientOf((await serve(page)).url);
    const reports: unknown[] = [];
    const list = merchant.invoices.list({ per_page: 100 }, { onInvalidItem: ({ raw, ...rest }) => reports.push(rest) });
    expect((await list).items).toHaveLength(99);
    expect(await list.collect({ limit: 1_000 })).toHaveLength(99);
    expect(reports).toEqual([{ page: 1, index: 41, path: 'amount' }]);
  });

  it.each([
    ['null', 'null'],
    ['text', '"row"'],
  ])('%s as an item is no more than that', async (_, raw) => {
    const text = JSON.stringify({ success: true, data: { items, page: 1, per_page: 100, ...counts } });
    const merchant = clientOf((await serve(json(200, text.replace('"items":[', `"items":[${raw},`)))).url);
    const reports: number[] = [];
    const options = { onInvalidItem: ({ index }: { index: number }) => reports.push(index) };
    expect((await merchant.invoices.list({}, options)).items).toHaveLength(100);
    expect(reports).toEqual([0]);
  });
});

describe('a failure with a body that means harm', () => {
  const failing = (error: string): string => `{"success":false,"error":${error}}`;
  it.each([
    ['100,000 brackets', 409, DEEP, 'SDK_HTTP_409'],
    ['100,000 brackets as the error', 400, failing(DEEP), 'SDK_HTTP_400'],
    [
      '100,000 brackets as details',
      409,
      failing(`{"code":"INVOICE_ALREADY_EXISTS","details":${DEEP}}`),
      'SDK_HTTP_409',
    ],
    ['100,000 brackets as the code', 404, failing(`{"code":${DEEP}}`), 'SDK_HTTP_404'],
    ['100,000 brackets as detail', 422, `{"detail":${DEEP}}`, 'VALIDATION_ERROR'],
    [
      '100,000 brackets in a field',
      422,
      failing(`{"code":"VALIDATION_ERROR","details":{"amount":${DEEP}}}`),
      'VALIDATION_ERROR',
    ],
    ['a number as the code', 403, failing('{"code":17,"message":{}}'), 'SDK_HTTP_403'],
    ['10 MB of message', 401, failing(`{"code":"NO","message":"${'x'.repeat(TEN_MB)}"}`), 'SDK_HTTP_401'],
    ['900 kB of message', 401, failing(`{"code":"NO","message":"${'x'.repeat(900_000)}"}`), 'NO'],
    ['__proto__', 400, '{"__proto__":{"code":"STOLEN"},"success":false}', 'SDK_HTTP_400'],
    ['a number', 400, '1e400', 'SDK_HTTP_400'],
  ])('%s: a typed error of bounded size', async (_, status, body, code) => {
    const server = await serve(json(status, body));
    const error = await errorOf(clientOf(server.url).invoices.create(order));
    expect(error).toMatchObject({ code, status, outcome: 'rejected' });
    expect(error.message.length).toBeLessThan(2_000);
    expect(JSON.stringify(error).length).toBeLessThan(300_000);
    expect(server.requests).toHaveLength(1);
  });

  it('keeps a field of the name __proto__ as a field', async () => {
    const body = failing('{"code":"VALIDATION_ERROR","details":{"__proto__":["no"],"amount":["yes"]}}');
    const error = await errorOf(clientOf((await serve(json(422, body))).url).invoices.create(order));
    expect(error.kind === 'validation' && error.fields['amount']).toEqual(['yes']);
    expect({}).not.toHaveProperty('0');
  });
});
