import { describe, expect, it } from 'vitest';
import { seedMethod } from '../../../../src/tools/sandbox/state/seed-data.ts';
import { inProcess, ORDER } from '../loopback.ts';

const x = (count: number) => 'x'.repeat(count);
const https = (length: number) => `https://shop.example/${'p'.repeat(length - 'https://shop.example/'.length)}`;

/** Where a link of the payment page must never lead. */
const NO_ADDRESSES = [
  'shop.example/fail',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  '//evil.example/',
  'https:javascript:alert(1)',
];

/** Hosts that are not this machine, and so need https. */
const OTHER_HOSTS = ['shop.example', '127.0.0.1.evil.example', 'localhost.evil.example', '128.0.0.1', '0.0.0.0'];

/** Values of each member that the service refuses: one at a time in a good body. */
const REFUSED = {
  external_id: [undefined, null, '', x(129), 7],
  customer_id: [undefined, '', x(129)],
  amount: [undefined, 25, '', '0.00', '-1.00', '1.000', '1e2', '1,50', ' 1.50', 'NaN', '4.99', '10000.01'],
  currency: ['E', x(17), 'PLN', 'eur'],
  purpose: [x(256), 1],
  callback_url: [https(513), '', ...OTHER_HOSTS.map((host) => `http://${host}/hook`)],
  success_url: NO_ADDRESSES,
  fail_url: NO_ADDRESSES,
};

const ACCEPTED = [
  { external_id: 'x' },
  { external_id: x(128) },
  { external_id: '😀'.repeat(128) }, // 128 code points, 256 units
  { amount: '5' },
  { amount: '10000.00' },
  { purpose: '😀'.repeat(255) },
  { purpose: '' },
  { callback_url: https(512) },
  { callback_url: 'http://localhost:3000/hook' },
  { purpose: null, callback_url: null, success_url: null, fail_url: null },
  { colour: 'red' },
];

/** The 422 for one field. */
function invalid(field: string): unknown[] {
  const text = expect.any(String);
  const error = { code: 'VALIDATION_ERROR', message: text, details: { [field]: [text] } };
  return [422, { success: false, error }];
}

const refused = Object.entries(REFUSED).flatMap(([field, values]) => values.map((value) => [field, value] as const));

it.each(refused)('refuses the creation with %s %j', async (field, value) => {
  const { api, sandbox } = inProcess();
  const { status, json } = await api('POST', '/invoices', { ...ORDER, [field]: value });
  expect([status, json]).toEqual(invalid(field));
  expect(sandbox.invoices()).toEqual([]);
  expect(sandbox.requests().at(-1)).toMatchObject({ status: 422, why: expect.stringContaining(field) });
});

it.each(ACCEPTED)('accepts the creation with %j', async (change) => {
  const { status, json } = await inProcess().api('POST', '/invoices', { ...ORDER, ...change });
  expect([status, json.error]).toEqual([201, undefined]);
});

it.each(['', '{', '[]', '"x"', 'null', 'external_id=1'])('refuses the body %j as a whole', async (body) => {
  const { status, json } = await inProcess().api('POST', '/invoices', body);
  expect([status, json]).toEqual(invalid('body'));
});

it('names all findings at once, and survives members named like those of every object', async () => {
  const { json } = await inProcess().api('POST', '/invoices', '{"__proto__":{"external_id":"p"},"constructor":1}');
  expect(Object.keys(json.error.details)).toEqual(['external_id', 'customer_id', 'amount', 'currency']);
});

it.each([
  ...['page=0', 'page=-1', 'page=1.5', 'page=two', 'page='],
  ...['per_page=0', 'per_page=101', 'per_page=1e1', 'status=paid', 'status='],
])('a list with %s is invalid', async (query) => {
  for (const list of ['invoices', 'withdrawals']) {
    const { status, json } = await inProcess().api('GET', `/${list}?${query}`);
    expect([status, json]).toEqual(invalid(query.split('=')[0] ?? ''));
  }
});

it.each(['page=1', 'per_page=1', 'per_page=100', 'status=canceled', 'page=999999999999999'])(
  'a list with %s is valid',
  async (query) => {
    expect((await inProcess().api('GET', `/invoices?${query}`)).status).toBe(200);
  },
);

it('a currency that cannot be charged is refused with those that can', async () => {
  const { json } = await inProcess().api('POST', '/invoices', { ...ORDER, currency: 'XXX' });
  const text = 'is not an active currency allowed for the business: EUR, USD, TRY, BRL, INR';
  expect(json.error.details.currency).toEqual([text]);
});

describe('an amount that no method takes', () => {
  const EUR = { id: 1, code: 'EUR', name: 'Euro', symbol: '€' };
  const methods = [
    seedMethod(1, 'Card', EUR, ['5.00', '10.00'], ['0', '0', '0']),
    seedMethod(2, 'Transfer', EUR, ['50.00', '99.00'], ['0', '0', '0']),
    seedMethod(3, 'ACH', { id: 2, code: 'USD', name: 'US Dollar', symbol: '$' }, ['10.01', '49.99'], ['0', '0', '0']),
  ];

  it('is refused with the ranges, also between two of them, and a method of another currency does not help', async () => {
    const { api } = inProcess({ methods });
    const { json } = await api('POST', '/invoices', { ...ORDER, customer_id: '' });
    expect(json.error.details).toEqual({
      customer_id: [expect.any(String)],
      amount: ['is outside the range of every payment method: 1 Card (5.00 to 10.00), 2 Transfer (50.00 to 99.00)'],
    });
    expect((await api('POST', '/invoices', { ...ORDER, currency: 'USD' })).status).toBe(201);
  });

  it('is accepted by the other dialect, whose payment page has no method to offer', async () => {
    const { api, sandbox } = inProcess({ methods, dialect: { unpayableAmount: 'accepted' } });
    expect((await api('POST', '/invoices', ORDER)).status).toBe(201);
    await expect(sandbox.pay(ORDER.external_id)).rejects.toThrow('No method takes 25.00 EUR');
  });

  it.each([{ amount: '25.001' }, { currency: 'XXX' }, { amount: '0' }])(
    'is no second finding beside the form of %j',
    async (change) => {
      const { json } = await inProcess({ methods }).api('POST', '/invoices', { ...ORDER, ...change });
      expect(Object.values(json.error.details).flat()).toHaveLength(1);
    },
  );
});
