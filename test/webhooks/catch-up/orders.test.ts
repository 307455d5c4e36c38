import { describe, expect, it } from 'vitest';
import { MerchantClient } from '../../../src/index.ts';
import type { Dialect } from '../../../src/tools/sandbox/index.ts';
import type { InvoiceEvent } from '../../../src/webhooks/index.ts';
import { successInvoice } from '../../support/fixtures/invoices.ts';
import { type Habits, invoiceService, type Row } from '../../support/invoice-service.ts';
import { testSandbox } from '../../support/test-sandbox.ts';
import { endpoint } from '../endpoint.ts';

// An order with several invoices: catchUp plays its payments, and cancels it only where nobody has paid or can still pay.
// A real client reads a sandbox, which answers each ident, or uuids alone, or external_ids alone.

const ORDER = 'order-1042';
const UUID_ORDER = '0b9e3c55-2d41-4f0a-9a77-5be2f1f6c001';

function stage(dialect: Partial<Dialect> = {}) {
  const sandbox = testSandbox({ dialect });
  const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch });
  const events: InvoiceEvent[] = [];
  const keep = (event: InvoiceEvent) => void events.push(event);
  const shop = endpoint({
    secret: sandbox.webhookSecret,
    onPaid: keep,
    onAdjusted: keep,
    onCanceled: keep,
    now: () => sandbox.now().getTime(),
  });
  const renew = (order = ORDER, more: object = {}) =>
    merchant.invoices.createOrRenew({
      external_id: order,
      customer_id: 'customer-7',
      amount: '25.00',
      currency: 'EUR',
      ...more,
    });
  const catchUp = (orders: readonly string[]) => shop.handler.catchUp(merchant, { orders });
  const told = () => events.map(({ type, order, renewal }) => [type.replace('invoice.', ''), order, renewal]);
  return { sandbox, merchant, events, told, renew, catchUp, ...shop };
}

type Stage = ReturnType<typeof stage>;

/** Brings an order into a state. No webhook arrives: the sandbox has no address for it. */
const STATES: readonly {
  readonly name: string;
  readonly make: (stage: Stage, order: string) => Promise<unknown>;
  /** The events that catchUp plays, by renewal. */
  readonly plays: readonly (readonly ['paid' | 'canceled', number])[];
  readonly counts: object;
}[] = [
  {
    name: 'the renewal was paid',
    async make({ sandbox, renew }, order) {
      await renew(order);
      await sandbox.expire(order);
      await renew(order);
      await sandbox.pay(`${order}--1`);
    },
    plays: [['paid', 1]],
    counts: { played: 1, failed: 0 },
  },
  {
    name: 'the renewal is open',
    async make({ sandbox, renew }, order) {
      await renew(order);
      await sandbox.expire(order);
      await renew(order);
    },
    plays: [],
    counts: { open: 1 },
  },
  {
    name: 'the first was paid late, while the renewal is open',
    async make({ sandbox, renew }, order) {
      await renew(order);
      await sandbox.expire(order);
      await renew(order);
      await sandbox.pay(order, { late: true });
    },
    plays: [['paid', 0]],
    counts: { played: 1, open: 0 },
  },
  {
    name: 'both were paid',
    async make({ sandbox, renew }, order) {
      await renew(order);
      await sandbox.expire(order);
      await renew(order);
      await sandbox.pay(`${order}--1`);
      await sandbox.pay(order, { late: true });
    },
    plays: [
      ['paid', 0],
      ['paid', 1],
    ],
    counts: { played: 2 },
  },
  {
    name: 'all ended unpaid: the last one cancels',
    async make({ sandbox, renew }, order) {
      await renew(order);
      await sandbox.expire(order);
      await renew(order);
      await sandbox.fail(`${order}--1`);
    },
    plays: [['canceled', 1]],
    counts: { played: 1 },
  },
];

const IDENTS = ['both', 'uuid', 'external_id'] as const;

describe.each(IDENTS)('over a service that reads by %s', (invoiceReadIdent) => {
  it.each(STATES.flatMap((state) => [ORDER, UUID_ORDER].map((order) => ({ ...state, order }))))(
    '$order: $name',
    async ({ make, order, plays, counts }) => {
      const at = stage({ invoiceReadIdent });
      await make(at, order);
      const first = await at.merchant.invoices.list({}).collect({ limit: 10 });
      const uuids = first.map(({ uuid }) => uuid);
      expect(await at.catchUp([order])).toMatchObject({ checked: 1, unknown: 0, ...counts });
      expect(at.told()).toEqual(plays.map(([type, renewal]) => [type, order, renewal]));
      // Each other id of the order stands for the same order, whose events are done.
      for (const ident of [...uuids, `${order}--1`]) {
        expect(await at.catchUp([ident])).toMatchObject({ checked: 1, unknown: 0, played: 0, failed: 0 });
      }
      expect(await at.catchUp([order, `${order}--1`, ...uuids])).toMatchObject({ checked: 1, played: 0 });
      expect(at.events).toHaveLength(plays.length);
    },
  );
});

