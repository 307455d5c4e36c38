import { describe, expect, it } from 'vitest';
import { seedMethod } from '../../../src/sandbox/state/seed-data.ts';
import { listening, ORDER } from '../loopback.ts';

const x = (count: number) => 'x'.repeat(count);
const https = (length: number) => `https://shop.example/${'p'.repeat(length - 'https://shop.example/'.length)}`;

// One mutation of a good body each: the field that is named, and the body's change.
const REFUSED: [string, string, Record<string, unknown>][] = [
  ['external_id absent', 'external_id', { external_id: undefined }],
  ['external_id null', 'external_id', { external_id: null }],
  ['external_id empty', 'external_id', { external_id: '' }],
  ['external_id of 129', 'external_id', { external_id: x(129) }],
  ['external_id a number', 'external_id', { external_id: 7 }],
  ['customer_id absent', 'customer_id', { customer_id: undefined }],
  ['customer_id empty', 'customer_id', { customer_id: '' }],
  ['customer_id of 129', 'customer_id', { customer_id: x(129) }],
  ['amount absent', 'amount', { amount: undefined }],
  ['amount a number', 'amount', { amount: 25 }],
  ['amount zero', 'amount', { amount: '0.00' }],
  ['amount negative', 'amount', { amount: '-1.00' }],
  ['amount with 3 decimals', 'amount', { amount: '1.000' }],
  ['amount with exponent', 'amount', { amount: '1e2' }],
  ['amount with comma', 'amount', { amount: '1,50' }],
  ['amount with blank', 'amount', { amount: ' 1.50' }],
  ['amount empty', 'amount', { amount: '' }],
  ['amount NaN', 'amount', { amount: 'NaN' }],
  ['currency of 1', 'currency', { currency: 'E' }],
  ['currency of 17', 'currency', { currency: x(17) }],
  ['currency not active', 'currency', { currency: 'PLN' }],
  ['amount below each method', 'amount', { amount: '4.99' }],
  ['amount above each method', 'amount', { amount: '10000.01' }],
  ['currency in lower case', 'currency', { currency: 'eur' }],
  ['purpose of 256', 'purpose', { purpose: x(256) }],
  ['purpose a number', 'purpose', { purpose: 1 }],
  ['callback_url of 513', 'callback_url', { callback_url: https(513) }],
  ['callback_url over http', 'callback_url', { callback_url: 'http://shop.example/hook' }],
  ['callback_url empty', 'callback_url', { callback_url: '' }],
  ['success_url of a script', 'success_url', { success_url: 'javascript:alert(1)' }],
  ['fail_url without scheme', 'fail_url', { fail_url: 'shop.example/fail' }],
];

const ACCEPTED: [string, Record<string, unknown>][] = [
  ['external_id of 1', { external_id: 'x' }],
  ['external_id of 128', { external_id: x(128) }],
  ['external_id of 128 code points, 256 units', { external_id: '😀'.repeat(128) }],
  ['amount at the lowest limit', { amount: '5' }],
  ['amount at the highest limit', { amount: '10000.00' }],
  ['purpose of 255', { purpose: '😀'.repeat(255) }],
  ['purpose empty', { purpose: '' }],
  ['callback_url of 512', { callback_url: https(512) }],
  ['callback_url on this machine', { callback_url: 'http://localhost:3000/hook' }],
  ['optional members null', { purpose: null, callback_url: null, success_url: null, fail_url: null }],
  ['an unknown member', { colour: 'red' }],
];

describe.each(['envelope', 'detail'] as const)('creation, findings as %s', (validationShape) => {
  it.each(REFUSED)('refuses %s', async (_, field, change) => {
    const { api, sandbox } = await listening({ dialect: { validationShape } });
    const { status, json } = await api('POST', '/invoices', { ...ORDER, ...change });
    expect(status).toBe(422);
    if (validationShape === 'envelope') {
      expect(json).toEqual({
        success: false,
        error: { code: 'VALIDATION_ERROR', message: expect.any(String), details: { [field]: [expect.any(String)] } },
      });
    } else {
      expect(json).toEqual({ detail: [{ loc: ['body', field], msg: expect.any(String), type: expect.any(String) }] });
    }
    expect(sandbox.invoices()).toEqual([]);
    expect(sandbox.requests().at(-1)).toMatchObject({ status: 422, why: expect.stringContaining(field) });
  });
});

it.each(ACCEPTED)('accepts %s', async (_, change) => {
  const { api } = await listening();
  const { status, json } = await api('POST', '/invoices', { ...ORDER, ...change });
  expect([status, json.error]).toEqual([201, undefined]);
});

