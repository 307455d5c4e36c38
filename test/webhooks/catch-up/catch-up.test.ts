import { describe, expect, it } from 'vitest';
import {
  type CatchUpClient,
  type CatchUpInvoice,
  type CatchUpProgress,
  Decimal,
  type InvoiceEvent,
  memoryStore,
  parseInvoiceEvent,
  type WebhookHandlerOptions,
  type WebhookStore,
} from '../../../src/webhooks/index.ts';
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

/** A client whose lists are these; counts the states asked for. */
function clientOf(...invoices: CatchUpInvoice[]) {
  const asked: [Parameters<CatchUpClient['invoices']['list']>[0]['status'], number][] = [];
  const client: CatchUpClient = {
    invoices: {
      async *list({ status, per_page }, { onPage }) {
        asked.push([status, per_page]);
        onPage({ page: 1, total_pages: 1 });
        for (const invoice of invoices) if (invoice.status === status) yield invoice;
      },
    },
  };
  return { client, asked };
}

const since = NOW - DAY;
const NOTHING = { played: 0, alreadyDone: 0, busy: 0, failed: 0, invalid: 0 };

/** A receiver that keeps the events it handled. */
function shopOf(options: Partial<WebhookHandlerOptions> = {}) {
  const events: InvoiceEvent[] = [];
  const shop = endpoint({
    onPaid: (event) => void events.push(event),
    onCanceled: (event) => void events.push(event),
    ...options,
  });
  return { ...shop, events };
}

describe('the event of an invoice', () => {
  async function eventOf(invoice: CatchUpInvoice): Promise<InvoiceEvent | undefined> {
    const { handler, events } = shopOf();
    await handler.catchUp(clientOf(invoice).client, { since });
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

  it('goes through JSON and back', async () => {
    for (const invoice of [paid, adjusted, expired]) {
      const event = await eventOf(invoice);
      expect(parseInvoiceEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
    }
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
      'adjusted to less than nothing',
      { ...adjusted, adjustment: { ...ADJUSTMENT, actual_amount_fiat: new Decimal('-17') } },
      '"adjustment.actual_amount_fiat" is negative',
    ],
    [
      'adjusted from less than nothing',
      { ...adjusted, adjustment: { ...ADJUSTMENT, expected_amount_fiat: new Decimal('-25') } },
      '"adjustment.expected_amount_fiat" is negative',
    ],
    [
      'credited less than nothing by its adjustment',
      { ...adjusted, adjustment: { ...ADJUSTMENT, actual_amount_usdt: new Decimal('-18.3') } },
      '"adjustment.actual_amount_usdt" is negative',
    ],
    [
      'expected to credit less than nothing',
      { ...adjusted, adjustment: { ...ADJUSTMENT, expected_amount_usdt: new Decimal('-1') } },
      '"adjustment.expected_amount_usdt" is negative',
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
    [
      'failed with a negative amount',
      { ...expired, status: 'fail', amount: new Decimal('-1') },
      '"amount" is negative',
    ],
    [
      'failed with a negative credit',
      { ...expired, status: 'fail', settled_amount_usdt: new Decimal('-1') },
      '"settled_amount_usdt" is negative',
    ],
    [
      'failed with a negative credit of its adjustment',
      { ...expired, adjustment: { ...ADJUSTMENT, actual_amount_usdt: new Decimal('-1') } },
      '"adjustment.actual_amount_usdt" is negative',
    ],
  ])('is not guessed: %s', async (_name, invoice, named) => {
    const { handler, events, reports } = shopOf();
    const other = { ...paid, uuid: uuidOf(1) };
    const result = await handler.catchUp(clientOf(invoice, other).client, { since });
    expect(result).toEqual({ ...NOTHING, failed: 1, played: 1 });
    expect(events.map(({ invoice_uuid }) => invoice_uuid)).toEqual([uuidOf(1)]);
    expect(reports).toMatchObject([
      { reason: 'malformed_payload', status: null, deliveryId: null, message: expect.stringContaining(named) },
    ]);
  });
});

describe('catchUp and deliveries', () => {
  it('walks the four final states', async () => {
    const { client, asked } = clientOf();
    expect(await shopOf().handler.catchUp(client, { since })).toEqual(NOTHING);
    expect(asked).toEqual([
      ['success', 100],
      ['fail', 100],
      ['expired', 100],
      ['canceled', 100],
    ]);
  });

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
    expect(await first.handler.catchUp(clientOf(invoice).client, { since })).toEqual({ ...NOTHING, alreadyDone: 1 });
    expect(first.events).toHaveLength(1);
    expect(first.reasons()).toEqual([]);

    const later = shopOf();
    expect(await later.handler.catchUp(clientOf(invoice).client, { since })).toEqual({ ...NOTHING, played: 1 });
    expect(await send(later, body)).toMatchObject({ status: 200, body: 'duplicate' });
    expect(later.events).toHaveLength(1);
  });

  it('see one event in both when they spell the uuid differently', async () => {
    const shop = shopOf({ orderIdMember: 'shop_order' });
    await send(shop, { ...paidBody, invoice_uuid: UUID.replaceAll('-', '').toUpperCase(), shop_order: 'order-1042' });
    expect(await shop.handler.catchUp(clientOf(paid).client, { since })).toEqual({ ...NOTHING, alreadyDone: 1 });
    expect(shop.events).toHaveLength(1);
    // The list names the order id itself, so the option is not asked.
    const other = { ...paid, uuid: uuidOf(1) };
    expect(await shop.handler.catchUp(clientOf(other).client, { since })).toEqual({ ...NOTHING, played: 1 });
    expect(shop.events[1]).toMatchObject({ external_id: 'order-1042', invoice_uuid: uuidOf(1) });
  });

  it('reports an invoice that was corrected after it was handled', async () => {
    const shop = shopOf();
    await send(shop);
    expect(await shop.handler.catchUp(clientOf(adjusted).client, { since })).toEqual({ ...NOTHING, alreadyDone: 1 });
    expect(shop.events).toHaveLength(1);
    expect(shop.reports).toMatchObject([{ reason: 'duplicate_differs', key: `${UUID}:paid`, status: null }]);
  });

  it('leaves alone what a delivery is handling', async () => {
    const work = deferred();
    const shop = shopOf({ onPaid: () => work.promise });
    const delivery = send(shop);
    await settle();
    expect(await shop.handler.catchUp(clientOf(paid).client, { since })).toEqual({ ...NOTHING, busy: 1 });
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
    expect(await handler.catchUp(clientOf(paid).client, { since })).toEqual({ ...NOTHING, played: 1 });
    expect([events.length, reasons()]).toEqual([1, ['taken_over']]);
  });

  it('gives the functions the same context', async () => {
    const contexts: object[] = [];
    const shop = shopOf({ onPaid: (_event, context) => void contexts.push(context) });
    await shop.handler.catchUp(clientOf(paid).client, { since });
    expect(contexts).toMatchObject([
      { deliveryId: null, dedupeKey: `${UUID}:paid`, takenOver: false, signal: { aborted: false } },
    ]);
  });
});

