import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '../../../../src/tools/sandbox/index.ts';
import { listen } from '../../../support/fault-server.ts';
import { emptyPage, successInvoice } from '../../../support/fixtures/invoices.ts';
import { testSandbox } from '../../../support/test-sandbox.ts';
import { cli } from '../command-line.ts';
import { goodReceiver, serve } from '../receivers.ts';

const answers =
  (status: number): RequestListener =>
  (request, response) =>
    void request.resume().on('end', () => response.writeHead(status).end());

const RESEND = /then: npx merchant-invoicing order order-1 --resend\n/;
const CHECK = /MERCHANT_WEBHOOK_SECRET[\s\S]*then: npx merchant-invoicing order order-1 --resend\n/;
const CATCH_UP = /fix: run catchUp with this order: docs\/catch-up-and-reconcile\.md#catch-up\n/;
const paid = (sandbox: Sandbox) => sandbox.pay('order-1');

interface Case {
  readonly told: string;
  readonly receiver: RequestListener | null;
  /** What happens to order-1. Default: it is paid. */
  readonly play?: (sandbox: Sandbox) => unknown;
  readonly says: readonly (string | RegExp)[];
  /** The remedy of an order of which the shop has not heard. */
  readonly fix?: RegExp;
  readonly ok?: boolean;
}
const CASES: readonly Case[] = [
  {
    told: 'nobody has paid',
    receiver: answers(200),
    play: () => undefined,
    says: [/service +created +€25\.00, customer c-7,\s+expires /, 'Open, webhook: Not yet', 'not paid yet'],
  },
  {
    told: 'it was paid, and what the endpoint answered',
    receiver: answers(200),
    says: [
      'Paid, webhook: Delivered',
      /✓ paid +€25\.00 of €25\.00, 26\.861298 USDT\s+credited/,
      /shop +✓ attempt 1 of 7 +invoice\.paid returned 200/,
      '✓ Your endpoint answered 200 to invoice.paid.',
    ],
  },
  {
    told: 'it was paid in part',
    receiver: answers(200),
    play: (sandbox) => sandbox.pay('order-1', { amount: '17.00' }),
    says: [
      'Paid less, webhook: Delivered',
      /! paid less +€17\.00 of €25\.00/,
      /only what\s+the\s+credited\s+USDT covers/,
    ],
  },
  {
    told: 'the shop has another secret',
    receiver: goodReceiver('whsec_of_another_shop'),
    says: [
      'webhook: Retrying · 401',
      /✗ attempt 1 of 7 +invoice\.paid returned 401/,
      /next attempt +in 1 min/,
      'Your handler has another secret',
    ],
    fix: CHECK,
  },
  {
    told: 'the shop has no such route',
    receiver: answers(404),
    says: ['webhook: Retrying · 404', 'no POST route at /webhook'],
    fix: RESEND,
  },
  {
    told: 'the service has given up',
    receiver: answers(500),
    async play(sandbox) {
      await sandbox.cancel('order-1');
      await sandbox.advance('21h');
    },
    says: [
      'Canceled, webhook: Given up · 500',
      /✗ attempts 1 to 7 +\d\d:\d\d to .*\d\d:\d\d,\s+invoice\.canceled\s+returned\s+500/,
      /7 attempts failed, and no\s+more will come/,
    ],
    fix: RESEND,
  },
  {
    told: 'others fail too, and since when',
    receiver: answers(500),
    async play(sandbox) {
      await sandbox.pay('order-1');
      const callback_url = sandbox.invoice('order-1').callback_url ?? undefined;
      for (const external_id of ['order-2', 'order-3']) {
        await sandbox.advance('10s');
        await sandbox.pay(sandbox.create({ external_id, amount: '25.00', currency: 'EUR', callback_url }).uuid);
      }
    },
    says: [
      '/webhook answers 500.',
      /Repair the receiver: its log has this request\. Then send the webhook\s+again\./,
      /None of the 2 other recent webhooks to this endpoint was accepted,\s+since\s+\d\d:\d\d UTC\./,
    ],
    fix: RESEND,
  },
  {
    told: 'more fail than are read, the first before all of them',
    receiver: answers(500),
    async play(sandbox) {
      await sandbox.pay('order-1');
      const callback_url = sandbox.invoice('order-1').callback_url ?? undefined;
      await sandbox.advance('2h');
      for (let at = 2; at < 14; at += 1)
        await sandbox.pay(
          sandbox.create({ external_id: `order-${at}`, amount: '25.00', currency: 'EUR', callback_url }).uuid,
        );
    },
    says: [
      /None of the 10 other recent webhooks to this endpoint was\s+accepted,\s+at\s+least\s+since\s+(?:\d\d \w{3}\s+)?(\d\d:\d\d)\s+UTC\.[\s\S]* \1:\d\d {2}service +created/,
    ],
    fix: RESEND,
  },
  {
    told: 'it was paid after its end',
    receiver: answers(200),
    play: (sandbox) => sandbox.pay('order-1', { late: true }),
    says: [
      /service +ended +nothing was paid until then\n/,
      /✓ attempt 1 of 7 +invoice\.canceled returned 200/,
      /customer +✓ paid, late +€25\.00 of €25\.00/,
      /✓ attempt 1 of 7 +invoice\.paid returned 200/,
    ],
  },
  {
    told: 'a page of HTML answered, and no webhook route',
    receiver: (request, response) =>
      void request.resume().on('end', () => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Shop')),
    says: [
      '✗ Your endpoint answered 200 to invoice.paid, with a page of HTML.',
      /Is this\s+your webhook route/,
      /most\s+often\s+this\s+is\s+not\s+your\s+webhook\s+route/,
      /shop +! attempt 1 of 7 +invoice\.paid returned 200 with an HTML\s+page/,
    ],
    fix: RESEND,
  },
  {
    told: 'it is out of reach, and another webhook before was accepted',
    receiver: (request, response) => void request.resume().on('end', () => response.end()),
    async play(sandbox) {
      const before = { external_id: 'order-0', amount: '25.00', currency: 'EUR' };
      const { callback_url } = sandbox.invoice('order-1');
      await sandbox.pay(sandbox.create({ ...before, ...(callback_url && { callback_url }) }).uuid);
      sandbox.faults.next({ type: 'outage', for: '6m' });
      await sandbox.pay('order-1');
    },
    says: [
      /invoice\.paid got no response:\s+ECONNREFUSED\n/,
      /The other recent webhook to this endpoint was accepted\./,
    ],
    fix: /fix: npx merchant-invoicing order order-1 --resend\n/,
  },
  {
    told: 'it has no address for a webhook',
    receiver: null,
    says: ['webhook: No address', '  ! No webhook was sent: the invoice has no callback_url.'],
    fix: CATCH_UP,
    ok: true, // nothing was refused
  },
];

async function shop(receiver: RequestListener | null) {
  const sandbox = testSandbox({ webhookSecret: 'whsec_sandbox' });
  const { url } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  const callback_url = receiver === null ? undefined : `${await serve(receiver)}?token=t0ken`;
  const order = { external_id: 'order-1', customer_id: 'c-7', amount: '25.00', currency: 'EUR', callback_url };
  const { uuid } = sandbox.create(order);
  const env = { MERCHANT_BASE_URL: url, MERCHANT_API_KEY: sandbox.apiKey, MERCHANT_WEBHOOK_SECRET: 'whsec_sandbox' };
  return { sandbox, env, uuid };
}

describe('order', () => {
  it.each(CASES)('tells that $told, why, and what heals it, by reads alone', async (row) => {
    const { receiver, play = paid, says, fix, ok = fix === undefined } = row;
    const { sandbox, env, uuid } = await shop(receiver);
    await play(sandbox);
    const told = await cli(['order', 'order-1'], { env });
    expect([told.code, told.err]).toEqual([ok ? 0 : 1, '']);
    for (const text of says) expect(told.out).toMatch(text);
    expect(told.out).toMatch(fix ?? /^(?![\s\S]*(?:fix|then):)/);
    for (const line of told.out.split('\n'))
      if (!/(?:fix|then):/.test(line)) expect(line.length).toBeLessThanOrEqual(80);
    expect(new Set(sandbox.requests().map(({ method }) => method))).toEqual(new Set(['GET']));
    expect((await cli(['order', uuid], { env })).out).toContain('order-1  ');

    const json = await cli(['order', 'order-1', '--json'], { env });
    expect(JSON.parse(json.out)).toMatchObject({
      ok,
      order: 'order-1',
      invoices: [{ external_id: 'order-1', uuid, renewal: 0 }],
    });
    expect(told.out + json.out).not.toMatch(/sk_sandbox|whsec_|t0ken/);
  });

  it('sends the webhook again with --resend, and tells what came of it', async () => {
    let status = 500;
    const { sandbox, env } = await shop((request, response) => answers(status)(request, response));
    await sandbox.pay('order-1');
    expect((await cli(['order', 'order-1'], { env })).code).toBe(1);
    status = 200;
    const { code, out } = await cli(['order', 'order-1', '--resend'], { env });
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/✓ attempt 2 of 7 +invoice\.paid returned 200 in \d+ ms,\s+sent\s+by\s+hand/),
    ]);
    sandbox.create({ external_id: 'order-2', amount: '25.00', currency: 'EUR' });
    await sandbox.pay('order-2');
    const none = await cli(['order', 'order-2', '--resend'], { env });
    expect([none.code, none.out]).toEqual([0, expect.stringContaining('the invoice has no callback_url')]);
  });
});

