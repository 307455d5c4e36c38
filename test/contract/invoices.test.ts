import { describe, expect, it } from 'vitest';
import { createInvoice, getInvoice, listInvoices } from '../../src/contract/invoices.ts';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { driftsIn } from '../../src/contract/values/drift.ts';
import * as wire from '../support/fixtures/invoices.ts';
import { changed, decoded, refused, without } from './mutation.ts';

const euro = { id: 2, code: 'EUR', name: 'Euro', symbol: '€' };

describe('a created invoice', () => {
  it('is decoded member by member', () => {
    expect(decoded(createInvoice.data, wire.createdInvoice)).toEqual({
      uuid: '0b9f6e1c-7f43-4e0d-9f5a-1d2c3b4a5e6f',
      external_id: 'order-1042',
      customer_id: 'customer-7',
      purpose: 'Two tickets',
      amount: new Decimal('25'),
      amount_to_send: new Decimal('25.5'),
      currency: euro,
      status: 'pending',
      callback_url: 'https://shop.example/webhooks/invoices',
      success_url: 'https://shop.example/paid',
      fail_url: 'https://shop.example/failed',
      payment_url: 'https://pay.example/i/0b9f6e1c',
      created_at: new Date(Date.UTC(2026, 0, 31, 9, 30)),
      expires_at: new Date(Date.UTC(2026, 0, 31, 10, 0)),
    });
  });

  it('keeps null members null and cuts microseconds', () => {
    const invoice = decoded(createInvoice.data, wire.createdInvoiceSparse);
    expect(invoice.purpose).toBeNull();
    expect(invoice.amount_to_send).toBeNull();
    expect(invoice.created_at).toEqual(new Date(Date.UTC(2026, 0, 31, 9, 30, 0, 123)));
  });

  it.each(['purpose', 'amount_to_send', 'callback_url', 'success_url', 'fail_url'])(
    'has null for %s when it is absent',
    (name) => {
      expect(decoded(createInvoice.data, without(wire.createdInvoice, name))).toHaveProperty(name, null);
    },
  );
});

