import { describe, expect, it, onTestFinished } from 'vitest';
import { MerchantClient } from '../../src/index.ts';
import { type Finding, type ReconcileOrder, reconcile } from '../../src/reconcile/index.ts';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { DAY, lookupIn } from './shop.ts';

// Every kind of finding, planted in a sandbox and found over a socket by the client that merchants use.

async function shop(dialect: SandboxOptions['dialect'] = {}) {
  const sandbox = createSandbox({ seed: 7, now: '2026-03-01T12:00:00Z', dialect });
  const { url } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  const merchant = new MerchantClient({ baseUrl: url, apiKey: sandbox.apiKey });
  const orders: ReconcileOrder[] = [];
  /** Charges 25.00 EUR, and books the order as given. Null: no order. */
  const charge = async (id: string, booked: Partial<ReconcileOrder> | null = {}, callback_url?: string) => {
    await merchant.invoices.create({
      external_id: id,
      customer_id: 'c',
      amount: '25.00',
      currency: 'EUR',
      callback_url,
    });
    if (booked !== null) book(id, booked);
  };
  const book = (id: string, booked: Partial<ReconcileOrder>): void => {
    orders.push({ external_id: id, amount: '25.00', currency: 'EUR', state: 'fulfilled', ...booked });
  };
  const run = (days = 0) => ({
    merchant,
    orders,
    lookup: lookupIn(orders),
    now: () => sandbox.now().getTime() + days * DAY,
  });
  return { sandbox, merchant, orders, charge, book, run };
}

/** Plants one of each kind beside orders that match. Returns what must be found. */
async function planted(dialect: SandboxOptions['dialect'] = {}) {
  const context = await shop(dialect);
  const { sandbox, charge, book } = context;
  const full = '26.861298';
  await charge('fine', { credited_usdt: full });
  await sandbox.pay('fine');
  await charge('fine-expired', { state: 'canceled' });
  await sandbox.expire('fine-expired');
  await charge('paid', { state: 'open' });
  await sandbox.pay('paid');
  await charge('unpaid');
  await sandbox.expire('unpaid');
  await charge('under');
  const { settled_amount_usdt: less } = await sandbox.underpay('under', '20.00');
  await charge('over');
  await sandbox.overpay('over', '30.00');
  await charge('accepted', { amount: '20.00', credited_usdt: less });
  await sandbox.underpay('accepted', '20.00');
  await charge('credit', { credited_usdt: '26.86' });
  await sandbox.pay('credit');
  await charge('currency', { currency: 'USD' });
  await sandbox.pay('currency');
  await charge('corrected', { credited_usdt: full });
  await sandbox.pay('corrected');
  await sandbox.adjust('corrected', '20.00');
  await charge('stranger', null);
  await sandbox.pay('stranger');
  book('forgotten', { state: 'open' });
  await charge('twice');
  book('twice', { state: 'open' });
  await sandbox.pay('twice');
  await charge('deaf', { state: 'open' }, 'http://127.0.0.1:9/webhook');
  await sandbox.pay('deaf');
  await sandbox.advance('2d'); // all attempts of the webhook have failed
  await charge('stuck', { state: 'open' });
  return context;
}

const MUST_FIND = [
  'paid paid_not_fulfilled',
  'unpaid fulfilled_not_paid',
  'under underpaid',
  'over overpaid',
  'credit credited_differs',
  'currency currency_differs',
  'corrected corrected_after_fulfilment',
  'stranger invoice_without_order',
  'forgotten order_without_invoice',
  'twice duplicate_order',
  'deaf paid_not_fulfilled',
  'deaf webhook_not_delivered',
  'stuck pending_past_expiry',
].sort();

async function all(run: AsyncIterable<Finding | { readonly kind: 'not_compared' }>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of run) {
    if (finding.kind === 'not_compared') throw new Error(JSON.stringify(finding));
    findings.push(finding);
  }
  return findings;
}

