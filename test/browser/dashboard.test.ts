import { createHmac } from 'node:crypto';
import { describe, expect } from 'vitest';
import { listening, ORDER, receiver } from '../sandbox/loopback.ts';
import { withChromium } from './visit.ts';

const test = withChromium();

// The same forms with script and without: each is pressed in the plainer way. The cockpit is used with script.
describe('without script', () => {
  const options = { javaScriptEnabled: false };

  test('closes orders by buttons and says what was done', async (visit) => {
    const { url, api, sandbox } = await listening();
    for (const external_id of ['a', 'b', 'c', 'd']) await api('POST', '/invoices', { ...ORDER, external_id });
    const { page, outside, trouble } = await visit(url, options);
    await page.goto(url);
    for (const [button, external_id, said] of [
      ['pay', 'a', 'The order was paid.'],
      ['fail', 'b', 'The payment failed.'],
      ['cancel', 'c', 'The order was canceled.'],
      ['expire', 'd', 'The order has expired.'],
    ] as const) {
      await page.getByRole('button', { name: `${button} ${external_id}`, exact: true }).click();
      await page.getByText(said).waitFor();
    }
    const ends = ['a', 'b', 'c', 'd'].map((ident) => sandbox.invoice(ident).status);
    expect(ends).toEqual(['success', 'fail', 'canceled', 'expired']);
    expect([outside, trouble]).toEqual([[], []]);
  });

  test('moves, stops and starts the clock, and a refused delivery walks through its attempts', async (visit) => {
    const { url, api, sandbox } = await listening();
    const hook = await receiver([500, 500]);
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    await sandbox.pay('order-1042');
    const { page } = await visit(url, options);
    await page.goto(url);
    await page.getByText('1 of 7, next try 12:01:00, in 1 min').waitFor();
    await page.getByRole('button', { name: 'Move the clock by 1m' }).click();
    await page.getByText('2 of 7, next try 12:06:00, in 5 min').waitFor();
    await page.getByRole('button', { name: 'Move the clock by 30m' }).click();
    await page.getByText('3 of 7').waitFor();
    expect(hook.received).toHaveLength(3);
    await page.getByRole('button', { name: 'Let the clock run' }).click();
    await page.getByRole('button', { name: 'Stop the clock' }).click();
    await page.getByRole('button', { name: 'Let the clock run' }).waitFor();
    await page.getByText('Reset everything …').click();
    await page.getByRole('button', { name: 'Yes, reset' }).click();
    await page.getByText('None yet. Create one above').waitFor();
  });

  test('shows a delivery whole, and sends it again from its page', async (visit) => {
    const { url, api, sandbox } = await listening();
    const hook = await receiver([415]);
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    await sandbox.pay('order-1042');
    const { page } = await visit(url, options);
    await page.goto(`${url}/deliveries`);
    await page.getByRole('link', { name: 'invoice.paid' }).click();
    for (const text of [
      'X-Webhook-Signature: ',
      '"credited_usdt":"26.861298"',
      'Try 1: answered 415',
      'noted',
      'does not take application/json',
    ]) {
      expect([text, await page.getByText(text).count()]).not.toEqual([text, 0]);
    }
    await page.getByRole('button', { name: 'Send it now' }).click();
    await page.getByText('Try 2: 200, delivered').waitFor();
    expect(hook.received).toHaveLength(2);
  });

  test('searches for the cause of a refusal and shows what is proven', async (visit) => {
    // A receiver that forgets the timestamp.
    const { url, api, sandbox } = await listening({
      fetch: async (_, init) => {
        const { headers, body } = new Request('http://x/', init);
        const expected = createHmac('sha256', 'whsec_sandbox')
          .update(await new Response(body).text())
          .digest('hex');
        return new Response('no', { status: headers.get('x-webhook-signature') === expected ? 200 : 401 });
      },
    });
    await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:3000/' });
    await sandbox.pay('order-1042');
    const { page } = await visit(url, options);
    await page.goto(`${url}/deliveries/${sandbox.deliveries()[0]?.id}`);
    expect(await page.getByText('Why:').count()).toBe(0); // a bare 401 says nothing
    await page.getByRole('button', { name: 'Search for the cause' }).click();
    await page.getByText('Proven by trial: the receiver signs the body alone').waitFor();
  });

  test('filters and pages invoices', async (visit) => {
    const { url, api, sandbox } = await listening();
    for (let at = 1; at <= 30; at += 1)
      await api('POST', '/invoices', { ...ORDER, external_id: `order-${at}`, customer_id: `c-${at % 2}` });
    await sandbox.cancel('order-3');
    const { page } = await visit(url, options);
    await page.goto(`${url}/invoices`);
    expect(await page.getByText('Page 1 of 2, 30 in all').count()).toBe(1);
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByRole('link', { name: 'order-5', exact: true }).waitFor();
    await page.getByLabel('State').selectOption('canceled');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('1 in all').waitFor();
    expect(await page.getByRole('link', { name: 'order-3', exact: true }).count()).toBe(1);
    await page.goto(`${url}/invoices`);
    await page.getByLabel('Order, customer').fill('C-1');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('15 in all').waitFor();
  });

  test('queues faults, shows what is in force, and takes it back', async (visit) => {
    const { url, api, sandbox } = await listening();
    const { page } = await visit(url, options);
    await page.goto(`${url}/faults`);
    await page.getByLabel('Operation').selectOption('invoices.create');
    await page.getByRole('button', { name: 'rate_limit' }).click();
    await page.getByText('refused with a rate limit: invoices.create, 1 ×').waitFor();
    expect((await api('POST', '/invoices', ORDER)).status).toBe(429);
    await page.getByRole('button', { name: 'wrong_signature' }).click();
    await page.locator('li', { hasText: 'wrong_signature' }).waitFor();
    await page.getByRole('button', { name: '20 %' }).click();
    await page.locator('li', { hasText: '20 %' }).waitFor();
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.getByText('None: everything works.').waitFor();
    expect(sandbox.faults.queued()).toEqual([]);
  });

  test('says why requests were refused, and what is assumed', async (visit) => {
    const { url, api } = await listening();
    await api('POST', '/invoices', ORDER);
    await api('POST', '/invoices', ORDER);
    await api('GET', '/rates', undefined, { 'X-Api-Key': 'sk_other' });
    const { page } = await visit(url, options);
    await page.goto(`${url}/requests?show=refused`);
    expect(await page.getByText('external_id order-1042 is taken by an invoice that is pending').count()).toBe(1);
    expect(await page.getByText('header X-Api-Key is not the key of this sandbox').count()).toBe(1);
    await page.getByRole('link', { name: '409 assumed' }).click();
    expect(new URL(page.url()).hash).toBe('#conflictStatus');
    expect(await page.locator('#conflictStatus').textContent()).toContain('409');
    await page.goBack();
    await page.getByRole('link', { name: 'POST /invoices' }).click();
    expect(await page.getByText('INVOICE_ALREADY_EXISTS').count()).toBeGreaterThan(0);
  });
});

test('copies a delivery as curl, with one press', async (visit) => {
  const { url, api, sandbox } = await listening();
  await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:9/webhook' });
  await sandbox.pay('order-1042');
  const [delivery] = sandbox.deliveries();
  const { page } = await visit(url, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(`${url}/deliveries/${delivery?.id}`);
  await page.getByText('Copy as curl').click();
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
    /^curl -i -X POST 'http:\/\/127\.0\.0\.1:9\/webhook'/,
  );
});