describe('an invoice in full', () => {
  it('is decoded while pending', () => {
    expect(decoded(getInvoice.data, wire.pendingInvoice)).toEqual({
      uuid: '0b9f6e1c-7f43-4e0d-9f5a-1d2c3b4a5e6f',
      external_id: 'order-1042',
      customer_id: 'customer-7',
      purpose: 'Two tickets',
      amount: new Decimal('25'),
      amount_to_send: null,
      currency: euro,
      status: 'pending',
      callback_url: 'https://shop.example/webhooks/invoices',
      success_url: 'https://shop.example/paid',
      fail_url: 'https://shop.example/failed',
      payment_url: 'https://pay.example/i/0b9f6e1c',
      created_at: new Date('2026-01-31T09:30:00.000Z'),
      expires_at: new Date('2026-01-31T10:00:00.000Z'),
      finished_at: null,
      payment_method: null,
      rate: null,
      settled_amount_usdt: null,
      is_adjusted: false,
      adjustment: null,
    });
  });

  it('is decoded when paid', () => {
    expect(decoded(getInvoice.data, wire.successInvoice)).toMatchObject({
      status: 'success',
      amount: new Decimal('100'),
      amount_to_send: new Decimal('102'),
      finished_at: new Date('2026-01-31T09:41:12.000Z'),
      payment_method: { name: 'Card', logo_url: 'https://cdn.example/card.svg' },
      rate: new Decimal('0.92'),
      settled_amount_usdt: new Decimal('108.695652'),
      is_adjusted: false,
      adjustment: null,
    });
  });

  it('is decoded when adjusted', () => {
    expect(decoded(getInvoice.data, wire.adjustedInvoice)).toMatchObject({
      status: 'success',
      payment_method: { name: 'Bank transfer', logo_url: null },
      settled_amount_usdt: new Decimal('73.913043'),
      is_adjusted: true,
      adjustment: {
        expected_amount_fiat: new Decimal('100'),
        actual_amount_fiat: new Decimal('68'),
        expected_amount_usdt: new Decimal('108.695652'),
        actual_amount_usdt: new Decimal('73.913043'),
      },
    });
  });

  it.each([
    ['fail', wire.failedInvoice, '2026-01-31T09:50:00.000Z'],
    ['expired', wire.expiredInvoice, '2026-01-31T10:00:00.000Z'],
    ['canceled', wire.canceledInvoice, '2026-01-31T09:33:00.000Z'],
  ])('is decoded when it ended in %s', (status, fixture, finishedAt) => {
    expect(decoded(getInvoice.data, fixture)).toMatchObject({
      status,
      finished_at: new Date(finishedAt),
      settled_amount_usdt: null,
      is_adjusted: false,
    });
  });

  it('keeps members that the interface does not name, in every depth', () => {
    const grown = { ...wire.successInvoice, loyalty_points: 12, currency: { ...euro, minor_units: 2 } };
    const invoice = decoded(getInvoice.data, grown);
    expect(invoice).toMatchObject({ loyalty_points: 12, currency: { minor_units: 2 } });
  });

  it('passes a status that the interface does not list', () => {
    expect(decoded(getInvoice.data, changed(wire.pendingInvoice, 'status', 'under_review')).status).toBe(
      'under_review',
    );
  });

  it('takes any uuid as it comes', () => {
    const odd = changed(wire.pendingInvoice, 'uuid', '00000000-0000-0000-0000-000000000001');
    expect(decoded(getInvoice.data, odd).uuid).toBe('00000000-0000-0000-0000-000000000001');
  });

  describe('read alone', () => {
    it.each([
      ['its own name', { invoice: wire.successInvoice }],
      ['nothing, and it has a member of that name', { ...wire.successInvoice, invoice: wire.pendingInvoice }],
      ['another name', { order: wire.successInvoice }],
      ['an envelope in the envelope', { data: wire.successInvoice }],
      ['its own name, with members beside it', { invoice: wire.successInvoice, meta: { page: 1 }, deliveries: [] }],
    ])('may stand under %s', (_name, payload) => {
      expect(decoded(getInvoice.data, payload).uuid).toBe(wire.successInvoice.uuid);
    });

    it.each([
      ['two of them', { invoice: wire.successInvoice, other: wire.pendingInvoice }],
      ['in a list', { items: [wire.successInvoice] }],
      ['too deep', { a: { b: { c: wire.successInvoice } } }],
    ])('is not guessed: %s', (_name, payload) => {
      expect(refused(getInvoice.data, payload).length).toBeGreaterThan(0);
    });

    it('may be the creation form: is_adjusted follows the absent adjustment', () => {
      expect(decoded(getInvoice.data, wire.createdInvoice)).toMatchObject({
        is_adjusted: false,
        adjustment: null,
        finished_at: null,
        payment_method: null,
        rate: null,
        settled_amount_usdt: null,
      });
    });

    it.each([
      ['true without the flag', without(wire.adjustedInvoice, 'is_adjusted'), true],
      ['false where the flag says so', changed(wire.adjustedInvoice, 'is_adjusted', false), false],
      [
        'false with [] for its adjustment, and no flag',
        without(changed(wire.successInvoice, 'adjustment', []), 'is_adjusted'),
        false,
      ],
    ])('has an is_adjusted that is %s', (_name, payload, isAdjusted) => {
      expect(decoded(getInvoice.data, payload).is_adjusted).toBe(isAdjusted);
    });
  });

  it('needs is_adjusted in a list', () => {
    expect(refused(listInvoices.data, without(wire.invoicePage, 'items.0.is_adjusted'))).toEqual([
      { path: 'items.0.is_adjusted', message: 'is required' },
    ]);
  });
});