describe('what fails', () => {
  it('is counted, given back, and played by the next run', async () => {
    let isDown = true;
    const shop = shopOf({
      onPaid: () => {
        if (isDown) throw new Error('database is down');
      },
    });
    const { client } = clientOf(paid, expired);
    const other = { ...expired, uuid: uuidOf(2) };
    expect(await shop.handler.catchUp(clientOf(paid, other).client, { since })).toEqual({
      ...NOTHING,
      failed: 1,
      played: 1,
    });
    expect(shop.reports).toMatchObject([{ reason: 'handler_failed', error: new Error('database is down') }]);
    isDown = false;
    expect(await shop.handler.catchUp(client, { since })).toMatchObject({ played: 2, failed: 0 });
  });

  it.each([
    ['that cannot say what it forgot', undefined],
    ['that forgot nothing', () => null],
  ])('is none with a store %s', async (_name, forgot) => {
    const { forgot: _own, ...store } = memoryStore();
    const shop = shopOf({ store: forgot === undefined ? store : { ...store, forgot } });
    expect(await shop.handler.catchUp(clientOf(paid).client, { since })).toEqual({ ...NOTHING, played: 1 });
    expect(shop.reports).toEqual([]);
  });

  it('by a store that is down is counted, and reported', async () => {
    const store: WebhookStore = { ...memoryStore(), claim: () => Promise.reject(new Error('refused')) };
    const shop = shopOf({ store });
    expect(await shop.handler.catchUp(clientOf(paid).client, { since })).toEqual({ ...NOTHING, failed: 1 });
    expect(shop.reports).toMatchObject([{ reason: 'store_failed', error: new Error('refused') }]);
  });

  it('by taking too long is left to itself, and does not hold up the others', async () => {
    const work = deferred();
    const shop = shopOf({ onPaid: () => work.promise });
    const running = shop.handler.catchUp(clientOf(paid, { ...expired, uuid: uuidOf(2) }).client, { since });
    await settle();
    await shop.clock.advance(12_000);
    expect(await running).toEqual({ ...NOTHING, failed: 1, played: 1 });
    expect(await shop.handler.catchUp(clientOf(paid).client, { since })).toMatchObject({ busy: 1 });
    work.resolve();
    await settle();
    expect(shop.reasons()).toEqual(['time_limit', 'duplicate_running', 'completed_late']);
    expect(shop.reports.map(({ status }) => status)).toEqual([null, null, null]);
    expect(shop.reports[0]?.message).toContain('12000 ms');
    for (const report of shop.reports) expect(report).not.toHaveProperty('error');
    expect(await shop.handler.catchUp(clientOf(paid).client, { since })).toMatchObject({ alreadyDone: 1 });
  });

  it('by taking too long and then throwing is reported twice', async () => {
    const work = deferred();
    const shop = shopOf({ onPaid: () => work.promise });
    const running = shop.handler.catchUp(clientOf(paid).client, { since });
    await settle();
    await shop.clock.advance(12_000);
    expect(await running).toEqual({ ...NOTHING, failed: 1 });
    work.reject(new Error('mine'));
    await settle();
    expect(shop.reports).toMatchObject([
      { reason: 'time_limit' },
      { reason: 'handler_failed', error: new Error('mine'), key: `${UUID}:paid` },
    ]);
  });

  it.each([
    ['order-1042', 'The invoice "order-1042" cannot be played. '],
    [7, 'An invoice cannot be played. '],
    [undefined, 'An invoice cannot be played. '],
  ])('of external_id %j is named where it can be', async (external_id, name) => {
    const shop = shopOf();
    const odd = { ...paid, external_id, settled_amount_usdt: null } as unknown as CatchUpInvoice; // what a client may give
    expect(await shop.handler.catchUp(clientOf(odd).client, { since })).toEqual({ ...NOTHING, failed: 1 });
    expect(shop.reports).toMatchObject([{ reason: 'malformed_payload', message: expect.stringContaining(name) }]);
  });

  it('by the list ends the run with the error of the client', async () => {
    const failing: CatchUpClient = {
      invoices: {
        // biome-ignore lint/correctness/useYield: it fails before its first item
        async *list() {
          throw new Error('the service is down');
        },
      },
    };
    await expect(shopOf().handler.catchUp(failing, { since })).rejects.toThrow('the service is down');
  });

  it('to decode is counted once, however often its page is read', async () => {
    const client: CatchUpClient = {
      invoices: {
        async *list({ status }, { onInvalidItem }) {
          if (status !== 'fail') return;
          const bad = { page: 2, index: 4, path: 'amount', raw: { uuid: uuidOf(1) } };
          for (const item of [bad, { ...bad, page: 1 }, { ...bad, raw: null }]) onInvalidItem(item);
          yield { ...expired, status };
        },
      },
    };
    const shop = shopOf();
    expect(await shop.handler.catchUp(client, { since })).toEqual({ ...NOTHING, invalid: 2, played: 1 });
    expect(shop.reports[0]).toMatchObject({
      reason: 'malformed_payload',
      message: expect.stringMatching(/status fail \(page 2, place 5\).*at amount/),
    });
  });
});