describe('every kind of finding', () => {
  it('is found, and nothing else', async () => {
    const { run } = await planted();
    const reconciliation = reconcile(run(3));
    const findings = await all(reconciliation);
    expect(findings.map(({ external_id, kind }) => `${external_id} ${kind}`).sort()).toEqual(MUST_FIND);
    expect(findings.every(({ confirmed }) => confirmed)).toBe(true);
    const { currencies, ...totals } = await reconciliation.summary();
    expect(totals).toEqual({
      complete: true,
      orders: 15,
      invoices: 14,
      matched: 3,
      findings: 13,
      notCompared: 0,
      deliveriesNotRead: 0,
    });
    expect(currencies).toMatchObject([{ currency: 'EUR', matched: 3, findings: { paid_not_fulfilled: 2 } }]);
  });

  it('is found with orders alone, though not confirmed', async () => {
    const { run } = await planted();
    const { lookup: _, ...options } = run(3);
    const findings = await all(reconcile(options));
    expect(findings.map(({ external_id, kind }) => `${external_id} ${kind}`).sort()).toEqual(MUST_FIND);
    expect(findings.some(({ confirmed }) => confirmed)).toBe(false);
  });

  it('is found with a look-up alone, but for orders that have no invoice', async () => {
    const { run } = await planted();
    const { orders: _, ...options } = run(3);
    const findings = await all(reconcile(options));
    const told = findings.map(({ external_id, kind }) => `${external_id} ${kind}`).sort();
    expect(told).toEqual(MUST_FIND.filter((line) => !line.includes('order_without_invoice')));
  });

  it.each([
    { invoiceReadIdent: 'uuid', identRefusal: 'not_found' },
    { invoiceReadIdent: 'uuid', identRefusal: 'invalid' },
    { invoiceReadIdent: 'external_id', identRefusal: 'not_found' },
    { invoiceReadIdent: 'external_id', identRefusal: 'invalid' },
    { listOrder: 'oldest' },
    { pastEnd: 'not_found' },
  ] as const)('is found whatever the service reads by: %o', async (dialect) => {
    const { run } = await planted(dialect);
    const findings = await all(reconcile(run(3)));
    expect(findings.map(({ external_id, kind }) => `${external_id} ${kind}`).sort()).toEqual(MUST_FIND);
  });

  it('says what was expected, what is, the difference, and what to do', async () => {
    const { run } = await planted();
    const findings = await all(reconcile(run(3)));
    const of = (kind: string) => JSON.parse(JSON.stringify(findings.find((finding) => finding.kind === kind)));
    expect(of('paid_not_fulfilled')).toMatchObject({ expected: 'fulfilled', actual: 'open', difference: null });
    expect(of('fulfilled_not_paid')).toMatchObject({ expected: 'success', actual: 'expired', difference: null });
    expect(of('underpaid')).toMatchObject({ expected: '25', actual: '20', difference: '-5', currency: 'EUR' });
    expect(of('overpaid')).toMatchObject({ expected: '25', actual: '30', difference: '5' });
    expect(of('credited_differs')).toMatchObject({ expected: '26.86', actual: '26.861298', difference: '0.001298' });
    expect(of('currency_differs')).toMatchObject({ expected: 'USD', actual: 'EUR', difference: null });
    expect(of('corrected_after_fulfilment')).toMatchObject({ expected: '26.861298', invoice: { paid_amount: '20' } });
    expect(of('invoice_without_order')).toMatchObject({ expected: null, actual: 'success', order: null });
    expect(of('order_without_invoice')).toMatchObject({ expected: 'open', actual: null, invoice: null });
    expect(of('duplicate_order')).toMatchObject({
      expected: 1,
      actual: 2,
      difference: 1,
      places: ['lookup', 'lookup'],
    });
    expect(of('webhook_not_delivered')).toMatchObject({ expected: 'delivered', actual: 'failed' });
    expect(of('pending_past_expiry')).toMatchObject({
      actual: '2026-03-06T12:00:00.000Z',
      difference: 3 * DAY - 1_800_000,
    });
    for (const { action } of findings) expect(action).toMatch(/^[A-Z].+\.$/);
  });

  it('can send a webhook again, and finds nothing once the receiver has fulfilled the order', async () => {
    const { run, sandbox, orders } = await planted();
    for (const finding of await all(reconcile(run(3)))) {
      if (finding.kind === 'webhook_not_delivered') await finding.resend();
    }
    expect(sandbox.deliveries('deaf')[0]?.attempt_log.at(-1)).toMatchObject({ triggered_by: 'manual' });
    const at = orders.findIndex(({ external_id }) => external_id === 'deaf');
    orders[at] = { external_id: 'deaf', amount: '25', currency: 'eur', state: 'fulfilled' };
    const left = await all(reconcile(run(3)));
    expect(left.filter(({ external_id }) => external_id === 'deaf')).toEqual([]);
  });

  it('leaves to its webhook what has ended less than the grace ago', async () => {
    const { run } = await planted();
    const reconciliation = reconcile({ ...run(), grace: 3 * DAY });
    expect((await all(reconciliation)).map(({ external_id }) => external_id).sort()).toEqual(['forgotten', 'twice']);
    const { currencies } = await reconciliation.summary();
    expect(currencies[0]?.notCompared).toEqual({ within_grace: 9 });
  });
});