describe('a page of invoices', () => {
  it('is the seven members, with items decoded', () => {
    const page = decoded(listInvoices.data, wire.invoicePage);
    expect(page).toMatchObject({
      page: 2,
      per_page: 2,
      total_items: 5,
      total_pages: 3,
      has_next: true,
      has_prev: true,
    });
    expect(page.items.map((item) => item.external_id)).toEqual(['order-1042', 'order-1044']);
    expect(page.items[1]?.settled_amount_usdt?.toFixed()).toBe('108.695652');
  });

  it('may be empty', () => {
    expect(decoded(listInvoices.data, wire.emptyPage)).toEqual({
      items: [],
      page: 1,
      per_page: 20,
      total_items: 0,
      total_pages: 0,
      has_next: false,
      has_prev: false,
    });
  });

  it.each(['items', 'page', 'per_page', 'total_items', 'total_pages', 'has_next', 'has_prev'])(
    'is refused without %s',
    (name) => {
      expect(refused(listInvoices.data, without(wire.invoicePage, name))).toEqual([
        { path: name, message: 'is required' },
      ]);
    },
  );

  it.each([
    ['items', {}, 'must be an array'],
    ['items', 'none', 'must be an array'],
    ['page', '2nd', 'must be an integer'],
    ['page', '', 'must be an integer'],
    ['page', '-1', 'must be an integer'],
    ['page', '2.0', 'must be an integer'],
    ['page', '9007199254740992', 'must be an integer'],
    ['page', '1'.repeat(17), 'must be an integer'],
    ['page', 1.5, 'must be an integer'],
    ['per_page', null, 'must be an integer'],
    ['total_items', true, 'must be an integer'],
    ['total_pages', [], 'must be an integer'],
    ['has_next', 'true', 'must be a boolean'],
    ['has_prev', 0, 'must be a boolean'],
  ])('is refused with %s of another type (%j)', (name, value, message) => {
    expect(refused(listInvoices.data, changed(wire.invoicePage, name, value))).toEqual([{ path: name, message }]);
  });
});

const CREATED_REQUIRED = [
  'uuid',
  'external_id',
  'amount',
  'currency',
  'currency.id',
  'currency.code',
  'status',
  'payment_url',
  'created_at',
  'expires_at',
];
const ADJUSTMENT = [
  'adjustment.expected_amount_fiat',
  'adjustment.actual_amount_fiat',
  'adjustment.expected_amount_usdt',
  'adjustment.actual_amount_usdt',
];

describe('a required member that is missing', () => {
  it.each(CREATED_REQUIRED)('%s is reported for a created invoice', (path) => {
    expect(refused(createInvoice.data, without(wire.createdInvoice, path))).toEqual([{ path, message: 'is required' }]);
  });

  it.each([...CREATED_REQUIRED, ...ADJUSTMENT])('%s is reported for an invoice in full, also inside a list', (path) => {
    expect(refused(getInvoice.data, without(wire.adjustedInvoice, path))).toEqual([{ path, message: 'is required' }]);
    const page = { ...wire.invoicePage, items: [wire.pendingInvoice, without(wire.adjustedInvoice, path)] };
    expect(refused(listInvoices.data, page)).toEqual([{ path: `items.1.${path}`, message: 'is required' }]);
  });

  it.each(['amount', 'status', 'created_at'])('%s is not satisfied by null', (path) => {
    expect(refused(getInvoice.data, changed(wire.pendingInvoice, path, null)).map((issue) => issue.path)).toEqual([
      path,
    ]);
  });
});

const DECIMAL = 'must be a decimal string, such as "25.00"';
const DATE = 'must be an ISO 8601 date-time, such as "2026-01-31T09:30:00Z"';
const INEXACT =
  'must be a decimal string, because a JSON number with more than 15 significant digits, or from 2^53 on, may have lost some';
const LINK = 'must be an http or https address';

describe('a member of another type', () => {
  it.each([
    ['uuid', 5, 'must be a string'],
    ['external_id', 1042, 'must be a string'],
    ['amount', 'many', DECIMAL],
    ['amount', true, DECIMAL],
    ['amount', 0.1 + 0.2, INEXACT],
    ['currency', 'EUR', 'must be an object'],
    ['currency', null, 'must be an object'],
    ['currency.id', 'two', 'must be an integer'],
    ['currency.code', 978, 'must be a string'],
    ['status', 1, 'must be a string'],
    ['payment_url', null, LINK],
    ['payment_url', 'javascript:alert(1)', LINK],
    ['payment_url', 'data:text/html,x', LINK],
    ['payment_url', '/i/0b9f6e1c', LINK],
    ['payment_url', 'ftp://pay.example', LINK],
    ['payment_url', 'https:/pay.example', LINK],
    ['payment_url', 'x https://pay.example', LINK],
    ['payment_url', 'https://', LINK],
    ['uuid', '', 'must not be empty'],
    ['amount', '-25.00', 'must not be negative'],
    ['amount_to_send', '-0.01', 'must not be negative'],
    ['settled_amount_usdt', '-1', 'must not be negative'],
    ['adjustment.actual_amount_usdt', '-1', 'must not be negative'],
    ['created_at', 1767225600, DATE],
    ['expires_at', 'tomorrow', DATE],
    ['finished_at', '2026-02-30T00:00:00Z', DATE],
    ['rate', '1e333', DECIMAL],
    ['settled_amount_usdt', 'NaN', DECIMAL],
    ['is_adjusted', 'yes', 'must be a boolean'],
    ['adjustment', [1], 'must be an object'],
    ['adjustment', [[]], 'must be an object'],
    ['adjustment.actual_amount_fiat', null, DECIMAL],
  ])('%s = %j is refused', (path, value, message) => {
    expect(refused(getInvoice.data, changed(wire.adjustedInvoice, path, value))).toEqual([{ path, message }]);
  });

  it('reports every finding at once', () => {
    const broken = changed(changed(wire.createdInvoice, 'amount', null), 'currency.id', null);
    expect(refused(createInvoice.data, broken).map((issue) => issue.path)).toEqual(['amount', 'currency.id']);
  });

  it.each([[null], [[]], ['text'], [5], [undefined]])('a payload that is %j is refused as a whole', (payload) => {
    for (const check of [createInvoice.data, getInvoice.data, listInvoices.data]) {
      expect(refused(check, payload)[0]?.path).toBe('');
    }
  });

  it('never quotes the value', () => {
    const secret = 'customer@example.test';
    const issues = refused(getInvoice.data, changed(wire.adjustedInvoice, 'amount', secret));
    expect(JSON.stringify(issues)).not.toContain(secret);
  });
});

