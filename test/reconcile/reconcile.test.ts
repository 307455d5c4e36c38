import { describe, expect, it } from 'vitest';
import {
  Decimal,
  type Finding,
  type NotCompared,
  type ReconcileClient,
  type ReconcileInvoice,
  type ReconcileOptions,
  type ReconcileOrder,
  reconcile,
} from '../../src/reconcile/index.ts';
import { fakeError } from '../../src/tools/testing/index.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A paid invoice that ended two days ago. */
function invoice(id: string, changes: Partial<ReconcileInvoice> = {}): ReconcileInvoice {
  return {
    uuid: `uuid-of-${id}`,
    external_id: id,
    customer_id: 'customer-7',
    callback_url: 'https://shop.example/webhook',
    status: 'success',
    amount: new Decimal('25.00'),
    currency: { id: 1, code: 'EUR', name: 'Euro', symbol: '€' },
    created_at: new Date(NOW - 3 * DAY),
    expires_at: new Date(NOW - 3 * DAY + HOUR),
    finished_at: new Date(NOW - 2 * DAY),
    settled_amount_usdt: new Decimal('26.861298'),
    is_adjusted: false,
    adjustment: null,
    ...changes,
  };
}

const pending = { status: 'pending', finished_at: null, settled_amount_usdt: null } as const;
const expired = { status: 'expired', settled_amount_usdt: null } as const;
const short = { finished_at: null, settled_amount_usdt: null } as const;
const young = { finished_at: new Date(NOW - 60_000) };
const open = { state: 'open', credited_usdt: null } as const;
const dollars = { currency: { id: 2, code: 'USD', name: 'Dollar', symbol: '$' } };

/** The members of an invoice of 25.00 EUR of which 17 were paid. */
const partly: Partial<ReconcileInvoice> = {
  is_adjusted: true,
  settled_amount_usdt: new Decimal('18.265682'),
  adjustment: {
    expected_amount_fiat: new Decimal('25'),
    actual_amount_fiat: new Decimal('17'),
    expected_amount_usdt: new Decimal('26.861298'),
    actual_amount_usdt: new Decimal('18.265682'),
  },
};

/** The order that fits `invoice(id)`. */
function order(id: string, changes: Partial<ReconcileOrder> = {}): ReconcileOrder {
  const fitting = { amount: '25.00', currency: 'EUR', credited_usdt: '26.861298', state: 'fulfilled' } as const;
  return { external_id: id, ...fitting, ...changes };
}

/** How a service differs from one that lists and reads all its invoices. */
interface Oddity {
  /** What single reads find. Default: what is listed. */
  readonly read?: readonly ReconcileInvoice[];
  /** The total that the list counts. */
  readonly total?: number;
  /** How the list ends. */
  readonly listError?: Error;
  /** The code with which a single read fails, or null. */
  readonly failure?: (ident: string) => string | null;
}

/** A service that lists two invoices a page. */
function serviceOf(listed: readonly ReconcileInvoice[], { read = listed, total, listError, failure }: Oddity = {}) {
  const asked: string[] = [];
  const merchant: ReconcileClient = {
    invoices: {
      list: () => {
        asked.push('list');
        return {
          async *pages() {
            for (let at = 0; at < listed.length || at === 0; at += 2)
              yield { items: listed.slice(at, at + 2), total_items: total ?? listed.length };
            if (listError !== undefined) throw listError;
          },
        };
      },
      async get(ident) {
        asked.push(ident);
        const invoice = read.find(({ uuid, external_id }) => uuid === ident || external_id === ident);
        const code = failure?.(ident) ?? null;
        if (invoice === undefined || code !== null)
          throw fakeError(code ?? MISSING, STATUS[code ?? MISSING] ? { status: STATUS[code ?? MISSING] } : {});
        return invoice;
      },
    },
  };
  return { merchant, asked };
}

/** The word of the service about an order that it does not know. */
const MISSING: string = 'INVOICE_NOT_FOUND';
const STATUS: Readonly<Record<string, number>> = { [MISSING]: 404, INVALID_API_KEY: 401 };

/** A service that finds an invoice by its uuid alone. */
const byUuid = (code: string) => (ident: string) => (ident.startsWith('uuid-of-') ? null : code);

async function found(options: Omit<ReconcileOptions, 'now'>) {
  const run = reconcile({ ...options, now: () => NOW });
  const entries: (Finding | NotCompared)[] = [];
  for await (const entry of run) entries.push(entry);
  const told = entries.map(
    (entry) => `${entry.external_id} ${entry.kind === 'not_compared' ? entry.reason : entry.kind}`,
  );
  return { entries, told, summary: await run.summary() };
}

type Case = readonly [
  name: string,
  order: Partial<ReconcileOrder> | null,
  invoice: Partial<ReconcileInvoice> | null,
  told: readonly string[],
];

describe('an order beside its invoice', () => {
  it.each<Case>([
    ['equal', {}, {}, []],
    ['equal amounts of other digits', { amount: '25', currency: 'eur', credited_usdt: '26.8612980' }, {}, []],
    ['no booked credit', { credited_usdt: null }, {}, []],
    ['booked and not delivered', { state: 'paid' }, {}, []],
    ['refunded', { state: 'refunded', amount: '1', credited_usdt: null }, {}, []],
    ['refunded, and the row says the 25 that were paid', { state: 'refunded', refunded_amount: '25.00' }, {}, []],
    ['refunded, and 100 of 25 went back', { state: 'refunded', refunded_amount: '100.00' }, {}, ['amount_differs']],
    ['refunded, and 10 of 25 went back', { state: 'refunded', refunded_amount: '10.00' }, {}, ['amount_differs']],
    ['refunded in another currency', { state: 'refunded', refunded_amount: '25' }, dollars, ['currency_differs']],
    ['25 paid, 10 went back, and the row says 25', { refunded_amount: '10' }, {}, []],
    ['25 paid, 10 went back, and the row says 15', { amount: '15', refunded_amount: '10' }, {}, []],
    ['25 paid, 10 went back, and the row says 20', { amount: '20', refunded_amount: '10' }, {}, ['amount_differs']],
    ['25 paid, 30 went back', { refunded_amount: '30' }, {}, ['amount_differs']],
    ['canceled, and all that was paid went back', { state: 'canceled', refunded_amount: '25' }, {}, []],
    ['canceled, and half of it went back', { state: 'canceled', refunded_amount: '12.50' }, {}, ['paid_not_fulfilled']],
    [
      'canceled, nothing paid, and 25 went back',
      { state: 'canceled', refunded_amount: '25' },
      expired,
      ['fulfilled_not_paid'],
    ],
    ['open and pending', open, { ...pending, expires_at: new Date(NOW + HOUR) }, []],
    [
      'open, pending, and past its end by less than the grace',
      open,
      { ...pending, expires_at: new Date(NOW - 60_000) },
      [],
    ],
    ['open, and pending past its end', open, pending, ['open_but_ended']],
    ['open and expired', open, expired, ['open_but_ended']],
    ['open, and expired a minute ago', open, { ...expired, ...young }, []],
    ['canceled and expired', { state: 'canceled' }, expired, []],
    ['canceled, without invoice', { state: 'canceled' }, null, []],
    ['open and paid', open, {}, ['paid_not_fulfilled']],
    ['canceled and paid', { state: 'canceled', credited_usdt: null }, {}, ['paid_not_fulfilled']],
    ['open, 17 of 25 paid', open, partly, ['paid_not_fulfilled', 'amount_differs']],
    ['open, another currency paid', open, dollars, ['paid_not_fulfilled', 'currency_differs']],
    ['fulfilled and expired', {}, expired, ['fulfilled_not_paid']],
    ['fulfilled and long past its expiry', {}, pending, ['fulfilled_not_paid']],
    ['refunded and failed', { state: 'refunded' }, { ...expired, status: 'fail' }, ['fulfilled_not_paid']],
    ['fulfilled, without invoice', {}, null, ['fulfilled_not_paid']],
    ['open, without invoice', open, null, ['order_without_invoice']],
    ['fulfilled, 17 of 25 paid', { credited_usdt: '18.265682' }, partly, ['amount_differs']],
    ['fulfilled as ordered, 17 of 25 paid', {}, partly, ['amount_differs', 'credited_differs']],
    ['fulfilled with another credit', { credited_usdt: '26.86' }, {}, ['credited_differs']],
    ['fulfilled in another currency', { currency: 'USD' }, {}, ['currency_differs']],
    ['of nobody, paid', null, {}, ['invoice_without_order']],
    ['of nobody, pending', null, pending, ['invoice_without_order']],
    ['of nobody, expired', null, expired, []],
    ['paid a minute ago', open, young, []],
    ['canceled a minute ago', {}, { ...expired, ...young }, []],
    [
      'pending for days, and fulfilled yesterday',
      { changed_at: new Date(NOW - DAY) },
      { ...pending, expires_at: new Date(NOW + HOUR) },
      ['fulfilled_not_paid'],
    ],
    ['created a moment ago, and fulfilled', {}, { ...pending, created_at: new Date(NOW - 60_000) }, []],
    ['of nobody, created a minute ago', null, { ...pending, created_at: new Date(NOW - 60_000) }, []],
    ['made a minute ago, without invoice', { ...open, created_at: new Date(NOW - 60_000) }, null, []],
    [
      'made a day ago, without invoice',
      { ...open, created_at: '2026-03-09T12:00:00Z' },
      null,
      ['order_without_invoice'],
    ],
    ['of an unknown status', {}, { status: 'on_hold' as 'fail' }, ['invoice_malformed']],
    ['that contradicts itself', {}, { ...expired, settled_amount_usdt: new Decimal(1) }, ['invoice_malformed']],
    ['with a number for an amount', { amount: 25 as never }, {}, ['order_malformed']],
    ['of an unknown state', { state: 'shipped' as never }, {}, ['order_malformed']],
    ['with a part that is text', { part: 'yes' as never }, {}, ['order_malformed']],
  ])('%s', async (_name, given, of, told) => {
    const orders = given === null ? [] : [order('a', given)];
    const result = await found({ merchant: serviceOf(of === null ? [] : [invoice('a', of)]).merchant, orders });
    expect(result.told).toEqual(told.map((kind) => `a ${kind}`));
    for (const entry of result.entries) if (entry.kind !== 'not_compared') expect(entry.confirmed).toBe(true);
    const { orders: all, matched, withinGrace, differing, ordersNotCompared } = result.summary;
    expect(matched + withinGrace + differing + ordersNotCompared).toBe(all);
    expect(all).toBe(orders.length);
  });

  it('says what was paid of what, the difference and the remedy', async () => {
    const { merchant } = serviceOf([invoice('a', partly), invoice('b', dollars)]);
    const { entries } = await found({ merchant, orders: [order('a', open), order('b', open), order('c')] });
    expect(JSON.parse(JSON.stringify(entries))).toMatchObject([
      {
        kind: 'paid_not_fulfilled',
        action: expect.stringMatching(
          /^17 EUR of 25 EUR was paid, and 18\.265682 USDT credited\. Do not fulfil the order yet/,
        ),
      },
      { kind: 'amount_differs', expected: '25', actual: '17', difference: '-8' },
      { kind: 'paid_not_fulfilled', action: expect.stringMatching(/^25 USD of 25 EUR was paid/) },
      { kind: 'currency_differs', expected: 'EUR', actual: 'USD', difference: null },
      {
        kind: 'fulfilled_not_paid',
        actual: null,
        invoice: null,
        action: expect.stringMatching(/^The order is fulfilled, and the service has no invoice with its id/),
      },
    ]);
    for (const { kind, ...entry } of entries) {
      if (kind !== 'not_compared' && 'action' in entry) expect(entry.action).not.toMatch(/Create the invoice/);
    }
  });
});