describe('since', () => {
  it.each<[string, Date | number | string]>([
    ['a Date', new Date(NOW - 30 * MINUTE)],
    ['milliseconds', NOW - 30 * MINUTE],
    ['ISO text', '2025-12-31T23:30:00Z'],
    ['ISO text without offset, which is UTC', '2025-12-31T23:30:00'],
    ['ISO text with an offset', '2026-01-01T00:30:00+01:00'],
  ])('as %s takes what finished then or later', async (_name, at) => {
    const { client } = clientOf(
      paid,
      { ...paid, uuid: uuidOf(1), finished_at: new Date(NOW - 30 * MINUTE - 1) },
      { ...paid, uuid: uuidOf(2), finished_at: null },
    );
    const { handler, events } = shopOf();
    expect(await handler.catchUp(client, { since: at })).toEqual({ ...NOTHING, played: 2 });
    expect(events.map(({ invoice_uuid }) => invoice_uuid)).toEqual([UUID, uuidOf(2)]);
  });

  it('as a day begins at its midnight in UTC', async () => {
    expect(await shopOf().handler.catchUp(clientOf(paid).client, { since: '2025-12-31' })).toMatchObject({ played: 1 });
    expect(await shopOf().handler.catchUp(clientOf(paid).client, { since: '2026-01-01' })).toEqual(NOTHING);
  });

  it.each([undefined, null, 'yesterday', '', '2025-02-30', Number.NaN, 1e20, new Date('x'), 7n, {}])(
    'is refused as %s',
    async (value) => {
      const { client, asked } = clientOf(paid);
      await expect(shopOf().handler.catchUp(client, { since: value as never })).rejects.toMatchObject({
        kind: 'configuration',
        message: expect.stringContaining('since is'),
      });
      expect(asked).toEqual([]);
    },
  );

  it('is refused beyond the retention of the store', async () => {
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
  it.each([undefined, null, {}, { invoices: {} }, 'merchant'])('refuses %j for a client', async (merchant) => {
    await expect(shopOf().handler.catchUp(merchant as never, { since })).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringContaining('MerchantClient'),
    });
  });

  it.each<[string, unknown]>([
    ['since', undefined],
    ['signal', { since, signal: {} }],
    ['onProgress', { since, onProgress: 1 }],
    ['options has no "sinse"; it has since, signal, onProgress', { since, sinse: since }],
  ])('refuses options with a wrong %s', async (named, options) => {
    await expect(shopOf().handler.catchUp(clientOf().client, options as never)).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringContaining(named),
    });
  });

  it('skips what has another status than was asked for', async () => {
    const stubborn: CatchUpClient = {
      invoices: {
        async *list() {
          yield* [paid, { ...paid, status: 'pending' as const, uuid: uuidOf(1) }];
        },
      },
    };
    expect(await shopOf().handler.catchUp(stubborn, { since })).toEqual({ ...NOTHING, played: 1 });
  });
});