describe('a member that only people read, or an empty one', () => {
  it.each<[string, unknown, unknown]>([
    ['customer_id', 7, null],
    ['customer_id', null, null],
    ['customer_id', false, null],
    ['purpose', 7, null],
    ['purpose', {}, null],
    ['currency.name', null, null],
    ['currency.symbol', null, null],
    ['currency.symbol', {}, null],
    ['callback_url', {}, null],
    ['success_url', [], null],
    ['fail_url', 0, null],
    ['payment_method', 'Card', null],
    ['payment_method', '', null],
    ['payment_method.name', null, null],
    ['payment_method.logo_url', 3, null],
    ['amount_to_send', '', null],
    ['rate', '', null],
    ['settled_amount_usdt', '', null],
    ['finished_at', '', null],
    ['adjustment', '', null],
  ])('%s = %j does not make an invoice unreadable', (path, value, read) => {
    const invoice = changed(wire.adjustedInvoice, path, value);
    const isRequired = path === 'customer_id' || path.startsWith('currency');
    expect(decoded(getInvoice.data, invoice)).toHaveProperty(path, read);
    expect(decoded(listInvoices.data, { ...wire.invoicePage, items: [invoice] }).items[0]).toHaveProperty(path, read);
    if (isRequired)
      expect(decoded(createInvoice.data, changed(wire.createdInvoice, path, value))).toHaveProperty(path, read);
    const form = getInvoice.data.structure?.();
    const drift = form === undefined ? [] : driftsIn(form, invoice);
    expect(drift).toEqual(value === null ? [] : [{ path, kind: 'unreadable_member' }]);
  });

  it.each(['customer_id', 'currency.name', 'currency.symbol'])('%s may be absent', (path) => {
    expect(decoded(createInvoice.data, without(wire.createdInvoice, path))).toHaveProperty(path, null);
  });
});

describe('forms of nothing, and of a number', () => {
  it('a page whose items are null is empty', () => {
    const page = changed(wire.invoicePage, 'items', null);
    expect(decoded(listInvoices.data, page)).toMatchObject({ items: [], total_items: 5 });
    expect(refused(listInvoices.data, without(page, 'items'))).toEqual([{ path: 'items', message: 'is required' }]);
  });

  it.each(['payment_method', 'adjustment'])('[] for %s is null', (name) => {
    expect(decoded(getInvoice.data, changed(wire.successInvoice, name, []))).toHaveProperty(name, null);
    const page = { ...wire.invoicePage, items: [changed(wire.successInvoice, name, [])] };
    expect(decoded(listInvoices.data, page).items[0]).toHaveProperty(name, null);
  });

  it.each([
    ['2', 2],
    ['0', 0],
    ['007', 7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('the digits %j are an integer', (text, value) => {
    for (const name of ['page', 'per_page', 'total_items', 'total_pages'] as const) {
      expect(decoded(listInvoices.data, changed(wire.invoicePage, name, text))[name]).toBe(value);
    }
    expect(decoded(getInvoice.data, changed(wire.successInvoice, 'currency.id', text)).currency.id).toBe(value);
  });
});