type Rows = Readonly<Record<string, Partial<ReconcileOrder>>>;
type Invoices = Readonly<Record<string, Partial<ReconcileInvoice>>>;
type OrderCase = [name: string, rows: Rows, invoices: Invoices, told: readonly string[], money?: string];

const given = { state: 'fulfilled', credited_usdt: null } as const;
const canceled = { state: 'canceled', credited_usdt: null } as const;
const payable = { ...pending, expires_at: new Date(NOW + HOUR) };
/** Created by somebody else, who takes the same numbers. */
const ofOther = { customer_id: 'user-7', callback_url: 'https://other.example/hook' };
const paying = (amount: string, ordered = amount): Partial<ReconcileInvoice> => ({
  amount: new Decimal(ordered),
  is_adjusted: amount !== ordered,
  adjustment:
    amount === ordered
      ? null
      : {
          expected_amount_fiat: new Decimal(ordered),
          actual_amount_fiat: new Decimal(amount),
          expected_amount_usdt: new Decimal('26.861298'),
          actual_amount_usdt: new Decimal('26.861298'),
        },
});

/** Plays the case with rows and list in each direction: neither decides anything. */
async function expectOrder(rows: Rows, invoices: Invoices, told: readonly string[], money = ''): Promise<void> {
  const orders = Object.entries(rows).map(([id, changes]) => order(id, { ...given, ...changes }));
  const listed = Object.entries(invoices).map(([id, changes]) => invoice(id, changes));
  for (const given of [orders, [...orders].reverse()])
    for (const list of [listed, [...listed].reverse()]) {
      const { told: all, summary, entries } = await found({ merchant: serviceOf(list).merchant, orders: given });
      expect([...all].sort()).toEqual([...told].sort());
      const { orders: count, matched, withinGrace, differing, ordersNotCompared } = summary;
      expect(matched + withinGrace + differing + ordersNotCompared).toBe(count);
      const sums = summary.currencies.flatMap(({ currency, ...each }) =>
        Object.entries(each).flatMap(([name, sum]) => (sum.isZero() ? [] : [`${name} ${sum} ${currency}`])),
      );
      expect(sums.join(', ')).toBe(money);
      for (const entry of entries) expect(entry.order).toBe('a');
    }
}

