import { describe, expect } from 'vitest';
import { listening, ORDER, receiver } from '../sandbox/loopback.ts';
import { withChromium } from './visit.ts';

const test = withChromium();

describe('with script', () => {
  test('the overview follows what happens, without a reload', async (visit) => {
    const { url, api, sandbox } = await listening();
    const { page, trouble } = await visit(url);
    await page.goto(url);
    await page.getByText('None yet. Create one above').waitFor();
    await page.evaluate('window.mark = 1');
    const hook = await receiver();
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    await page.getByRole('link', { name: 'order-1042', exact: true }).waitFor();
    await page.getByText('1 invoice pending').waitFor();
    await sandbox.pay('order-1042');
    await page.getByRole('link', { name: 'invoice.paid' }).waitFor();
    await page.locator('#asked').getByText('/invoices').waitFor();
    expect(await page.evaluate('window.mark')).toBe(1);
    expect(trouble).toEqual([]);
  });

  test('a section in use waits until it is left', async (visit) => {
    const { url, api } = await listening();
    await api('POST', '/invoices', ORDER);
    const { page } = await visit(url);
    await page.goto(url);
    await page.getByRole('button', { name: 'pay order-1042', exact: true }).focus();
    await api('POST', '/invoices', { ...ORDER, external_id: 'second' });
    await page.locator('#asked').getByText('/invoices').nth(1).waitFor(); // the section of requests has followed
    expect(await page.locator('#newest').getByText('second').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('pay');
    await page.evaluate('document.activeElement.blur()');
    await page.locator('#newest').getByText('second').waitFor();
  });

  test('copies the environment with one press', async (visit) => {
    const { url } = await listening();
    const { page } = await visit(url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(url);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `MERCHANT_BASE_URL=${url}\nMERCHANT_API_KEY=sk_sandbox\nMERCHANT_WEBHOOK_SECRET=whsec_sandbox`,
    );
  });
});

for (const [javaScriptEnabled, width] of [
  [true, 320],
  [false, 1440],
] as const) {
  test(`a newcomer creates, pays and looks at an order: script ${javaScriptEnabled}, ${width} px`, async (visit) => {
    const hook = await receiver();
    const { url, sandbox } = await listening({ defaults: { callback_url: hook.url } });
    const options = { javaScriptEnabled, viewport: { width, height: 900 } };
    const { page, outside, trouble } = await visit(url, options);
    await page.goto(url);
    await page.getByText('New invoice').click();
    await page.getByLabel('Amount').fill('1250.50');
    await page.getByRole('button', { name: 'Create the invoice' }).click();
    await page.getByText('The invoice was created.').waitFor();
    await page.getByRole('button', { name: 'pay order-1001', exact: true }).click();
    await page.getByText('The order was paid.').waitFor();
    await page.getByRole('link', { name: 'order-1001', exact: true }).click();
    await page.getByText('pending → success').waitFor();
    await page.getByText('200 delivered').waitFor();
    await page.goto(`${url}/withdrawals`);
    await page
      .getByRole('button', { name: /^approve / })
      .first()
      .click();
    await page.getByText('The withdrawal was approved.').waitFor();
    await page.goto(`${url}/assumptions`);
    await page.locator('#createStatus select').selectOption('202');
    await page.locator('#createStatus').getByRole('button', { name: 'Assume' }).click();
    await page.getByText('The assumption was changed.').waitFor();
    expect(sandbox.dialect.createStatus).toBe(202);
    expect([outside, trouble, hook.received.length]).toEqual([[], [], 1]);
  });
}

test('a key that the user gave is shown on request alone', async (visit) => {
  const { url } = await listening({ apiKey: 'sk_live_given' });
  const { page } = await visit(url);
  await page.goto(url);
  expect(await page.content()).not.toContain('sk_live_given');
  await page.getByRole('link', { name: 'Show the key and the secret' }).click();
  await page.getByText('MERCHANT_API_KEY=sk_live_given').first().waitFor();
});

test('a new invoice that no method takes is refused with the ranges, and none is made', async (visit) => {
  const { url, sandbox } = await listening();
  const { page, trouble } = await visit(url);
  await page.goto(url);
  await page.getByText('New invoice').click();
  await page.getByLabel('Amount').fill('4.99');
  await page.getByRole('button', { name: 'Create the invoice' }).click();
  await page.getByText('outside the range of every payment method: 1 Card (5.00 to 2000.00)').waitFor();
  expect([sandbox.invoices(), trouble]).toEqual([[], []]);
});

test('an invoice has its timeline, and its webhook can be sent again from there', async (visit) => {
  const hook = await receiver([500]);
  const { url, api, sandbox } = await listening();
  await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
  await sandbox.pay('order-1042');
  const { page } = await visit(url);
  await page.goto(`${url}/invoices/${sandbox.invoice('order-1042').uuid}`);
  await page.getByText('pending → success').waitFor();
  await page.getByText('answered 500').first().waitFor();
  await page.getByRole('link', { name: 'invoice.paid' }).first().click();
  await page.getByRole('button', { name: 'Send it now' }).click();
  await page.getByText('Try 2: 200, delivered').waitFor();
  expect(hook.received).toHaveLength(2);
});
