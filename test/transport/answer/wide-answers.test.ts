import { expect, test } from 'vitest';
import { pendingInvoice } from '../../support/fixtures/invoices.ts';
import { clientOf, errorOf } from '../../support/test-client.ts';

// An object of a million members parses in a second and takes ten to copy.

const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 'x'.repeat(300)]));
const reading = (data: unknown) =>
  clientOf('https://pay.example', { fetch: async () => new Response(JSON.stringify({ success: true, data })) });

test.each([
  ['inside of a member that is copied', (wide: object) => ({ a: { b: { c: { d: wide } } } }), 'SDK_CONTRACT'],
  ['deeper than anything that is copied', (wide: object) => ({ a: { b: { c: { d: { e: wide } } } } }), undefined],
])('an object of more than 1,000 members %s', async (_name, around, code) => {
  const result = await reading({ ...pendingInvoice, ...around(members(1_001)) })
    .invoices.get('order-1042')
    .result();
  expect(result.ok ? undefined : result.error.code).toBe(code);
});

test.each<[string, (count: number) => unknown]>([
  ['an invoice', (count) => ({ ...pendingInvoice, ...members(count) })],
  ['one that is wrapped', (count) => ({ invoice: { ...pendingInvoice, ...members(count) } })],
])('%s of more than 1,000 members is refused before it is copied', async (_name, of) => {
  const most = 1_000 - Object.keys(pendingInvoice).length;
  expect(await reading(of(most)).invoices.get('order-1042')).toMatchObject({ external_id: 'order-1042' });
  const error = await errorOf(reading(of(most + 1)).invoices.get('order-1042'));
  expect(error).toMatchObject({ code: 'SDK_CONTRACT', outcome: 'unknown' });
  expect(error.message).toContain('more than 1000 members');
  expect(JSON.stringify(error).length).toBeLessThan(2_000);
});