/** An order whose first invoice expired, with a renewal that a customer may pay. Their webhooks get this status. */
async function renewed(statusOf: (event: { readonly external_id: string; readonly event: string }) => number) {
  const { sandbox, env } = await shop((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => response.writeHead(statusOf(JSON.parse(body))).end());
  });
  await sandbox.expire('order-1');
  const { callback_url, uuid } = sandbox.invoice('order-1');
  const renewal = { external_id: 'order-1--1', customer_id: 'c-7', amount: '25.00', currency: 'EUR' };
  const { uuid: second } = sandbox.create({ ...renewal, ...(callback_url && { callback_url }) });
  const order = (ident: string, ...flags: string[]) => cli(['order', ident, ...flags], { env });
  return { sandbox, uuid, second, order };
}

describe('order with a renewal', () => {
  it('tells all invoices of the order, whichever of them it is asked for', async () => {
    const { sandbox, uuid, second, order } = await renewed(({ external_id }) =>
      external_id === 'order-1' ? 200 : 500,
    );
    await sandbox.pay('order-1--1');
    await sandbox.advance('10m');
    const { code, out } = await order('order-1');
    expect(code).toBe(1);
    expect(out).toMatch(/^ {2}order-1 {2}Paid, webhook: Retrying · 500\n/);
    expect(out).toMatch(/3\s+attempts\s+failed/);
    expect(out).toContain('then: npx merchant-invoicing order order-1 --resend\n');
    expect(out).toContain(`  invoice ${uuid}  Expired\n  renewal 1 ${second}  Paid\n`);
    const what = [...out.matchAll(/^ {2}(?:[\d:]{8}|— {7}) {2}\w+ +[✓✗]? (.+?) {2}/gm)].map(([, word = '']) =>
      word.trim(),
    );
    expect(what).toEqual([
      'created',
      'expired',
      'attempt 1 of 7',
      'renewal 1',
      'method',
      'paid',
      'attempts 1 to 3',
      'next attempt',
    ]);
    expect(out).toMatch(/attempts 1 to 3 +\d\d:\d\d to \d\d:\d\d, invoice\.paid\s+returned\s+500[^(]*\(renewal\s+1\)/);
    for (const ident of ['order-1--1', uuid, second]) expect((await order(ident)).out).toBe(out);
  });

  it('says that two invoices were paid, although the shop has heard of both', async () => {
    const { sandbox, order } = await renewed(() => 200);
    await sandbox.pay('order-1--1');
    await sandbox.pay('order-1', { late: true });
    const { code, out } = await order('order-1');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/! 2 invoices of this order were paid\. Give one payment back/),
    ]);
    expect(JSON.parse((await order('order-1', '--json')).out)).toMatchObject({ ok: true, state: 'paid_twice' });
  });

  it('says that the renewal of a paid order can still be paid', async () => {
    const { sandbox, order } = await renewed(() => 200);
    await sandbox.pay('order-1', { late: true });
    const { code, out } = await order('order-1');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/! Your endpoint answered 200[\s\S]*can\s+still\s+be\s+paid/),
    ]);
  });

  it('is not wrong where the shop has not heard of an end, and has heard of the payment', async () => {
    const { sandbox, order } = await renewed(({ event }) => (event === 'invoice.canceled' ? 500 : 200));
    await sandbox.pay('order-1--1');
    expect((await order('order-1')).code).toBe(0);
  });
});

