import { Decimal as HostDecimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors/classes.ts';
import { Decimal } from '../../src/index.ts';
import { type ReconcileOptions, type ReconcileOrder, reconcile } from '../../src/reconcile/index.ts';
import { found, invoice, lookupIn, order, serviceOf } from './shop.ts';

const { client: merchant } = serviceOf([invoice('order-1')]);

const run = (changes: object, options: Partial<ReconcileOptions> = {}) =>
  found({ merchant, orders: [{ ...order('order-1'), ...changes } as ReconcileOrder], ...options });

describe('an order matches', () => {
  it.each([
    ['zeros at the end', { amount: '25', credited_usdt: '26.86129800000000000000' }],
    ['zeros at the beginning', { amount: '0025.0' }],
    ['an exponent', { amount: '2.5e1' }],
    ['the Decimal of the package', { amount: new Decimal('25.0') }],
    ['a Decimal of the host', { amount: new HostDecimal('25'), credited_usdt: new HostDecimal('26.861298') }],
    ['a currency in another case', { currency: 'eUr' }],
    ['no credit', { credited_usdt: undefined }],
    ['null as credit', { credited_usdt: null }],
    ['further members', { id: 7, customer: 'c' }],
    ['a payment that is booked', { state: 'paid' }],
    ['a refund', { state: 'refunded', credited_usdt: '0' }],
  ])('with %s', async (_name, changes) => {
    const { kinds, summary } = await run(changes);
    expect(kinds).toEqual([]);
    expect(summary).toMatchObject({ matched: 1, notCompared: 0 });
  });

  it('to the last of many digits, or not', async () => {
    const digits = '26.86129800000000000000000000000000001';
    const long = serviceOf([invoice('order-1', { settled_amount_usdt: new Decimal(digits) })]);
    expect((await run({ credited_usdt: digits }, { merchant: long.client })).kinds).toEqual([]);
    const { entries } = await run({ credited_usdt: '26.861298' }, { merchant: long.client });
    expect(JSON.parse(JSON.stringify(entries))).toMatchObject([
      { kind: 'credited_differs', difference: '0.00000000000000000000000000000000001' },
    ]);
  });

  it('within the tolerance that the merchant states, and no further', async () => {
    const tolerant = { creditedTolerance: '0.001298' };
    expect((await run({ credited_usdt: '26.86' }, tolerant)).kinds).toEqual([]);
    expect((await run({ credited_usdt: '26.859999' }, tolerant)).kinds).toEqual(['order-1 credited_differs']);
  });
});

describe('an order that cannot be read', () => {
  it.each<[string, unknown, string]>([
    [
      'a number as amount',
      { ...order('order-1'), amount: 25 },
      'Amount must be decimal text such as "25.00", not a number',
    ],
    ['a bigint as amount', { ...order('order-1'), amount: 2500n }, 'Amount must be decimal text'],
    ['a number as credit', { ...order('order-1'), credited_usdt: 26.861298 }, 'Credited_usdt must be decimal text'],
    ['no amount', { ...order('order-1'), amount: undefined }, 'Amount must be a decimal string'],
    ['an empty amount', { ...order('order-1'), amount: '' }, 'Amount must be a decimal string'],
    ['an amount below zero', { ...order('order-1'), amount: '-25.00' }, 'Amount must not be negative'],
    ['an amount with a comma', { ...order('order-1'), amount: '25,00' }, 'Amount must be a decimal string'],
    ['infinity', { ...order('order-1'), amount: new Decimal('Infinity') }, 'Amount must be a decimal string'],
    [
      'a huge exponent',
      { ...order('order-1'), amount: new HostDecimal('1e1000000') },
      'Amount must be a decimal string',
    ],
    [
      'an object that calls itself an amount',
      { ...order('order-1'), amount: { toFixed: () => '25.00' } },
      'Amount must be',
    ],
    ['no currency', { ...order('order-1'), currency: null }, 'Currency must be text of 1 to 16 characters, not null'],
    [
      'a state of the shop',
      { ...order('order-1'), state: 'shipped' },
      'State must be open, paid, fulfilled, canceled, refunded, not "shipped"',
    ],
    ['a number as id', { ...order('order-1'), external_id: 1 }, 'External_id must be text'],
    [
      'an empty id',
      { ...order('order-1'), external_id: '' },
      'External_id must be text of 1 to 512 characters, not an empty string',
    ],
    ['an id of a megabyte', { ...order('order-1'), external_id: 'x'.repeat(1_000_000) }, 'External_id must be text'],
    ['null', null, 'An order must be an object, not null'],
    ['text', 'order-1', 'An order must be an object'],
    [
      'a member that throws',
      Object.defineProperty({}, 'external_id', {
        get: () => {
          throw new Error('lazy');
        },
      }),
      'A member of the order cannot be read',
    ],
  ])('is told with its place and the reason: %s', async (_name, given, problem) => {
    const orders = [order('order-2'), given as ReconcileOrder];
    const { client } = serviceOf([invoice('order-1'), invoice('order-2')]);
    const { entries, summary } = await found({ merchant: client, orders });
    const bad = entries.filter(({ kind }) => kind === 'not_compared');
    expect(bad).toMatchObject([
      { reason: 'order_malformed', place: 'row 2', problem: expect.stringContaining(problem) },
    ]);
    // Its invoice has an order, though an unreadable one, wherever the id can be read.
    const others = entries.filter(({ kind }) => kind !== 'not_compared').map(({ kind }) => kind);
    expect(others).toEqual(bad[0]?.external_id === null ? ['invoice_without_order'] : []);
    expect(summary).toMatchObject({ matched: 1, notCompared: 1, complete: true });
  });

  it('keeps its place if it has one', async () => {
    const { entries } = await run({ amount: 'x', place: 'line 17' });
    expect(entries).toMatchObject([{ kind: 'not_compared', place: 'line 17', external_id: 'order-1' }]);
  });

  it('is told when a look-up answers it, or another order', async () => {
    const lookup = () => [order('ORDER-1'), { ...order('order-1'), amount: 1 } as never, null as never];
    const { entries } = await found({ merchant, lookup });
    expect(entries.map((entry) => entry.kind === 'not_compared' && entry.reason)).toEqual([
      'order_not_asked',
      'order_malformed',
      'order_malformed',
    ]);
  });
});

describe('duplicates', () => {
  it('say how many there are and where, up to ten', async () => {
    const orders = Array.from({ length: 12 }, (_, at) => order('order-1', { place: `line ${at}` }));
    const { entries } = await found({ merchant, orders });
    expect(entries).toMatchObject([{ kind: 'duplicate_order', actual: 12, difference: 11, confirmed: false }]);
    expect(entries[0]).toHaveProperty('places.length', 10);
  });

  it('of a cursor that moved are none, when a look-up shows one order', async () => {
    const { kinds, summary } = await found({
      merchant,
      orders: [order('order-1'), order('order-1')],
      lookup: lookupIn([order('order-1')]),
    });
    expect([kinds, summary.matched]).toEqual([[], 1]);
  });
});

it('an order that was repaired while the run read is no finding', async () => {
  const lookup = lookupIn([order('order-1')]);
  expect((await run({ state: 'open' }, { lookup })).kinds).toEqual([]);
  expect((await run({ state: 'open' })).kinds).toEqual(['order-1 paid_not_fulfilled']);
});

it('counts each currency apart, without case, and never more than 201 of them', async () => {
  const orders = Array.from({ length: 500 }, (_, at) => order(`x-${at}`, { currency: `c${at}`, state: 'canceled' }));
  const { summary } = await found({
    merchant: serviceOf([]).client,
    orders: [...orders, order('y', { currency: 'C1', state: 'canceled' })],
  });
  expect(summary.matched).toBe(501);
  expect(summary.currencies.length).toBeLessThanOrEqual(202);
  expect(summary.currencies.find(({ currency }) => currency === 'C1')).toMatchObject({ matched: 2 });
});

describe('options', () => {
  it.each<[string, object, string]>([
    ['no orders', { orders: undefined }, 'needs orders, lookup or both'],
    ['text as orders', { orders: 'orders.csv' }, 'orders must be an iterable'],
    ['a promise of orders', { orders: Promise.resolve([]) }, 'orders must be an iterable'],
    ['no client', { merchant: {} }, 'merchant must be a MerchantClient'],
    ['an unknown name', { limit: 5 }, 'options has no "limit"'],
    ['a grace below zero', { grace: -1 }, 'grace must be a number of milliseconds from 0'],
    ['a period that is none', { since: 'yesterday' }, 'since must be a Date'],
    ['an unknown status', { statuses: ['pending', 'paid'] }, 'statuses must be a list of pending'],
    ['no statuses', { statuses: [] }, 'statuses must be a list of pending'],
    ['an unknown order', { order: 'oldest' }, 'order must be "detect" or "newest" or "any"'],
    ['a tolerance as number', { creditedTolerance: 0.01 }, 'creditedTolerance must be decimal text'],
    ['a prefetch of 33', { prefetch: 33 }, 'prefetch must be a whole number from 1 to 32'],
    ['an AbortController', { signal: new AbortController() }, 'signal must be an AbortSignal'],
    ['a look-up that is none', { lookup: [] }, 'lookup must be a function'],
    ['a clock that is none', { now: 'now' }, 'now must be a Date'],
    ['an empty folder', { folder: '' }, 'folder must be the path of a folder'],
  ])('refuse %s', (_name, options, message) => {
    const given = { merchant, orders: [], ...options } as ReconcileOptions;
    expect(() => reconcile(given)).toThrow(ConfigurationError);
    expect(() => reconcile(given)).toThrow(message);
  });

  it('refuse a look-up that answers no orders', async () => {
    await expect(found({ merchant, lookup: (() => 5) as never })).rejects.toThrow(
      'lookup must return orders in an iterable',
    );
  });
});