it.each(['', '{', '[]', '"x"', 'null', 'external_id=1'])('refuses the body %j as a whole', async (body) => {
  const enveloped = await (await listening()).api('POST', '/invoices', body);
  expect([enveloped.status, Object.keys(enveloped.json.error.details)]).toEqual([422, ['body']]);
  const listed = await (await listening({ dialect: { validationShape: 'detail' } })).api('POST', '/invoices', body);
  expect([listed.status, listed.json.detail[0].loc]).toEqual([422, ['body']]);
});

it('names all findings at once', async () => {
  const { api } = await listening();
  const { json } = await api('POST', '/invoices', {});
  expect(Object.keys(json.error.details)).toEqual(['external_id', 'customer_id', 'amount', 'currency']);
});

it('survives members named like those of every object', async () => {
  const { api } = await listening();
  const { status } = await api('POST', '/invoices', '{"__proto__":{"external_id":"p"},"constructor":1}');
  expect(status).toBe(422);
});

describe('queries', () => {
  const BAD = [
    'page=0',
    'page=-1',
    'page=1.5',
    'page=two',
    'page=',
    'per_page=0',
    'per_page=101',
    'per_page=1e1',
    'status=paid',
    'status=',
  ];

  it.each(BAD)('invoices?%s is invalid', async (query) => {
    const [field = ''] = query.split('=');
    const { status, json } = await (await listening()).api('GET', `/invoices?${query}`);
    expect([status, json.error.code, json.error.details]).toEqual([
      422,
      'VALIDATION_ERROR',
      { [field]: [expect.any(String)] },
    ]);
    const listed = await (await listening({ dialect: { validationShape: 'detail' } })).api('GET', `/invoices?${query}`);
    expect([listed.status, listed.json.detail]).toEqual([
      422,
      [{ loc: ['query', field], msg: expect.any(String), type: expect.any(String) }],
    ]);
  });

  it.each(['page=0', 'per_page=101', 'status=success'])('withdrawals?%s is invalid', async (query) => {
    expect((await (await listening()).api('GET', `/withdrawals?${query}`)).status).toBe(422);
  });

  it.each(['page=1', 'per_page=1', 'per_page=100', 'status=canceled', 'page=999999999999999'])(
    'invoices?%s is valid',
    async (query) => {
      expect((await (await listening()).api('GET', `/invoices?${query}`)).status).toBe(200);
    },
  );
});

describe('an amount that no method takes', () => {
  const METHODS = [
    seedMethod(1, 'Card', { id: 1, code: 'EUR', name: 'Euro', symbol: '€' }, ['5.00', '10.00'], ['0', '0', '0']),
    seedMethod(2, 'Transfer', { id: 1, code: 'EUR', name: 'Euro', symbol: '€' }, ['50.00', '99.00'], ['0', '0', '0']),
    seedMethod(3, 'ACH', { id: 2, code: 'USD', name: 'US Dollar', symbol: '$' }, ['10.01', '49.99'], ['0', '0', '0']),
  ];

  it('is refused with the ranges, also between two of them, and a method of another currency does not help', async () => {
    const { api } = await listening({ methods: METHODS });
    const { status, json } = await api('POST', '/invoices', ORDER);
    expect([status, json.error.details.amount]).toEqual([
      422,
      ['is outside the range of every payment method: 1 Card (5.00 to 10.00), 2 Transfer (50.00 to 99.00)'],
    ]);
    expect((await api('POST', '/invoices', { ...ORDER, currency: 'USD' })).status).toBe(201);
  });

  it('is accepted by the other dialect, whose payment page has no method to offer', async () => {
    const { api, sandbox } = await listening({ methods: METHODS, dialect: { unpayableAmount: 'accepted' } });
    expect((await api('POST', '/invoices', ORDER)).status).toBe(201);
    await expect(sandbox.pay(ORDER.external_id)).rejects.toThrow('No method takes 25.00 EUR');
  });

  it('is one of several findings', async () => {
    const { api } = await listening({ methods: METHODS });
    const { json } = await api('POST', '/invoices', { ...ORDER, customer_id: '' });
    expect(Object.keys(json.error.details)).toEqual(['customer_id', 'amount']);
  });

  it('leaves an amount alone whose form or currency is wrong already', async () => {
    const { api } = await listening({ methods: METHODS });
    for (const change of [{ amount: '25.001' }, { currency: 'XXX' }, { amount: '0' }]) {
      const { json } = await api('POST', '/invoices', { ...ORDER, ...change });
      expect(Object.values(json.error.details).flat()).toHaveLength(1);
    }
  });
});

it('a currency that cannot be charged is refused with those that can', async () => {
  const { api } = await listening();
  const { status, json } = await api('POST', '/invoices', { ...ORDER, currency: 'XXX' });
  const text = 'is not an active currency allowed for the business: EUR, USD, TRY, BRL, INR';
  expect([status, json.error.details.currency]).toEqual([422, [text]]);
});