// A service as the interface describes it, which reads an invoice by its uuid alone.
const UUID = '0b8f3c1e-0000-4000-8000-000000000001';
const INVOICE = {
  ...successInvoice,
  uuid: UUID,
  external_id: 'A-17',
  customer_id: 'c-1',
  amount: '40.00',
  amount_to_send: '40.80',
  callback_url: 'https://shop.example/hooks/pay?token=t0ken',
  created_at: '2026-03-01T23:50:00Z',
  finished_at: '2026-03-02T00:05:00Z',
  settled_amount_usdt: '43.10',
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

/** The environment of a service that answers the history of INVOICE with a status and what it lists, and every id with another. */
async function service(deliveries: readonly unknown[], status = 200, ofIds = 404) {
  const server = createServer(({ url = '' }, response) => {
    const isHistory = url === `/api/v1/external/invoices/${UUID}/webhooks`;
    const data = isHistory ? deliveries : { ...emptyPage, items: [INVOICE], total_items: 1, total_pages: 1 };
    response.setHeader('Date', 'Mon, 02 Mar 2026 00:07:00 GMT').setHeader('Content-Type', 'application/json');
    response.setHeader('Retry-After', '3600'); // too long to wait for
    if (isHistory ? status === 200 : url.startsWith('/api/v1/external/invoices?'))
      response.end(JSON.stringify({ success: true, data }));
    else
      response.writeHead(isHistory ? status : ofIds).end('{"success":false,"error":{"code":"NOT_NOW","message":"no"}}');
  });
  return { MERCHANT_BASE_URL: await listen(server), MERCHANT_API_KEY: 'sk_live_1234' };
}

it.each([404, 500])(
  'tells the story of an order that a service finds in its list alone (%i), and hides the key',
  async (ofIds) => {
    const env = await service([DELIVERY], 200, ofIds);
    const { code, out } = await cli(['order', 'A-17'], { env });
    expect([code, out]).toEqual([
      1,
      `  A-17  Paid, webhook: Retrying · no response
  ✗ Your shop has not heard of it: 2 attempts failed, the next comes in 4 min.
    It answers 403, which no receiver of this package does. A firewall, a login
    or a guard stands before the route.
    A webhook has a signature and no login: exempt this route.
    then: npx merchant-invoicing order A-17 --resend

  invoice ${UUID}
  webhook https://shop.example/hooks/pay

  01 Mar 2026 (UTC)
  23:50:00  service     created         €40.00, customer c-1
  —         customer    method          Card: sends €40.80

  02 Mar 2026 (UTC)
  00:05:00  customer  ✓ paid            €40.00 of €40.00, 43.100000 USDT
                                        credited
  00:05:01  shop      ✗ attempt 1 of 7  invoice.paid got no response: refused
                                        with key [redacted]
  00:06:01  shop      ✗ attempt 2 of 7  invoice.paid returned 403 in 80 ms
  00:11:00  service     next attempt    in 4 min
`,
    ]);
  },
);

it('marks an attempt by its status where the service does not say if it succeeded', async () => {
  const { success: _, ...attempt } = ATTEMPT;
  const statuses = [204, 299, 302, 404, 500, null];
  const created_at = '2026-03-02T00:05:01Z';
  const attempt_log = statuses.map((status_code) => ({ ...attempt, status_code, error: null, created_at }));
  const env = await service([{ ...DELIVERY, attempts: 6, attempt_log }]);
  const { out } = await cli(['order', 'A-17'], { env });
  expect(out.match(/. attempt \d/g)).toEqual(
    ['✓', '✓', '✗', '✗', '✗', '✗'].map((mark, at) => `${mark} attempt ${at + 1}`),
  );
});

const UNSEEN = [0, expect.stringContaining('does not show the deliveries of its webhook'), ''];
const FAILED = [1, '', expect.stringMatching(/^error: .*\n(?: {7}.+\n)* {2}try: npx merchant-invoicing doctor/)];

it.each([
  ...[400, 404, 422].map((status) => ({ status, told: 'a story without it', expected: UNSEEN })),
  ...[401, 403, 429, 500, 503].map((status) => ({ status, told: 'an error, and no story', expected: FAILED })),
])('a history of deliveries that fails with $status is $told', async ({ status, expected }) => {
  const { code, out, err } = await cli(['order', 'A-17'], { env: await service([], status) });
  expect([code, out, err]).toEqual(expected);
});