describe('an order with one row', () => {
  it.each<OrderCase>([
    ['was paid by its renewal', { a: given }, { a: expired, 'a--1': {} }, []],
    [
      'was paid by its renewal, and is open',
      { a: open },
      { a: expired, 'a--1': {} },
      ['a paid_not_fulfilled'],
      'paidNotGiven 25 EUR',
    ],
    ['was paid by its third renewal', { a: given }, { a: expired, 'a--1': expired, 'a--2': expired, 'a--3': {} }, []],
    ['was paid late by its first invoice, and the renewal waits', { a: given }, { a: {}, 'a--1': payable }, []],
    ['waits for its renewal', { a: open }, { a: expired, 'a--1': payable }, []],
    [
      'waits, and its renewal is pending past its end',
      { a: open },
      { a: expired, 'a--1': pending },
      ['a open_but_ended'],
    ],
    ['waits, and all have ended', { a: open }, { a: expired, 'a--1': expired }, ['a open_but_ended']],
    ['is canceled, and all have ended', { a: canceled }, { a: expired, 'a--1': expired }, []],
    [
      'is canceled, and its renewal was paid',
      { a: canceled },
      { a: expired, 'a--1': {} },
      ['a paid_not_fulfilled'],
      'paidNotGiven 25 EUR',
    ],
    [
      'was given, and all have ended',
      { a: given },
      { a: expired, 'a--1': expired },
      ['a fulfilled_not_paid'],
      'givenNotPaid 25 EUR',
    ],
    ['was paid twice', { a: given }, { a: {}, 'a--1': {} }, ['a paid_twice'], 'paidTooMuch 25 EUR'],
    ['was paid twice, and one went back', { a: { ...given, refunded_amount: '25' } }, { a: {}, 'a--1': {} }, []],
    [
      'was paid twice, and a part of one went back',
      { a: { ...given, refunded_amount: '10' } },
      { a: {}, 'a--1': {} },
      ['a paid_twice'],
      'paidTooMuch 15 EUR',
    ],
    ['was paid twice, and all went back', { a: { state: 'refunded' } }, { a: {}, 'a--1': {} }, []],
    [
      'was paid twice, and is open',
      { a: open },
      { a: {}, 'a--1': {} },
      ['a paid_not_fulfilled', 'a paid_twice'],
      'paidNotGiven 50 EUR',
    ],
    [
      'was paid with two halves, which nothing says',
      { a: given },
      { a: paying('12.50'), 'a--1': paying('12.50') },
      ['a paid_twice'],
    ],
    [
      'was paid twice, and both went back',
      { a: { ...given, refunded_amount: '50' } },
      { a: {}, 'a--1': {} },
      ['a paid_twice'],
      'givenNotPaid 25 EUR',
    ],
    [
      'was paid in full and with a dollar, and is open',
      { a: { ...open, amount: '100' } },
      { a: paying('100'), 'a--1': { ...dollars, ...paying('1') } },
      ['a paid_not_fulfilled', 'a paid_twice', 'a currency_differs'],
      'paidNotGiven 100 EUR, paidNotGiven 1 USD',
    ],
    [
      'was paid twice and with a dollar',
      { a: given },
      { a: {}, 'a--1': {}, 'a--2': { ...dollars, ...paying('1') } },
      ['a paid_twice', 'a currency_differs'],
      'paidTooMuch 25 EUR, paidTooMuch 1 USD',
    ],
    [
      'was paid in part, and with dollars',
      { a: given },
      { a: paying('10', '25'), 'a--1': { ...dollars, ...paying('16') } },
      ['a paid_twice', 'a currency_differs'],
      'givenNotPaid 15 EUR, paidTooMuch 16 USD',
    ],
    [
      'was paid with a dollar, and more euros went back than were paid',
      { a: { ...given, refunded_amount: '30' } },
      { a: {}, 'a--1': { ...dollars, ...paying('1') } },
      ['a amount_differs', 'a currency_differs'],
      'givenNotPaid 5 EUR, paidTooMuch 1 USD',
    ],
    [
      'was canceled, its euros went back, and a dollar did not',
      { a: { ...canceled, refunded_amount: '25' } },
      { a: {}, 'a--1': { ...dollars, ...paying('1') } },
      ['a paid_not_fulfilled', 'a paid_twice', 'a currency_differs'],
      'paidNotGiven 1 USD',
    ],
    [
      'was paid twice with dollars, and is open',
      { a: open },
      { a: dollars, 'a--1': dollars },
      ['a paid_not_fulfilled', 'a paid_twice', 'a currency_differs'],
      'paidNotGiven 50 USD',
    ],
    [
      'was paid twice with dollars',
      { a: given },
      { a: dollars, 'a--1': dollars },
      ['a paid_twice', 'a currency_differs'],
      'paidTooMuch 25 USD',
    ],
    ['was paid with dollars alone', { a: given }, { a: dollars }, ['a currency_differs']],
    [
      'is refunded, and less went back than was paid',
      { a: { state: 'refunded', refunded_amount: '10' } },
      { a: {} },
      ['a amount_differs'],
      'paidNotGiven 15 EUR',
    ],
    [
      'is refunded, and more went back than was paid',
      { a: { state: 'refunded', refunded_amount: '100' } },
      { a: {} },
      ['a amount_differs'],
      'givenNotPaid 75 EUR',
    ],
    ['was overpaid', { a: given }, { a: paying('30', '25') }, ['a amount_differs'], 'paidTooMuch 5 EUR'],
    ['was overpaid, and the rest went back', { a: { ...given, refunded_amount: '5' } }, { a: paying('30', '25') }, []],
    ['was paid less', { a: given }, { a: paying('17', '25') }, ['a amount_differs'], 'givenNotPaid 8 EUR'],
    [
      'was paid less by its renewal, and is open',
      { a: open },
      { a: expired, 'a--1': paying('17', '25') },
      ['a paid_not_fulfilled', 'a amount_differs'],
      'paidNotGiven 17 EUR',
    ],
    ['names its renewal alone', { 'a--1': given }, { a: {}, 'a--1': expired }, []],
    ['was paid by its renewal, whose first invoice nobody shows', { a: given }, { 'a--1': {} }, []],
    [
      'is of two systems, and was paid in this one',
      { a: given },
      { a: {}, 'a--1': ofOther },
      ['a--1 invoice_without_order'],
      'paidNotGiven 25 EUR',
    ],
    [
      'is of two systems, and was paid in the other one',
      { a: given },
      { a: expired, 'a--1': ofOther },
      ['a fulfilled_not_paid', 'a--1 invoice_without_order'],
      'paidNotGiven 25 EUR, givenNotPaid 25 EUR',
    ],
    [
      'is of two systems, and waits in the other one',
      { a: given },
      { a: {}, 'a--1': { ...payable, ...ofOther } },
      ['a--1 invoice_without_order'],
    ],
    ['is of two systems, and ended in the other one', { a: given }, { a: {}, 'a--1': { ...expired, ...ofOther } }, []],
    ['has a renewal of another customer', { a: given }, { a: expired, 'a--1': { customer_id: 'guest-2' } }, []],
    ['has a renewal with another address', { a: given }, { a: expired, 'a--1': { callback_url: null } }, []],
    [
      'has a renewal whose customer cannot be read',
      { a: given },
      { a: expired, 'a--1': { ...ofOther, customer_id: '' } },
      [],
    ],
  ])('%s', async (_name, rows, invoices, told, money) => await expectOrder(rows, invoices, told, money));
});

it('nobody is told to give back one of two payments that are not more than the order', async () => {
  const halves = [invoice('a', paying('12.50')), invoice('a--1', paying('12.50'))];
  const { entries } = await found({ merchant: serviceOf(halves).merchant, orders: [order('a', given)] });
  expect(entries).toMatchObject([{ kind: 'paid_twice', advice: 'compare_payments', money: null }]);
});

it('nobody is told to give back what went back already, or what may be the rest in another currency', async () => {
  const twice = [invoice('a'), invoice('a--1')];
  const back = await found({
    merchant: serviceOf(twice).merchant,
    orders: [order('a', { ...given, refunded_amount: '50' })],
  });
  expect(back.entries).toMatchObject([{ kind: 'paid_twice', advice: 'find_refund' }]);
  const rest = [invoice('a', paying('10', '25')), invoice('a--1', { ...dollars, ...paying('16') })];
  const { entries } = await found({ merchant: serviceOf(rest).merchant, orders: [order('a', given)] });
  expect(entries.map((entry) => entry.kind !== 'not_compared' && entry.advice)).toEqual([
    'find_currency',
    'find_currency',
  ]);
});

