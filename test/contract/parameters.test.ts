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
  it('is what goes over the wire', () => {
    const params = {
      ...order,
      purpose: 'Two tickets',
      callback_url: 'https://shop.example/hook?a=1#b',
      success_url: 'https://shop.example/paid',
      fail_url: 'https://shop.example/failed',
    };
    expect(decoded(body, params)).toEqual(params);
  });

  it('leaves out what is null or undefined', () => {
    const wire = decoded(body, { ...order, purpose: null, callback_url: undefined, success_url: null, fail_url: null });
    expect(JSON.parse(JSON.stringify(wire))).toEqual(order);
  });

  it.each(['external_id', 'customer_id', 'amount', 'currency'])('needs %s', (name) => {
    const rest = Object.fromEntries(Object.entries(order).filter(([key]) => key !== name));
    expect(refused(body, rest)).toEqual([{ path: name, message: 'is required' }]);
    expect(refused(body, { ...order, [name]: undefined })).toEqual([{ path: name, message: 'is required' }]);
    expect(refused(body, { ...order, [name]: null })).toEqual([
      { path: name, message: expect.stringMatching(/^must be a .*, not null$/) },
    ]);
  });

  it.each([
    ['external_id', 1, 128],
    ['customer_id', 1, 128],
    ['currency', 2, 16],
    ['purpose', 0, 255],
  ])('%s has %d to %d code points', (name, min, max) => {
    for (const letter of ['x', 'ж', FACE, '\u0000']) {
      expect(decoded(body, { ...order, [name]: letter.repeat(min) })).toHaveProperty(name, letter.repeat(min));
      expect(decoded(body, { ...order, [name]: letter.repeat(max) })).toHaveProperty(name, letter.repeat(max));
      expect(refused(body, { ...order, [name]: letter.repeat(max + 1) })).toEqual([
        { path: name, message: `must have at most ${max} characters` },
      ]);
    }
  });

  it.each(['external_id', 'customer_id', 'currency'])('%s must not be empty', (name) => {
    expect(refused(body, { ...order, [name]: '' })).toEqual([{ path: name, message: 'must not be empty' }]);
  });

  it.each(['E', FACE])('a currency of one code point is too short: %s', (currency) => {
    expect(refused(body, { ...order, currency })).toEqual([
      { path: 'currency', message: 'must have at least 2 characters' },
    ]);
  });

  it.each<[unknown, string]>([
    [5, 'a number'],
    [true, 'a boolean'],
    [5n, 'a bigint'],
    [Symbol('x'), 'a symbol'],
    [() => 'x', 'a function'],
    [{}, 'an object'],
    [['x', 'y'], 'an array'],
    [new Date(0), 'a Date'],
  ])('a member that must be text is refused, with what it is instead (row %#)', (value, kind) => {
    for (const path of ['external_id', 'customer_id', 'currency', 'purpose']) {
      expect(refused(body, { ...order, [path]: value })).toEqual([{ path, message: `must be a string, not ${kind}` }]);
    }
  });

  it.each(['a\uD83D', '\uDE00a', 'a\uDE00\uD83Db'])('half of a surrogate pair is refused (%#)', (external_id) => {
    expect(refused(body, { ...order, external_id })).toEqual([
      { path: 'external_id', message: 'must be valid Unicode: it holds half of a surrogate pair' },
    ]);
  });

  it.each(['ammount', 'externalId', 'metadata', 'constructor', 'toString', '__proto__', ''])(
    'a parameter called %j is refused',
    (name) => {
      const params = JSON.parse(`{${JSON.stringify(name)}:1,${JSON.stringify(order).slice(1)}`);
      expect(refused(body, params)).toEqual([{ path: name, message: 'is not a parameter of this call' }]);
    },
  );

  it.each([[null], [undefined], ['text'], [5], [[]], [[order]]])('is refused when it is %j', (params) => {
    expect(refused(body, params)[0]?.path).toBe('');
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
  ])('%s goes out as %s', (amount, wire) => {
    expect(decoded(body, { ...order, amount })).toHaveProperty('amount', wire);
  });

  it.each([
    '0',
    '0.00',
    '-1',
    '-0.01',
    '0.001',
    '25.005',
    '25.0001',
    '25.00100',
    '0.000',
    '1e3',
    '+1',
    '.5',
    '5.',
    '1,5',
    '1 000',
    ' 1',
    '1\n',
    'NaN',
    'Infinity',
    '0x10',
    '',
    '٢٥',
    '9'.repeat(31),
    '9'.repeat(10_000_000),
  ])('text %# is refused, and shown', (amount) => {
    const shown = amount.length > 40 ? `a text of ${amount.length} characters` : `"${amount}"`;
    expect(refused(body, { ...order, amount })).toEqual([{ path: 'amount', message: `${AMOUNT_RULE}, not ${shown}` }]);
  });

  it.each<[unknown, string]>([
    ...[25n, 0n, -1n, 10n ** 30n, -(10n ** 100_000n)].map((value): [unknown, string] => [value, BIGINT]),
    ...[25, 25.5, 0, Number.NaN, -1].map((value): [unknown, string] => [value, numberText(value)]),
    [true, `${AMOUNT_RULE}, not a boolean`],
    [{}, `${AMOUNT_RULE}, not an object`],
    [['25.00'], `${AMOUNT_RULE}, not an array`],
    [new Date(0), `${AMOUNT_RULE}, not a Date`],
    [null, `${AMOUNT_RULE}, not null`],
  ])('a value of another type is refused with the right form (row %#)', (amount, message) => {
    expect(refused(body, { ...order, amount })).toEqual([{ path: 'amount', message }]);
  });
});

