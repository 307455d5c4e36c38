import { expect, it } from 'vitest';
import { open, press } from '../browser.ts';
import { listening, ORDER, receiver } from '../loopback.ts';

it('lists invoices, deliveries with attempts and the log, and works by buttons', async () => {
  const { api, sandbox, url } = await listening();
  const hook = await receiver([500]);
  await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
  await api('POST', '/invoices', ORDER);
  const first = await open(url);
  expect(first.text).toContain('order-1042');
  expect(first.text).toContain('409');
  expect((await open(`${url}/requests`)).text).toContain('external_id order-1042 is taken');
  await sandbox.pay('order-1042');
  const failed = await open(url);
  expect(failed.text).toContain('answered 500');
  expect(failed.text).toContain('next try in 1 min');
  await press(failed, '1m');
  expect((await open(`${url}/deliveries`)).text).toContain('try 2 of 7');
  expect(sandbox.now().toISOString()).toBe('2026-03-01T12:01:00.000Z');
  const form = (await open(`${url}/deliveries`)).forms.find(({ action }) => action === '/_/resend');
  await fetch(`${url}/_/resend`, {
    method: 'POST',
    body: new URLSearchParams({ ...form?.fields }),
    redirect: 'manual',
  });
  expect(hook.received).toHaveLength(3);
});

it.each([
  ['pay', {}, { status: 'success', is_adjusted: false }],
  ['underpay', { amount: '17.00' }, { status: 'success', is_adjusted: true }],
  ['overpay', { amount: '30.00' }, { status: 'success', is_adjusted: true }],
  ['adjust', { amount: '20.00' }, { status: 'success', is_adjusted: true }],
  ['choose', { method: '2' }, { status: 'pending', payment_method: { name: 'Bank transfer' } }],
  ['fail', {}, { status: 'fail' }],
  ['cancel', {}, { status: 'canceled' }],
  ['expire', {}, { status: 'expired' }],
])('takes %s as JSON, for a command line', async (action, fields, invoice) => {
  const { api, url } = await listening();
  await api('POST', '/invoices', ORDER);
  const response = await fetch(`${url}/_/${action}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ ident: 'order-1042', ...fields }),
  });
  expect([response.status, await response.json()]).toMatchObject([200, { ok: true, result: invoice }]);
});

it('answers status, advance and reset as JSON, and mistakes with their reason', async () => {
  const { api, url } = await listening();
  await api('POST', '/invoices', ORDER);
  const post = async (action: string, fields: object) => {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
    const response = await fetch(`${url}/_/${action}`, { method: 'POST', headers, body: JSON.stringify(fields) });
    return [response.status, await response.json()];
  };
  expect(await post('advance', { duration: '1h' })).toMatchObject([
    200,
    { ok: true, result: { now: '2026-03-01T13:00:00.000Z' } },
  ]);
  expect(await (await fetch(`${url}/_/status`)).json()).toMatchObject({
    result: { url, invoices: [{ status: 'expired' }], deliveries: [] },
  });
  expect(await post('pay', { ident: 'order-1042' })).toMatchObject([
    400,
    { ok: false, error: { message: expect.stringContaining('it is expired') } },
  ]);
  expect(await post('dance', {})).toMatchObject([400, { ok: false }]);
  expect(await post('constructor', {})).toMatchObject([400, { ok: false }]);
  expect(await post('reset', {})).toMatchObject([200, { ok: true }]);
  expect(await (await fetch(`${url}/_/status`)).json()).toMatchObject({ result: { invoices: [] } });
});