describe('several rows of an order are tries of it', () => {
  it.each<OrderCase>([
    [
      'the first expired, the second paid, and booked in both',
      { a: given, 'a--1': given },
      { a: expired, 'a--1': {} },
      [],
    ],
    ['the same, and the first booked alone', { a: given, 'a--1': open }, { a: expired, 'a--1': {} }, []],
    [
      'the first expired and canceled, the second payable',
      { a: canceled, 'a--1': open },
      { a: expired, 'a--1': payable },
      [],
    ],
    ['both expired, and open', { a: open, 'a--1': open }, { a: expired, 'a--1': expired }, ['a--1 open_but_ended']],
    [
      'both expired, and booked',
      { a: given, 'a--1': given },
      { a: expired, 'a--1': expired },
      ['a--1 fulfilled_not_paid'],
      'givenNotPaid 25 EUR',
    ],
    [
      'both paid, and booked',
      { a: given, 'a--1': given },
      { a: {}, 'a--1': {} },
      ['a--1 paid_twice'],
      'paidTooMuch 25 EUR',
    ],
    [
      'both paid, and one given back with its amount',
      { a: given, 'a--1': { state: 'refunded', refunded_amount: '30' } },
      { a: {}, 'a--1': paying('30', '25') },
      [],
    ],
    ['both paid, one of them given back', { a: given, 'a--1': { state: 'refunded' } }, { a: {}, 'a--1': {} }, []],
    [
      'both paid, and a part of one given back whose row says refunded',
      { a: given, 'a--1': { state: 'refunded', refunded_amount: '10' } },
      { a: {}, 'a--1': {} },
      ['a--1 amount_differs'],
      'paidTooMuch 15 EUR',
    ],
    [
      'both paid, the first given back and the second open',
      { a: { state: 'refunded' }, 'a--1': open },
      { a: {}, 'a--1': {} },
      ['a--1 paid_not_fulfilled'],
      'paidNotGiven 25 EUR',
    ],
    [
      'both paid, and both open',
      { a: open, 'a--1': open },
      { a: {}, 'a--1': {} },
      ['a--1 paid_not_fulfilled', 'a--1 paid_twice'],
      'paidNotGiven 50 EUR',
    ],
    [
      'of two amounts, and what was paid is that of the last',
      { a: { amount: '30' }, 'a--1': given },
      { a: { ...expired, amount: new Decimal(30) }, 'a--1': {} },
      [],
    ],
    [
      'of two amounts, and what was paid is that of the first',
      { a: given, 'a--1': { amount: '30' } },
      { a: {}, 'a--1': { ...expired, amount: new Decimal(30) } },
      ['a--1 amount_differs'],
      'givenNotPaid 5 EUR',
    ],
    [
      'the second changed a minute ago',
      { a: open, 'a--1': open },
      { a: expired, 'a--1': { ...expired, ...young } },
      [],
    ],
    ['none with an invoice', { a: open, 'a--1': open }, {}, ['a--1 order_without_invoice']],
    ['a third invoice, paid, has no row', { a: given, 'a--1': given }, { a: expired, 'a--1': expired, 'a--2': {} }, []],
    [
      'a third invoice, paid too, has no row',
      { a: given, 'a--1': given },
      { a: expired, 'a--1': {}, 'a--2': {} },
      ['a--1 paid_twice'],
      'paidTooMuch 25 EUR',
    ],
    [
      'a second one of another customer and address has a row',
      { a: given, 'a--1': given },
      { a: expired, 'a--1': ofOther },
      [],
    ],
    [
      'one of them cannot be compared',
      { a: given, 'a--1': given },
      { a: {}, 'a--1': { status: 'on_hold' as 'fail' } },
      ['a--1 invoice_malformed'],
    ],
  ])('%s', async (_name, rows, invoices, told, money) => await expectOrder(rows, invoices, told, money));

  it('and none is compared while another row of the order cannot be read', async () => {
    const { merchant } = serviceOf([invoice('a', expired), invoice('a--1')]);
    const orders = [order('a', given), order('a--1', { amount: '' })];
    const { told, summary } = await found({ merchant, orders });
    expect(told).toEqual(['a order_malformed', 'a--1 order_malformed']);
    expect(summary).toMatchObject({ orders: 2, ordersNotCompared: 2 });
  });

  it('and those of other names stand in the order of the data', async () => {
    const names = [order('x', { order: 'a', part: false }), order('y', { order: 'a', part: false, amount: '30' })];
    const service = () => serviceOf([invoice('x'), invoice('y', expired)]).merchant;
    expect((await found({ merchant: service(), orders: names })).told).toEqual(['y amount_differs']);
    expect((await found({ merchant: service(), orders: [...names].reverse() })).told).toEqual([]);
  });
});

describe('a row with `part` is compared alone', () => {
  const first = { part: true } as const;
  const rest = { order: 'a', part: true } as const;
  const said = ['a part_not_said', 'a-rest part_not_said'];
  it.each<OrderCase>([
    [
      '17.00 of 25.00, then the rest of 8.00',
      { a: { ...first, amount: '17' }, 'a-rest': { ...rest, amount: '8' } },
      { a: paying('17', '25'), 'a-rest': paying('8') },
      [],
    ],
    [
      'a deposit paid, the final payment expired, and given',
      { a: { ...first, amount: '30' }, 'a-rest': { ...rest, amount: '70' } },
      { a: paying('30'), 'a-rest': { ...expired, amount: new Decimal(70) } },
      ['a-rest fulfilled_not_paid'],
      'givenNotPaid 70 EUR',
    ],
    [
      'a deposit paid, 7 of the final 70 paid, and given',
      { a: { ...first, amount: '30' }, 'a-rest': { ...rest, amount: '70' } },
      { a: paying('30'), 'a-rest': paying('7', '70') },
      ['a-rest amount_differs'],
      'givenNotPaid 63 EUR',
    ],
    [
      'a deposit paid, the final payment waits',
      { a: { ...first, amount: '30' }, 'a-rest': { ...rest, ...open, amount: '70' } },
      { a: paying('30'), 'a-rest': payable },
      [],
    ],
    [
      'two parts by the numbers of a database',
      { a: { part: 1 as never }, 'a-rest': { order: 'a', part: 1 as never } },
      { a: {}, 'a-rest': {} },
      [],
    ],
    [
      'two tries by the numbers of a database',
      { a: { part: 0 as never }, 'a-rest': { order: 'a', part: 0 as never, state: 'refunded' } },
      { a: {}, 'a-rest': {} },
      [],
    ],
    ['two equal halves, both paid', { a: first, 'a-rest': rest }, { a: {}, 'a-rest': {} }, []],
    ['in two currencies', { a: first, 'a-rest': { ...rest, currency: 'USD' } }, { a: {}, 'a-rest': dollars }, []],
    ['the rest paid by its renewal', { a: first, 'a-rest': rest }, { a: {}, 'a-rest': expired, 'a-rest--1': {} }, []],
    [
      'the rest paid twice, by its renewal too',
      { a: first, 'a-rest': rest },
      { a: {}, 'a-rest': {}, 'a-rest--1': {} },
      ['a-rest paid_twice'],
      'paidTooMuch 25 EUR',
    ],
    [
      'the rest with a row for each try',
      { a: first, 'a-rest': rest, 'a-rest--1': rest },
      { a: {}, 'a-rest': expired, 'a-rest--1': {} },
      [],
    ],
    ['no row says what it is', { a: given, 'a-rest': { order: 'a' } }, { a: {}, 'a-rest': {} }, said],
    [
      'the row of the order does not say it',
      { a: given, 'a-rest': rest },
      { a: {}, 'a-rest': {} },
      ['a part_not_said'],
    ],
    ['the other row does not say it', { a: first, 'a-rest': { order: 'a' } }, { a: {}, 'a-rest': {} }, said],
    [
      'one invoice is called a part and a try',
      { a: first, 'a-rest': { order: 'a', part: false } },
      { a: {}, 'a-rest': {} },
      said,
    ],
    [
      'a renewal is called a part, and the first row says nothing',
      { a: given, 'a--1': first },
      { a: {}, 'a--1': {} },
      ['a part_not_said', 'a--1 part_not_said'],
    ],
    [
      'the only row names another order, and does not say it',
      { 'a-rest': { order: 'a' } },
      { 'a-rest': {} },
      ['a-rest part_not_said'],
    ],
  ])('%s', async (_name, rows, invoices, told, money) => await expectOrder(rows, invoices, told, money));

  it('says which line to write', async () => {
    const { merchant } = serviceOf([invoice('a'), invoice('a-rest')]);
    const { entries } = await found({ merchant, orders: [order('a'), order('a-rest', { order: 'a' })] });
    expect(entries[1]).toMatchObject({
      external_id: 'a-rest',
      problem: expect.stringMatching(
        /^The rows of order "a" do not say what they are. Write "part": true .* "part": false/,
      ),
      place: 'row 2',
    });
  });
});

describe('a row by uuid belongs to the order of its invoice', () => {
  const [one, two] = ['3f2a9c1e-7b54-4d8e-9a10-6c2f5e8b7d41', '3f2a9c1e-7b54-4d8e-9a10-6c2f5e8b7d42'];
  const first = invoice('a', { uuid: one });
  const second = invoice('a--1', { uuid: two });
  it.each<readonly [string, readonly ReconcileOrder[], readonly ReconcileInvoice[], readonly string[]]>([
    ['and stands for it', [order(one.toUpperCase())], [{ ...first, ...expired }, second], []],
    ['also where it names that order', [order(two, { order: 'a' })], [first, { ...second, ...expired }], []],
    ['and is a try beside another row', [order(one), order(two)], [first, second], [`${two} paid_twice`]],
    ['and beside a row by id', [order('a'), order(two)], [first, second], [`${two} paid_twice`]],
    ['and names the same invoice as another row', [order('a'), order(one)], [first], ['a duplicate_order']],
    [
      'and is a part where it says so',
      [order('a', { part: true }), order(two, { order: 'b', part: true })],
      [first, { ...second, external_id: 'b-rest' }],
      [],
    ],
    [
      'and says what it is where it names another order',
      [order(one, { order: 'b' })],
      [first],
      [`${one} part_not_said`],
    ],
  ])('%s', async (_name, orders, listed, told) => {
    for (const list of [listed, [...listed].reverse()]) {
      const run = await found({ merchant: serviceOf(list).merchant, orders });
      expect(run.told).toEqual(told);
      expect(run.entries.map((entry) => entry.order)).toEqual(told.map(() => (told[0]?.endsWith('said') ? 'b' : 'a')));
    }
  });
});

