import { describe, expect, onTestFinished } from 'vitest';
import { listening, ORDER, receiver } from '../tools/sandbox/loopback.ts';
import { withChromium } from './visit.ts';

const it = withChromium();

for (const [javaScriptEnabled, width] of [
  [true, 390],
  [false, 1280],
] as const) {
  it(`a newcomer creates, pays and looks at an order: script ${javaScriptEnabled}, ${width} px`, async (visit) => {
    const hook = await receiver();
    const { url } = await listening({ defaults: { callback_url: hook.url } });
    const options = { javaScriptEnabled, viewport: { width, height: 900 } };
    const { page, outside, trouble } = await visit(url, options);
    await page.goto(url);
    await page.getByRole('link', { name: /^New/ }).click();
    await page.getByLabel('Amount').fill('4.99');
    await page.getByRole('button', { name: 'Create the payment' }).click();
    await page.getByRole('alert').getByText('It is outside the range of every payment method').waitFor();
    await page.getByLabel('Amount').fill('1250.50');
    await page.getByRole('button', { name: 'Create the payment' }).click();
    await page.getByText('The payment was created.').waitFor();
    await page.locator('#actions').getByText('Pay', { exact: true }).click();
    await page.getByRole('button', { name: 'Pay in full' }).click();
    await page.getByText('The order was paid.').waitFor();
    await page.getByText('invoice.paid returned 200').waitFor();
    await page.getByRole('link', { name: 'Receipt' }).waitFor();
    await page.getByRole('link', { name: 'Payouts' }).click();
    await page
      .getByRole('button', { name: /^Approve / })
      .first()
      .click();
    await page.getByText('The withdrawal was approved.').waitFor();
    expect([outside, trouble, hook.received.length]).toEqual([[], [], 1]);
  });
}

it('a list of a short phone begins at its top', async (visit) => {
  const { url, sandbox } = await listening();
  for (let at = 0; at < 20; at += 1)
    await sandbox.pay(
      sandbox.create({ amount: '25.00', currency: 'EUR', callback_url: 'http://127.0.0.1:9/hook' }).uuid,
    );
  const { page } = await visit(url);
  await page.setViewportSize({ width: 320, height: 568 });
  await page.goto(`${url}/webhooks`);
  expect(await page.evaluate('scrollY')).toBe(0);
});