it('a hundred and one orders, of which the first invoice of one was paid late while its renewal is open', async () => {
  const at = stage();
  const orders = Array.from({ length: 101 }, (_, n) => `order-${n}`);
  for (const order of orders) await at.renew(order);
  await at.sandbox.expire('order-7');
  await at.renew('order-7');
  await at.sandbox.pay('order-7', { late: true });
  expect(await at.catchUp(orders)).toMatchObject({ checked: 101, played: 1, open: 100, failed: 0 });
  expect(at.told()).toEqual([['paid', 'order-7', 0]]);
});

/** The invoices of a service that answers as the table says. Anything else is a 404 of the service. */
describe('of an order whose invoices cannot all be read', () => {
  it.each<[string, string, readonly unknown[], object]>([
    ['a payment is played', 'success', [['paid', ORDER, 0]], { played: 1, failed: 1 }],
    ['a cancellation is not', 'expired', [], { played: 0, failed: 1 }],
  ])('%s', async (_name, status, told, counts) => {
    const at = stage();
    await at.renew();
    await (status === 'success' ? at.sandbox.pay(ORDER) : at.sandbox.expire(ORDER));
    // The single read of the renewal fails for ever, and so do the lists.
    const fetch: typeof at.sandbox.fetch = async (url, init) =>
      /order-1042--1|invoices\?/.test(String(url))
        ? Response.json({ success: false, error: { code: 'INTERNAL_ERROR', message: '' } }, { status: 500 })
        : await at.sandbox.fetch(url, init);
    const merchant = new MerchantClient({ baseUrl: at.sandbox.url, apiKey: at.sandbox.apiKey, fetch, retry: false });
    const result = await at.handler.catchUp(merchant, { orders: [ORDER] });
    expect(result).toMatchObject({ checked: 1, ...counts });
    expect(at.told()).toEqual(told);
    expect(at.reports).toMatchObject([{ reason: 'order_not_read', order: ORDER }]);
  });
});

/** A page of a proxy, and a service that reads uuids alone: the lists decide. */
const DOUBTS: readonly (readonly [string, Habits])[] = [
  ['reads uuids alone', { reads: 'uuid' }],
  [
    'hides a renewal',
    { instead: (path) => (path.includes('--1') ? new Response('<html>', { status: 502 }) : undefined) },
  ],
];

describe.each(DOUBTS)('of an order over a service that %s', (_name, habits) => {
  const ended = { uuid: 'a0000000-0000-4000-8000-000000000001', external_id: ORDER, status: 'expired' };
  const renewal = { uuid: 'a0000000-0000-4000-8000-000000000002', external_id: `${ORDER}--1` };
  const paid = { ...renewal, ...successInvoice, external_id: renewal.external_id, uuid: renewal.uuid };
  const caughtUp = async (rows: readonly Row[], first: string = ORDER) => {
    const { fetch } = invoiceService(rows, habits);
    const at = stage();
    const merchant = new MerchantClient({ baseUrl: 'https://pay.example', apiKey: 'key', fetch, retry: false });
    const result = await at.handler.catchUp(merchant, { orders: [first] });
    return { result, ...at };
  };

  it.each<[string, Row]>([
    ['its link', { ...paid, payment_url: '/pay/relative' }],
    ['its credit', { ...paid, settled_amount_usdt: 'much' }],
    ['its amount', { ...paid, amount: 'broken' }],
    ['whether it was adjusted', { ...paid, is_adjusted: null }],
    ['its end, while it is open', { ...renewal, expires_at: '' }],
  ])('nothing is canceled where the list has a row of it that cannot be read: %s', async (_member, row) => {
    const { result, events, reports } = await caughtUp([row, ended]);
    expect(result).toMatchObject({ checked: 1, played: 0, unknown: 0, failed: 1 });
    expect(events).toEqual([]);
    const message = expect.stringContaining('a row of a list, which may be of this order, cannot be read');
    expect(reports.at(-1)).toMatchObject({ order: ORDER, message });
  });

  it('a row of another order that cannot be read changes nothing', async () => {
    const { result, told } = await caughtUp([{ ...paid, external_id: 'other-7', amount: 'broken' }, ended]);
    expect(result).toMatchObject({ played: 1, failed: 0 });
    expect(told()).toEqual([['canceled', ORDER, 0]]);
  });

  it.each(['on_hold', 'SUCCESS'])('nothing is canceled while a renewal has the status %s', async (status) => {
    const { result, events, reports } = await caughtUp([{ ...renewal, status }, ended]);
    expect(result).toMatchObject({ checked: 1, open: 0, played: 0, unknown: 0, failed: 1 });
    expect(reports.at(-1)?.message).toBe(
      `The invoice "${renewal.external_id}" has the status "${status}", which the interface does not name. It was not played. Look at the invoice in the dashboard, and decide by hand whether it was paid.`,
    );
    expect(events).toEqual([]);
  });

  const past = { ...ended, status: 'pending', expires_at: '2020-01-01T00:00:00Z' };

  it('is open behind an invoice that is past its end, where no payment is in the list', async () => {
    expect((await caughtUp([renewal, past])).result).toMatchObject({ open: 1, failed: 0 });
  });

  it('is not open where a payment behind an invoice that is past its end cannot be read', async () => {
    const { result, reports } = await caughtUp([{ ...paid, amount: 'broken' }, past]);
    expect(result).toMatchObject({ checked: 1, open: 0, played: 0, failed: 1 });
    expect(reports.at(-1)).toMatchObject({ reason: 'order_not_read', order: ORDER });
  });

  it('a payment of another system is not played, also where its list comes first', async () => {
    const theirs = { customer_id: 'zz', callback_url: 'https://b.example/' };
    const { result, events } = await caughtUp([
      { ...paid, ...theirs },
      { ...ended, callback_url: 'https://a.example/' },
    ]);
    expect(result).toMatchObject({ checked: 1, played: 0, failed: 1 });
    expect(events).toEqual([]);
  });
});