describe('what the list does not show', () => {
  it('nobody is called unpaid whose renewal a single read finds', async () => {
    for (const row of [given, open]) {
      const read = [invoice('a', expired), invoice('a--1', expired), invoice('a--2')];
      const { merchant } = serviceOf(read.slice(0, 1), { read });
      const { told } = await found({ merchant, orders: [order('a', row)] });
      expect(told).toEqual(['null invoices_not_listed', ...(row === open ? ['a paid_not_fulfilled'] : [])]);
    }
  });

  it('a gap in the renewals does not end the search', async () => {
    const read = ['a', 'a--2'].map((id) => invoice(id, expired));
    const { merchant } = serviceOf(read, { read: [...read, invoice('a--3')] });
    const { told } = await found({ merchant, orders: [order('a', given)] });
    expect(told).toEqual(['null invoices_not_listed']);
  });

  it('is not confirmed where the service reads uuids alone, and no person is told to reclaim', async () => {
    const listed = [invoice('a', expired)];
    const { merchant } = serviceOf(listed, { failure: byUuid(MISSING) });
    const { entries } = await found({ merchant, orders: [order('a')] });
    expect(entries).toMatchObject([{ kind: 'fulfilled_not_paid', confirmed: false, advice: 'look_up' }]);
    const cut = serviceOf(listed, { failure: byUuid(MISSING), total: 2 });
    expect((await found({ merchant: cut.merchant, orders: [order('a')] })).told).toEqual([
      'null invoices_not_listed',
      'a invoice_not_read',
    ]);
  });

  it.each([
    ...['SDK_HTTP_400', MISSING, 'SDK_HTTP_404', 'SDK_HTTP_409', 'VALIDATION_ERROR', 'SDK_HTTP_403', 'SDK_HTTP_429'],
    ...['SDK_HTTP_500', 'SDK_HTTP_501', 'SDK_HTTP_502', 'SDK_HTTP_503'],
  ])('one read that fails with %s is not compared, whatever the list says', async (code) => {
    const listed = [invoice('a'), invoice('b', { ...pending, expires_at: new Date(NOW + HOUR) }), invoice('c')];
    const failing = [...listed.map(({ uuid }) => uuid), 'a', 'b', 'c'];
    const failure = (ident: string) => (failing.includes(ident) ? code : null);
    const { merchant } = serviceOf([...listed, invoice('z')], { failure });
    const { told, entries } = await found({ merchant, orders: [order('a', open), order('b'), order('z')] });
    expect(told).toEqual(['a invoice_not_read', 'b invoice_not_read', 'c invoice_not_read']);
    for (const entry of entries) expect(entry).toMatchObject({ problem: expect.stringContaining(code) });
  });

  it('nobody is told to stop an order whose renewals the service does not show', async () => {
    const listed = [invoice('a', { ...pending, expires_at: new Date(NOW + HOUR) })];
    const { merchant } = serviceOf(listed, { failure: byUuid(MISSING) });
    const { entries } = await found({ merchant, orders: [order('a')] });
    expect(entries).toMatchObject([{ kind: 'fulfilled_not_paid', confirmed: false, advice: 'look_up' }]);
  });

  it('tells to stop or wait where one invoice can still be paid, whichever it is', async () => {
    const { merchant } = serviceOf([invoice('a', payable), invoice('a--1', expired)]);
    const { entries } = await found({ merchant, orders: [order('a', { changed_at: new Date(NOW - DAY) })] });
    expect(entries).toMatchObject([{ kind: 'fulfilled_not_paid', advice: 'wait', invoice: { external_id: 'a' } }]);
  });
});

describe('a paid invoice that does not say whether it was adjusted', () => {
  const unsaid = { is_adjusted: null } as const;

  it('is not compared: absent is not "in full"', async () => {
    const { merchant } = serviceOf([invoice('a', unsaid), invoice('b', unsaid)]);
    const { told, entries } = await found({ merchant, orders: [order('a')] });
    expect(told).toEqual(['a invoice_malformed', 'b invoice_malformed']);
    expect(entries[0]).toMatchObject({ problem: expect.stringContaining("set adjustedAbsent: 'as_ordered'") });
  });

  it('is compared by the list, where that says it', async () => {
    const { merchant } = serviceOf([invoice('a', partly)], {
      read: [invoice('a', { ...partly, ...unsaid, adjustment: null })],
    });
    expect((await found({ merchant, orders: [order('a', given)] })).told).toEqual(['a amount_differs']);
  });

  it('counts as paid in full where that is pinned, and a stated adjustment counts as such', async () => {
    const listed = [invoice('a', unsaid), invoice('b', { ...partly, ...unsaid })];
    const { merchant } = serviceOf(listed.slice(0, 1), { read: listed });
    const orders = [order('a'), order('b', given)];
    const { told } = await found({ merchant, orders, adjustedAbsent: 'as_ordered' });
    expect(told).toEqual(['null invoices_not_listed', 'b amount_differs']);
  });
});

describe('a list whose rows cannot be read', () => {
  /** Each listed row lacks `is_adjusted`, which the client does not read. Single reads have none either. */
  const run = async (options: Partial<ReconcileOptions>, failure: Oddity['failure'] = () => null) => {
    const unsaid = { is_adjusted: null } as const;
    const old = { created_at: new Date(NOW - 9 * DAY) };
    const read = [
      invoice('a', unsaid),
      invoice('z', unsaid),
      invoice('old', { ...unsaid, ...old }),
      invoice('end', expired),
    ];
    const { merchant } = serviceOf([], { read, failure, total: read.length });
    const list: ReconcileClient['invoices']['list'] = (query, options) => {
      for (const [index, { uuid, external_id }] of read.entries())
        options.onInvalidItem({ page: 1, index, path: 'is_adjusted', raw: { uuid, external_id } });
      return merchant.invoices.list(query, options);
    };
    return await found({ merchant: { invoices: { ...merchant.invoices, list } }, orders: [order('a')], ...options });
  };

  it('is read singly, also where no order has the invoice', async () => {
    const { told, summary } = await run({ adjustedAbsent: 'as_ordered', since: NOW - 7 * DAY });
    expect(told).toEqual(['z invoice_without_order']);
    expect(summary).toMatchObject({
      invoices: 4,
      matched: 1,
      currencies: [{ currency: 'EUR', paidNotGiven: new Decimal(25) }],
    });
    const all = await run({ adjustedAbsent: 'as_ordered' });
    expect(all.told).toEqual(['z invoice_without_order', 'old invoice_without_order']);
  });

  it('is not compared where the single read does not say it either', async () => {
    expect((await run({})).told).toEqual(['a', 'z', 'old'].map((id) => `${id} invoice_malformed`));
  });

  it('proves no absence where the service reads uuids alone', async () => {
    const pinned = { adjustedAbsent: 'as_ordered' } as const;
    const { told } = await run(
      { ...pinned, orders: [order('a'), order('none', open)], since: NOW - DAY },
      byUuid(MISSING),
    );
    expect(told).toEqual(['none invoice_not_read']);
  });
});

describe('a time of the shop that is to come', () => {
  it.each(['changed_at', 'created_at'] as const)('is named where it would put off a difference: %s', async (name) => {
    const at = async (time: number, of: Partial<ReconcileOrder>) => {
      const { merchant } = serviceOf([invoice('a')]);
      return await found({ merchant, orders: [order('a', { ...of, [name]: new Date(time) })] });
    };
    const { entries } = await at(NOW + 73 * 365 * DAY, open);
    expect(entries).toMatchObject([{ reason: 'order_malformed', problem: expect.stringContaining('2099') }]);
    expect((await at(NOW + 2 * HOUR, open)).summary).toMatchObject({ withinGrace: 1 });
    expect((await at(NOW + 73 * 365 * DAY, {})).summary).toMatchObject({ matched: 1 });
  });
});