it('a phone shows the whole navigation, each name in full', async (visit) => {
  const { url, sandbox } = await listening();
  const hook = await receiver([500, 500]);
  for (const _ of [1, 2])
    await sandbox.pay(sandbox.create({ amount: '25.00', currency: 'EUR', callback_url: hook.url }).uuid);
  const { page } = await visit(url);
  for (const [width, lines] of [
    [320, 2],
    [390, 1],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${url}/payouts`);
    const names = await page.locator('.side a').evaluateAll((all) =>
      all.map((each) => {
        const { top, left, right } = each.getBoundingClientRect();
        return { top, left, right, isCut: each.scrollWidth > each.clientWidth };
      }),
    );
    expect(new Set(names.map(({ top }) => top)).size, String(width)).toBe(lines);
    expect(names.map(({ left, right, isCut }) => left >= 0 && right <= width && !isCut)).toEqual(Array(5).fill(true));
  }
});

/** The cells that are wider than their column, or over the next cell of their line. */
const OVER = `[...document.querySelectorAll('.sum > *, .lane-of > p:last-child, .row.payment > .hook, .alarm h2')].filter((each) => {
  if (each.scrollWidth > each.clientWidth) return true;
  const mine = each.getBoundingClientRect();
  const next = (each.closest('.sum') ?? each).nextElementSibling?.getBoundingClientRect();
  return next && next.top < mine.bottom && mine.top < next.bottom && next.left < mine.right;
}).map((each) => each.textContent)`;

it('an outage in two currencies: no cell is over another one, and the chart has room', async (visit) => {
  const { url, sandbox } = await listening({ fetch: () => Promise.reject(new TypeError('refused')) });
  for (const [currency, amount] of [
    ['EUR', '1086.50'],
    ['BRL', '1109.00'],
  ] as const)
    await sandbox.pay(sandbox.create({ amount, currency, callback_url: 'http://127.0.0.1:3000/hook' }).uuid);
  await sandbox.advance('13h'); // "since" has a day then
  const { page } = await visit(url);
  for (const [width, room] of [
    [320, 250],
    [390, 300],
    [768, 400],
    [1024, 300],
    [1280, 450],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(url);
    const over = await page.evaluate<string[]>(OVER);
    const chart = await page.locator('.lane-of > svg').first().boundingBox();
    await page.goto(`${url}/payments`);
    over.push(...(await page.evaluate<string[]>(OVER)));
    expect([width, over, (chart?.width ?? 0) >= room]).toEqual([width, [], true]);
  }
});

// The same forms with script and without: each is pressed in the plainer way.
describe('without script', () => {
  const options = { javaScriptEnabled: false };

  it('an open payment ends by a button of its page, and says so', async (visit) => {
    const { url, sandbox } = await listening();
    const { page, outside, trouble } = await visit(url, options);
    for (const [button, status, said] of [
      ['Pay in full', 'success', 'The order was paid.'],
      ['Fail', 'fail', 'The payment failed.'],
      ['Cancel', 'canceled', 'The order was canceled.'],
      ['Expire', 'expired', 'The order has expired.'],
    ] as const) {
      const { uuid } = sandbox.create({ amount: '25.00', currency: 'EUR', external_id: button });
      await page.goto(`${url}/payments/${uuid}`);
      await page
        .locator('#actions summary')
        .nth(status === 'success' ? 0 : 1)
        .click();
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByText(said).waitFor();
      expect(sandbox.invoice(button).status).toBe(status);
    }
    await page.getByRole('button', { name: 'Pay late' }).click();
    await page.getByText('The order was paid.').waitFor();
    expect([outside, trouble]).toEqual([[], []]);
  });

  it('moves, freezes and resets the clock, and a refused webhook walks through its attempts', async (visit) => {
    const { url, sandbox } = await listening();
    const hook = await receiver([500, 500]);
    sandbox.create({ amount: '25.00', currency: 'EUR', external_id: 'order-1', callback_url: hook.url });
    await sandbox.pay('order-1');
    const { page } = await visit(url, options);
    await page.goto(`${url}/webhooks`);
    const press = async (name: string): Promise<void> => {
      await page.locator('#clock summary').first().click();
      await page.getByRole('button', { name }).click();
    };
    await page.getByText('in 1 min', { exact: true }).waitFor();
    await press('Move the clock by 1m');
    await page.getByText('in 5 min', { exact: true }).waitFor();
    await press('Move the clock by 30m');
    await page.getByText('Delivered', { exact: true }).first().waitFor();
    expect(hook.received).toHaveLength(3);
    await press('Let the clock run');
    await page.getByText('The clock runs.').waitFor();
    await press('Freeze the clock');
    await page.getByText('The clock is frozen.').waitFor();
    await page.locator('#clock summary').first().click();
    await page.getByText('Reset everything').click();
    await page.getByRole('button', { name: 'Yes, reset' }).click();
    await page.getByText('Three steps to a paid order').waitFor();
  });

  it('shows a webhook whole, finds the cause of its refusal, and sends it again', async (visit) => {
    let fixed = false;
    // A receiver of this package in sandbox mode says itself what is wrong.
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Merchant-Cause': 'api_key_as_secret' };
    const { url, sandbox } = await listening({
      fetch: async () => (fixed ? new Response('ok') : new Response('signature_mismatch', { status: 401, headers })),
    });
    sandbox.create({
      amount: '25.00',
      currency: 'EUR',
      external_id: 'order-1',
      callback_url: 'http://127.0.0.1:3000/',
    });
    await sandbox.pay('order-1');
    const { page } = await visit(url, options);
    await page.goto(`${url}/webhooks`);
    await page.getByRole('link', { name: /order-1 paid/ }).click();
    for (const text of [
      'X-Webhook-Signature:',
      '"26.861298"',
      'signature_mismatch',
      'The secret of the receiver is the API key.',
    ]) {
      expect([text, await page.getByText(text).count()]).not.toEqual([text, 0]);
    }
    expect(await page.locator('.box').count()).toBe(1);
    fixed = true;
    await page.getByRole('button', { name: 'Send order-1 again' }).click();
    await page.getByText('Delivered', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: /Attempt 1/ }).click();
    await page.getByText('Your response 401').waitFor();
    expect(await page.locator('.box').count()).toBe(0);
  });

  it('filters, searches and pages', async (visit) => {
    const { url, api, sandbox } = await listening();
    for (let at = 1; at <= 30; at += 1)
      await api('POST', '/invoices', { ...ORDER, external_id: `order-${at}`, customer_id: `c-${at % 2}` });
    await api('POST', '/invoices', { ...ORDER, external_id: 'order-3' });
    await sandbox.pay('order-3', { amount: '17.00' });
    const { page } = await visit(url, options);
    const search = async (text: string): Promise<void> => {
      await page.getByRole('searchbox').fill(text);
      await page.getByRole('button', { name: 'Search' }).click();
    };
    await page.goto(`${url}/payments`);
    await page.getByText('Page 1 of 2').waitFor();
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByRole('link', { name: /order-5 / }).waitFor();
    await page.getByRole('link', { name: 'Paid 1' }).click();
    await page.getByText('€17.00 of €25.00').waitFor();
    await page.getByRole('link', { name: 'All 30' }).click();
    await search('C-1');
    await page.getByText('Page 1 of').waitFor({ state: 'detached' });
    expect(await page.locator('a.row').count()).toBe(15);
    await page.goto(`${url}/requests`);
    await page.getByRole('link', { name: 'Refused 1' }).click();
    await page.getByText('external_id order-3 is taken by an invoice that is pending').first().waitFor();
    await search('order-4');
    await page.getByText('Nothing matches').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /409/ }).click();
    await page.getByRole('link', { name: 'Payment order-3' }).waitFor();
  });

  it('queues faults, shows what is active, and takes it back', async (visit) => {
    const { url, api, sandbox } = await listening();
    const { page } = await visit(url, options);
    await page.goto(`${url}/faults`);
    await page.getByLabel('Operation').selectOption('invoices.create');
    await page.locator('#api').getByRole('button', { name: 'rate_limit' }).click();
    await page.locator('#active').getByText('Refused with a rate limit rate_limit, invoices.create, once').waitFor();
    expect((await api('POST', '/invoices', ORDER)).status).toBe(429);
    await page.goto(url);
    await page.locator('#faults-menu summary').click(); // at hand on each page
    await page.getByRole('button', { name: 'wrong_signature' }).click();
    await page.getByText('Faults: 1').click();
    await page.getByRole('button', { name: 'Clear all faults' }).click();
    await page.getByText('Faults: none').waitFor();
    expect(sandbox.faults.queued()).toEqual([]);
  });
});

describe('with script', () => {
  it('a page follows what happens, and keeps typed text, focus and open menus', async (visit) => {
    const { url, api, sandbox } = await listening();
    const { page, trouble } = await visit(url);
    await page.goto(url);
    await page.evaluate('window.mark = 1');
    const hook = await receiver([500]);
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    await page.locator('.steps .good').nth(1).waitFor(); // two steps are ticked
    await page.locator('#activity').getByText('order-1042').first().waitFor();
    await page.locator('#clock summary').first().click();
    await sandbox.pay('order-1042');
    await page.locator('#lanes').getByText('Your shop has not heard of 1 payment, €25.00').waitFor();
    expect(await page.locator('#clock .sheet').isVisible()).toBe(true);
    expect(await page.evaluate('window.mark')).toBe(1);
    await page.goto(`${url}/payments`);
    await page.getByRole('searchbox').fill('half a wor');
    await sandbox.resend('order-1042');
    await page.getByText('Delivered').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('half a wor');
    expect(trouble).toEqual([]);
  });

  it('the list stays where it was when one of its rows is chosen, which is in sight also without script', async (visit) => {
    const { url, sandbox } = await listening();
    for (let at = 1; at <= 25; at += 1) {
      const order = {
        amount: '25.00',
        currency: 'EUR',
        external_id: `order-${at}`,
        callback_url: 'http://127.0.0.1:1/',
      };
      await sandbox.expire(sandbox.create(order).uuid);
    }
    for (const javaScriptEnabled of [true, false]) {
      const { page } = await visit(url, { javaScriptEnabled, viewport: { width: 1280, height: 720 } });
      await page.goto(`${url}/webhooks`);
      const row = page.getByRole('link', { name: /order-1 / });
      await row.click();
      await page.getByRole('heading', { name: 'order-1 expired', level: 1 }).waitFor();
      const box = await row.boundingBox();
      expect(box && box.y + box.height).toBeLessThanOrEqual(720);
      expect(box?.y).toBeGreaterThan(40);
    }
  });

  it('a row that is chosen elsewhere is in sight, also on the third page of the list', async (visit) => {
    const { url, sandbox } = await listening({ fetch: async () => new Response() });
    const order = { amount: '25.00', currency: 'EUR', callback_url: 'http://127.0.0.1:3000/' };
    for (let at = 1; at <= 70; at += 1) await sandbox.expire(sandbox.create(order).uuid);
    const chosen = sandbox.deliveries()[68];
    for (const javaScriptEnabled of [true, false]) {
      const { page } = await visit(url, { javaScriptEnabled, viewport: { width: 1280, height: 720 } });
      await page.goto(`${url}/payments/${chosen?.invoice_uuid}`);
      await page.getByRole('link', { name: /^Attempt 1/ }).click();
      const row = page.locator('.list .rows a[aria-current=true]');
      const box = await row.boundingBox();
      expect([await row.getAttribute('id'), (box?.y ?? 0) > 40, (box?.y ?? 720) + (box?.height ?? 0) <= 720]).toEqual([
        chosen?.id,
        true,
        true,
      ]);
    }
  });

  it('a refused form leaves a page that is at rest', async (visit) => {
    const { url, sandbox } = await listening();
    const { page } = await visit(url);
    let requests = 0;
    let updates = 0;
    page.on('request', (request) => {
      requests += 1;
      if (request.resourceType() === 'fetch') updates += 1;
    });
    await page.clock.install();
    await page.goto(`${url}/payments/new`);
    await page.getByLabel('Amount').fill('nothing');
    await page.getByRole('button', { name: 'Create the payment' }).click();
    await page.getByRole('alert').waitFor();
    updates = 0; // those of the page before
    // The page updates once when its stream of events has opened, which takes real time.
    for (let waits = 0; updates === 0 && waits < 1_000; waits += 1) await page.clock.runFor(200);
    expect(updates).toBe(1);
    const before = requests;
    await page.clock.runFor(5_000);
    for (let at = 0; at < 5; at += 1) await fetch(`${url}/_/status`);
    expect([sandbox.requests(), requests - before]).toEqual([[], 0]);
  });

  it('the copy buttons copy, also where the browser has no clipboard for the page', async (visit) => {
    const { url, sandbox } = await listening({ webhookSecret: 'whsec_sandbox' });
    sandbox.create({
      amount: '25.00',
      currency: 'EUR',
      external_id: 'order-1',
      callback_url: 'http://127.0.0.1:1999/webhook',
    });
    await sandbox.pay('order-1');
    const [delivery] = sandbox.deliveries();
    const { page } = await visit(url, { permissions: ['clipboard-read', 'clipboard-write'] });
    const copied = async (button: string): Promise<unknown> => {
      await page.getByRole('button', { name: button }).first().click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      return page.evaluate('navigator.clipboard.readText()');
    };
    await page.goto(url);
    expect(await copied('Copy')).toBe(
      `MERCHANT_BASE_URL=${url}\nMERCHANT_API_KEY=sk_sandbox\nMERCHANT_WEBHOOK_SECRET=whsec_sandbox\nMERCHANT_SANDBOX=1`,
    );
    await page.goto(`${url}/webhooks/${delivery?.id}`);
    await page.getByText('Copy as', { exact: true }).click();
    expect(await copied('Copy as curl')).toMatch(/^curl -i -X POST 'http:\/\/127\.0\.0\.1:1999\/webhook'/);
    await page.reload();
    await page.getByText('Copy as', { exact: true }).click();
    await page.evaluate('navigator.clipboard.writeText = undefined');
    expect(await copied('Copy the body')).toContain('"external_id":"order-1"');
  });

  it('the built package sends the same script', async (visit) => {
    const { createSandbox }: typeof import('../../src/tools/sandbox/index.ts') = await import('../../dist/sandbox.js');
    const sandbox = createSandbox({ now: '2026-03-01T12:00:00Z' });
    const { url } = await sandbox.listen();
    onTestFinished(() => sandbox.close());
    const { page, trouble } = await visit(url, { timezoneId: 'Asia/Tokyo' });
    await page.goto(url);
    await page.getByRole('button', { name: 'Copy' }).first().waitFor();
    expect(await page.locator('#clock time').first().textContent()).toBe('21:00:00');
    expect(trouble).toEqual([]);
  });
});
