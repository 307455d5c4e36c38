import { expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';

const JSON_TYPES = { 'Content-Type': 'application/json', Accept: 'application/json' };

it.each([
  ['null', '{"amount":"25.00","currency":"EUR","external_id":null,"callback_url":null}', JSON_TYPES],
  ['empty', 'amount=25.00&currency=EUR&external_id=&callback_url=', { Accept: 'application/json' }],
])('a member that is %s counts as absent', async (_, body, headers) => {
  const sandbox = createSandbox();
  const response = await sandbox.fetch('http://sandbox.test/_/create', { method: 'POST', body, headers });
  expect(await response.json()).toMatchObject({
    ok: true,
    result: { external_id: 'order-1001', callback_url: null },
    text: expect.stringMatching(/^order-1001 {2}25\.00 EUR {2}http/),
  });
});

it('one request ends an order and says what became of its webhook', async () => {
  const sandbox = createSandbox({ fetch: async () => new Response(null, { status: 503 }) });
  sandbox.create({ amount: '25.00', currency: 'EUR', callback_url: 'http://127.0.0.1:3000/webhook' });
  const body = '{"ident":"order-1001"}';
  const response = await sandbox.fetch('http://sandbox.test/_/pay', { method: 'POST', body, headers: JSON_TYPES });
  const { result, text } = await response.json();
  expect(result).toMatchObject({ external_id: 'order-1001', status: 'success' });
  expect(text).toMatch(/^order-1001 {2}success, .* USDT credited {2}webhook answered 503, next try 2/);
});