describe('ids that something changed', () => {
  it('by zeros are named at the end, and nobody is told to act on them', async () => {
    const [long, longer] = ['20261128000012345', '20261128000012399'];
    const listed = ['00012345', long, longer, 'plain', '007--1', '0099'].map((id) => invoice(id));
    const orders = ['12345', '20261128000012300', '20261128000012300', 'plain', '7', '8'].map((id) => order(id));
    const { told, summary } = await found({ merchant: serviceOf(listed).merchant, orders });
    expect(told).toEqual([
      '8 fulfilled_not_paid',
      '0099 invoice_without_order',
      '12345 id_changed',
      '20261128000012300 id_changed',
      '20261128000012300 id_changed',
      '7 id_changed',
    ]);
    expect(summary).toMatchObject({
      orders: 5,
      matched: 1,
      differing: 1,
      ordersNotCompared: 3,
      invoicesWithoutOrder: 1,
    });
  });

  it('are compared as they are where their own id has an invoice', async () => {
    const listed = ['12345', '00012345', '20261128000012300', '20261128000012345'].map((id) => invoice(id));
    const { told } = await found({
      merchant: serviceOf(listed).merchant,
      orders: [order('12345'), order('20261128000012300')],
    });
    expect(told).toEqual(['00012345 invoice_without_order', '20261128000012345 invoice_without_order']);
    const hidden = serviceOf(listed.slice(1), { read: listed });
    expect((await found({ merchant: hidden.merchant, orders: [order('12345')] })).told).not.toContain(
      '12345 id_changed',
    );
  });

  it.each(['o-1   ', '\to-1', 'o-1\u00a0'])('by white space, as in %j, are not compared', async (id) => {
    for (const row of [order(id), order('x', { order: id, part: true })]) {
      const { merchant } = serviceOf([invoice('o-1'), invoice('x')].slice(row.order ? 1 : 0, row.order ? 2 : 1));
      expect((await found({ merchant, orders: [row] })).told).toEqual([`${row.external_id} id_changed`]);
    }
  });

  it('to a number with an exponent are named at the end, and their invoices are no strangers', async () => {
    const listed = ['1040000000000001', '1036000000000000--1', '1050000000000001', '1040', 'o-1'].map((id) =>
      invoice(id),
    );
    const changed = (external_id: string) => ({ problem: 'a spreadsheet', reason: 'id_changed', external_id }) as const;
    const orders = ['1.04E+15', '1,04e+15', '1.04E+03', '1.04E+15'].map(changed);
    const { told } = await found({ merchant: serviceOf(listed).merchant, orders: [...orders, order('c', open)] });
    expect(told).toEqual([
      'c order_without_invoice',
      '1050000000000001 invoice_without_order',
      'o-1 invoice_without_order',
      ...['1.04E+15', '1,04e+15', '1.04E+03', '1.04E+15'].map((id) => `${id} id_changed`),
    ]);
  });

  it('by zeros, where the service reads uuids alone', async () => {
    const { merchant } = serviceOf([invoice('00012345')], { failure: byUuid(MISSING) });
    expect((await found({ merchant, orders: [order('12345')] })).told).toEqual(['12345 id_changed']);
  });
});

