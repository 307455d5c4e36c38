import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { listen } from '../../support/fault-server.ts';
import { testSandbox } from '../../support/test-sandbox.ts';
import { cli } from '../command-line.ts';
import { goodReceiver, serve } from '../receivers.ts';

const answers =
  (status: number): RequestListener =>
  (request, response) =>
    void request.resume().on('end', () => response.writeHead(status).end());

type Case = readonly [
  situation: string,
  receiver: RequestListener | null,
  /** What happens to order-1. */
  play: (sandbox: Sandbox) => unknown,
  code: number,
  says: readonly (string | RegExp)[],
  fix: RegExp | null,
];

const RESEND = /fix: npx merchant-invoicing order order-1 --resend\n/;
const CASES: readonly Case[] = [
  [
    'nobody has paid',
    answers(200),
    () => undefined,
    0,
    [/created +25\.00 EUR, customer c-7, expires /, 'Open, webhook: Not yet', 'not paid yet'],
    null,
  ],
  [
    'it was paid, and the shop heard of it',
    answers(200),
    (sandbox) => sandbox.pay('order-1'),
    0,
    [
      'Paid, webhook: Delivered',
      /✓ paid +25\.00 of 25\.00 EUR, 26\.861298 USDT credited/,
      /✓ attempt 1 of 7 +returned 200/,
    ],
    null,
  ],
  [
    'it was paid in part',
    answers(200),
    (sandbox) => sandbox.underpay('order-1', '17.00'),
    0,
    ['Paid less, webhook: Delivered', /! paid less +17\.00 of 25\.00 EUR/, /fulfil\s+against the credited USDT/],
    null,
  ],
  [
    'the shop has another secret',
    goodReceiver('whsec_of_another_shop'),
    (sandbox) => sandbox.pay('order-1'),
    1,
    [
      'webhook: Retrying · 401',
      /✗ attempt 1 of 7 +returned 401/,
      /next attempt +in 1 min/,
      'The signature did not match',
    ],
    /fix: npx merchant-invoicing webhooks check http:\/\/127\.0\.0\.1:\d+\/webhook\n/,
  ],
  [
    'the shop has no such route',
    answers(404),
    (sandbox) => sandbox.pay('order-1'),
    1,
    ['webhook: Retrying · 404', 'no POST route at /webhook'],
    RESEND,
  ],
  [
    'the service has given up',
    answers(500),
    async (sandbox) => {
      await sandbox.cancel('order-1');
      await sandbox.advance('21h');
    },
    1,
    [
      'Canceled, webhook: Given up · 500',
      /✗ attempt 7 of 7 +returned 500/,
      /7 attempts failed, and no\s+more will come/,
    ],
    RESEND,
  ],
  [
    'it has no address for a webhook',
    null,
    (sandbox) => sandbox.pay('order-1'),
    1,
    ['webhook: No address', 'no callback_url'],
    /fix: run catchUp with this order: docs\/reconcile\.md#after-an-outage\n/,
  ],
];

async function shop(receiver: RequestListener | null) {
  const sandbox = testSandbox({ webhookSecret: 'whsec_sandbox' });
  const { url } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  const callback_url = receiver === null ? undefined : `${await serve(receiver)}?token=t0ken`;
  const invoice = sandbox.create({
    external_id: 'order-1',
    customer_id: 'c-7',
    amount: '25.00',
    currency: 'EUR',
    callback_url,
  });
  const env = { MERCHANT_BASE_URL: url, MERCHANT_API_KEY: sandbox.apiKey, MERCHANT_WEBHOOK_SECRET: 'whsec_sandbox' };
  return { sandbox, env, uuid: invoice.uuid };
}

describe('order', () => {
  it.each(CASES)(
    'tells that %s, why, and what heals it, by reads alone',
    async (_, receiver, play, code, says, fix) => {
      const { sandbox, env, uuid } = await shop(receiver);
      await play(sandbox);
      const told = await cli(['order', 'order-1'], { env });
      expect([told.code, told.err]).toEqual([code, '']);
      for (const text of says) expect(told.out).toMatch(text);
      if (fix === null) expect(told.out).not.toContain('fix:');
      else expect(told.out).toMatch(fix);
      for (const line of told.out.split('\n')) if (!line.includes('fix:')) expect(line.length).toBeLessThanOrEqual(80);
      expect(new Set(sandbox.requests().map(({ method }) => method))).toEqual(new Set(['GET']));
      expect((await cli(['order', uuid], { env })).out).toContain('order-1  ');

      const json = await cli(['order', 'order-1', '--json'], { env });
      expect(JSON.parse(json.out)).toMatchObject({ ok: code === 0, order: { external_id: 'order-1', uuid } });
      expect(told.out + json.out).not.toMatch(/sk_sandbox|whsec_|t0ken/);
    },
  );

  it('sends the webhook again with --resend, and tells what came of it', async () => {
    let status = 500;
    const { sandbox, env } = await shop((request, response) => answers(status)(request, response));
    await sandbox.pay('order-1');
    expect((await cli(['order', 'order-1'], { env })).code).toBe(1);
    status = 200;
    const { code, out } = await cli(['order', 'order-1', '--resend'], { env });
    expect([code, out]).toEqual([0, expect.stringMatching(/✓ attempt 2 of 7 +returned 200 in \d+ ms, sent by hand/)]);
  });
});

