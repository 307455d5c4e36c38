import { createHmac } from 'node:crypto';
import { describe, expect } from 'vitest';
import { listening, ORDER, receiver } from '../sandbox/loopback.ts';
import { withChromium } from './visit.ts';

const test = withChromium();

for (const [javaScriptEnabled, width] of [
  [true, 390],
  [false, 1280],
] as const) {
  test(`a newcomer creates, pays and looks at an order: script ${javaScriptEnabled}, ${width} px`, async (visit) => {
    const hook = await receiver();
    const { url } = await listening({ defaults: { callback_url: hook.url } });
    const options = { javaScriptEnabled, viewport: { width, height: 900 } };
    const { page, outside, trouble } = await visit(url, options);
    await page.goto(url);
    await page.getByRole('link', { name: 'New invoice' }).click();
    await page.getByLabel('Amount').fill('4.99');
    await page.getByRole('button', { name: 'Create the invoice' }).click();
    await page.getByText('outside the range of every payment method: 1 Card (5.00 to 2000.00)').waitFor();
    await page.getByLabel('Amount').fill('1250.50');
    await page.getByRole('button', { name: 'Create the invoice' }).click();
    await page.getByText('The invoice was created.').waitFor();
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('The order was paid.').waitFor();
    await page.getByText('200, delivered').waitFor();
    await page.getByRole('link', { name: 'Receipt' }).waitFor();
    await page.getByText('More').click();
    await page.getByRole('link', { name: 'Withdrawals' }).click();
    const waiting = page.getByRole('button', { name: /^Approve / });
    await waiting.first().click();
    await page.getByText('The withdrawal was approved.').waitFor();
    expect([outside, trouble, hook.received.length]).toEqual([[], [], 1]);
  });
}

// The same forms with script and without: each is pressed in the plainer way.
describe('without script', () => {
  const options = { javaScriptEnabled: false };

  test('an open order ends by a button of its page, and says so', async (visit) => {
    const { url, api, sandbox } = await listening();
    const { page, outside, trouble } = await visit(url, options);
    for (const [button, status, said] of [
      ['Pay', 'success', 'The order was paid.'],
      ['Fail', 'fail', 'The payment failed.'],
      ['Cancel', 'canceled', 'The order was canceled.'],
      ['Expire', 'expired', 'The order has expired.'],
    ] as const) {
      await api('POST', '/invoices', { ...ORDER, external_id: button });
      await page.goto(`${url}/invoices/${sandbox.invoice(button).uuid}`);
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByText(said).waitFor();
      expect(sandbox.invoice(button).status).toBe(status);
      expect(await page.getByRole('link', { name: status === 'success' ? 'Receipt' : 'Payment page' }).count()).toBe(1);
    }
    expect([outside, trouble]).toEqual([[], []]);
  });

  test('moves, freezes and unfreezes the clock, and a refused delivery walks through its attempts', async (visit) => {
    const { url, api, sandbox } = await listening();
    const hook = await receiver([500, 500]);
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    await sandbox.pay('order-1042');
    const { page } = await visit(url, options);
    await page.goto(url);
    const press = async (name: string): Promise<void> => {
      await page.locator('.menu > summary').click();
      await page.getByRole('button', { name }).click();
    };
    await page.getByText('returned 500, next try in 1 min').waitFor();
    await press('Move the clock by 1m');
    await page.getByText('returned 500, next try in 5 min').waitFor();
    await press('Move the clock by 30m');
    await page.getByText('Nothing is wrong').waitFor();
    expect(hook.received).toHaveLength(3);
    await press('Unfreeze the clock');
    await page.getByText('The clock runs.').waitFor();
    await press('Freeze the clock');
    await page.getByText('The clock is frozen.').waitFor();
    await page.locator('.menu > summary').click();
    await page.getByText('Reset everything').click();
    await page.getByRole('button', { name: 'Yes, reset' }).click();
    await page.getByText('No invoice yet').waitFor();
  });

  test('shows a delivery whole, searches for the cause of its refusal, and sends it again', async (visit) => {
    let fixed = false;
    // A receiver that forgets the timestamp.
    const { url, api, sandbox } = await listening({
      fetch: async (_, init) => {
        const { headers, body } = new Request('http://x/', init);
        const expected = createHmac('sha256', 'whsec_of_the_tests').update(await new Response(body).text());
        const isMine = headers.get('x-webhook-signature') === expected.digest('hex');
        return new Response('noted', { status: fixed || isMine ? 200 : 401 });
      },
    });
    await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:3000/' });
    await sandbox.pay('order-1042');
    const { page } = await visit(url, options);
    await page.goto(`${url}/deliveries`);
    await page.getByRole('link', { name: 'invoice.paid' }).click();
    for (const text of ['X-Webhook-Signature: ', '"credited_usdt":"26.861298"', 'Try 1: returned 401', 'noted']) {
      expect([text, await page.getByText(text).count()]).not.toEqual([text, 0]);
    }
    expect(await page.getByText('Why:').count()).toBe(0); // a bare 401 says nothing
    await page.getByRole('button', { name: 'Search for the cause' }).click();
    await page.getByText('Proven by trial: the receiver signs the body alone').waitFor();
    fixed = true;
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('Try 2: 200, delivered').waitFor();
    expect(await page.getByRole('button', { name: 'Search for the cause' }).count()).toBe(0);
  });

  test('filters, searches and pages', async (visit) => {
    const { url, api, sandbox } = await listening();
    for (let at = 1; at <= 30; at += 1)
      await api('POST', '/invoices', { ...ORDER, external_id: `order-${at}`, customer_id: `c-${at % 2}` });
    await api('POST', '/invoices', { ...ORDER, external_id: 'order-3' });
    await sandbox.underpay('order-3', '17.00');
    const { page } = await visit(url, options);
    const search = async (text: string): Promise<void> => {
      await page.getByRole('searchbox').fill(text);
      await page.getByRole('button', { name: 'Search' }).click();
    };
    await page.goto(`${url}/invoices`);
    expect(await page.getByText('Page 1 of 2, 30 in all').count()).toBe(1);
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByRole('link', { name: 'order-5', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Underpaid', exact: true }).click();
    await page.getByText('1 in all').waitFor();
    expect(await page.getByText('paid 17.00').count()).toBe(1);
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await search('C-1');
    await page.getByText('15 in all').waitFor();
    await page.goto(`${url}/requests`);
    await page.getByRole('link', { name: 'Refused' }).click();
    await page.getByText('external_id order-3 is taken by an invoice that is pending').waitFor();
    await search('order-3 is taken');
    await page.getByText('1 in all').waitFor();
    await search('order-4');
    await page.getByText('Nothing matches').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'POST /invoices' }).click();
    expect(await page.getByText('INVOICE_ALREADY_EXISTS').count()).toBeGreaterThan(0);
  });

  test('queues faults, shows what is active, and takes it back', async (visit) => {
    const { url, api, sandbox } = await listening();
    const { page } = await visit(url, options);
    await page.goto(`${url}/faults`);
    await page.getByLabel('Operation').selectOption('invoices.create');
    await page.getByRole('button', { name: 'rate_limit' }).click();
    await page.getByText('refused with a rate limit: invoices.create, once').waitFor();
    expect((await api('POST', '/invoices', ORDER)).status).toBe(429);
    await page.goto(url);
    await page.getByRole('button', { name: 'wrong_signature' }).click(); // at hand on the overview, too
    await page.getByRole('link', { name: '1 fault active' }).click();
    await page.getByText('signed with another secret: the next one, once').waitFor();
    await page.getByRole('button', { name: '20 %' }).click();
    await page.locator('li', { hasText: '20 %' }).waitFor();
    await page.getByRole('button', { name: 'Clear all faults' }).click();
    await page.getByText('No fault is active').waitFor();
    expect(sandbox.faults.queued()).toEqual([]);
  });
});

