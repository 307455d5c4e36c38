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
    ['open and pending', open, pending, []],
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
        action: expect.stringMatching(/^17 EUR of 25 EUR was paid, and 18\.265682 USDT credited\. Do not fulfil it as/),
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

describe('the rows of one order', () => {
  type Attempt = readonly [changes: Partial<ReconcileOrder> | null, invoice: Partial<ReconcileInvoice> | null];
  const given = { state: 'fulfilled' } as const;
  const canceled = { state: 'canceled', credited_usdt: null } as const;

  it.each<[string, readonly Attempt[], readonly string[]]>([
    [
      'the first expired, the second paid, and the order booked in both',
      [
        [given, expired],
        [given, {}],
      ],
      [],
    ],
    [
      'the same, and the first booked alone',
      [
        [given, expired],
        [open, {}],
      ],
      [],
    ],
    [
      'the first expired and canceled, the second pending',
      [
        [canceled, expired],
        [open, pending],
      ],
      [],
    ],
    [
      'the first expired, the second pending, and both open',
      [
        [open, expired],
        [open, pending],
      ],
      [],
    ],
    [
      'both expired, and both open',
      [
        [open, expired],
        [open, expired],
      ],
      ['a--1 open_but_ended'],
    ],
    [
      'both expired, and booked',
      [
        [given, expired],
        [given, expired],
      ],
      ['a fulfilled_not_paid'],
    ],
    [
      'both paid, and booked',
      [
        [given, {}],
        [given, {}],
      ],
      ['a--1 paid_twice'],
    ],
    [
      'both paid, one of them given back',
      [
        [given, {}],
        [{ state: 'refunded' }, {}],
      ],
      [],
    ],
    [
      'both paid, and open',
      [
        [open, {}],
        [open, {}],
      ],
      ['a--1 paid_twice', 'a paid_not_fulfilled'],
    ],
    [
      'the second paid, and open in both',
      [
        [open, expired],
        [open, {}],
      ],
      ['a--1 paid_not_fulfilled'],
    ],
    [
      '17 of 25 paid by the second',
      [
        [given, expired],
        [{ ...given, credited_usdt: null }, partly],
      ],
      ['a--1 amount_differs', 'a--1 credited_differs'],
    ],
    [
      'the second changed a minute ago',
      [
        [open, expired],
        [open, { ...expired, ...young }],
      ],
      [],
    ],
    [
      'none with an invoice',
      [
        [open, null],
        [open, null],
      ],
      ['a--1 order_without_invoice'],
    ],
    [
      'three paid',
      [
        [given, {}],
        [given, {}],
        [given, {}],
      ],
      ['a--1 paid_twice'],
    ],
    [
      'the second without a row of its own',
      [
        [open, expired],
        [null, pending],
      ],
      ['a several_invoices', 'a--1 invoice_without_order'],
    ],
    [
      'the second paid without a row of its own, and booked',
      [
        [given, expired],
        [null, {}],
      ],
      ['a several_invoices', 'a--1 invoice_without_order'],
    ],
    [
      'the first paid without a row of its own, and booked',
      [
        [null, {}],
        [given, expired],
      ],
      ['a--1 several_invoices', 'a invoice_without_order'],
    ],
    [
      'the second paid without a row of its own, and open',
      [
        [open, expired],
        [null, {}],
      ],
      ['a several_invoices', 'a--1 invoice_without_order'],
    ],
    [
      'both paid, the second without a row of its own',
      [
        [given, {}],
        [null, {}],
      ],
      ['a--1 invoice_without_order'],
    ],
    [
      'both expired, the second without a row of its own, and booked',
      [
        [given, expired],
        [null, expired],
      ],
      ['a fulfilled_not_paid'],
    ],
  ])('%s', async (_name, attempts, told) => {
    const id = (at: number): string => (at === 0 ? 'a' : `a--${at}`);
    const orders = attempts.flatMap(([changes], at) => (changes === null ? [] : [order(id(at), changes)]));
    const invoices = attempts.flatMap(([, changes], at) => (changes === null ? [] : [invoice(id(at), changes)]));
    for (const rows of [orders, [...orders].reverse()]) {
      const result = await found({ merchant: serviceOf(invoices).merchant, orders: rows });
      if (rows === orders || told.length < 2) expect(result.told.length).toBe(told.length);
      if (rows === orders) expect(result.told).toEqual(told);
      const { orders: all, matched, withinGrace, differing, ordersNotCompared } = result.summary;
      expect(matched + withinGrace + differing + ordersNotCompared).toBe(all);
    }
  });

  it('are those of the same `order`, where a shop names it, and of the id otherwise', async () => {
    const { merchant } = serviceOf([invoice('x'), invoice('y'), invoice('z--1'), invoice('z')]);
    const named = [
      order('x', { order: '7' }),
      order('y', { order: '7' }),
      order('z--1', { order: 'z--1' }),
      order('z'),
    ];
    const { told, entries, summary } = await found({ merchant, orders: named });
    expect(told).toEqual(['y paid_twice']);
    expect(entries[0]).toMatchObject({ expected: 1, actual: 2, difference: null, confirmed: true });
    expect(String(summary.currencies[0]?.paidNotGiven)).toBe('25');
  });

  it('are not compared where one of them cannot be', async () => {
    const { merchant } = serviceOf([invoice('a'), invoice('a--1', { status: 'on_hold' as 'fail' })]);
    const { told, summary } = await found({ merchant, orders: [order('a'), order('a--1')] });
    expect([told, summary.ordersNotCompared]).toEqual([['a--1 invoice_malformed'], 2]);
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
    expect(entries[1]).toMatchObject({ order: { place: 'row 2' } });
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
          differences: new Decimal(0),
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
    expect(told).toEqual(['a duplicate_order', `${uuid} duplicate_order`]);
    expect(summary).toMatchObject({ matched: 0, differing: 2, ordersNotCompared: 0 });
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
    expect(open).toEqual([false, expect.stringContaining('Look the invoice up before you act.')]);
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
      ['USD', '25', '0', '-8'],
    ]);
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
    const { merchant } = serviceOf([invoice('a', expired), invoice('b', expired)], { read: [invoice('b', expired)] });
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
      for (const item of [bad, { ...bad, page: 2 }, { ...bad, index: 1, raw: { uuid: 'v', external_id: 'a' } }])
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
    await expect(reconcile({ ...options, signal: AbortSignal.abort('deploy') }).summary()).rejects.toMatchObject(
      aborted,
    );
  });

  it.each<[string, object]>([
    ['merchant', { merchant: {} }],
    ['merchant', { merchant: null }],
    ['orders', { orders: 'a' }],
    ['orders', { orders: undefined }],
    ['since', { since: 'yesterday' }],
    ['since', { since: NOW / 1000 }],
    ['grace', { grace: -1 }],
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