// A service as the interface describes it, typed by hand: it reads an invoice by its uuid alone.
const UUID = '0b8f3c1e-0000-4000-8000-000000000001';
const INVOICE = {
  uuid: UUID,
  external_id: 'A-17',
  customer_id: 'c-1',
  amount: '40.00',
  amount_to_send: '40.80',
  currency: { id: 2, code: 'EUR', name: 'Euro', symbol: '€' },
  status: 'success',
  callback_url: 'https://shop.example/hooks/pay?token=t0ken',
  payment_url: `https://pay.example/${UUID}`,
  created_at: '2026-03-01T23:50:00Z',
  expires_at: '2026-03-02T00:20:00Z',
  finished_at: '2026-03-02T00:05:00Z',
  payment_method: { name: 'Card' },
  rate: '0.92',
  settled_amount_usdt: '43.10',
  is_adjusted: false,
};
const ATTEMPT = { success: false, duration_ms: 80, triggered_by: 'schedule' };
const DELIVERY = {
  id: 'd-1',
  event_type: 'invoice.paid',
  status: 'pending',
  attempts: 2,
  max_attempts: 7,
  next_retry_at: '2026-03-02T00:11:00Z',
  attempt_log: [
    { ...ATTEMPT, status_code: null, error: 'refused with key sk_live_1234', created_at: '2026-03-02T00:05:01Z' },
    { ...ATTEMPT, status_code: 403, error: null, created_at: '2026-03-02T00:06:01Z' },
  ],
};

/** The environment of a service that answers the history of INVOICE with a status and what it lists. */
async function service(deliveries: readonly unknown[], status = 200) {
  const server = createServer(({ url = '' }, response) => {
    const isHistory = url === `/api/v1/external/invoices/${UUID}/webhooks`;
    const page = { items: [INVOICE], page: 1, per_page: 100, total_items: 1, total_pages: 1 };
    const list = { ...page, has_next: false, has_prev: false };
    response.setHeader('Date', 'Mon, 02 Mar 2026 00:07:00 GMT').setHeader('Content-Type', 'application/json');
    if (isHistory && status === 200) response.end(JSON.stringify({ success: true, data: deliveries }));
    else if (url === '/api/v1/external/invoices?per_page=100')
      response.end(JSON.stringify({ success: true, data: list }));
    else
      response.writeHead(isHistory ? status : 404).end('{"success":false,"error":{"code":"NOT_NOW","message":"no"}}');
  });
  return { MERCHANT_BASE_URL: await listen(server), MERCHANT_API_KEY: 'sk_live_1234' };
}

it('tells the story of an order in production, which a service finds in its list, and hides the key in it', async () => {
  const env = await service([DELIVERY]);
  const { code, out } = await cli(['order', 'A-17'], { env });
  expect([code, out]).toEqual([
    1,
    `  A-17  Paid, webhook: Retrying · no response
  invoice ${UUID}
  webhook https://shop.example/hooks/pay

  01 Mar 2026 (UTC)
  23:50:00    created         40.00 EUR, customer c-1
              method          Card: the customer sends 40.80 EUR

  02 Mar 2026 (UTC)
  00:05:00  ✓ paid            40.00 of 40.00 EUR, 43.10 USDT credited
  00:05:01  ✗ attempt 1 of 7  refused with key [redacted] in 80 ms
  00:06:01  ✗ attempt 2 of 7  returned 403 in 80 ms
  00:11:00    next attempt    in 4 min

  ✗ Your shop has not heard of it: 2 attempts failed, the next one comes in 4
    min.
    shop.example answered 403: most often its webhook secret is not the one of
    the dashboard.
    Compare the two. If they are the same, a body parser changes the body before
    it is checked.
  fix: npx merchant-invoicing order A-17 --resend
`,
  ]);
});

it.each([
  [204, '✓'],
  [299, '✓'],
  [302, '✗'],
  [404, '✗'],
  [500, '✗'],
  [null, '✗'],
])(
  'an attempt that was answered %s is marked %s where the service does not say if it succeeded',
  async (status_code, mark) => {
    const { success: _, ...attempt } = ATTEMPT;
    const attempt_log = [{ ...attempt, status_code, error: null, created_at: '2026-03-02T00:05:01Z' }];
    const env = await service([{ ...DELIVERY, attempts: 1, attempt_log }]);
    expect((await cli(['order', 'A-17'], { env })).out).toContain(`${mark} attempt 1 of 7`);
  },
);

const UNSEEN = [0, expect.stringContaining('does not show the deliveries of its webhook'), ''];
const FAILED = [1, '', expect.stringMatching(/^error: .*\n {2}try: npx merchant-invoicing doctor/)];

it.each([
  ...[400, 404, 422].map((status) => ({ status, told: 'a story without it', expected: UNSEEN })),
  ...[401, 403, 429, 500, 503].map((status) => ({ status, told: 'an error, and no story', expected: FAILED })),
])('a history of deliveries that fails with $status is $told', async ({ status, expected }) => {
  const { code, out, err } = await cli(['order', 'A-17'], { env: await service([], status) });
  expect([code, out, err]).toEqual(expected);
});