it('an order is not open where the lists cannot be read, and a payment may be behind an invoice that is past its end', async () => {
  const past = { uuid: 'a0000000-0000-4000-8000-000000000001', external_id: ORDER, expires_at: '2020-01-01T00:00:00Z' };
  const instead = (path: string) => (path === `/${ORDER}` ? undefined : new Response(null, { status: 500 }));
  const { fetch } = invoiceService([past], { instead });
  const merchant = new MerchantClient({ baseUrl: 'https://pay.example', apiKey: 'key', fetch, retry: false });
  const { handler, reports } = stage();
  expect(await handler.catchUp(merchant, { orders: [ORDER] })).toMatchObject({ open: 0, failed: 1 });
  expect(reports.at(-1)?.message).toContain('A further invoice of order "order-1042" could not be read');
});

describe('a payment of which the single read does not say whether it was adjusted, where the shop has pinned the silence', () => {
  const ids = { uuid: 'a0000000-0000-4000-8000-000000000001', external_id: ORDER };
  const silent: Row = { ...successInvoice, ...ids, is_adjusted: undefined, adjustment: undefined };
  const told: Row = { ...silent, is_adjusted: true, adjustment: 'much' };
  const lists = (answer: () => Response) => (path: string) => (path.startsWith('?') ? answer() : undefined);
  it.each<[string, (path: string) => Response | undefined, number]>([
    ['the list does not say it either', () => undefined, 1],
    ['the list cannot be read', lists(() => new Response(null, { status: 500 })), 0],
    ['the list does not have it', lists(() => Response.json({ success: true, data: emptyPage })), 0],
    [
      'the list has an adjustment that cannot be read',
      lists(() =>
        Response.json({ success: true, data: { ...emptyPage, items: [told], total_items: 1, total_pages: 1 } }),
      ),
      0,
    ],
  ])('%s', async (_name, instead, played) => {
    const { fetch } = invoiceService([silent], { instead });
    const merchant = new MerchantClient({ baseUrl: 'https://pay.example', apiKey: 'key', fetch, retry: false });
    const { handler, reports } = endpoint({ adjustedAbsent: 'as_ordered' });
    expect(await handler.catchUp(merchant, { orders: [ORDER] })).toMatchObject({ played, failed: 1 - played });
    if (played === 0) expect(reports.at(-1)).toMatchObject({ reason: 'order_not_read', order: ORDER });
  });
});

const emptyPage = {
  items: [],
  page: 1,
  per_page: 100,
  total_items: 0,
  total_pages: 0,
  has_next: false,
  has_prev: false,
};

it('an order whose only invoice cannot be read is failed, never unknown', async () => {
  const row = { uuid: 'a0000000-0000-4000-8000-000000000003', external_id: ORDER, amount: 'broken' };
  const { fetch } = invoiceService([row], { reads: 'uuid' });
  const merchant = new MerchantClient({ baseUrl: 'https://pay.example', apiKey: 'key', fetch, retry: false });
  expect(await stage().handler.catchUp(merchant, { orders: [ORDER] })).toMatchObject({ failed: 1, unknown: 0 });
});

it('an invoice of another system under an id of the order is named, and not played', async () => {
  const at = stage();
  await at.renew(ORDER, { callback_url: 'https://shop.example/webhook' });
  await at.sandbox.expire(ORDER);
  await at.sandbox.create({
    external_id: `${ORDER}--1`,
    customer_id: 'somebody',
    amount: '99.00',
    currency: 'EUR',
    callback_url: 'https://other.example/webhook',
  });
  await at.sandbox.pay(`${ORDER}--1`);
  expect(await at.catchUp([ORDER])).toMatchObject({ checked: 1, played: 0, failed: 1 });
  expect(at.events).toEqual([]);
  expect(at.reports).toMatchObject([{ order: ORDER, message: expect.stringMatching(/Another system.*prefix/s) }]);
});

it.each([' order-1042', 'order-1042   '])(
  'an id with white space around it is failed, with the reason: %j',
  async (id) => {
    const at = stage();
    await at.renew();
    expect(await at.catchUp([id])).toMatchObject({ checked: 1, failed: 1 });
    expect(at.reports).toMatchObject([
      { reason: 'order_not_read', message: expect.stringContaining('CHAR adds blanks') },
    ]);
  },
);
