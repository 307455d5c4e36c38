import { Decimal as Foreign } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { MerchantClient } from '../src/client.ts';
import { AbortedError, ServerError } from '../src/errors/classes.ts';
import { isMerchantError } from '../src/errors/guards.ts';
import { Decimal, toPlain } from '../src/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { fakeError, fakeInvoice, fakePaidEvent } from '../src/testing/index.ts';
import { parseInvoiceEvent } from '../src/webhooks/index.ts';
import { serve } from './support/fault-server.ts';
import { ok } from './support/fault-steps.ts';
import { successInvoice } from './support/fixtures/invoices.ts';
import { API_KEY, clientOf } from './support/test-client.ts';

/** Each of the ways out of the process gives the same data. */
function expectSafe(plain: unknown): void {
  expect(structuredClone(plain)).toStrictEqual(plain);
  expect(JSON.parse(JSON.stringify(plain))).toStrictEqual(plain);
}

describe('toPlain', () => {
  it('writes amounts and times as text, and keeps members that the types do not know', async () => {
    const server = await serve(ok({ ...successInvoice, risk: { score: 0.1, tags: ['a', null] } }));
    const plain = toPlain(await clientOf(server.url).invoices.get('order-1044'));
    expectSafe(plain);
    expect(plain).toStrictEqual({
      ...successInvoice,
      amount: '100',
      amount_to_send: '102',
      created_at: '2026-01-31T09:30:00.000Z',
      expires_at: '2026-01-31T10:00:00.000Z',
      finished_at: '2026-01-31T09:41:12.000Z',
      risk: { score: 0.1, tags: ['a', null] },
    });
  });

  it('takes pages, calls with their response, results and events', async () => {
    const sandbox = createSandbox();
    const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch });
    const page = toPlain(await merchant.withdrawals.list({ per_page: 2 }));
    expectSafe(page);
    expect(page.items.map(({ amount }) => amount)).toEqual(['250', '250']);
    const { data, response } = toPlain(await merchant.rates.list().withResponse());
    expectSafe([data, response]);
    expect(response).not.toHaveProperty('headers');
    const event = fakePaidEvent({ adjusted: true });
    expectSafe(toPlain(event));
    expect(parseInvoiceEvent(toPlain(event))).toStrictEqual(event);
    expect(toPlain([undefined, { a: undefined, b: null }])).toStrictEqual([null, { b: null }]);
    expect(toPlain(undefined)).toBeNull();
  });

  it('writes errors as their toJSON, with nothing of the request', async () => {
    const error = fakeError('SDK_INVOICE_MISMATCH');
    const plain = toPlain({ ok: false, error });
    expectSafe(plain);
    expect(plain.error).toMatchObject({
      name: 'InvoiceMismatchError',
      code: 'SDK_INVOICE_MISMATCH',
      existing: { amount: '25' },
    });
    const refused = toPlain(fakeError('VALIDATION_ERROR'));
    expectSafe(refused);
    expect(Object.getPrototypeOf(refused.fields)).toBe(Object.prototype);
    const shown = JSON.stringify(
      toPlain([
        new ServerError({ code: 'SDK_HTTP_500', message: 'down', status: 500, raw: 'of a customer' }),
        new AbortedError({ code: 'SDK_ABORTED', message: 'aborted', reason: 'mine' }),
      ]),
    );
    expect(shown).not.toMatch(/of a customer|mine|stack|cause/);
    expect(toPlain(new TypeError('no'))).toEqual({ name: 'TypeError', message: 'no' });
  });

  it('shows no key, also where a server echoes it', async () => {
    const server = await serve({
      play: ({ request, response }) =>
        void response.writeHead(500, { 'x-request-id': 'r' }).end(
          JSON.stringify({
            success: false,
            error: {
              code: 'X',
              message: request.headers['x-api-key'],
              details: { key: request.headers['x-api-key'] },
            },
          }),
        ),
    });
    const result = await clientOf(server.url, { retry: false }).rates.list().result();
    expect(result.ok ? null : isMerchantError(result.error)).toBe(true);
    expect(JSON.stringify(toPlain(result))).not.toContain(API_KEY.slice(0, 8));
    expect(() => toPlain(clientOf(server.url))).toThrow('is an object of the class MerchantClient');
  });

  it('keeps a member named __proto__ as data, and changes no prototype', () => {
    const hostile = JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{}},"a":[{"__proto__":1}]}');
    const plain = toPlain(hostile);
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
    expect(Object.hasOwn(plain, '__proto__')).toBe(true);
    expect(plain.admin).toBeUndefined();
    expect(JSON.stringify(plain)).toBe(JSON.stringify(hostile));
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  it('takes Decimals of any copy, and never writes an exponent', () => {
    expect(toPlain([new Foreign('1e-12'), new Decimal('1e30')])).toEqual(['0.000000000001', `1${'0'.repeat(30)}`]);
    expect(toPlain(new URL('https://a.example/'))).toBe('https://a.example/');
  });

  it('takes one object in many places, and does not change what it is given', () => {
    const invoice = Object.freeze(fakeInvoice());
    expect(toPlain([invoice, invoice])).toHaveLength(2);
  });

  const circle: Record<string, unknown> = { items: [{}] };
  (circle['items'] as object[])[0] = { parent: circle };
  it.each<[string, unknown, RegExp]>([
    ['a circle', circle, /the value at "items\.0\.parent" contains itself/],
    ['a hostile depth', JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`), /deeper than 100 objects/],
    ['a promise', { invoice: Promise.resolve(1) }, /at "invoice" is a promise: await it first/],
    ['a Map', new Map(), /the value is an object of the class Map/],
    ['bytes', { key: Buffer.from('secret') }, /at "key" is an object of the class Buffer/],
    ['a function', { f: () => 1 }, /"f" is a function/],
    ['a symbol', Symbol('a'), /is a symbol/],
    ['a bigint', 1n, /is a bigint/],
    ['NaN', [Number.NaN], /"0" is NaN/],
    ['a Decimal that is not finite', new Decimal(Infinity), /not a finite Decimal/],
    ['an invalid Date', new Date(Number.NaN), /is an invalid Date/],
    [
      'a toJSON that returns itself',
      {
        toJSON() {
          return this;
        },
        __proto__: { a: 1 },
      },
      /contains itself|deeper/,
    ],
    ['a name with control characters', { 'a\u001b[2J': 1n }, /"a\\u001b\[2J" is a bigint/],
  ])('refuses %s', (_, value, message) => {
    expect(() => toPlain(value)).toThrow(message);
    expect(() => toPlain(value)).toThrow(expect.objectContaining({ code: 'SDK_INVALID_ARGUMENT' }));
  });
});
