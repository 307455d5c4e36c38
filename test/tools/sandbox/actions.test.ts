import { expect, it } from 'vitest';
import { testSandbox } from '../../support/test-sandbox.ts';
import { ORDER } from './loopback.ts';

// An action on the sandbox by one request.

const CHARGE = { amount: '25.00', currency: 'EUR' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** The response to an action on a sandbox with an open order and an expired one. A program gets JSON. */
async function act(action: string, body: object | string, headers?: Record<string, string>) {
  const expired = { ...ORDER, external_id: 'expired', status: 'expired' } as const;
  const open = { ...ORDER, external_id: 'open', callback_url: 'http://127.0.0.1:3000/hook' };
  const fetch = async (): Promise<Response> => new Response(null, { status: 503 });
  const sandbox = testSandbox({ fetch, seedData: { invoices: [expired, open] } });
  const response = await sandbox.fetch(`http://sandbox.test/_/${action}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: headers ?? { 'Content-Type': 'application/json', Accept: 'application/json' },
  });
  return { status: response.status, location: response.headers.get('location'), text: await response.text() };
}

const more = { purpose: 'Two chairs', success_url: 'https://shop.test/ok', fail_url: 'https://shop.test/no' };
const created = { external_id: 'order-1001', callback_url: null };
const paid = { invoice: { external_id: 'open', status: 'success' }, delivery: { status: 503 } };
const empty = `${new URLSearchParams({ ...CHARGE, external_id: '', callback_url: '' })}`;
const JSON_FORM = { ...FORM, Accept: 'application/json' };

it.each<[string, string, object | string, object, RegExp[], Record<string, string>?]>([
  [
    'takes null as absent',
    'create',
    { ...CHARGE, external_id: null, callback_url: null },
    created,
    [/^order-1001 {2}€25/, /^http/],
  ],
  ['takes an empty field as absent', 'create', empty, created, [/^order-1001 {2}€25\.00$/, /^http/], JSON_FORM],
  ['takes all that the service takes', 'create', { ...CHARGE, ...more }, more, [/^order-1001/, /^http/]],
  [
    'says what became of a webhook',
    'pay',
    { ident: 'open' },
    paid,
    [/^open {2}Paid, .* USDT/, /^webhook retrying, 503$/],
  ],
])('an action %s: %s %o', async (_, action, body, result, texts, headers) => {
  const response = await act(action, body, headers);
  const lines = texts.map((text) => ({ text: expect.stringMatching(text) }));
  expect(JSON.parse(response.text)).toMatchObject({ ok: true, result, lines });
});

it.each([
  ['pay', { ident: 'expired' }, 'is expired, which is final'],
  ['pay', { ident: 'open', amont: '17.00' }, 'pay has no "amont"'],
  ['pay', { ident: 'open', late: 'yes' }, 'late is true or false, not yes'],
  ['adjust', { ident: 'open', amount: '17.00' }, 'Only a paid one can be corrected'],
  ['create', { ...CHARGE, purpos: 'x' }, 'create has no "purpos"'],
  ['create', { amount: '1.00', currency: { toString: 1 } }, 'currency must be text'],
  ['create', '{"amount"', 'The body is not JSON'],
  ['dance', {}, 'dance'],
  ['constructor', {}, 'constructor'],
])('%s %o is refused with the reason: %s', async (action, body, reason) => {
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
  const { status, location } = await act('freeze', `${new URLSearchParams({ back })}`, FORM);
  expect([status, location]).toEqual([303, expect.stringMatching(/^\/(?![/\\])/)]);
});

it.each(['pay', 'adjust', 'resend', 'create', 'fault'])(
  'a browser that sends no text to %s gets a page that says so, and the connection stays',
  async (action) => {
    const body = { ident: { toString: 1 }, amount: { toString: 1 }, times: { toString: 1 }, currency: [] };
    const { status, location } = await act(action, body, { 'Content-Type': 'application/json' });
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/\?refused=/)]);
  },
);
