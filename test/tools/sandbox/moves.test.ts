import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../src/errors/classes.ts';
import type { Sandbox, SandboxEnding } from '../../../src/tools/sandbox/index.ts';
import { inProcess, ORDER, receiver } from './loopback.ts';

/** A sandbox with one open order that reports to a receiver. */
async function open() {
  const hook = await receiver();
  const { sandbox, api } = inProcess();
  await api('POST', '/invoices', { ...ORDER, amount: '100.00', callback_url: hook.url });
  const bodies = () => hook.received.map(({ body }) => JSON.parse(body.toString()));
  return { sandbox, api, hook, bodies };
}

type End = (sandbox: Sandbox) => Promise<SandboxEnding>;

// Card: 1 % on the merchant. 99.00 EUR at 0.9214 EUR per USDT are 107.445192… USDT.
const PAID = { event: 'invoice.paid', status: 'success' };
const IN_FULL = { ...PAID, amount: '100.00', credited_usdt: '107.445192', adjusted: false };
const ADJUSTED = { ...PAID, adjusted: true, original_amount: '100.00' };
const BY_HALF = { ...ADJUSTED, amount: '50.00', credited_usdt: '53.722596' };
const BY_MORE = { ...ADJUSTED, amount: '150.00', credited_usdt: '161.167788' };
const CANCELED = { event: 'invoice.canceled', amount: '100.00' };

/** Each end of an order, and its webhook. */
const ENDS: readonly (readonly [name: string, end: End, webhook: Record<string, unknown>])[] = [
  ['pay', ({ pay }) => pay('order-1042'), IN_FULL],
  ['pay less', ({ pay }) => pay('order-1042', { amount: '50.00' }), BY_HALF],
  ['pay more', ({ pay }) => pay('order-1042', { amount: '150.00' }), BY_MORE],
  ['fail', ({ fail }) => fail('order-1042'), { ...CANCELED, status: 'fail' }],
  ['cancel', ({ cancel }) => cancel('order-1042'), { ...CANCELED, status: 'canceled' }],
  ['expire', ({ expire }) => expire('order-1042'), { ...CANCELED, status: 'expired' }],
];

it.each(ENDS)('%s ends an order once and for all, with one webhook', async (_, end, webhook) => {
  const { sandbox, bodies } = await open();
  await sandbox.advance('1m');
  const { invoice, delivery } = await end(sandbox);
  const { status, credited_usdt = null, adjusted = false } = webhook;
  expect(invoice).toMatchObject({
    ...{ status, settled_amount_usdt: credited_usdt, is_adjusted: adjusted },
    finished_at: '2026-03-01T12:01:00.000Z',
  });
  expect(delivery).toEqual({ state: 'delivered', status: 200, why: null });
  for (const [, again] of ENDS) await expect(again(sandbox)).rejects.toThrow(`is ${status}, which is final: it `);
  expect(() => sandbox.choose('order-1042', 1)).toThrow(`is ${status}, which is final: it `);
  await sandbox.advance('1d');
  expect(sandbox.invoice('order-1042')).toEqual(invoice);
  expect(bodies()).toEqual([{ invoice_uuid: invoice.uuid, external_id: 'order-1042', ...webhook }]);
});

it('an order expires at its minute, with its webhook', async () => {
  const { sandbox, bodies } = await open();
  await sandbox.advance('29m');
  expect([sandbox.invoice('order-1042').status, bodies()]).toEqual(['pending', []]);
  await sandbox.advance('5m');
  expect(sandbox.invoice('order-1042')).toMatchObject({ status: 'expired', finished_at: '2026-03-01T12:30:00.000Z' });
  expect(bodies()).toMatchObject([{ event: 'invoice.canceled', status: 'expired' }]);
});

it('a correction after the payment changes the credit, and sends no second webhook', async () => {
  const { sandbox, bodies } = await open();
  await sandbox.pay('order-1042');
  const { invoice, delivery } = await sandbox.adjust('order-1042', '40.00');
  expect(invoice).toMatchObject({
    ...{ is_adjusted: true, settled_amount_usdt: '42.978076' },
    adjustment: { actual_amount_fiat: '40.00', actual_amount_usdt: '42.978076', expected_amount_usdt: '107.445192' },
  });
  expect([delivery?.state, bodies().length]).toEqual(['delivered', 1]);
});

it('an order without a callback URL sends no webhook, the log says so, and its request can be had with one id', async () => {
  const { sandbox, api } = inProcess();
  await api('POST', '/invoices', ORDER);
  expect(sandbox.requests().at(-1)?.why).toContain('no callback_url');
  expect((await sandbox.pay('order-1042')).delivery).toBeNull();
  expect(sandbox.deliveries()).toEqual([]);
  expect(sandbox.events().at(-1)).toMatchObject({
    kind: 'note',
    text: 'not sent: no callback URL',
    external_id: 'order-1042',
  });
  const requests = [await sandbox.webhookRequest('order-1042'), await sandbox.webhookRequest('order-1042')];
  expect(new Set(requests.map(({ headers }) => headers.get('x-webhook-id'))).size).toBe(1);
});

