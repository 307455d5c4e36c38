import { describe, expect, it } from 'vitest';
import { MerchantClient } from '../../../src/index.ts';
import type { Dialect } from '../../../src/tools/sandbox/index.ts';
import type { InvoiceEvent } from '../../../src/webhooks/index.ts';
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