describe('with script', () => {
  test('the overview follows what happens, and a section in use waits until it is left', async (visit) => {
    const { url, api, sandbox } = await listening();
    const { page, trouble } = await visit(url);
    await page.goto(url);
    await page.getByText('No invoice yet').waitFor();
    await page.evaluate('window.mark = 1');
    const hook = await receiver([500]);
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    const newest = page.locator('#newest');
    await newest.getByRole('link', { name: 'order-1042', exact: true }).waitFor();
    await newest.getByRole('button', { name: 'Pay order-1042', exact: true }).focus();
    await sandbox.pay('order-1042');
    await page.locator('#wrong').getByText('returned 500').waitFor(); // this section has followed
    expect(await newest.getByText('Paid', { exact: true }).count()).toBe(0);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Pay');
    await page.evaluate('document.activeElement.blur()');
    await newest.getByText('Paid', { exact: true }).waitFor();
    expect(await page.evaluate('window.mark')).toBe(1);
    await page.locator('#wrong').getByRole('link', { name: 'invoice.paid' }).click();
    await page.getByText('Try 1: returned 500').waitFor();
    await sandbox.resend('order-1042');
    await page.getByText('Try 2: 200, delivered').waitFor(); // although the newest attempt is unfolded
    expect(trouble).toEqual([]);
  });

  test('the copy buttons copy, also where the browser has no clipboard for the page', async (visit) => {
    const { url, api, sandbox } = await listening();
    await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:9/webhook' });
    await sandbox.pay('order-1042');
    const [delivery] = sandbox.deliveries();
    const { page } = await visit(url, { permissions: ['clipboard-read', 'clipboard-write'] });
    const copied = async (button: string): Promise<unknown> => {
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      return page.evaluate('navigator.clipboard.readText()');
    };
    await page.goto(url);
    expect(await copied('Copy')).toBe(
      `MERCHANT_BASE_URL=${url}\nMERCHANT_API_KEY=sk_sandbox\nMERCHANT_WEBHOOK_SECRET=whsec_of_the_tests`,
    );
    await page.goto(`${url}/deliveries/${delivery?.id}`);
    expect(await copied('Copy as curl')).toMatch(/^curl -i -X POST 'http:\/\/127\.0\.0\.1:9\/webhook'/);
    await page.reload();
    expect(await copied('Copy the id')).toBe(delivery?.id);
    await page.reload();
    await page.evaluate('navigator.clipboard.writeText = undefined');
    expect(await copied('Copy as test')).toContain("import { MerchantClient } from 'merchant-invoicing'");
  });
});
