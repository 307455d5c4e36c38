import { expect, it } from 'vitest';
import { testSandbox } from '../support/test-sandbox.ts';

// An action on the sandbox by one request.

const JSON_TYPES = { 'Content-Type': 'application/json', Accept: 'application/json' };
const ORDER_1 = {
  external_id: 'order-1',
  customer_id: 'c',
  amount: '25.00',
  currency: 'EUR',
  status: 'expired',
} as const;

async function act(action: string, body: string, headers: Record<string, string> = JSON_TYPES) {
  const fetch = async (): Promise<Response> => new Response(null, { status: 503 });
  const sandbox = testSandbox({ fetch, seedData: { invoices: [ORDER_1] } });
  sandbox.create({ external_id: 'open', amount: '25.00', currency: 'EUR', callback_url: 'http://127.0.0.1:3000/hook' });
  const response = await sandbox.fetch(`http://sandbox.test/_/${action}`, { method: 'POST', body, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const more = { purpose: 'Two chairs', success_url: 'https://shop.test/ok', fail_url: 'https://shop.test/no' };
const created = { external_id: 'order-1001', callback_url: null };
const paid = { invoice: { external_id: 'open', status: 'success' }, delivery: { status: 503 } };

it.each([
  [
    'null counts as absent',
    'create',
    '{"amount":"25.00","currency":"EUR","external_id":null,"callback_url":null}',
    created,
    /^order-1001 {2}25\.00 EUR {2}http/,
  ],
  [
    'a creation takes all that the service takes',
    'create',
    JSON.stringify({ amount: '25.00', currency: 'EUR', ...more }),
    more,
    /^order-1001/,
  ],
  [
    'an end says what became of its webhook',
    'pay',
    '{"ident":"open"}',
    paid,
    /^open {2}success, .* USDT credited {2}webhook retrying: The receiver failed/,
  ],
])('%s: %s %s', async (_, action, body, result, text) => {
  const response = await act(action, body);
  expect(JSON.parse(response.text)).toMatchObject({ ok: true, result, text: expect.stringMatching(text) });
});

it('an empty field of a form counts as absent', async () => {
  const body = 'amount=25.00&currency=EUR&external_id=&callback_url=';
  const { text } = await act('create', body, {
    'Content-Type': 'application/x-www-form-urlencoded',
    Accept: 'application/json',
  });
  expect(JSON.parse(text)).toMatchObject({ ok: true, result: created });
});

it.each([
  ['pay', '{"ident":"order-1"}', 'it is expired'],
  ['pay', '{"ident":"order-1","amount":"17.00"}', 'pay has no "amount"'],
  ['create', '{"amount":"25.00","currency":"EUR","purpos":"x"}', 'create has no "purpos"'],
  ['create', '{"amount":"1.00","currency":{"toString":1}}', 'currency must be text'],
  ['create', '{"amount"', 'The body is not JSON'],
  ['dance', '{}', 'dance'],
  ['constructor', '{}', 'constructor'],
])('%s %s is refused with the reason: %s', async (action, body, reason) => {
  const { status, text } = await act(action, body);
  expect([status, JSON.parse(text)]).toEqual([400, { ok: false, error: { message: expect.stringContaining(reason) } }]);
});

it.each([
  'https://evil.example/x',
  '//evil.example/x',
  '/..//evil.example/x',
  '/\\evil.example/x',
  'javascript:alert(1)',
  'http://[',
])('a browser returns to a page of the sandbox, not to %s', async (back) => {
  const { status, headers } = await act('freeze', `${new URLSearchParams({ back })}`, {
    'Content-Type': 'application/x-www-form-urlencoded',
  });
  expect([status, headers.get('location')]).toEqual([303, expect.stringMatching(/^\/(?![/\\])/)]);
});