it('takes an amount text exactly when it is plain, positive and has at most 2 decimals', () => {
  const digits = fc.stringMatching(/^\d{0,4}$/);
  const shape = fc.tuple(fc.constantFrom('', '-', '+', ' '), digits, fc.constantFrom('', '.', ',', 'e'), digits);
  fc.assert(
    fc.property(shape, (parts) => {
      const amount = parts.join('');
      const isRight = /^\d+(\.\d(\d0*)?)?$/.test(amount) && /[1-9]/.test(amount);
      expect(body({ ...order, amount }).ok).toBe(isRight);
    }),
    { numRuns: 1_000 },
  );
});

describe('an amount given as a Decimal', () => {
  it.each([
    [new Decimal('25.50'), '25.5'],
    [new HostDecimal('25.50'), '25.5'],
    [new HostDecimal('1e21'), `1${'0'.repeat(21)}`],
    [new HostDecimal('0.01'), '0.01'],
  ])('goes out in plain notation (%#)', (amount, wire) => {
    expect(decoded(body, { ...order, amount })).toHaveProperty('amount', wire);
  });

  it.each([
    new Decimal('0'),
    new Decimal('-1'),
    new Decimal('25.005'),
    new HostDecimal('NaN'),
    new HostDecimal('Infinity'),
    new HostDecimal('1e1000000000'),
    new HostDecimal('1e-1000000000'),
    new HostDecimal('1e30'),
  ])('is refused when it is out of bounds (%#)', (amount) => {
    expect(refused(body, { ...order, amount })[0]?.message).toContain(AMOUNT_RULE);
  });

  it.each([
    '{"toStringTag":"[object Decimal]"}',
    '{"toStringTag":"[object Decimal]","s":1,"e":0,"d":[25]}',
    '{"toStringTag":"[object Decimal]","e":0,"toFixed":"25"}',
  ])('is not faked by parsed JSON: %s', (text) => {
    expect(refused(body, { ...order, amount: JSON.parse(text) })[0]?.message).toBe(`${AMOUNT_RULE}, not an object`);
  });
});

describe.each(['callback_url', 'success_url', 'fail_url'])('%s', (name) => {
  const HTTPS = 'must be an https:// address';
  const url = (value: unknown) => refused(body, { ...order, [name]: value });

  it.each([
    'https://shop.example',
    'HTTPS://SHOP.EXAMPLE/Hook',
    'https://shop.example:8443/a/b?c=d&e=f#g',
    'https://shop.example/@user',
    'https://192.0.2.7/hook',
    'https://пример.example/путь',
    'https://internal/hook',
    'http://localhost:3000/hook',
    'http://127.0.0.1:3000/hook',
    'http://LOCALHOST/hook',
    'http://127.12.255.3/hook',
    'http://[::1]:3000/hook',
  ])('%s goes out as it is', (value) => {
    expect(decoded(body, { ...order, [name]: value })).toHaveProperty(name, value);
  });

  it.each([
    'http://shop.example/hook',
    'http://localhost.shop.example/hook',
    'http://app.localhost/hook',
    'http://notlocalhost/hook',
    'http://shop-127.0.0.1.nip.example/hook',
    'http://x127.0.0.1/hook',
    'http://127.0.0.1.shop.example/',
    'http://1127.0.0.1/',
    'http://128.0.0.1/',
    'http://10.0.0.1/',
    'http://0.0.0.0/',
    'javascript:alert(1)',
    'javascript://shop.example/%0aalert(1)',
    'data:text/html,x',
    'ftp://shop.example',
    'file:///etc/hosts',
    'https:ex.com',
    'https:/ex.com',
    'https:///ex.com',
    'https:\\\\ex.com',
    'https://ex.com\\@evil.example',
    'https://',
    'https://?a',
    '//shop.example/hook',
    '/hook',
    'shop.example',
    ' https://shop.example',
    'https://shop.example ',
    'https://shop.example/a b',
    'https://shop.example/a\nb',
    'https://shop.example/a\u0000b',
    'https://shop.example/\u007f',
    'https://shop.example:99999',
    'https://[::1',
    'https://a%zz.example',
  ])('%j is refused', (value) => {
    expect(url(value)).toEqual([{ path: name, message: HTTPS }]);
  });

  it.each([
    'https://user:secret@shop.example',
    'https://user@shop.example/hook',
    'https://@shop.example',
    'https://:@shop.example',
  ])('%s has credentials and is refused', (value) => {
    expect(url(value)).toEqual([{ path: name, message: 'must not contain a user name or password' }]);
  });

  it('has at most 512 code points', () => {
    const base = 'https://shop.example/';
    for (const letter of ['x', FACE]) {
      const edge = base + letter.repeat(512 - base.length);
      expect(decoded(body, { ...order, [name]: edge })).toHaveProperty(name, edge);
      expect(url(edge + letter)).toEqual([{ path: name, message: 'must have at most 512 characters' }]);
    }
  });

  it.each([[''], [5], [{}], [new URL('https://shop.example')]])(
    'is refused when it is no text or empty (%#)',
    (value) => {
      expect(url(value).map((issue) => issue.path)).toEqual([name]);
    },
  );
});