describe('the signal', () => {
  it('aborted before: no request', async () => {
    const { client, asked } = clientOf(paid);
    const signal = AbortSignal.abort('deploy');
    await expect(shopOf().handler.catchUp(client, { since, signal })).rejects.toMatchObject({
      kind: 'aborted',
      code: 'SDK_ABORTED',
      stoppedBy: 'aborted',
      operation: 'handler.catchUp',
      reason: 'deploy',
      outcome: 'not_sent',
      message: expect.stringContaining("handler.catchUp: aborted by the caller's signal"),
    });
    expect(asked).toEqual([]);
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
    const { client, asked } = clientOf(paid, { ...paid, uuid: uuidOf(1) });
    let ended = false;
    const run = shop.handler.catchUp(client, { since, signal: stop.signal }).finally(() => {
      ended = true;
    });
    const outcome = expect(run).rejects.toMatchObject({
      kind: 'aborted',
      reason: new Error('deploy'),
      outcome: 'unknown',
    });
    await settle();
    expect(ended).toBe(false);
    work.resolve();
    await outcome;
    expect([seen, asked]).toEqual([[true], [['success', 100]]]);
    expect(await shop.handler.catchUp(clientOf(paid).client, { since })).toMatchObject({ alreadyDone: 1 });
  });

  it('is given to the list, whose end by it is an abort, too', async () => {
    const stop = new AbortController();
    const client: CatchUpClient = {
      invoices: {
        // biome-ignore lint/correctness/useYield: it ends before its first item
        async *list(_query, { signal }) {
          stop.abort('late');
          throw signal?.reason;
        },
      },
    };
    await expect(shopOf().handler.catchUp(client, { since, signal: stop.signal })).rejects.toMatchObject({
      kind: 'aborted',
      reason: 'late',
    });
  });
});

describe('onProgress', () => {
  it('is told after each page and each invoice', async () => {
    const told: CatchUpProgress[] = [];
    const { client } = clientOf(paid, expired);
    await shopOf().handler.catchUp(client, { since, onProgress: (progress) => told.push(progress) });
    const lines = told.map(({ status, page, totalPages, played }) => `${status} ${page}/${totalPages} ${played}`);
    expect(lines).toEqual([
      'success 1/1 0',
      'success 1/1 1',
      'fail 1/1 1',
      'expired 1/1 1',
      'expired 1/1 2',
      'canceled 1/1 2',
    ]);
  });

  it.each([
    [
      'throws',
      (): never => {
        throw new Error('no');
      },
    ],
    ['rejects', (): Promise<never> => Promise.reject(new Error('no'))],
  ])('may fail without harm: it %s', async (_name, onProgress) => {
    expect(await shopOf().handler.catchUp(clientOf(paid).client, { since, onProgress })).toMatchObject({ played: 1 });
  });
});
