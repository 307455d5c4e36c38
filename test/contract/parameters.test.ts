import { Decimal as HostDecimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { listDeliveries, resendWebhook } from '../../src/contract/deliveries.ts';
import type { WireRecord } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { createInvoice, getInvoice, listInvoices } from '../../src/contract/invoices.ts';
import type { Check } from '../../src/contract/values/check.ts';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { getWithdrawal, listWithdrawals } from '../../src/contract/withdrawals.ts';
import fc from '../support/fast-check.ts';
import { createdInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf } from '../support/test-client.ts';
import { decoded, refused } from './mutation.ts';

function present(check: Check<WireRecord> | undefined): Check<WireRecord> {
  if (check === undefined) throw new Error('the endpoint takes no such parameters');
  return check;
}
const body = present(createInvoice.body);

/** The smallest order that the interface allows. */
const order = { external_id: 'order-1042', customer_id: 'customer-7', amount: '25.00', currency: 'EUR' };
const FACE = '😀'; // one code point, two UTF-16 units

describe('the body of a creation', () => {
  it.each(['external_id', 'customer_id', 'amount', 'currency'])('needs %s', (name) => {
    const rest = Object.fromEntries(Object.entries(order).filter(([key]) => key !== name));
    const missing = [{ path: name, message: 'is required' }];
    expect(refused(body, rest)).toEqual(missing);
    expect(refused(body, { ...order, [name]: undefined })).toEqual(missing);
    expect(refused(body, { ...order, [name]: null })[0]?.message).toMatch(/^must be a .*, not null$/);
  });

  it.each([
    ['external_id', 1, 128],
    ['customer_id', 1, 128],
    ['currency', 2, 16],
    ['purpose', 0, 255],
  ])('has a %s of %d to %d code points', (name, min, max) => {
    for (const letter of ['x', 'ж', FACE, '\u0000']) {
      for (const length of [min, max]) {
        const text = letter.repeat(length);
        expect(decoded(body, { ...order, [name]: text })).toHaveProperty(name, text);
      }
      const issue = { path: name, message: `must have at most ${max} characters` };
      expect(refused(body, { ...order, [name]: letter.repeat(max + 1) })).toEqual([issue]);
    }
  });

  it.each<[name: string, value: unknown, message: string]>([
    ['external_id', '', 'must not be empty'],
    ['customer_id', '', 'must not be empty'],
    ['currency', '', 'must not be empty'],
    ['currency', 'E', 'must have at least 2 characters'],
    ['currency', FACE, 'must have at least 2 characters'],
    ['external_id', 5, 'must be a string, not 5'],
    ['external_id', true, 'must be a string, not a boolean'],
    ['external_id', 5n, 'must be a string, not a bigint'],
    ['external_id', Symbol('x'), 'must be a string, not a symbol'],
    ['external_id', () => 'x', 'must be a string, not a function'],
    ['customer_id', {}, 'must be a string, not an object'],
    ['currency', ['x', 'y'], 'must be a string, not an array'],
    ['purpose', new Date(0), 'must be a string, not a Date'],
    ...[
      ...['undefined', 'order-undefined', 'null', 'order_null', 'order-[object Object]'],
      ...['order-NaN', 'order-Invalid Date', 'order-\u0024{id}'],
    ].map((id): [string, string, string] => ['external_id', id, `is made of a missing value: "${id}"`]),
    ['external_id', 'a\uD83D', 'must be valid Unicode: it holds half of a surrogate pair'],
    ['external_id', '\uDE00a', 'must be valid Unicode: it holds half of a surrogate pair'],
    ['external_id', 'a\uDE00\uD83Db', 'must be valid Unicode: it holds half of a surrogate pair'],
    ...['ammount', 'externalId', 'metadata', 'constructor', 'toString', ''].map((name): [string, unknown, string] => [
      name,
      1,
      'is not a parameter of this call',
    ]),
  ])('is refused for its %s (row %#)', (path, value, message) => {
    expect(refused(body, { ...order, [path]: value })).toEqual([{ path, message }]);
  });

  it('is refused for a __proto__ of its own, and when it is no object', () => {
    const params = JSON.parse(`{"__proto__":1,${JSON.stringify(order).slice(1)}`);
    expect(refused(body, params)).toEqual([{ path: '__proto__', message: 'is not a parameter of this call' }]);
    for (const value of [null, undefined, 'text', 5, [], [order]]) {
      expect(refused(body, value)).toMatchObject([{ path: '' }]);
    }
  });
});

const AMOUNT_RULE = 'must be a decimal string greater than 0 with at most 2 decimals, such as "25.00"';
const BIGINT = 'must not be a bigint, which could mean whole units or cents: write it as text, amount: "25.00"';
const numberText = (value: number): string =>
  `must not be a JavaScript number (${value}), which cannot hold every amount exactly: write it as text, amount: "25.00"`;

describe('an amount', () => {
  it.each([
    ['25.00', '25.00'],
    ['0.01', '0.01'],
    ['1', '1'],
    ['1.5', '1.5'],
    ['007', '007'],
    ['9'.repeat(30), '9'.repeat(30)],
    ['25.0000', '25.00'],
    ['25.5000', '25.50'],
    ['0.01000000', '0.01'],
    [new Decimal('25.50'), '25.5'],
    [new HostDecimal('25.50'), '25.5'],
    [new HostDecimal('1e21'), `1${'0'.repeat(21)}`],
    [new HostDecimal('0.01'), '0.01'],
  ])('%s goes out as %s (row %#)', (amount, wire) => {
    expect(decoded(body, { ...order, amount })).toHaveProperty('amount', wire);
  });

  it.each([
    ...['0', '0.00', '0.0000', '-1', '-0.01', '0.001', '25.005', '25.0001', '25.00100', '1e3', '+1', '.5', '5.'],
    ...['1,5', '1 000', ' 1', '1\n', 'NaN', 'Infinity', '0x10', '', '٢٥', '9'.repeat(31), '9'.repeat(10_000_000)],
  ])('text %# is refused, and shown', (amount) => {
    const shown = amount.length > 40 ? `a text of ${amount.length} characters` : `"${amount}"`;
    expect(refused(body, { ...order, amount })).toEqual([{ path: 'amount', message: `${AMOUNT_RULE}, not ${shown}` }]);
  });

  it.each(['20.000', '1.500', '0.010', '0.000', '1234.000', `${'9'.repeat(30)}.000`])(
    '%s is refused, because three decimals may be thousands',
    (amount) => {
      const message = `must have at most 2 decimals, because some languages write thousands as "${amount}"`;
      expect(refused(body, { ...order, amount })).toEqual([{ path: 'amount', message }]);
    },
  );

  it.each<[unknown, string]>([
    ...[25n, 0n, -1n, 10n ** 30n, -(10n ** 100_000n)].map((value): [unknown, string] => [value, BIGINT]),
    ...[25, 25.5, 0, Number.NaN, -1].map((value): [unknown, string] => [value, numberText(value)]),
    [true, `${AMOUNT_RULE}, not a boolean`],
    [{}, `${AMOUNT_RULE}, not an object`],
    [['25.00'], `${AMOUNT_RULE}, not an array`],
    [new Date(0), `${AMOUNT_RULE}, not a Date`],
    [null, `${AMOUNT_RULE}, not null`],
    // Parsed JSON that has the mark of a Decimal.
    [JSON.parse('{"toStringTag":"[object Decimal]"}'), `${AMOUNT_RULE}, not an object`],
    [JSON.parse('{"toStringTag":"[object Decimal]","s":1,"e":0,"d":[25]}'), `${AMOUNT_RULE}, not an object`],
    [JSON.parse('{"toStringTag":"[object Decimal]","e":0,"toFixed":"25"}'), `${AMOUNT_RULE}, not an object`],
  ])('a value of another type is refused with the right form (row %#)', (amount, message) => {
    expect(refused(body, { ...order, amount })).toEqual([{ path: 'amount', message }]);
  });

  it.each([
    ...[
      new Decimal('0'),
      new Decimal('-1'),
      new Decimal('25.005'),
      new HostDecimal('NaN'),
      new HostDecimal('Infinity'),
    ],
    ...['1e1000000000', '1e-1000000000', '1e30'].map((text) => new HostDecimal(text)),
  ])('a Decimal out of bounds is refused (row %#)', (amount) => {
    expect(refused(body, { ...order, amount })[0]?.message).toContain(AMOUNT_RULE);
  });

  it('is taken as text exactly when it is plain, positive and has at most 2 decimals', () => {
    const digits = fc.stringMatching(/^\d{0,4}$/);
    const shape = fc.tuple(fc.constantFrom('', '-', '+', ' '), digits, fc.constantFrom('', '.', ',', 'e'), digits);
    fc.assert(
      fc.property(shape, (parts) => {
        const amount = parts.join('');
        const isRight = /^\d+(\.\d(\d(00+)?)?)?$/.test(amount) && /[1-9]/.test(amount);
        expect(body({ ...order, amount }).ok).toBe(isRight);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe.each(['callback_url', 'success_url', 'fail_url'])('%s', (name) => {
  it.each([
    ...['https://shop.example', 'HTTPS://SHOP.EXAMPLE/Hook', 'https://shop.example:8443/a/b?c=d&e=f#g'],
    ...['https://shop.example/@user', 'https://192.0.2.7/hook', 'https://пример.example/путь', 'https://internal/hook'],
    ...['http://localhost:3000/hook', 'http://LOCALHOST/hook', 'http://127.0.0.1:3000/hook'],
    ...['http://127.12.255.3/hook', 'http://[::1]:3000/hook'],
    // Words of a missing value that are parts of names, or in a query, which leads to the same page.
    ...['https://undefined.example/hook', 'https://shop.example/null-island', 'https://shop.example/nan'],
    ...['https://shop.example/?coupon=null', 'https://shop.example/?from=/orders/undefined'],
  ])('%s goes out as it is', (value) => {
    expect(decoded(body, { ...order, [name]: value })).toHaveProperty(name, value);
  });

  const [HTTPS, NO_USER] = [
    'must be an https:// address',
    'must not contain a user name or password, because logs and customers see it',
  ];
  const missing = (word: string) => `has the word ${word} in it, where a value was missing`;
  const PLACEHOLDER = 'has a placeholder in brackets, which nothing fills in: write the id of the order there';
  it.each<[message: string, ...urls: unknown[]]>([
    [missing('undefined'), 'https://undefined/hook', 'https://undefined:3000', 'http://undefined', 'undefined/hook'],
    [missing('undefined'), 'https://shop.example/orders/undefined', 'https://shop.example/undefined/hook?a=b'],
    [missing('undefined'), 'https://shop.example/#/orders/undefined', 'undefined'],
    [missing('null'), 'https://null/hook', 'https://shop.example/orders/null'],
    [missing('NaN'), 'https://NaN/', 'https://shop.example/orders/NaN#top'],
    [PLACEHOLDER, 'https://shop.example/done?session={CHECKOUT_SESSION_ID}', 'https://shop.example/\u0024{order.id}'],
    [PLACEHOLDER, 'https://<host>/hook', 'https://shop.example/{{ id }}'],
    [HTTPS, 'http://1127.0.0.1/', 'javascript:alert(1)', 'javascript://shop.example/%0aalert(1)', 'data:text/html,x'],
    [HTTPS, 'ftp://shop.example', 'file:///etc/hosts', 'https:ex.com', 'https:/ex.com', 'https:///ex.com'],
    [HTTPS, 'https:\\\\ex.com', 'https://ex.com\\@evil.example', 'https://', 'https://?a', '//shop.example/hook'],
    [HTTPS, '/hook', 'shop.example', ' https://shop.example', 'https://shop.example ', 'https://shop.example/a b'],
    [HTTPS, 'https://shop.example/a\nb', 'https://shop.example/a\u0000b', 'https://shop.example/\u007f'],
    [HTTPS, 'https://shop.example:99999', 'https://[::1', 'https://a%zz.example'],
    [NO_USER, 'https://user:secret@shop.example', 'https://user@shop.example/hook'],
    [NO_USER, 'https://@shop.example', 'https://:@shop.example'],
    ['must not be empty', ''],
    ['must be a string, not 5', 5],
    ['must be a string, not an object', {}, new URL('https://shop.example')],
  ])('%s: %j and others are refused', (message, ...urls) => {
    for (const url of urls)
      expect(refused(body, { ...order, [name]: url }), String(url)).toEqual([{ path: name, message }]);
  });

  it.each([
    ...['http://shop.example/hook', 'http://localhost.shop.example/hook', 'http://app.localhost/hook'],
    ...['http://notlocalhost/hook', 'http://shop-127.0.0.1.nip.example/hook'],
    ...['http://127.0.0.1.shop.example/', 'http://128.0.0.1/', 'http://10.0.0.1/', 'http://0.0.0.0/'],
  ])('%s is for a client with allowHttp alone', async (url) => {
    const fetch = async () => Response.json({ data: { ...createdInvoice, [name]: url } });
    const params = { ...order, [name]: url };
    const error = await errorOf(clientOf('https://pay.example', { fetch }).invoices.create(params));
    const message = `${HTTPS}. On a private network, give the client allowHttp: true`;
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: name, message }] });
    await clientOf('https://pay.example', { fetch, allowHttp: true }).invoices.create(params);
  });

  it('has at most 512 code points', () => {
    const base = 'https://shop.example/';
    for (const letter of ['x', FACE]) {
      const edge = base + letter.repeat(512 - base.length);
      expect(decoded(body, { ...order, [name]: edge })).toHaveProperty(name, edge);
      const issue = { path: name, message: 'must have at most 512 characters' };
      expect(refused(body, { ...order, [name]: edge + letter })).toEqual([issue]);
    }
  });
});

const INVOICES = ['pending', 'success', 'fail', 'expired', 'canceled'];
const WITHDRAWALS = ['pending', 'approved', 'rejected'];
const [PAGE, PER_PAGE] = ['must be a whole number from 1', 'must be a whole number from 1 to 100'];
const oneOf = (words: readonly string[]) => `must be one of ${words.join(', ')}`;

describe.each([
  ['invoices', present(listInvoices.query), INVOICES, 'approved'],
  ['withdrawals', present(listWithdrawals.query), WITHDRAWALS, 'success'],
])('the query for %s', (_name, query, statuses, foreign) => {
  it('is sent as text, without what is null or undefined', () => {
    for (const status of statuses) expect(decoded(query, { status })).toHaveProperty('status', status);
    for (const page of [1, 2, Number.MAX_SAFE_INTEGER])
      expect(decoded(query, { page })).toHaveProperty('page', `${page}`);
    for (const per_page of [1, 100]) expect(decoded(query, { per_page })).toHaveProperty('per_page', `${per_page}`);
    expect(JSON.stringify(decoded(query, { status: null, page: undefined, per_page: null }))).toBe('{}');
  });

  it.each<[name: string, message: string, ...values: unknown[]]>([
    ['page', PAGE, 0, -1, 1.5, '1', Number.NaN, Infinity, Number.MAX_SAFE_INTEGER + 1, true, 1n, {}],
    ['per_page', PER_PAGE, 0, 101, 20.5, '20', Number.NaN, -1],
    ['status', oneOf(statuses), foreign, 'Pending', '', 'pending ', 5, ['pending'], 'constructor'],
    ...['perPage', 'limit', 'offset', 'sort'].map((name): [string, string, unknown] => [
      name,
      'is not a parameter of this call',
      1,
    ]),
  ])('has a %s that %s', (path, message, ...values) => {
    for (const value of values) expect(refused(query, { [path]: value }), String(value)).toEqual([{ path, message }]);
  });
});

it('filters invoices by currency', () => {
  const query = present(listInvoices.query);
  expect(decoded(query, { currency: 'EUR' })).toHaveProperty('currency', 'EUR');
  for (const currency of ['', 'x'.repeat(17), 5]) {
    expect(refused(query, { currency })).toMatchObject([{ path: 'currency' }]);
  }
});

describe.each([
  ['invoices.get', present(getInvoice.params), 'ident'],
  ['webhooks.resend', present(resendWebhook.params), 'ident'],
  ['webhooks.deliveries', present(listDeliveries.params), 'ident'],
  ['withdrawals.get', present(getWithdrawal.params), 'withdrawal_uuid'],
])('the identifier of %s', (_name, params, name) => {
  it('may be any text of 1 to 128 code points', () => {
    for (const ident of ['order-1042', '...', '.a', '%2e%2e', 'ключ', '\\', 'x'.repeat(128), FACE.repeat(128)]) {
      expect(decoded(params, { [name]: ident })).toEqual({ [name]: ident });
    }
    for (const ident of ['', '\uD83D', 'a\uDE00', 'x'.repeat(129), 5, null, undefined, {}, ['a']]) {
      expect(refused(params, { [name]: ident })).toMatchObject([{ path: name }]);
    }
  });

  it.each(['.', '..'])('is not %j, which a URL would swallow', (ident) => {
    expect(refused(params, { [name]: ident })).toEqual([
      { path: name, message: 'must not be "." or "..", which a URL cannot carry as a path segment' },
    ]);
  });
});

it('the nine endpoints of the interface are declared, each under its operation', () => {
  const table = Object.entries(endpoints).map(
    ([operation, { method, path, idempotent, params, query, body: json }]) => {
      const takes = [params && 'params', query && 'query', json && 'body'].filter(Boolean).join('+');
      return `${operation} ${method} ${path} ${idempotent ? 'repeatable' : 'once'} ${takes}`.trim();
    },
  );
  expect(table).toEqual([
    'invoices.create POST /api/v1/external/invoices repeatable body',
    'invoices.list GET /api/v1/external/invoices repeatable query',
    'invoices.get GET /api/v1/external/invoices/{ident} repeatable params',
    'webhooks.resend POST /api/v1/external/invoices/{ident}/resend-webhook once params',
    'webhooks.deliveries GET /api/v1/external/invoices/{ident}/webhooks repeatable params',
    'withdrawals.list GET /api/v1/external/withdrawals repeatable query',
    'withdrawals.get GET /api/v1/external/withdrawals/{withdrawal_uuid} repeatable params',
    'paymentMethods.list GET /api/v1/external/payment-methods repeatable',
    'rates.list GET /api/v1/external/rates repeatable',
  ]);
  for (const [operation, endpoint] of Object.entries(endpoints)) expect(endpoint.operation).toBe(operation);
});