describe.each([
  ['invoices', present(listInvoices.query), ['pending', 'success', 'fail', 'expired', 'canceled'], 'approved'],
  ['withdrawals', present(listWithdrawals.query), ['pending', 'approved', 'rejected'], 'success'],
])('the query for %s', (_name, query, statuses, foreign) => {
  it.each([
    ['page', 1, '1'],
    ['page', 2, '2'],
    ['page', Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['per_page', 1, '1'],
    ['per_page', 100, '100'],
  ])('%s = %d is sent as text', (name, value, text) => {
    expect(decoded(query, { [name]: value })).toHaveProperty(name, text);
  });

  it.each([0, -1, 1.5, '1', Number.NaN, Infinity, Number.MAX_SAFE_INTEGER + 1, true, 1n, {}])(
    'page is not %s',
    (page) => {
      expect(refused(query, { page })).toEqual([{ path: 'page', message: 'must be a whole number from 1' }]);
    },
  );

  it.each([0, 101, 20.5, '20', Number.NaN, -1])('per_page is not %s', (per_page) => {
    expect(refused(query, { per_page })).toEqual([
      { path: 'per_page', message: 'must be a whole number from 1 to 100' },
    ]);
  });

  it('takes each status that the interface lists, and no other', () => {
    for (const status of statuses) expect(decoded(query, { status })).toHaveProperty('status', status);
    for (const status of [foreign, 'Pending', '', 'pending ', 5, ['pending'], 'constructor']) {
      expect(refused(query, { status })).toEqual([
        { path: 'status', message: `must be one of ${statuses.join(', ')}` },
      ]);
    }
  });

  it('leaves out what is null or undefined', () => {
    const wire = decoded(query, { status: null, page: undefined, per_page: null });
    expect(JSON.stringify(wire)).toBe('{}');
    expect(JSON.stringify(decoded(query, {}))).toBe('{}');
  });

  it.each(['perPage', 'limit', 'offset', 'sort'])('knows no %s', (name) => {
    expect(refused(query, { [name]: 1 })).toEqual([{ path: name, message: 'is not a parameter of this call' }]);
  });
});

it('filters invoices by currency', () => {
  const query = present(listInvoices.query);
  expect(decoded(query, { currency: 'EUR' })).toHaveProperty('currency', 'EUR');
  for (const currency of ['', 'x'.repeat(17), 5]) {
    expect(refused(query, { currency }).map((issue) => issue.path)).toEqual(['currency']);
  }
});

describe.each([
  ['invoices.get', present(getInvoice.params), 'ident'],
  ['webhooks.resend', present(resendWebhook.params), 'ident'],
  ['webhooks.deliveries', present(listDeliveries.params), 'ident'],
  ['withdrawals.get', present(getWithdrawal.params), 'withdrawal_uuid'],
])('the identifier of %s', (_name, params, name) => {
  it.each([
    'order-1042',
    'a/b',
    '...',
    '.a',
    '%2e%2e',
    'a b',
    'ключ',
    '?',
    '#',
    '\\',
    'x'.repeat(128),
    FACE.repeat(128),
  ])('may be %j', (ident) => {
    expect(decoded(params, { [name]: ident })).toEqual({ [name]: ident });
  });

  it.each(['.', '..'])('is not %j, which a URL would swallow', (ident) => {
    expect(refused(params, { [name]: ident })).toEqual([
      { path: name, message: 'must not be "." or "..", which a URL cannot carry as a path segment' },
    ]);
  });

  it.each(['', '\uD83D', 'a\uDE00', 'x'.repeat(129), 5, null, undefined, {}, ['a']])('is not value %#', (ident) => {
    expect(refused(params, { [name]: ident }).map((issue) => issue.path)).toEqual([name]);
  });
});

it('is declared for all nine endpoints of the interface', () => {
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
});

it('names the operation of each endpoint as its key', () => {
  for (const [operation, endpoint] of Object.entries(endpoints)) expect(endpoint.operation).toBe(operation);
});
