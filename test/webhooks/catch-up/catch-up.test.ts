import { describe, expect, it } from 'vitest';
import { fakeError } from '../../../src/testing/index.ts';
import {
  type CatchUpClient,
  type CatchUpInvoice,
  type CatchUpProgress,
  Decimal,
  type InvoiceEvent,
  type LeaseStore,
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
const DAY = 86_400_000;

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
const ADJUSTMENT = {
  expected_amount_fiat: new Decimal('25.00'),
  actual_amount_fiat: new Decimal('17.00'),
  expected_amount_usdt: new Decimal('26.91'),
  actual_amount_usdt: new Decimal('18.30'),
};
const adjusted: CatchUpInvoice = {
  ...paid,
  is_adjusted: true,
  settled_amount_usdt: new Decimal('18.30'),
  adjustment: ADJUSTMENT,
};
const expired: CatchUpInvoice = { ...paid, status: 'expired', settled_amount_usdt: null };
const uuidOf = (n: number): string => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`;

/** A client with these invoices, and what it was asked for. `answers` replaces the single read of an ident. */
function clientOf(...invoices: CatchUpInvoice[]) {
  const asked: string[] = [];
  const answers = new Map<string, () => CatchUpInvoice>();
  const client: CatchUpClient = {
    invoices: {
      async get(ident) {
        asked.push(ident);
        const answer = answers.get(ident);
        if (answer !== undefined) return answer();
        const found = invoices.find(({ uuid, external_id }) => uuid === ident || external_id === ident);
        if (found === undefined) throw fakeError('SDK_HTTP_404');
        return found;
      },
      async *list({ status, per_page }) {
        asked.push(`${status} ${per_page}`);
        for (const invoice of invoices) if (invoice.status === status) yield invoice;
      },
    },
  };
  return { client, asked, answers };
}

/** Asks for these invoices by their uuids. */
const ordersOf = (...invoices: CatchUpInvoice[]) => ({ orders: invoices.map(({ uuid }) => uuid) });
/** Plays these invoices. */
const play = async ({ handler }: Pick<ReturnType<typeof shopOf>, 'handler'>, ...invoices: CatchUpInvoice[]) =>
  await handler.catchUp(clientOf(...invoices).client, ordersOf(...invoices));

const since = NOW - DAY;
const NOTHING = { checked: 0, played: 0, alreadyDone: 0, open: 0, unknown: 0, busy: 0, failed: 0 };

/** A receiver that keeps the events it handled. */
function shopOf(options: Partial<WebhookHandlerOptions> = {}) {
  const events: InvoiceEvent[] = [];
  const shop = endpoint({
    onPaid: (event) => void events.push(event),
    onAdjusted: (event) => void events.push(event),
    onCanceled: (event) => void events.push(event),
    ...options,
  });
  return { ...shop, events };
}

describe('the event of an invoice', () => {
  async function eventOf(invoice: CatchUpInvoice): Promise<InvoiceEvent | undefined> {
    const { handler, events } = shopOf();
    await play({ handler }, invoice);
    return events[0];
  }

  it('paid exactly', async () => {
    expect(await eventOf(paid)).toEqual({
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
    });
  });

  it('paid in part: what was paid, what was credited, what was ordered', async () => {
    expect(await eventOf(adjusted)).toMatchObject({
      adjusted: true,
      amount: new Decimal(17),
      credited_usdt: new Decimal('18.3'),
      original_amount: new Decimal(25),
    });
  });

  it('credited as the adjustment says, where the invoice does not', async () => {
    expect(await eventOf({ ...adjusted, settled_amount_usdt: null })).toMatchObject({
      credited_usdt: new Decimal('18.3'),
    });
    const adjustment = { ...ADJUSTMENT, actual_amount_fiat: new Decimal('25.0') };
    expect(await eventOf({ ...paid, settled_amount_usdt: null, adjustment })).toMatchObject({
      adjusted: false,
      amount: new Decimal(25),
      credited_usdt: new Decimal('18.3'),
    });
  });

  it.each(['expired', 'canceled', 'fail'] as const)('%s', async (status) => {
    expect(await eventOf({ ...expired, status })).toMatchObject({
      type: 'invoice.canceled',
      source: 'catch_up',
      status,
      amount: new Decimal(25),
      credited_usdt: null,
      adjusted: false,
      original_amount: null,
    });
  });

  it.each<[string, CatchUpInvoice, string]>([
    ['paid without an amount in USDT', { ...paid, settled_amount_usdt: null }, 'credited_usdt'],
    ['adjusted without its adjustment', { ...adjusted, adjustment: null }, 'amount'],
    [
      'a number with more digits than it can hold',
      { ...paid, settled_amount_usdt: 26.910000000000004 as never },
      'credited_usdt',
    ],
    ['without the order id', { ...paid, external_id: '' }, 'order id'],
    [
      'credited another amount than its adjustment says',
      { ...adjusted, settled_amount_usdt: new Decimal('26.91') },
      '"settled_amount_usdt" and "adjustment.actual_amount_usdt" differ',
    ],
    [
      'not adjusted, credited another amount than an adjustment says',
      { ...paid, adjustment: { ...ADJUSTMENT, actual_amount_fiat: new Decimal(25) } },
      '"settled_amount_usdt" and "adjustment.actual_amount_usdt" differ',
    ],
    [
      'not adjusted, but another amount was paid',
      { ...adjusted, is_adjusted: false },
      '"is_adjusted" is not true, but "adjustment.actual_amount_fiat" differs from "amount"',
    ],
    [
      'adjusted from another amount than was ordered',
      { ...adjusted, adjustment: { ...ADJUSTMENT, expected_amount_fiat: new Decimal(30) } },
      '"amount" and "adjustment.expected_amount_fiat" differ',
    ],
    [
      'credited less than nothing',
      { ...paid, settled_amount_usdt: new Decimal('-1') },
      '"settled_amount_usdt" is negative',
    ],
    ['of less than nothing', { ...paid, amount: new Decimal('-25') }, '"amount" is negative'],
    [
      'credited less than nothing by its adjustment',
      { ...adjusted, adjustment: { ...ADJUSTMENT, actual_amount_usdt: new Decimal('-18.3') } },
      '"adjustment.actual_amount_usdt" is negative',
    ],
    [
      'expired, but credited',
      { ...paid, status: 'expired' },
      'its status is expired, but "settled_amount_usdt" was credited',
    ],
    [
      'expired, but credited by its adjustment',
      { ...expired, adjustment: ADJUSTMENT },
      'actual_amount_usdt" was credited',
    ],
  ])('is not guessed: %s', async (_name, invoice, named) => {
    const { handler, events, reports } = shopOf();
    const other = { ...paid, uuid: uuidOf(1) };
    const result = await play({ handler }, invoice, other);
    expect(result).toEqual({ ...NOTHING, checked: 2, failed: 1, played: 1 });
    expect(events.map(({ invoice_uuid }) => invoice_uuid)).toEqual([uuidOf(1)]);
    expect(reports).toMatchObject([
      { reason: 'malformed_payload', status: null, deliveryId: null, message: expect.stringContaining(named) },
    ]);
  });
});

describe('catchUp and deliveries', () => {
  it.each<[string, object, CatchUpInvoice]>([
    ['paid', paidBody, paid],
    [
      'paid in part',
      { ...paidBody, adjusted: true, amount: '17', credited_usdt: '18.300', original_amount: '25' },
      adjusted,
    ],
    ['expired', canceledBody, expired],
  ])('see one event in both: %s', async (_name, body, invoice) => {
    const first = shopOf();
    await send(first, body);
    expect(await play(first, invoice)).toEqual({ ...NOTHING, checked: 1, alreadyDone: 1 });
    expect(first.events).toHaveLength(1);
    expect(first.reasons()).toEqual([]);

    const later = shopOf();
    expect(await play(later, invoice)).toEqual({ ...NOTHING, checked: 1, played: 1 });
    expect(await send(later, body)).toMatchObject({ status: 200, body: 'duplicate' });
    expect(later.events).toHaveLength(1);
  });

  it('see one event in both when they spell the uuid differently', async () => {
    const shop = shopOf({ orderIdMember: 'shop_order' });
    await send(shop, { ...paidBody, invoice_uuid: UUID.replaceAll('-', '').toUpperCase(), shop_order: 'order-1042' });
    expect(await play(shop, paid)).toEqual({ ...NOTHING, checked: 1, alreadyDone: 1 });
    expect(shop.events).toHaveLength(1);
    // The list names the order id itself, so the option is not asked.
    const other = { ...paid, uuid: uuidOf(1) };
    expect(await play(shop, other)).toEqual({ ...NOTHING, checked: 1, played: 1 });
    expect(shop.events[1]).toMatchObject({ external_id: 'order-1042', invoice_uuid: uuidOf(1) });
  });

  it('leaves alone what a delivery is handling', async () => {
    const work = deferred();
    const shop = shopOf({ onPaid: () => work.promise });
    const delivery = send(shop);
    await settle();
    expect(await play(shop, paid)).toEqual({ ...NOTHING, checked: 1, busy: 1 });
    work.resolve();
    expect(await delivery).toMatchObject({ status: 200 });
  });

  it('takes over what died in the middle', async () => {
    const shop = shopOf();
    const key = `${UUID}:paid`;
    const store = memoryStore({ now: shop.clock.now });
    await store.claim({ key, owner: 'dead', digest: '0'.repeat(64), lease: 50_000 });
    shop.clock.time += 50_000;
    const { handler, events, reasons } = shopOf({ store, now: shop.clock.now });
    expect(await play({ handler }, paid)).toEqual({ ...NOTHING, checked: 1, played: 1 });
    expect([events.length, reasons()]).toEqual([1, ['taken_over']]);
  });
});

describe('orders', () => {
  const numbered = (count: number, changes: Partial<CatchUpInvoice> = {}): CatchUpInvoice[] =>
    Array.from({ length: count }, (_, n) => ({ ...paid, uuid: uuidOf(n), external_id: `order-${n}`, ...changes }));
  const idsOf = (invoices: readonly CatchUpInvoice[]): string[] => invoices.map(({ external_id }) => external_id);

  it('are asked about once each: final ones are played, open ones are left alone', async () => {
    const open = { ...paid, uuid: uuidOf(1), external_id: 'open', status: 'pending' as const };
    const odd = { ...paid, uuid: uuidOf(2), external_id: 'odd', status: 'on_hold' as CatchUpInvoice['status'] };
    const { client, asked } = clientOf(paid, open, odd);
    const shop = shopOf();
    const orders = ['order-1042', 'open', 'odd', 'order-1042', uuidOf(1), uuidOf(1).toUpperCase()];
    expect(await shop.handler.catchUp(client, { orders })).toEqual({ ...NOTHING, checked: 4, played: 1, open: 3 });
    expect(asked).toEqual(['order-1042', 'open', 'odd', uuidOf(1).toUpperCase()]);
    expect(shop.reports).toEqual([]);
  });

  it.each<[string, () => Iterable<string> | AsyncIterable<string>]>([
    ['a set', () => new Set(['order-1042'])],
    ['a generator', () => ['order-1042'].values()],
    [
      'rows of a database as they come',
      async function* () {
        yield 'order-1042';
      },
    ],
  ])('may be %s', async (_name, orders) => {
    expect(await shopOf().handler.catchUp(clientOf(paid).client, { orders: orders() })).toMatchObject({ played: 1 });
  });

  it('up to a hundred cost one read each', async () => {
    const { client, asked } = clientOf(...numbered(100, { status: 'pending' }));
    const orders = idsOf(numbered(100));
    expect(await shopOf().handler.catchUp(client, { orders })).toMatchObject({ open: 100 });
    expect(asked).toEqual(orders);
  });

  it('beyond a hundred cost the pages of the pending list, and a read for each that is not in it', async () => {
    const rows = numbered(150, { status: 'pending' });
    rows[7] = { ...paid, uuid: uuidOf(7), external_id: 'order-7' };
    const { client, asked } = clientOf(...rows);
    const shop = shopOf();
    // By both kinds of ids: the list shows both.
    const orders = rows.map(({ uuid, external_id }, n) => (n % 2 === 0 ? uuid.toUpperCase() : external_id));
    expect(await shop.handler.catchUp(client, { orders })).toEqual({ ...NOTHING, checked: 150, played: 1, open: 149 });
    expect(asked).toEqual(['pending 100', 'order-7']);
  });

  it('are all read singly where the pending list breaks off, or shows other invoices than it was asked for', async () => {
    const rows = numbered(101);
    const { client, asked } = clientOf(...rows);
    const broken = async function* (): AsyncGenerator<CatchUpInvoice> {
      yield* rows; // a service that does not know the filter
      throw fakeError('SDK_HTTP_500');
    };
    const merchant = { invoices: { ...client.invoices, list: broken } };
    expect(await shopOf().handler.catchUp(merchant, { orders: idsOf(rows) })).toMatchObject({ played: 101 });
    expect(asked).toHaveLength(101);
  });

  it('that the service does not know, or whose id it refuses, are named', async () => {
    const { client, answers } = clientOf(paid);
    for (const code of ['VALIDATION_ERROR', 'SDK_HTTP_400', 'SDK_HTTP_501', 'SDK_INVALID_ARGUMENT'] as const) {
      answers.set(code, () => {
        throw fakeError(code);
      });
    }
    const shop = shopOf();
    const refused = ['nobody', ...answers.keys()];
    const orders = ['order-1042', ...refused];
    expect(await shop.handler.catchUp(client, { orders })).toEqual({ ...NOTHING, checked: 6, played: 1, unknown: 5 });
    expect(
      shop.reports.map(({ reason, message, external_id }) => [reason, /"(.*)"/.exec(message)?.[1], external_id]),
    ).toEqual(refused.map((order) => ['unknown_order', order, order]));
  });

  it('by external_ids of a service that accepts uuids only: the remedy is named', async () => {
    const { client } = clientOf({ ...paid, external_id: 'other' });
    const shop = shopOf();
    expect(await shop.handler.catchUp(client, { orders: ['order-1', 'order-2'] })).toMatchObject({ unknown: 2 });
    expect(shop.reports.at(-1)).toMatchObject({
      reason: 'unknown_order',
      message: expect.stringMatching(/none of the 2 orders.*pass the uuids/),
    });
    const byUuid = shopOf();
    await byUuid.handler.catchUp(client, { orders: [uuidOf(9)] });
    expect(byUuid.reports).toHaveLength(1);
  });

  it('by external_ids of a service that fails on them with 500: the remedy is named', async () => {
    const { client, answers } = clientOf();
    for (const ident of ['order-1', 'order-2', uuidOf(9)]) {
      answers.set(ident, () => {
        throw fakeError('SDK_HTTP_500');
      });
    }
    const shop = shopOf();
    expect(await shop.handler.catchUp(client, { orders: ['order-1', 'order-2'] })).toMatchObject({ failed: 2 });
    const reasons = shop.reports.map(({ reason }) => reason);
    expect(reasons).toEqual(['order_not_read', 'order_not_read', 'unknown_order']);
    expect(shop.reports.at(-1)?.message).toMatch(/none of the 2 orders.*pass the uuids/);
    const byUuid = shopOf();
    expect(await byUuid.handler.catchUp(client, { orders: [uuidOf(9)] })).toMatchObject({ failed: 1, unknown: 0 });
    expect(byUuid.reports).toHaveLength(1);
  });

  it('whose invoice cannot be read are named with the error, and stop nothing', async () => {
    const { client, answers } = clientOf(paid);
    const error = fakeError('SDK_CONTRACT');
    answers.set('odd', () => {
      throw error;
    });
    const shop = shopOf();
    expect(await shop.handler.catchUp(client, { orders: ['odd', 'order-1042'] })).toMatchObject({
      failed: 1,
      played: 1,
    });
    expect(shop.reports).toMatchObject([
      { reason: 'order_not_read', external_id: 'odd', message: expect.stringContaining('"odd"'), error },
    ]);
  });

  describe('that cannot be read', () => {
    const unreadable = (answers: Map<string, () => CatchUpInvoice>, orders: readonly string[]) => {
      for (const order of orders) {
        answers.set(order, () => {
          throw fakeError('SDK_UNREADABLE_BODY');
        });
      }
    };

    it.each([1, 4])(
      'do not keep the others from being read, however many stand before them (%i at once)',
      async (concurrency) => {
        const rows = numbered(130).map((row, n) => ({ ...row, status: n < 120 ? row.status : ('pending' as const) }));
        const ten = Array.from({ length: 10 }, (_, n) => `broken-${n}`);
        const { client, asked, answers } = clientOf(...rows);
        unreadable(answers, ten);
        const orders = [...ten, ...idsOf(rows)];
        const result = await shopOf().handler.catchUp(client, { orders, concurrency });
        expect(result).toEqual({ ...NOTHING, checked: 140, played: 120, open: 10, failed: 10 });
        expect(asked.filter((each) => each === 'success 100')).toHaveLength(1); // the service answers
      },
    );

    it('thirty in a row: the rest is taken from the lists of final invoices', async () => {
      const rows = numbered(60).map((row, n) =>
        n % 2 === 0 ? row : { ...row, status: 'expired' as const, settled_amount_usdt: null },
      );
      const { client, asked, answers } = clientOf(...rows);
      unreadable(answers, [...idsOf(rows), 'lost']);
      const shop = shopOf();
      const result = await shop.handler.catchUp(client, { orders: [...idsOf(rows), 'lost'], concurrency: 1 });
      expect(result).toEqual({ ...NOTHING, checked: 61, played: 30, failed: 31 });
      expect(asked.slice(30 + 3)).toEqual(['success 100', 'fail 100', 'expired 100', 'canceled 100']);
      expect(shop.reports.at(-1)).toMatchObject({ reason: 'order_not_read', external_id: 'lost' });
    });

    it('an order that the service forbids (403) does not keep the others from being played', async () => {
      const { client, answers } = clientOf(paid);
      answers.set('secret', () => {
        throw fakeError('SDK_HTTP_403');
      });
      const shop = shopOf();
      const result = await shop.handler.catchUp(client, { orders: ['secret', paid.uuid], concurrency: 1 });
      expect(result).toEqual({ ...NOTHING, checked: 2, played: 1, failed: 1 });
      expect(shop.reports).toMatchObject([{ reason: 'order_not_read', external_id: 'secret' }]);
    });

    it('thirty in a row, of a service that ignores the filter of the list: each order is counted', async () => {
      const rows = numbered(60).map((row, n) => (n < 45 ? row : { ...row, status: 'pending' as const }));
      const { client, answers } = clientOf(...rows);
      unreadable(answers, idsOf(rows));
      const merchant: CatchUpClient = {
        invoices: {
          ...client.invoices,
          async *list() {
            yield* rows;
          },
        },
      };
      // Not the open orders: the first reads of a long list tell them.
      const orders = [...idsOf(rows.slice(0, 30)), ...idsOf(rows.slice(45)), ...idsOf(rows.slice(30, 45))];
      const result = await shopOf().handler.catchUp(merchant, { orders, concurrency: 1 });
      expect(result.checked).toBe(60);
    });

    it('thirty in a row, and then a slow read that succeeds: the rest is still looked for in every list', async () => {
      const rows = numbered(60).map((row, n) =>
        n === 0 ? row : { ...row, status: 'expired' as const, settled_amount_usdt: null },
      );
      const { client, answers } = clientOf(...rows);
      const [slow = '', ...others] = idsOf(rows);
      unreadable(answers, others);
      const isSlow = deferred();
      let left = 30;
      const get: CatchUpClient['invoices']['get'] = async (ident, options) => {
        if (ident === slow) await isSlow.promise;
        else if (--left === 0) setTimeout(isSlow.resolve);
        return await client.invoices.get(ident, options);
      };
      const merchant = { invoices: { ...client.invoices, get } };
      const result = await shopOf().handler.catchUp(merchant, { orders: idsOf(rows), concurrency: 2 });
      expect(result).toEqual({ ...NOTHING, checked: 60, played: 30, failed: 30 });
    });

    it('end the run when the list is not answered either: the service is down', async () => {
      const rows = numbered(30);
      const { client, asked, answers } = clientOf(...rows);
      unreadable(answers, idsOf(rows));
      const down = async function* (): AsyncGenerator<CatchUpInvoice> {
        yield await Promise.reject(fakeError('SDK_ATTEMPT_TIMEOUT'));
      };
      const shop = shopOf();
      const merchant = { invoices: { ...client.invoices, list: down } };
      const run = shop.handler.catchUp(merchant, { orders: idsOf(rows), concurrency: 1 });
      await expect(run).rejects.toMatchObject({ kind: 'timeout' });
      expect(asked).toHaveLength(10);
      expect(shop.reports.at(-1)?.message).toContain('the service is down');
    });

    it('end the run at once when the key is refused', async () => {
      const { client, asked, answers } = clientOf(...numbered(30));
      answers.set('order-0', () => {
        throw fakeError('SDK_HTTP_401');
      });
      const run = shopOf().handler.catchUp(client, { orders: idsOf(numbered(30)), concurrency: 1 });
      await expect(run).rejects.toMatchObject({ kind: 'authentication' });
      expect(asked).toHaveLength(1);
    });
  });

  it('wait for a long rate limit that another call met', async () => {
    const runtime = new FakeRuntime();
    const server = await serve(refuse(429, null, undefined, { 'retry-after': '50' }), ok(pendingInvoice));
    const merchant = merchantOf(server.url, { runtime });
    expect(await errorOf(merchant.rates.list())).toMatchObject({ kind: 'rate_limit', stoppedBy: 'retry_after' });
    const result = await shopOf().handler.catchUp(merchant, { orders: [pendingInvoice.external_id] });
    expect(result).toEqual({ ...NOTHING, checked: 1, open: 1 });
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ['the time of the end and the credit', { finished_at: null, settled_amount_usdt: null }],
    ['the time of the end', { finished_at: null }],
    ['the credit', { settled_amount_usdt: null }],
  ])('paid, whose single read lacks %s, are taken from the list of paid invoices', async (_name, lacking) => {
    const other = { ...paid, uuid: uuidOf(1), external_id: 'not asked for' };
    const { client, asked, answers } = clientOf(other, adjusted);
    const short = { ...paid, ...lacking };
    answers.set('order-1042', () => short);
    answers.set('late', () => ({ ...short, uuid: uuidOf(2) }));
    const shop = shopOf();
    const result = await shop.handler.catchUp(client, { orders: ['order-1042', 'late'] });
    expect(result).toEqual({ ...NOTHING, checked: 2, played: 1, failed: 1 });
    expect(shop.events).toMatchObject([
      { external_id: 'order-1042', adjusted: true, credited_usdt: new Decimal('18.3') },
    ]);
    expect(shop.reports).toMatchObject([{ reason: 'order_not_read', message: expect.stringContaining('"late"') }]);
    expect(asked).toEqual(['order-1042', 'late', 'success 100']);
  });

  it.each<[string, unknown]>([
    ['text, which is one id', 'order-1042'],
    ['nothing', null],
    ['rows in place of ids', [{ external_id: 'order-1042' }]],
    ['an empty id', ['order-1042', '']],
  ])('are refused as %s', async (_name, orders) => {
    const { client, asked } = clientOf(paid);
    await expect(shopOf().handler.catchUp(client, { orders: orders as never })).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringMatching(/^handler\.catchUp: orders must/),
    });
    expect(asked).toEqual([]);
  });
});

describe('what fails', () => {
  it('is counted, named, and played by the next run', async () => {
    let isDown = true;
    const shop = shopOf({
      onPaid: () => {
        if (isDown) throw new Error('database is down');
      },
    });
    const other = { ...expired, uuid: uuidOf(2) };
    expect(await play(shop, paid, other)).toEqual({ ...NOTHING, checked: 2, failed: 1, played: 1 });
    expect(shop.reports).toMatchObject([
      {
        reason: 'handler_failed',
        error: new Error('database is down'),
        message: expect.stringContaining('order-1042'),
      },
    ]);
    isDown = false;
    expect(await play(shop, paid, other)).toMatchObject({ played: 1, alreadyDone: 1, failed: 0 });
  });

  it('by a store that is down is counted, and reported', async () => {
    const store: WebhookStore = { ...memoryStore(), claim: () => Promise.reject(new Error('refused')) };
    const shop = shopOf({ store });
    expect(await play(shop, paid)).toEqual({ ...NOTHING, checked: 1, failed: 1 });
    expect(shop.reports).toMatchObject([{ reason: 'store_failed', error: new Error('refused') }]);
  });

  it('by a store that takes too long is told once, and as what it is', async () => {
    const claim = deferred();
    const inner = memoryStore();
    const store: WebhookStore = { ...inner, claim: (given) => claim.promise.then(() => inner.claim(given)) };
    const shop = shopOf({ store });
    const running = play(shop, paid);
    await settle();
    await shop.clock.advance(12_000);
    expect(await running).toEqual({ ...NOTHING, checked: 1, failed: 1 });
    claim.resolve();
    await settle();
    expect([shop.reasons(), shop.events]).toEqual([['time_limit'], []]);
  });

  it('by taking too long is left to itself, and does not hold up the others', async () => {
    const work = deferred();
    const shop = shopOf({ onPaid: () => work.promise });
    const running = play(shop, paid, { ...expired, uuid: uuidOf(2), external_id: 'other' });
    await settle();
    await shop.clock.advance(12_000);
    expect(await running).toEqual({ ...NOTHING, checked: 2, failed: 1, played: 1 });
    expect(await play(shop, paid)).toMatchObject({ busy: 1 });
    work.resolve();
    await settle();
    expect(shop.reasons()).toEqual(['time_limit', 'duplicate_running', 'completed_late']);
    expect(shop.reports[0]?.message).toMatch(/order-1042.*12000 ms/);
    expect(shop.reports[1]?.message).toContain('order-1042');
    expect(await play(shop, paid)).toMatchObject({ alreadyDone: 1 });
  });
});

describe('concurrency', () => {
  it.each([
    [1, 1],
    [4, 4],
    [32, 20],
  ])('%i at once, and never two events of one order', async (concurrency, atOnce) => {
    const running: string[] = [];
    const most = { all: 0, ofOne: 0 };
    const shop = shopOf({
      onPaid: async ({ external_id }) => {
        running.push(external_id);
        most.all = Math.max(most.all, running.length);
        most.ofOne = Math.max(most.ofOne, running.filter((id) => id === external_id).length);
        await settle();
        running.splice(running.indexOf(external_id), 1);
      },
    });
    // Three invoices of each order, twenty apart.
    const rows = Array.from({ length: 60 }, (_, n) => ({ ...paid, uuid: uuidOf(n), external_id: `order-${n % 20}` }));
    const result = await shop.handler.catchUp(clientOf(...rows).client, { ...ordersOf(...rows), concurrency });
    expect([result.played, most.all, most.ofOne]).toEqual([60, atOnce, 1]);
  });
});

describe('without orders', () => {
  it('the four lists of final invoices are read', async () => {
    const { client, asked } = clientOf(paid, expired);
    expect(await shopOf().handler.catchUp(client, { since })).toEqual({ ...NOTHING, checked: 2, played: 2 });
    expect(asked).toEqual(['success 100', 'fail 100', 'expired 100', 'canceled 100']);
  });

  it.each<[string, Date | number | string]>([
    ['a Date', new Date(NOW - 30 * MINUTE)],
    ['milliseconds', NOW - 30 * MINUTE],
    ['ISO text', '2025-12-31T23:30:00Z'],
    ['ISO text without offset, which is UTC', '2025-12-31T23:30:00'],
    ['ISO text with an offset', '2026-01-01T00:30:00+01:00'],
  ])('since, as %s, takes what finished then or later', async (_name, at) => {
    const { client } = clientOf(
      paid,
      { ...paid, uuid: uuidOf(1), finished_at: new Date(NOW - 30 * MINUTE - 1) },
      { ...paid, uuid: uuidOf(2), finished_at: null },
    );
    const { handler, events } = shopOf();
    expect(await handler.catchUp(client, { since: at })).toEqual({ ...NOTHING, checked: 2, played: 2 });
    expect(events.map(({ invoice_uuid }) => invoice_uuid)).toEqual([UUID, uuidOf(2)]);
  });

  it('rows that cannot be decoded are counted and named once, however often their page is read', async () => {
    const shop = shopOf();
    const list: CatchUpClient['invoices']['list'] = async function* ({ status }, { onInvalidItem }) {
      if (status !== 'fail') return;
      const bad = { page: 2, index: 4, path: 'amount', raw: { uuid: uuidOf(1) } };
      for (const item of [bad, { ...bad, page: 1 }, { ...bad, raw: null }]) onInvalidItem(item);
      yield { ...expired, status };
      yield { ...paid, uuid: uuidOf(3) }; // of another status than was asked for
    };
    const merchant = { invoices: { get: () => expect.fail(), list } };
    const result = await shop.handler.catchUp(merchant, { since });
    expect(result).toEqual({ ...NOTHING, checked: 3, played: 1, failed: 2 });
    expect(shop.reports.map(({ message }) => message)).toEqual([
      `The fail invoice ${uuidOf(1)} cannot be read at "amount". It was left out.`,
      'The fail invoice row 5 of page 2 cannot be read at "amount". It was left out.',
    ]);
  });

  it('since is refused beyond the retention of the store', async () => {
    const store = { ...memoryStore(), retention: 30 * DAY };
    const { handler } = shopOf({ store });
    await expect(handler.catchUp(clientOf().client, { since: NOW - 30 * DAY - 1 })).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringMatching(/remembers completed events for 30 days/),
    });
    expect(await handler.catchUp(clientOf().client, { since: NOW - 30 * DAY })).toEqual(NOTHING);
  });
});

describe('arguments', () => {
  it.each([undefined, null, {}, { invoices: {} }, { invoices: { list() {} } }, 'merchant'])(
    'refuses %j for a client',
    async (merchant) => {
      await expect(shopOf().handler.catchUp(merchant as never, { orders: [] })).rejects.toMatchObject({
        kind: 'configuration',
        message: expect.stringContaining('MerchantClient'),
      });
    },
  );

  it.each<[string, unknown]>([
    ['options must be an object', []],
    ['needs { orders }', undefined],
    ['needs { orders }', {}],
    ['has orders and since', { orders: [], since }],
    ['pass controller.signal', { orders: [], signal: new AbortController() }],
    ['onProgress must be a function', { orders: [], onProgress: 1 }],
    ['concurrency must be a whole number from 1 to 32', { orders: [], concurrency: 33 }],
    ['options has no "order"; it has orders, since, signal, concurrency, onProgress', { order: [] }],
  ])('refuses: %s', async (named, options) => {
    await expect(shopOf().handler.catchUp(clientOf().client, options as never)).rejects.toMatchObject({
      kind: 'configuration',
      operation: 'handler.catchUp',
      message: expect.stringContaining(named),
    });
  });
});

describe('the signal', () => {
  it('aborted before: no request', async () => {
    const { client, asked } = clientOf(paid);
    const signal = AbortSignal.abort('deploy');
    await expect(shopOf().handler.catchUp(client, { ...ordersOf(paid), signal })).rejects.toMatchObject({
      kind: 'aborted',
      code: 'SDK_ABORTED',
      stoppedBy: 'aborted',
      operation: 'handler.catchUp',
      reason: 'deploy',
      outcome: 'not_sent',
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

  it('aborted while one runs: that one ends, and no other begins', async () => {
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
    const rows = [paid, { ...paid, uuid: uuidOf(1), external_id: 'b' }, { ...paid, uuid: uuidOf(2), external_id: 'c' }];
    let ended = false;
    const options = { ...ordersOf(...rows), signal: stop.signal, concurrency: 1 };
    const run = shop.handler.catchUp(clientOf(...rows).client, options).finally(() => {
      ended = true;
    });
    const outcome = expect(run).rejects.toMatchObject({ kind: 'aborted', reason: new Error('deploy') });
    await settle();
    expect(ended).toBe(false);
    work.resolve();
    await outcome;
    expect(seen).toEqual([true]);
    expect(await play(shop, paid)).toMatchObject({ alreadyDone: 1 });
  });

  it.each<[string, (stop: AbortController) => { store?: WebhookStore; client?: CatchUpClient }]>([
    [
      'while the store claims',
      (stop) => {
        const store = memoryStore();
        const claim: LeaseStore['claim'] = async (request) => {
          stop.abort();
          return await store.claim(request);
        };
        return { store: { ...store, claim } };
      },
    ],
    [
      'while an order is read, also if the read ends well',
      (stop) => {
        const { client } = clientOf(paid);
        const get: CatchUpClient['invoices']['get'] = async (ident, options) => {
          stop.abort();
          return await client.invoices.get(ident, options);
        };
        return { client: { invoices: { ...client.invoices, get } } };
      },
    ],
  ])('aborted %s: no function begins, and the next run plays the order', async (_name, aborting) => {
    const stop = new AbortController();
    const { store = memoryStore(), client = clientOf(paid).client } = aborting(stop);
    const shop = shopOf({ store });
    await expect(shop.handler.catchUp(client, { orders: ['order-1042'], signal: stop.signal })).rejects.toMatchObject({
      kind: 'aborted',
    });
    expect([shop.events, shop.reports]).toEqual([[], []]);
    expect(await play(shop, paid)).toMatchObject({ played: 1 });
  });

  it('aborted before a list is read: the list is not asked for, so that no promise of it rejects unseen', async () => {
    const stop = new AbortController();
    let lists = 0;
    const merchant: CatchUpClient = {
      invoices: {
        async get() {
          stop.abort();
          return { ...paid, finished_at: null }; // would be taken from the list
        },
        list() {
          lists += 1;
          return clientOf().client.invoices.list({ status: 'success', per_page: 100 }, { onInvalidItem: () => {} });
        },
      },
    };
    const options = { orders: ['order-1042'], signal: stop.signal };
    await expect(shopOf().handler.catchUp(merchant, options)).rejects.toMatchObject({ kind: 'aborted' });
    expect(lists).toBe(0);
  });
});

describe('onProgress', () => {
  it('is called after each order', async () => {
    const told: CatchUpProgress[] = [];
    const open = { ...paid, uuid: uuidOf(1), external_id: 'b', status: 'pending' as const };
    const { client } = clientOf(paid, open);
    const options = { ...ordersOf(paid, open), concurrency: 1 };
    await shopOf().handler.catchUp(client, { ...options, onProgress: (progress) => told.push(progress) });
    expect(told).toEqual([
      { ...NOTHING, checked: 1, played: 1, total: 2 },
      { ...NOTHING, checked: 2, played: 1, open: 1, total: 2 },
    ]);
  });
});