describe('a run', () => {
  it('reports in the order of the file, also what cannot be read, then invoices without orders', async () => {
    const ids = ['e', 'd', 'c', 'b', 'a'];
    const { merchant } = serviceOf(
      [...ids]
        .reverse()
        .map((id) => invoice(id))
        .concat(invoice('z'), invoice('bad')),
    );
    const orders = ids.map((id) => order(id, open));
    const rows = [
      ...orders.slice(0, 2),
      { problem: 'torn', place: 'line 4' },
      ...orders.slice(2),
      order('bad', { amount: '' }),
    ];
    const { told, entries, summary } = await found({ merchant, orders: rows, concurrency: 3 });
    expect(told).toEqual([
      'e paid_not_fulfilled',
      'd paid_not_fulfilled',
      'null order_malformed',
      'c paid_not_fulfilled',
      'b paid_not_fulfilled',
      'a paid_not_fulfilled',
      'bad order_malformed',
      'z invoice_without_order',
    ]);
    expect(entries[2]).toMatchObject({ problem: 'Torn.', place: 'line 4' });
    expect(entries[1]).toMatchObject({ order: 'd', row: { place: 'row 2' } });
    expect(summary).toEqual({
      complete: true,
      orders: 7,
      invoices: 7,
      matched: 0,
      withinGrace: 0,
      differing: 5,
      ordersNotCompared: 2,
      invoicesWithoutOrder: 1,
      findings: 6,
      notCompared: 2,
      kinds: { paid_not_fulfilled: 5, invoice_without_order: 1 },
      currencies: [
        {
          currency: 'EUR',
          paidNotGiven: new Decimal(150),
          givenNotPaid: new Decimal(0),
          paidTooMuch: new Decimal(0),
        },
      ],
    });
  });

  it('costs one walk, and one read for each suspect', async () => {
    const { merchant, asked } = serviceOf([invoice('a'), invoice('b')]);
    await found({ merchant, orders: [order('a'), order('b', open), order('c', { state: 'canceled' })] });
    expect(asked).toEqual(['list', 'uuid-of-b', 'c', 'a']); // the last one asks which ids a read accepts
  });

  it('reads a duplicate order, several invoices of one id, and a period', async () => {
    const old = { created_at: new Date(NOW - 9 * DAY) };
    const { merchant } = serviceOf([invoice('a'), invoice('b'), invoice('b', { uuid: 'other' }), invoice('old', old)]);
    const orders = [order('a'), order('a'), order('b')];
    const { told, entries } = await found({ merchant, orders, since: NOW - 7 * DAY });
    expect(told).toEqual(['a duplicate_order', 'b several_invoices']);
    expect(entries[0]).toMatchObject({ expected: 1, actual: 2 });
    expect((await found({ merchant, orders })).told).toContain('old invoice_without_order');
  });

  it('believes the single read where the list lags, and the list where the read is in the creation form', async () => {
    const lagging = serviceOf([invoice('a', pending)], { read: [invoice('a')] });
    expect((await found({ merchant: lagging.merchant, orders: [order('a')] })).told).toEqual([]);
    const brief = serviceOf([invoice('a'), invoice('b')], { read: [invoice('a', short), invoice('b', short)] });
    const orders = [order('a'), order('b', open)];
    expect((await found({ merchant: brief.merchant, orders })).told).toEqual(['b paid_not_fulfilled']);
    const ended = serviceOf([invoice('a', pending)], { read: [invoice('a', short)] });
    const { told, summary } = await found({ merchant: ended.merchant, orders: [order('a')] });
    expect([told, summary.withinGrace]).toEqual([[], 1]);
    const hidden = serviceOf([invoice('z', expired)], { read: [invoice('z', expired), invoice('a', short)] });
    expect((await found({ merchant: hidden.merchant, orders: [order('a')] })).told).toEqual([
      'null invoices_not_listed',
      'a invoice_not_read',
    ]);
  });

  it.each([MISSING, 'SDK_HTTP_404', 'VALIDATION_ERROR', 'SDK_HTTP_500', 'SDK_HTTP_501'])(
    'a service that reads by uuid only, and answers others with %s, invents nothing',
    async (code) => {
      const listed = [invoice('a'), invoice('b')];
      const orders = [order('a', open), order('b'), order('c', open), order('d')];
      const whole = serviceOf(listed, { failure: byUuid(code) });
      const { entries, told } = await found({ merchant: whole.merchant, orders });
      expect(told).toEqual(['a paid_not_fulfilled', 'c invoice_not_read', 'd invoice_not_read']);
      expect(JSON.stringify(entries)).not.toMatch(/create the invoice|cancel the order/i);
      const cut = serviceOf(listed, { failure: byUuid(code), total: 40 });
      expect((await found({ merchant: cut.merchant, orders })).told).toEqual([
        'null invoices_not_listed',
        'a paid_not_fulfilled',
        'c invoice_not_read',
        'd invoice_not_read',
      ]);
    },
  );

  it('calls no order unpaid that a list does not show, also where its total is cut with it', async () => {
    const all = Array.from({ length: 40 }, (_, n) => invoice(`o${n}`));
    const orders = all.map(({ external_id }) => order(external_id));
    const listed = all.slice(0, 4);
    const blind = serviceOf(listed, { read: all, failure: byUuid(MISSING) });
    const unread = await found({ merchant: blind.merchant, orders });
    expect(new Set(unread.told.map((line) => line.split(' ')[1]))).toEqual(new Set(['invoice_not_read']));
    expect(unread.summary).toMatchObject({ matched: 4, ordersNotCompared: 36, findings: 0 });

    const { merchant } = serviceOf(listed, { read: [...all, invoice('strange')] });
    const seen = await found({ merchant, orders });
    expect(seen.told).toEqual(['null invoices_not_listed']); // said once, because a stranger may be missing
    expect(seen.entries[0]).toMatchObject({
      problem:
        'The list did not show the invoice uuid-of-o4, which a single read found: invoices without an order may be missing.',
    });
    expect(seen.summary).toMatchObject({ matched: 40, findings: 0 });
  });

  it('reads the uuid of an invoice as that invoice, listed or not', async () => {
    const uuid = '3f2a9c1e-7b54-4d8e-9a10-6c2f5e8b7d41';
    const paid = invoice('a', { uuid });
    const listed = serviceOf([paid]);
    expect((await found({ merchant: listed.merchant, orders: [order(uuid.toUpperCase())] })).summary).toMatchObject({
      matched: 1,
      invoicesWithoutOrder: 0,
    });
    const hidden = serviceOf([], { read: [paid] });
    expect((await found({ merchant: hidden.merchant, orders: [order(uuid)] })).told).toEqual([
      'null invoices_not_listed',
    ]);
  });

  it('says that one invoice stands behind two orders, one with its external_id and one with its uuid', async () => {
    const uuid = '3f2a9c1e-7b54-4d8e-9a10-6c2f5e8b7d41';
    const { merchant, asked } = serviceOf([invoice('a', { uuid })]);
    const { told, summary } = await found({ merchant, orders: [order('a'), order(uuid)] });
    expect(told).toEqual(['a duplicate_order']);
    expect(summary).toMatchObject({ matched: 0, differing: 1, ordersNotCompared: 0 });
    expect(asked).toEqual(['list']);
  });

  it('does not send a merchant after a delivery that was refunded, or that may be paid by now', async () => {
    const actionOf = async (of: Partial<ReconcileOrder>, changes: Partial<ReconcileInvoice>) => {
      const { merchant } = serviceOf([invoice('a', changes)]);
      const [entry] = (await found({ merchant, orders: [order('a', of)] })).entries;
      return entry?.kind === 'fulfilled_not_paid' ? [entry.confirmed, entry.action] : entry;
    };
    expect(await actionOf({}, expired)).toEqual([true, expect.stringContaining('Stop or reclaim the delivery.')]);
    const refunded = await actionOf({ state: 'refunded' }, expired);
    expect(refunded).toEqual([true, expect.stringContaining('nothing was paid. Find out what was refunded.')]);
    const open = await actionOf({}, { ...pending, expires_at: new Date(NOW + HOUR) });
    expect(open).toEqual([false, expect.stringContaining('Stop the delivery, or wait. The invoice is open')]);
  });

  it('leaves what the shop did a moment ago to the next run: a replica may lag', async () => {
    const { merchant } = serviceOf([invoice('a', { ...pending, expires_at: new Date(NOW + HOUR) })]);
    const told = async (changes: Partial<ReconcileOrder>) => await found({ merchant, orders: [order('a', changes)] });
    expect((await told({ changed_at: new Date(NOW - 60_000) })).summary).toMatchObject({ withinGrace: 1, findings: 0 });
    expect((await told({ changed_at: new Date(NOW - HOUR) })).entries).toMatchObject([
      { kind: 'fulfilled_not_paid', confirmed: true },
    ]);
    expect((await told({})).entries).toMatchObject([{ kind: 'fulfilled_not_paid', confirmed: false }]);
    expect((await told({ changed_at: 'soon' })).told).toEqual(['a order_malformed']);
  });

  it('sees what happened in the second of the Date header, without a grace', async () => {
    const ended = new Date(NOW + 900);
    const { merchant } = serviceOf([
      invoice('a', { finished_at: ended }),
      invoice('b', { ...expired, finished_at: ended }),
    ]);
    const headers = new Headers({ Date: new Date(NOW).toUTCString() });
    const list: ReconcileClient['invoices']['list'] = (...args) => ({
      ...merchant.invoices.list(...args),
      withResponse: async () => ({ response: { headers } }),
    });
    const orders = [order('a', open), order('b', open)];
    const run = reconcile({ merchant: { invoices: { ...merchant.invoices, list } }, orders, grace: 0 });
    expect(await run.summary()).toMatchObject({ withinGrace: 0, differing: 2 });
  });

  it('sums the money of each currency', async () => {
    const orders = [
      order('a', open),
      order('b', { amount: '30.00' }),
      order('c', { amount: '40.50' }),
      order('d', { currency: 'USD', credited_usdt: null }),
      order('e', { state: 'refunded' }),
    ];
    const paid = { ...partly };
    const invoices = [
      invoice('a'),
      invoice('b', { amount: new Decimal(30), settled_amount_usdt: new Decimal('26.861298') }),
      invoice('c', { ...expired, amount: new Decimal('40.50') }),
      invoice('d', { ...dollars, ...paid }),
      invoice('e', expired),
      invoice('f', dollars),
    ];
    const { summary } = await found({ merchant: serviceOf(invoices).merchant, orders });
    expect(summary.currencies.map((each) => Object.values(each).map(String))).toEqual([
      ['EUR', '25', '40.5', '0'],
      ['USD', '25', '8', '0'],
    ]);
  });

  it.each([1001, 1001n])('an id that is %o is named, and its invoice is no stranger', async (id) => {
    const { merchant } = serviceOf([invoice('1001'), invoice('1001--1', expired), invoice('z')]);
    const { told, entries } = await found({ merchant, orders: [order('x', { external_id: id as never })] });
    expect(told).toEqual(['1001 order_malformed', 'z invoice_without_order']);
    expect(entries[0]).toMatchObject({ problem: expect.stringMatching(/"external_id" must be text.*cast it/) });
  });

  it('reads a currency with the blanks of a CHAR column', async () => {
    const { merchant } = serviceOf([invoice('a'), invoice('b', paying('17', '25'))]);
    const orders = [order('a', { currency: 'EUR ' }), order('b', { ...given, currency: 'eur  ' })];
    const { entries } = await found({ merchant, orders });
    expect(entries).toMatchObject([{ kind: 'amount_differs', currency: 'EUR' }]);
    const blank = await found({ merchant, orders: [order('a', { currency: '   ' })] });
    expect(blank.told[0]).toBe('a order_malformed');
  });

  it('names the length of an id that is too long', async () => {
    const { entries } = await found({ merchant: serviceOf([]).merchant, orders: [order('x'.repeat(600))] });
    expect(entries).toMatchObject([
      { problem: '"external_id" must be text of 1 to 512 characters, not 600 characters.' },
    ]);
  });

  it('measures ages by the clock of the service', async () => {
    const { merchant } = serviceOf([invoice('a', { finished_at: new Date(NOW + 20 * DAY) })]);
    const at = async (time: number) => {
      const headers = new Headers({ Date: new Date(time).toUTCString() });
      const list: ReconcileClient['invoices']['list'] = (...args) => ({
        ...merchant.invoices.list(...args),
        withResponse: async () => ({ response: { headers } }),
      });
      const dated = { invoices: { ...merchant.invoices, list } };
      return await reconcile({ merchant: dated, orders: [order('a', open)] }).summary();
    };
    expect(await at(NOW + 20 * DAY + 60_000)).toMatchObject({ withinGrace: 1 });
    expect(await at(NOW + 21 * DAY)).toMatchObject({ withinGrace: 0, differing: 1 });
  });

  it('advises to stop a delivery only where its invoice was read', async () => {
    const old = invoice('b', { ...expired, created_at: new Date(NOW - 4 * DAY) });
    const { merchant } = serviceOf([invoice('a', expired), old], { read: [old] });
    const { entries } = await found({ merchant, orders: [order('a'), order('b'), order('c')] });
    expect(entries.map((entry) => 'action' in entry && /stop|reclaim/i.test(entry.action))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('does not take a replica that lacks the newest invoice for a service that reads by uuid only', async () => {
    const newest = invoice('new', { ...pending, created_at: new Date(NOW - 1_000), expires_at: new Date(NOW + HOUR) });
    const { merchant } = serviceOf([newest, invoice('old')], { read: [invoice('old')] });
    const { entries, told } = await found({ merchant, orders: [order('new', open), order('old'), order('c', open)] });
    expect(told).toEqual(['c order_without_invoice']);
    expect(entries[0]).toMatchObject({ confirmed: true });
  });

  it('says so where the list is cut, or has no stable order, and reads each order that it did not show', async () => {
    const read = [invoice('a'), invoice('b', expired)];
    const orders = [order('a', open), order('b', { state: 'canceled' }), order('c', { state: 'canceled' })];
    const cut = await found({ merchant: serviceOf([], { read, total: 40 }).merchant, orders });
    expect(cut.told).toEqual(['null invoices_not_listed', 'a paid_not_fulfilled']);
    expect(cut.entries[0]).toMatchObject({
      problem: expect.stringContaining('showed 0 invoices, and the service counts 40'),
    });
    const broken = serviceOf([invoice('b', expired)], { read, listError: fakeError('SDK_PAGE') });
    expect((await found({ merchant: broken.merchant, orders })).told).toEqual(cut.told);
  });

  it('does not call a list cut to which an invoice was added while it was read', async () => {
    const orders = ['a', 'b', 'c'].map((id) => order(id));
    const { merchant } = serviceOf([invoice('a'), invoice('b'), invoice('c')]);
    const list: ReconcileClient['invoices']['list'] = () => ({
      async *pages() {
        yield { items: [invoice('a'), invoice('b')], total_items: 3 };
        yield { items: [invoice('c')], total_items: 4 }; // the new one stands on the first page
      },
    });
    expect((await found({ merchant: { invoices: { ...merchant.invoices, list } }, orders })).told).toEqual([]);
  });

  it('names invoices that cannot be decoded, and reads the order of one singly', async () => {
    const { merchant } = serviceOf([], { read: [invoice('a')], total: 2 });
    const list: ReconcileClient['invoices']['list'] = (query, options) => {
      const bad = { page: 1, index: 0, path: 'amount', raw: { uuid: 'u', external_id: 'z' } };
      for (const item of [bad, { ...bad, page: 2 }, { ...bad, index: 1, raw: { uuid: 'uuid-of-a', external_id: 'a' } }])
        options.onInvalidItem(item);
      return merchant.invoices.list(query, options);
    };
    const { told } = await found({ merchant: { invoices: { ...merchant.invoices, list } }, orders: [order('a')] });
    expect(told).toEqual(['z invoice_malformed']);
    const odd = serviceOf([invoice('a')], { failure: () => 'SDK_CONTRACT' });
    expect((await found({ merchant: odd.merchant, orders: [order('a', open)] })).told).toEqual(['a invoice_malformed']);
  });

  it('names an order whose single read fails, and goes on', async () => {
    const failure = (ident: string) => (ident === 'uuid-of-a' ? 'SDK_HTTP_503' : null);
    const { merchant } = serviceOf([invoice('a'), invoice('b')], { failure });
    const { told, entries } = await found({ merchant, orders: [order('a', open), order('b', open)] });
    expect(told).toEqual(['a invoice_not_read', 'b paid_not_fulfilled']);
    expect(entries[0]).toMatchObject({ problem: 'The invoice could not be read: SDK_HTTP_503.' });
  });

  const NINE: readonly string[] = Array(9).fill('SDK_HTTP_503');
  it.each<[string, readonly (string | null)[]]>([
    ['ten responses that cannot be read', Array(10).fill('SDK_UNREADABLE_BODY')],
    ['one order that is forbidden', ['SDK_HTTP_403']],
    ['nine without a response on either side of one', [...NINE, null, ...NINE]],
    ['nine on either side of a "not found"', [...NINE, MISSING, ...NINE]],
    ['a login page of somebody else', ['SDK_HTTP_401']],
  ])('goes on after %s', async (_name, codes) => {
    const many = Array.from({ length: codes.length + 1 }, (_, n) => invoice(`o${String(n).padStart(2, '0')}`));
    const failure = (ident: string) =>
      codes[many.findIndex(({ uuid, external_id }) => [uuid, external_id].includes(ident))] ?? null;
    const orders = many.map(({ external_id }) => order(external_id, open));
    const { entries } = await found({ merchant: serviceOf(many, { failure }).merchant, orders, concurrency: 1 });
    expect([entries.length, entries.at(-1)?.kind]).toEqual([many.length, 'paid_not_fulfilled']);
  });

  it.each(['SDK_CONNECTION', 'SDK_HTTP_401', 'SDK_HTTP_503', 'INVALID_API_KEY'])(
    'ends by %s of the list, or of ten reads in a row',
    async (code) => {
      const many = Array.from({ length: 12 }, (_, n) => invoice(`o${n}`));
      const { merchant } = serviceOf(many, { failure: () => code });
      const orders = many.map(({ external_id }) => order(external_id, open));
      const run = reconcile({ merchant, orders, now: () => NOW });
      await expect(run.summary()).rejects.toMatchObject({ code });
      await expect(run.summary()).rejects.toMatchObject({ code });
      const broken = serviceOf([], { listError: fakeError(code, { status: STATUS[code] }) });
      await expect(found({ merchant: broken.merchant, orders: [] })).rejects.toMatchObject({ code });
    },
  );

  it('has a summary without a loop, after a loop that was left, and after an iterator that was never started', async () => {
    const options = { merchant: serviceOf([invoice('a'), invoice('b')]).merchant, now: () => NOW };
    const orders = [order('a', open), order('b', open)];
    expect(await reconcile({ ...options, orders }).summary()).toMatchObject({ complete: true, differing: 2 });
    const left = reconcile({ ...options, orders });
    for await (const _ of left) break;
    expect(await left.summary()).toMatchObject({ complete: false, orders: 2, findings: 1 });
    const early = reconcile({ ...options, orders });
    const summaries: Promise<unknown>[] = [];
    let entries = 0;
    for await (const _ of early) {
      summaries.push(early.summary()); // takes no entry from the loop
      entries += 1;
    }
    expect([entries, await summaries[0]]).toMatchObject([2, { complete: false, findings: 1 }]); // the counts so far
    await expect(early[Symbol.asyncIterator]().next()).rejects.toThrow('a run is read once');
    const unstarted = reconcile({ ...options, orders });
    unstarted[Symbol.asyncIterator]();
    expect(await unstarted.summary()).toMatchObject({ complete: true, differing: 2 });
    await expect(unstarted[Symbol.asyncIterator]().next()).rejects.toThrow('a run is read once');
    const looped = reconcile({ ...options, orders });
    entries = 0;
    for await (const _ of looped) {
      await looped[Symbol.asyncIterator]().return?.(); // another iterator does not end this loop
      entries += 1;
    }
    expect(entries).toBe(2);
  });

  it('ends with an AbortedError', async () => {
    const stop = new AbortController();
    const { merchant } = serviceOf([invoice('a'), invoice('b')]);
    const options = { merchant, orders: [order('a', open), order('b', open)], now: () => NOW, concurrency: 1 };
    const aborted = { kind: 'aborted', reason: 'deploy', operation: 'reconcile' };
    const run = reconcile({ ...options, signal: stop.signal });
    await expect(async () => {
      for await (const _ of run) stop.abort('deploy');
    }).rejects.toMatchObject(aborted);
    await expect(run.summary()).rejects.toMatchObject(aborted);
    await expect(reconcile({ ...options, signal: AbortSignal.abort('deploy') }).summary()).rejects.toMatchObject({
      ...aborted,
      message: expect.stringContaining("the caller's signal was over before the call"),
    });
  });

  it.each<[string, object]>([
    ['merchant', { merchant: {} }],
    ['merchant', { merchant: null }],
    ['orders', { orders: 'a' }],
    ['orders', { orders: undefined }],
    ['since', { since: 'yesterday' }],
    ['since', { since: NOW / 1000 }],
    ['grace', { grace: -1 }],
    ['adjustedAbsent', { adjustedAbsent: 'in_full' }],
    ['signal', { signal: {} }],
    ['concurrency', { concurrency: 0 }],
    ['"lookup"', { lookup: () => [] }],
  ])('refuses a wrong %s', (named, wrong) => {
    const options = { merchant: serviceOf([]).merchant, orders: [], ...wrong };
    expect(() => reconcile(options as never)).toThrow(named);
  });

  it('refuses a time in the future, by its own clock and that of the service', async () => {
    const run = (since: number) => reconcile({ merchant: serviceOf([]).merchant, orders: [], since }).summary();
    await expect(run(Date.now() + DAY)).rejects.toThrow('since is in the future');
    await expect(run(Date.now() - DAY)).resolves.toMatchObject({ complete: true });
  });
});
