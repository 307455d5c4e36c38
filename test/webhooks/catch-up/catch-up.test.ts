import { describe, expect, it, vi } from 'vitest';
import { fakeError } from '../../../src/tools/testing/index.ts';
import {
  type CatchUpClient,
  type CatchUpInvoice,
  type CatchUpOptions,
  type CatchUpProgress,
  type CatchUpResult,
  Decimal,
  type InvoiceEvent,
  memoryStore,
  type WebhookHandlerOptions,
  type WebhookStore,
} from '../../../src/webhooks/index.ts';
import { FakeRuntime } from '../../support/fake-runtime.ts';
import { serve } from '../../support/fault-server.ts';
import { ok, refuse } from '../../support/fault-steps.ts';
import { pendingInvoice } from '../../support/fixtures/invoices.ts';
import { errorOf, clientOf as merchantOf } from '../../support/test-client.ts';
import { canceledBody, deferred, endpoint, paidBody, send } from '../endpoint.ts';
import { settle } from '../manual-clock.ts';
import { NOW, UUID } from '../vectors.ts';

const MINUTE = 60_000;

const paid: CatchUpInvoice = {
  uuid: UUID,
  external_id: 'order-1042',
  status: 'success',
  amount: new Decimal('25.00'),
  finished_at: new Date(NOW - 30 * MINUTE),
  settled_amount_usdt: new Decimal('26.91'),
  is_adjusted: false,
  adjustment: null,
};
const adjustment = {
  expected_amount_fiat: new Decimal('25.00'),
  actual_amount_fiat: new Decimal('17.00'),
  expected_amount_usdt: new Decimal('26.91'),
  actual_amount_usdt: new Decimal('18.30'),
};
const adjusted: CatchUpInvoice = { ...paid, is_adjusted: true, settled_amount_usdt: new Decimal('18.30'), adjustment };
const expired: CatchUpInvoice = { ...paid, status: 'expired', settled_amount_usdt: null };
const pending: CatchUpInvoice = { ...paid, status: 'pending', expires_at: new Date(NOW + MINUTE) };
const uuidOf = (n: number): string => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`;
const numbered = (count: number, of: (n: number) => CatchUpInvoice = () => paid): CatchUpInvoice[] =>
  Array.from({ length: count }, (_, n) => ({ ...of(n), uuid: uuidOf(n), external_id: `order-${n}` }));
const idsOf = (rows: readonly CatchUpInvoice[]): string[] => rows.map(({ external_id }) => external_id);
const uuidsOf = (...rows: CatchUpInvoice[]) => ({ orders: rows.map(({ uuid }) => uuid) });

/** The word of the service about an order that it does not know. */
const MISSING: string = 'INVOICE_NOT_FOUND';

type Get = CatchUpClient['invoices']['get'];
type List = CatchUpClient['invoices']['list'];

/** A client with these invoices, and what it was asked for. `answers` replaces the single read of an ident. */
function clientOf(...invoices: CatchUpInvoice[]) {
  const asked: string[] = [];
  const answers = new Map<string, CatchUpInvoice | Error>();
  const get: Get = async (ident) => {
    asked.push(ident);
    const found = answers.get(ident) ?? invoices.find((each) => each.uuid === ident || each.external_id === ident);
    if (found === undefined || found instanceof Error) throw found ?? fakeError(MISSING, { status: 404 });
    return found;
  };
  const list: List = async function* ({ status, per_page }) {
    asked.push(`${status ?? 'all'} ${per_page}`);
    for (const invoice of invoices) if (status === undefined || invoice.status === status) yield invoice;
  };
  const invoicesOf = { get, list };
  const client: CatchUpClient = { invoices: invoicesOf };
  return { client, service: invoicesOf, asked, answers };
}

/** A receiver that keeps the events it handled. */
function shopOf(options: Partial<WebhookHandlerOptions> = {}) {
  const events: InvoiceEvent[] = [];
  const keep = (event: InvoiceEvent) => void events.push(event);
  const shop = endpoint({ onPaid: keep, onAdjusted: keep, onCanceled: keep, ...options });
  /** Plays these invoices. */
  const play = (...rows: CatchUpInvoice[]) => shop.handler.catchUp(clientOf(...rows).client, uuidsOf(...rows));
  return { ...shop, events, play };
}

const NOTHING = { checked: 0, played: 0, alreadyDone: 0, open: 0, unknown: 0, busy: 0, failed: 0 };
/** The counts of a run, which must add up. */
function counts(some: Partial<CatchUpResult>): CatchUpResult {
  return { ...NOTHING, checked: Object.values(some).reduce((sum, count) => sum + count, 0), ...some };
}

it.each<[string, CatchUpInvoice, object]>([
  [
    'paid',
    paid,
    {
      type: 'invoice.paid',
      source: 'catch_up',
      id: null,
      invoice_uuid: UUID,
      external_id: 'order-1042',
      status: 'success',
      amount: new Decimal(25),
      credited_usdt: new Decimal('26.91'),
      adjusted: false,
      original_amount: null,
      signed_at: null,
      secretIndex: null,
      raw: expect.objectContaining({ uuid: UUID, amount: '25', finished_at: '2025-12-31T23:30:00.000Z' }),
    },
  ],
  ['paid in part', adjusted, { adjusted: true, amount: new Decimal(17), original_amount: new Decimal(25) }],
  [
    'credited as its adjustment says',
    { ...adjusted, settled_amount_usdt: null },
    { adjusted: true, credited_usdt: new Decimal('18.3') },
  ],
  ...(['expired', 'canceled', 'fail'] as const).map((status): [string, CatchUpInvoice, object] => [
    status,
    { ...expired, status },
    { type: 'invoice.canceled', status, amount: new Decimal(25), credited_usdt: null, adjusted: false },
  ]),
])('an invoice that is %s is played as its webhook would be', async (_state, invoice, event) => {
  const { play, events } = shopOf();
  expect(await play(invoice)).toEqual(counts({ played: 1 }));
  expect(events).toMatchObject([event]);
});

const UNCLEAR = '"settled_amount_usdt" and "adjustment.actual_amount_usdt" differ';
const minus = new Decimal(-1);
it.each<[string, CatchUpInvoice, string]>([
  ['paid without a credit', { ...paid, settled_amount_usdt: null }, 'credited_usdt'],
  ['adjusted without its adjustment', { ...adjusted, adjustment: null }, 'amount'],
  ['credited with a JSON number', { ...paid, settled_amount_usdt: 26.910000000000004 as never }, 'credited_usdt'],
  ['of no order', { ...paid, external_id: '' }, 'order id'],
  ['credited unlike its adjustment', { ...adjusted, settled_amount_usdt: new Decimal('26.91') }, UNCLEAR],
  [
    'not adjusted, and credited unlike an adjustment',
    { ...paid, adjustment: { ...adjustment, actual_amount_fiat: new Decimal(25) } },
    UNCLEAR,
  ],
  [
    'not adjusted, and paid unlike an adjustment',
    { ...adjusted, is_adjusted: false },
    '"is_adjusted" is false, but there is an "adjustment"',
  ],
  [
    'not adjusted, and paid as an adjustment says',
    { ...paid, settled_amount_usdt: null, adjustment: { ...adjustment, actual_amount_fiat: new Decimal('25.0') } },
    '"is_adjusted" is false, but there is an "adjustment"',
  ],
  [
    'adjusted from another amount than was ordered',
    { ...adjusted, adjustment: { ...adjustment, expected_amount_fiat: new Decimal(30) } },
    '"amount" and "adjustment.expected_amount_fiat" differ',
  ],
  ['credited less than nothing', { ...paid, settled_amount_usdt: minus }, '"settled_amount_usdt" is negative'],
  ['of less than nothing', { ...paid, amount: minus }, '"amount" is negative'],
  [
    'credited less than nothing by its adjustment',
    { ...adjusted, adjustment: { ...adjustment, actual_amount_usdt: minus } },
    '"adjustment.actual_amount_usdt" is negative',
  ],
  ['expired and credited', { ...paid, status: 'expired' }, 'its status is expired, but "settled_amount_usdt" was'],
  ['expired and credited by an adjustment', { ...expired, adjustment }, 'actual_amount_usdt" was credited'],
])('an invoice that is %s is not played by a guess, and the others are', async (_state, invoice, named) => {
  const { play, events, reports } = shopOf();
  const other = { ...paid, uuid: uuidOf(1), external_id: 'other' };
  expect(await play(invoice, other)).toEqual(counts({ failed: 1, played: 1 }));
  expect(events.map(({ invoice_uuid }) => invoice_uuid)).toEqual([uuidOf(1)]);
  expect(reports).toMatchObject([
    { reason: 'malformed_payload', status: null, deliveryId: null, message: expect.stringContaining(named) },
  ]);
});

describe('catchUp and deliveries', () => {
  const partly = { ...paidBody, adjusted: true, amount: '17', credited_usdt: '18.300', original_amount: '25' };
  it.each<[string, object, CatchUpInvoice]>([
    ['paid', paidBody, paid],
    ['paid in part', partly, adjusted],
    ['expired', canceledBody, expired],
    [
      'paid, with another spelling of its uuid',
      { ...paidBody, invoice_uuid: UUID.replaceAll('-', '').toUpperCase() },
      paid,
    ],
  ])('see one event in both: %s', async (_name, body, invoice) => {
    const first = shopOf();
    await send(first, body);
    expect(await first.play(invoice)).toEqual(counts({ alreadyDone: 1 }));
    expect([first.events.length, first.reports]).toEqual([1, []]);
    const later = shopOf();
    expect(await later.play(invoice)).toEqual(counts({ played: 1 }));
    expect(await send(later, body)).toMatchObject({ status: 200, body: 'duplicate' });
    expect(later.events).toHaveLength(1);
  });

  it('need no orderIdMember for an invoice, which names its order id itself', async () => {
    const { play, events } = shopOf({ orderIdMember: 'shop_order' });
    expect(await play(paid)).toEqual(counts({ played: 1 }));
    expect(events).toMatchObject([{ external_id: 'order-1042' }]);
  });

  it('are told once to be played again at each run of a job over a memory, but in tests', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const { client } = clientOf(paid);
    await endpoint().handler.catchUp(client, uuidsOf(paid));
    vi.stubEnv('NODE_ENV', '');
    vi.stubEnv('NODE_TEST_CONTEXT', undefined);
    const lasting = { ...memoryStore() }; // stands for any other store
    await endpoint({ store: lasting }).handler.catchUp(client, uuidsOf());
    expect(warn).not.toHaveBeenCalled();
    for (let run = 0; run < 2; run += 1) await endpoint().handler.catchUp(client, uuidsOf());
    vi.unstubAllEnvs();
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/plays each paid order again at each run.*\n.*sqliteStore/)],
    ]);
    warn.mockRestore();
  });

  it('neither catchUp nor a delivery handles an event that the other one holds', async () => {
    const work = deferred();
    const shop = shopOf({ onPaid: () => work.promise });
    const delivery = send(shop);
    await settle();
    expect(await shop.play(paid)).toEqual(counts({ busy: 1 }));
    work.resolve();
    expect(await delivery).toMatchObject({ status: 200 });
  });

  it('catchUp and a delivery take over an expired claim', async () => {
    const { clock } = shopOf();
    const store = memoryStore({ now: clock.now });
    await store.claim({ key: `${UUID}:paid`, owner: 'dead', digest: '0'.repeat(64), lease: 50_000 });
    clock.time += 50_000;
    const { play, events, reasons } = shopOf({ store, now: clock.now });
    expect(await play(paid)).toEqual(counts({ played: 1 }));
    expect([events.length, reasons()]).toEqual([1, ['taken_over']]);
  });
});

describe('orders', () => {
  const catchUp = async (given: ReturnType<typeof clientOf>, orders: CatchUpOptions['orders'], concurrency = 1) => {
    const shop = shopOf();
    const result = await shop.handler.catchUp(given.client, { orders: orders ?? [], concurrency });
    return { ...shop, result };
  };
  /** A client whose single reads of these orders fail. */
  const failing = (rows: CatchUpInvoice[], orders: readonly string[], code: string) => {
    const given = clientOf(...rows);
    const status = code === MISSING ? 404 : undefined;
    for (const order of orders) given.answers.set(order, fakeError(code, { status }));
    return given;
  };

  it('are asked about once each: final ones are played, open ones are left alone', async () => {
    const open = { ...pending, uuid: uuidOf(1), external_id: 'open' };
    const odd = { ...paid, uuid: uuidOf(2), external_id: 'odd', status: 'on_hold' as CatchUpInvoice['status'] };
    const given = clientOf(paid, open, odd);
    const orders = ['order-1042', 'open', 'odd', 'order-1042', uuidOf(1), uuidOf(1).toUpperCase()];
    const { result, reports } = await catchUp(given, orders);
    expect(result).toEqual(counts({ played: 1, open: 1, failed: 1 }));
    // An order that is not pending before its end may have a renewal. A uuid names the same order again.
    expect(given.asked).toEqual(['order-1042', 'order-1042--1', 'open', 'odd', 'odd--1', uuidOf(1).toUpperCase()]);
    expect(reports.map(({ reason, order }) => [reason, order])).toEqual([['order_not_read', 'odd']]);
    expect(reports[0]?.message).toMatch(
      /^The invoice "odd" has the status "on_hold", which the interface does not name\./,
    );
  });

  it('without an id are failed, and keep no other from being read', async () => {
    const { result, reports } = await catchUp(clientOf(paid), ['', 'order-1042', null as unknown as string]); // as of a database
    expect(result).toEqual(counts({ played: 1, failed: 2 }));
    expect(reports.map(({ reason, message }) => [reason, message])).toEqual([
      ['order_not_read', '2 of the orders have no id: NULL, or empty text. Select the id of each order that waits.'],
    ]);
  });

  async function* rows() {
    yield 'order-1042';
  }
  it.each<[string, Iterable<string> | AsyncIterable<string>]>([
    ['a set', new Set(['order-1042'])],
    ['a generator', ['order-1042'].values()],
    ['rows of a database as they come', rows()],
  ])('may be %s', async (_name, orders) => {
    expect((await catchUp(clientOf(paid), orders)).result).toMatchObject({ played: 1 });
  });

  it.each<[string, unknown]>([
    ['text, which is one id', 'order-1042'],
    ['nothing', null],
    ['rows in place of ids', [{ external_id: 'order-1042' }]],
  ])('are refused as %s', async (_name, orders) => {
    const { client, asked } = clientOf(paid);
    await expect(shopOf().handler.catchUp(client, { orders: orders as never })).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringMatching(/^handler\.catchUp: orders must/),
    });
    expect(asked).toEqual([]);
  });

  it('up to a hundred cost one read each', async () => {
    const given = clientOf(...numbered(100, () => pending));
    const orders = idsOf(numbered(100));
    expect((await catchUp(given, orders)).result).toEqual(counts({ open: 100 }));
    expect(given.asked).toEqual(orders);
  });

  it('beyond a hundred cost the pages of the pending list, and a read for each that is not in it', async () => {
    const rows = numbered(150, (n) => (n === 7 ? paid : pending));
    const given = clientOf(...rows);
    // By both kinds of ids: the list shows both.
    const orders = rows.map(({ uuid, external_id }, n) => (n % 2 === 0 ? uuid.toUpperCase() : external_id));
    expect((await catchUp(given, orders)).result).toEqual(counts({ played: 1, open: 149 }));
    expect(given.asked).toEqual(['pending 100', 'order-7', 'order-7--1']);
  });

  it('are all read singly where the pending list breaks off, or shows other invoices than it was asked for', async () => {
    const rows = numbered(101);
    const given = clientOf(...rows);
    given.service.list = async function* () {
      yield* rows; // a service that does not know the filter
      throw fakeError('SDK_HTTP_500');
    };
    expect((await catchUp(given, idsOf(rows))).result).toEqual(counts({ played: 101 }));
    expect(given.asked).toHaveLength(202);
  });

  it.each<[string, string, 'unknown' | 'failed']>([
    ['does not know', MISSING, 'unknown'],
    ['is hidden by a 404 of somebody else', 'SDK_HTTP_404', 'failed'],
    ['refuses by VALIDATION_ERROR', 'VALIDATION_ERROR', 'failed'],
    ['refuses by 400', 'SDK_HTTP_400', 'failed'],
    ['refuses by 501', 'SDK_HTTP_501', 'failed'],
    ['cannot be asked for', 'SDK_INVALID_ARGUMENT', 'failed'],
    ['is hidden by a login page', 'SDK_HTTP_401', 'failed'],
    ['forbids', 'SDK_HTTP_403', 'failed'],
    ['sends wrongly', 'SDK_CONTRACT', 'failed'],
    ['fails on by 500', 'SDK_HTTP_500', 'failed'],
  ])('that the service %s are named with the error, and stop nothing', async (_response, code, ending) => {
    const given = failing([paid], ['order-9'], code);
    const { result, reports } = await catchUp(given, ['order-1042', 'order-9']);
    expect(result).toEqual(counts({ [ending]: 1, played: 1 }));
    const reason = ending === 'unknown' ? 'unknown_order' : 'order_not_read';
    const message = expect.stringContaining('"order-9"');
    expect(reports).toMatchObject([{ reason, external_id: 'order-9', order: 'order-9', message, error: { code } }]);
    // The word of the service needs no look-up.
    const lists = ['pending 100', 'success 100', 'all 100'];
    expect(given.asked.slice(3)).toEqual(ending === 'unknown' ? [] : lists);
  });

  it.each(['SDK_HTTP_404', 'VALIDATION_ERROR', 'SDK_HTTP_401', 'SDK_HTTP_500', 'SDK_CONTRACT'])(
    'whose reads gave no invoice (%s) are looked up together, and a cancellation needs the list of all',
    async (code) => {
      const rows = numbered(6, (n) => (n < 2 ? pending : n < 4 ? paid : expired));
      const given = failing(rows, idsOf(rows), code);
      const { result, reports, events } = await catchUp(given, idsOf(rows));
      expect(result).toEqual(counts({ open: 2, played: 4 }));
      expect(events.map(({ status }) => status)).toEqual(['success', 'success', 'expired', 'expired']);
      const lists = ['pending 100', 'success 100', 'all 100'];
      expect(given.asked.slice(6)).toEqual(lists);
      expect(reports).toEqual([]);
    },
  );

  it('of which ten were refused beside a thousand open ones are found without a second walk of the open ones', async () => {
    const rows = numbered(1_010, (n) => (n < 1_000 ? pending : paid));
    const ten = idsOf(rows).slice(1_000);
    const given = failing(rows, ten, 'SDK_HTTP_404');
    const { result } = await catchUp(given, idsOf(rows));
    expect(result).toEqual(counts({ open: 1_000, played: 10 }));
    expect(given.asked).toEqual(['pending 100', ...ten, 'all 100', 'success 100']); // the first page after ten failures
  });

  it.each([
    ['pages', 20],
    ['rows', 100],
  ])('are looked up in at most 200 pages in a run, counted by the %s of the list', async (by, size) => {
    const given = failing([], ['a', 'b'], 'SDK_HTTP_404');
    let pages = 0;
    async function* all() {
      for (;;) {
        pages += 1;
        yield { items: Array.from({ length: size }, () => paid) };
      }
    }
    given.service.list = () => ({
      async *[Symbol.asyncIterator]() {
        for await (const { items } of all()) yield* items;
      },
      ...(by === 'pages' && { pages: all }),
    });
    const { result, reports } = await catchUp(given, ['a', 'b']);
    expect(result).toEqual(counts({ failed: 2 }));
    expect(pages).toBe(200);
    expect(reports[0]?.message).toMatch(/the 200 pages of lists that a run reads do not show it.*pass the uuid/);
  });

  it('by external_ids of a service that knows none of them: the remedy is named', async () => {
    const { result, reports } = await catchUp(failing([], ['order-1', 'order-2'], MISSING), ['order-1', 'order-2']);
    expect(result).toEqual(counts({ unknown: 2 })); // the lists were read to their end
    expect(reports).toHaveLength(3);
    const message = expect.stringMatching(
      /none of the 2 orders.*not external_ids.*another business.*only uuids.*pass the uuids/,
    );
    expect(reports[0]).toMatchObject({ reason: 'unknown_order', external_id: null, message });
    const byUuid = await catchUp(failing([], [uuidOf(9)], MISSING), [uuidOf(9)]);
    expect(byUuid.reports).toHaveLength(1);
  });

  it.each([1, 4])('that cannot be read do not keep the others from being read (%i at once)', async (concurrency) => {
    const rows = numbered(130, (n) => (n < 120 ? paid : pending));
    const forty = Array.from({ length: 40 }, (_, n) => `broken-${n}`);
    const given = failing(rows, forty, 'SDK_UNREADABLE_BODY');
    const { result } = await catchUp(given, [...forty, ...idsOf(rows)], concurrency);
    expect(result).toEqual(counts({ played: 120, open: 10, failed: 40 }));
    expect(given.asked.filter((each) => each === 'all 100')).toHaveLength(5); // after ten failures in a row, and for the look-up
  });

  it('that cannot be read are each counted once where the list ignores its filter', async () => {
    const rows = numbered(60, (n) => (n < 45 ? paid : pending));
    const given = failing(rows, idsOf(rows), 'SDK_UNREADABLE_BODY');
    given.service.list = async function* () {
      yield* rows;
    };
    const { result, reasons } = await catchUp(given, idsOf(rows));
    expect([result, reasons()]).toEqual([counts({ played: 45, open: 15 }), []]);
  });

  it('end the run when the list is not answered either: the service is down', async () => {
    const orders = idsOf(numbered(30));
    const given = failing([], orders, 'SDK_UNREADABLE_BODY');
    given.service.list = async function* () {
      yield await Promise.reject(fakeError('SDK_ATTEMPT_TIMEOUT'));
    };
    const shop = shopOf();
    const run = shop.handler.catchUp(given.client, { orders, concurrency: 1 });
    await expect(run).rejects.toMatchObject({ kind: 'timeout' });
    expect(given.asked).toHaveLength(10);
    expect(shop.reports.at(-1)?.message).toContain('the service is down');
  });

  it('end the run after the look-up when no list is answered: a few orders, and the service is down', async () => {
    const given = failing([], ['order-0', 'order-1'], 'SDK_UNREADABLE_BODY');
    given.service.list = async function* () {
      yield await Promise.reject(fakeError('SDK_ATTEMPT_TIMEOUT'));
    };
    const shop = shopOf();
    const run = shop.handler.catchUp(given.client, { orders: ['order-0', 'order-1'] });
    await expect(run).rejects.toMatchObject({ kind: 'timeout' });
    expect(shop.reports.map(({ message }) => message)).toEqual([
      expect.stringContaining('not all lists of invoices could be read'),
      expect.stringContaining('not all lists of invoices could be read'),
    ]);
  });

  it('do not end the run where the service answered for another order', async () => {
    const given = failing([], ['order-0', 'order-1'], 'SDK_UNREADABLE_BODY');
    given.answers.delete('order-1'); // the service knows no such order
    given.service.list = async function* () {
      yield await Promise.reject(fakeError('SDK_ATTEMPT_TIMEOUT'));
    };
    const { result } = await catchUp(given, ['order-0', 'order-1']);
    expect(result).toEqual(counts({ failed: 2 })); // a 404 alone does not make an order unknown
  });

  it('end the run at once when the service refuses the key', async () => {
    const given = clientOf(...numbered(30));
    given.answers.set('order-0', fakeError('INVALID_API_KEY' as string, { status: 401 }));
    await expect(catchUp(given, idsOf(numbered(30)))).rejects.toMatchObject({ kind: 'authentication' });
    expect(given.asked).toHaveLength(1);
  });

  it('wait for a long rate limit that another call met', async () => {
    const runtime = new FakeRuntime();
    const server = await serve(refuse(429, null, undefined, { 'retry-after': '50' }), ok(pendingInvoice));
    const merchant = merchantOf(server.url, { runtime });
    expect(await errorOf(merchant.rates.list())).toMatchObject({ kind: 'rate_limit', stoppedBy: 'retry_after' });
    const result = await shopOf().handler.catchUp(merchant, { orders: [pendingInvoice.external_id] });
    expect(result).toEqual(counts({ open: 1 }));
    expect(server.requests).toHaveLength(2);
  });

  it.each<[string, Partial<CatchUpInvoice>]>([
    ['the time of the end and the credit', { finished_at: null, settled_amount_usdt: null }],
    ['the time of the end', { finished_at: null }],
    ['the credit', { settled_amount_usdt: null }],
  ])('paid, whose single read lacks %s, are taken from the list of paid invoices', async (_name, lacking) => {
    const given = clientOf({ ...paid, uuid: uuidOf(1), external_id: 'not asked for' }, adjusted);
    given.answers.set('order-1042', { ...paid, ...lacking });
    const { result, events, reports } = await catchUp(given, ['order-1042']);
    expect(result).toEqual(counts({ played: 1 }));
    const credited_usdt = new Decimal('18.3');
    expect(events).toMatchObject([{ external_id: 'order-1042', adjusted: true, credited_usdt }]);
    expect(reports).toEqual([]);
    expect(given.asked).toEqual(['order-1042', 'order-1042--1', 'success 100']);
  });
});

describe('what fails in catchUp', () => {
  it('is counted, named, and played by the next run', async () => {
    let isDown = true;
    const error = new Error('database is down');
    const shop = shopOf({ onPaid: () => (isDown ? Promise.reject(error) : undefined) });
    const other = { ...expired, uuid: uuidOf(2), external_id: 'other' };
    expect(await shop.play(paid, other)).toEqual(counts({ failed: 1, played: 1 }));
    expect(shop.reports).toMatchObject([
      { reason: 'handler_failed', error, message: expect.stringContaining('order-1042') },
    ]);
    isDown = false;
    expect(await shop.play(paid, other)).toEqual(counts({ played: 1, alreadyDone: 1 }));
  });

  it('by a store that is down is counted, and reported', async () => {
    const error = new Error('refused');
    const shop = shopOf({ store: { ...memoryStore(), claim: () => Promise.reject(error) } });
    expect(await shop.play(paid)).toEqual(counts({ failed: 1 }));
    expect(shop.reports).toMatchObject([{ reason: 'store_failed', error }]);
  });

  it('a store that takes too long is reported once, as time_limit', async () => {
    const claim = deferred();
    const inner = memoryStore();
    const store: WebhookStore = { ...inner, claim: (given) => claim.promise.then(() => inner.claim(given)) };
    const shop = shopOf({ store });
    const running = shop.play(paid);
    await settle();
    await shop.clock.advance(12_000);
    expect(await running).toEqual(counts({ failed: 1 }));
    claim.resolve();
    await settle();
    expect([shop.reasons(), shop.events]).toEqual([['time_limit'], []]);
  });

  it('by taking too long is left to itself, and does not hold up the others', async () => {
    const work = deferred();
    const shop = shopOf({ onPaid: () => work.promise });
    const running = shop.play(paid, { ...expired, uuid: uuidOf(2), external_id: 'other' });
    await settle();
    await shop.clock.advance(12_000);
    expect(await running).toEqual(counts({ failed: 1, played: 1 }));
    expect(await shop.play(paid)).toEqual(counts({ busy: 1 }));
    work.resolve();
    await settle();
    expect(shop.reasons()).toEqual(['time_limit', 'duplicate_running', 'completed_late']);
    expect(shop.reports[0]?.message).toMatch(/order-1042.*12000 ms/);
    expect(shop.reports[1]?.message).toContain('order-1042');
    expect(await shop.play(paid)).toEqual(counts({ alreadyDone: 1 }));
  });
});

it.each([
  [1, 1],
  [4, 4],
  [32, 20],
])('catchUp with concurrency %i plays %i at once, and never two events of one order', async (concurrency, atOnce) => {
  const running: string[] = [];
  const most = { all: 0, ofOne: 0 };
  const shop = shopOf({
    onPaid: async ({ order }) => {
      running.push(order);
      most.all = Math.max(most.all, running.length);
      most.ofOne = Math.max(most.ofOne, running.filter((id) => id === order).length);
      await settle();
      running.splice(running.indexOf(order), 1);
    },
  });
  // Three paid invoices of each order, each named by its uuid.
  const rows = numbered(60).map((row, n) => {
    const renewal = Math.floor(n / 20);
    return { ...row, external_id: renewal === 0 ? `order-${n}` : `order-${n % 20}--${renewal}` };
  });
  const result = await shop.handler.catchUp(clientOf(...rows).client, { ...uuidsOf(...rows), concurrency });
  expect([result.played, most.all, most.ofOne]).toEqual([60, atOnce, 1]);
});

describe('replay', () => {
  it('plays done events once more, also those of webhooks, and says so once', async () => {
    const warned: string[] = [];
    vi.spyOn(console, 'warn').mockImplementation((line: string) => void warned.push(line));
    const shop = shopOf();
    await send(shop);
    const given = clientOf(paid, { ...pending, uuid: uuidOf(1), external_id: 'open' });
    expect(await shop.handler.catchUp(given.client, { orders: ['order-1042'] })).toEqual(counts({ alreadyDone: 1 }));
    const replay = ['order-1042', 'open', 'order-1042'];
    expect(await shop.handler.catchUp(given.client, { replay })).toEqual(counts({ played: 1, open: 1 }));
    expect(shop.events.map(({ source }) => source)).toEqual(['webhook', 'catch_up']);
    expect(warned).toEqual([expect.stringContaining('In a scheduled run, use orders')]);
    expect(await send(shop)).toMatchObject({ body: 'duplicate' });
  });

  it('leaves the event done where the function fails, and a running claim alone', async () => {
    let work: () => unknown = () => {};
    const shop = shopOf({ onPaid: () => Promise.resolve(work()).then(() => undefined) });
    await send(shop);
    const again = () => shop.handler.catchUp(clientOf(paid).client, { replay: [UUID] });
    work = () => Promise.reject(new Error('still broken'));
    expect(await again()).toEqual(counts({ failed: 1 }));
    expect(await send(shop)).toMatchObject({ body: 'duplicate' });
    const running = deferred();
    work = () => running.promise;
    const first = again();
    await settle();
    expect(await again()).toEqual(counts({ busy: 1 }));
    running.resolve();
    expect(await first).toEqual(counts({ played: 1 }));
  });

  it.each<[string, unknown]>([
    ['replay must be an array of at most 100 ids', Array.from({ length: 101 }, (_, n) => `order-${n}`)],
    ['replay must be an array', new Set(['order-1042'])],
    ['replay must hold external_ids or uuids', [1]],
  ])('is refused: %s', async (message, replay) => {
    const { client, asked } = clientOf(paid);
    await expect(shopOf().handler.catchUp(client, { replay: replay as never })).rejects.toThrow(message);
    expect(asked).toEqual([]);
  });
});

it.each<[string, unknown, unknown?]>([
  ...[undefined, null, {}, { invoices: {} }, { invoices: { list() {} } }, 'merchant'].map(
    (merchant): [string, unknown, unknown] => ['MerchantClient', { orders: [] }, { merchant }],
  ),
  ['options must be an object', []],
  ['needs { orders }', undefined],
  ['needs { orders }', {}],
  ['has orders and replay', { orders: [], replay: [] }],
  ['pass controller.signal', { orders: [], signal: new AbortController() }],
  ['onProgress must be a function', { orders: [], onProgress: 1 }],
  ['concurrency must be a whole number from 1 to 32', { orders: [], concurrency: 33 }],
  ['options has no "order"; it has orders, replay, signal, concurrency, onProgress', { order: [] }],
])('catchUp says: %s (%j, %j)', async (named, options, given = { merchant: clientOf().client }) => {
  const { merchant } = given as { readonly merchant: CatchUpClient }; // wrong on purpose, as the options are
  await expect(shopOf().handler.catchUp(merchant, options as CatchUpOptions)).rejects.toMatchObject({
    kind: 'configuration',
    operation: 'handler.catchUp',
    message: expect.stringContaining(named),
  });
});

describe('the signal of catchUp', () => {
  it('aborted before: no request', async () => {
    const { client, asked } = clientOf(paid);
    const signal = AbortSignal.abort('deploy');
    await expect(shopOf().handler.catchUp(client, { ...uuidsOf(paid), signal })).rejects.toMatchObject({
      kind: 'aborted',
      code: 'SDK_ABORTED',
      stoppedBy: 'aborted',
      operation: 'handler.catchUp',
      reason: 'deploy',
      outcome: 'not_sent',
      message: expect.stringContaining("the caller's signal was over before the call"),
    });
    expect(asked).toEqual([]);
  });

  it('is heard while orders are still being read, also where the next one never comes', async () => {
    const stop = new AbortController();
    let isClosed = false;
    async function* orders(): AsyncGenerator<string> {
      try {
        yield 'order-1042';
        stop.abort('deploy');
        await new Promise(() => {});
      } finally {
        isClosed = true;
      }
    }
    const { client, asked } = clientOf(paid);
    const run = shopOf().handler.catchUp(client, { orders: orders(), signal: stop.signal });
    await expect(run).rejects.toMatchObject({ kind: 'aborted', reason: 'deploy', outcome: 'not_sent' });
    expect([asked, isClosed]).toEqual([[], false]);
  });

  it('aborted while a function runs: that one ends, and no other begins', async () => {
    const stop = new AbortController();
    const work = deferred();
    const seen: boolean[] = [];
    const shop = shopOf({
      onPaid: async (_event, context) => {
        stop.abort(new Error('deploy'));
        seen.push(context.signal.aborted);
        await work.promise;
      },
    });
    const rows = [paid, ...numbered(2)];
    let ended = false;
    const options = { ...uuidsOf(...rows), signal: stop.signal, concurrency: 1 };
    const run = shop.handler.catchUp(clientOf(...rows).client, options).finally(() => {
      ended = true;
    });
    const outcome = expect(run).rejects.toMatchObject({ kind: 'aborted', reason: new Error('deploy') });
    await settle();
    expect(ended).toBe(false);
    work.resolve();
    await outcome;
    expect(seen).toEqual([true]);
    expect(await shop.play(paid)).toEqual(counts({ alreadyDone: 1 }));
  });

  // An order whose read lacks its end would be taken from the list, which must not be asked for: nobody would hear it reject.
  it.each(['claim', 'read', 'short read'])(
    'aborted during a %s: no function begins, and the next run plays it',
    async (step) => {
      const stop = new AbortController();
      const [{ client }, inner] = [clientOf(paid), memoryStore()];
      const store: WebhookStore = {
        ...inner,
        async claim(request) {
          if (step === 'claim') stop.abort();
          return await inner.claim(request);
        },
      };
      const get: Get = async (ident, options) => {
        if (step !== 'claim') stop.abort();
        const invoice = await client.invoices.get(ident, options);
        return step === 'short read' ? { ...invoice, finished_at: null } : invoice;
      };
      const shop = shopOf({ store });
      const merchant: CatchUpClient = { invoices: { get, list: () => expect.fail('the list was asked for') } };
      const run = shop.handler.catchUp(merchant, { orders: ['order-1042'], signal: stop.signal });
      await expect(run).rejects.toMatchObject({ kind: 'aborted' });
      expect([shop.events, shop.reports]).toEqual([[], []]);
      expect(await shop.play(paid)).toEqual(counts({ played: 1 }));
    },
  );
});

it('onProgress of catchUp is called after each order', async () => {
  const told: CatchUpProgress[] = [];
  const open = { ...pending, uuid: uuidOf(1), external_id: 'b' };
  const options = { ...uuidsOf(paid, open), concurrency: 1, onProgress: (each: CatchUpProgress) => told.push(each) };
  await shopOf().handler.catchUp(clientOf(paid, open).client, options);
  expect(told).toEqual([
    { ...counts({ played: 1 }), total: 2 },
    { ...counts({ played: 1, open: 1 }), total: 2 },
  ]);
});