describe('a late payment', () => {
  it.each(['expire', 'cancel', 'fail'] as const)('after %s is a second webhook with another id', async (end) => {
    const { sandbox, api, hook, bodies } = await open();
    await sandbox[end]('order-1042');
    const { invoice, delivery } = await sandbox.pay('order-1042', { late: true });
    expect([invoice.status, delivery?.state]).toEqual(['success', 'delivered']);
    await sandbox.resend('order-1042'); // the latest one
    expect(bodies().map(({ event }) => event)).toEqual(['invoice.canceled', 'invoice.paid', 'invoice.paid']);
    expect(new Set(hook.received.map(({ headers }) => headers['x-webhook-id'])).size).toBe(2);
    expect((await api('GET', '/invoices/order-1042/webhooks')).json.data).toHaveLength(2);
  });

  it('of an open order comes after its expiry, to which the clock moves', async () => {
    const { sandbox, bodies } = await open();
    await sandbox.advance('1m');
    const { invoice } = await sandbox.pay('order-1042', { late: true, amount: '50.00' });
    expect(invoice).toMatchObject({ status: 'success', is_adjusted: true, finished_at: '2026-03-01T12:30:00.000Z' });
    expect(sandbox.now().toISOString()).toBe('2026-03-01T12:30:00.000Z');
    expect(bodies()).toMatchObject([{ status: 'expired' }, { status: 'success', amount: '50.00' }]);
  });

  it('is none for a paid order, and moves no clock for a method that does not fit', async () => {
    const { sandbox } = await open();
    await expect(sandbox.pay('order-1042', { late: true, method: 'Pix' })).rejects.toThrow('No method "Pix"');
    expect(sandbox.now().toISOString()).toBe('2026-03-01T12:00:00.000Z');
    await sandbox.pay('order-1042');
    await expect(sandbox.pay('order-1042', { late: true })).rejects.toThrow('"order-1042" is success');
  });
});

it('every method can be taken out of the sandbox, and works alone', async () => {
  const { sandbox, api } = inProcess();
  await api('POST', '/invoices', ORDER);
  const { pay, invoice, now, deliveries, fetch } = sandbox;
  expect((await pay('order-1042')).invoice).toEqual(invoice('order-1042'));
  expect([now().toISOString(), deliveries()]).toEqual(['2026-03-01T12:00:00.000Z', []]);
  expect((await fetch(sandbox.url)).status).toBe(200);
});

it('a withdrawal is approved or rejected by the sandbox, and reads so', async () => {
  const { sandbox, api } = inProcess();
  const [first = '', second = ''] = sandbox.withdrawals().map(({ uuid }) => uuid);
  sandbox.approve(first);
  sandbox.reject(second, 'unknown address');
  const processed_at = '2026-03-01T12:00:00.000Z';
  const approved = { status: 'approved', tx_hash: expect.any(String), reject_reason: null, processed_at };
  const rejected = { status: 'rejected', tx_hash: null, reject_reason: 'unknown address', processed_at };
  expect((await api('GET', '/withdrawals?per_page=2')).json.data.items).toMatchObject([approved, rejected]);
});

const mistyped = { methd: 1 } as object; // as plain JavaScript may pass it
const WAITING = '5eed0000-0000-4000-8000-000000000001'; // a withdrawal of the seed data

// More of these are uses of the command line: test/cli/every-use.test.ts.
it.each<[string, (sandbox: Sandbox) => unknown, string]>([
  ['an amount that is none', ({ pay }) => pay('order-1042', { amount: '-1' }), 'The amount must be text'],
  ['a number as amount', ({ pay }) => pay('order-1042', { amount: 17 as never }), 'such as "17.00"'],
  ['a correction of an open one', ({ adjust }) => adjust('order-1042', '17.00'), 'Only a paid one can be corrected'],
  ['late as text', ({ pay }) => pay('order-1042', { late: 'yes' as never }), 'late must be true or false'],
  ['three decimals', ({ adjust }) => adjust('order-1042', '1.234'), 'at most 2 decimals'],
  [
    'a method out of range',
    ({ pay }) => pay('order-1042', { method: 'Wallet' }),
    'amount is too small: from 50.00 EUR',
  ],
  ['a resend without an address', ({ resend }) => resend('expired'), 'it has no callback URL'],
  ['a webhook of a pending one', ({ webhookRequest }) => webhookRequest('order-1042'), 'only a final invoice'],
  ['a correction of an unpaid one', ({ adjust }) => adjust('expired', '10.00'), 'it is expired. Only a paid one'],
  ['a step back', ({ advance }) => advance(-1), 'milliseconds from 0'],
  ['a mistyped option of pay', ({ pay }) => pay('order-1042', mistyped), 'pay has no "methd"'],
  ['a mistyped option of listen', ({ listen }) => listen(mistyped), 'listen has no "methd"'],
  ['a negative port', ({ listen }) => listen({ port: -1 }), 'port'],
  ['a port above the last', ({ listen }) => listen({ port: 70_000 }), 'port'],
  [
    'a fault of webhooks for an operation',
    ({ faults }) => faults.next('hold', { operation: 'invoices.create' }),
    'operation is for faults of requests, and hold is one of webhooks',
  ],
  ['an empty host', ({ listen }) => listen({ host: '' }), 'host'],
  ['allowed hosts as text', ({ listen }) => listen({ allowedHosts: 'sandbox' as never }), 'allowedHosts'],
  [
    'a second decision on a withdrawal',
    ({ approve, reject }) => reject(approve(WAITING).uuid, 'late'),
    'is approved already',
  ],
])('the sandbox refuses %s, and says what to do', async (_, act, text) => {
  const expired = { ...ORDER, external_id: 'expired', status: 'expired' } as const;
  const { sandbox } = inProcess({ seedData: { invoices: [ORDER, expired] } });
  const error: unknown = await (async () => act(sandbox))().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(String(error)).toContain(text);
  expect(sandbox.invoice('order-1042').status).toBe('pending');
});
