import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { open, type Page, press } from '../browser.ts';
import { listening, ORDER, receiver } from '../loopback.ts';

async function order(change: Record<string, unknown> = {}, options: SandboxOptions = {}) {
  const context = await listening(options);
  const { json } = await context.api('POST', '/invoices', {
    ...ORDER,
    success_url: 'https://shop.example/thanks',
    fail_url: 'https://shop.example/sorry',
    ...change,
  });
  const page = await open(json.data.payment_url);
  return { ...context, page, invoice: () => context.sandbox.invoice('order-1042') };
}

/** The text in a field, by its id. */
function typed({ html }: Page, id: string): string {
  const [, value = ''] = new RegExp(`<input[^>]* id="${id}"[^>]* value="([^"]*)"`).exec(html) ?? [];
  return value.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
}

describe('an open order', () => {
  it('shows amount, time and each method with what it comes to, or why it cannot be used', async () => {
    const { page } = await order();
    expect(page.status).toBe(200);
    for (const text of [
      'Order order-1042 €25.00',
      'Card fee, 2 % €0.50',
      'Pay within 30 min',
      'Card €25.50',
      'Bank transfer No fee €25.00',
    ]) {
      expect(page.text).toContain(text);
    }
    expect(page.text).toContain('For €50.00 to €5,000.00');
    expect(page.text).not.toContain('€2,000.00'); // what is available needs no limits
    expect(page.html).toMatch(/<input[^>]*value="3"[^>]* disabled/);
  });

  it('names the shop, and shows a picture of each method without a request', async () => {
    const { page } = await order({}, { merchantName: 'Bäckerei <Süß>' });
    expect(page.text).toContain('Bäckerei <Süß> Order order-1042');
    expect(page.html.match(/<svg[^>]*aria-hidden="true"><rect/g)).toHaveLength(3);
    expect(page.html).not.toContain('<img');
  });

  it('writes large amounts as people do', async () => {
    const { page } = await order({ amount: '1250.50' });
    expect(page.html).toContain('€1,250.50');
    expect((await press(page, 'pay', { method: '2' })).text).toContain('You paid €1,250.50 by Bank transfer');
  });

  it.each([1, 499, 500, 999])('says one second while %d ms are left, and never none', async (left) => {
    const { sandbox, invoice, url } = await order();
    await sandbox.advance(30 * 60_000 - left);
    const page = await open(`${url}/pay/${invoice().uuid}`);
    expect(page.text).toContain('Pay within 1 s');
  });

  it('is paid with the method that was picked, and shows the receipt and the way back', async () => {
    const { page, invoice } = await order();
    const after = await press(page, 'pay', { method: '2' });
    expect(after.status).toBe(200);
    expect(after.text).toContain('You paid €25.00 by Bank transfer');
    expect(after.links).toContain('https://shop.example/thanks');
    expect(invoice()).toMatchObject({
      status: 'success',
      payment_method: { name: 'Bank transfer' },
      amount_to_send: '25.00',
      settled_amount_usdt: '26.915563', // 24.80 / 0.9214
    });
  });

  it('shows the total of a method that was chosen before', async () => {
    const { sandbox, invoice, url } = await order();
    sandbox.choose('order-1042', 2);
    const page = await open(`${url}/pay/${invoice().uuid}`);
    expect(page.html).toMatch(/id="method-2"[^>]* checked/);
    await press(page, 'pay');
    expect(invoice()).toMatchObject({ status: 'success', payment_method: { name: 'Bank transfer' } });
  });

  it.each([
    ['underpay', '10.00', '10.744519'],
    ['overpay', '30.5', '32.770783'],
  ])('%s with %s makes it adjusted', async (button, amount, usdt) => {
    const { page, invoice } = await order();
    const after = await press(page, button, { amount, method: '1' });
    expect(invoice()).toMatchObject({
      status: 'success',
      is_adjusted: true,
      settled_amount_usdt: usdt,
      adjustment: { actual_amount_fiat: amount },
    });
    expect(after.text).toContain(`You paid €${amount} of €25.00`);
    expect(after.html).toContain('<svg class="warn"');
  });

  it.each([
    ['cancel', 'canceled', 'The order was canceled. Nothing was charged.'],
    ['fail', 'fail', 'The payment failed. Nothing was charged.'],
    ['expire', 'expired', 'The time to pay has passed. Nothing was charged.'],
  ])('%s ends it', async (button, status, sentence) => {
    const { page, invoice } = await order();
    const after = await press(page, button);
    expect(invoice().status).toBe(status);
    expect(after.text).toContain(sentence);
    expect(after.links).toContain('https://shop.example/sorry');
    expect(after.links).not.toContain('https://shop.example/thanks');
  });

  it.each([
    ['underpay', '', 'Enter an amount such as 12.50.'],
    ['underpay', '0', 'Enter an amount such as 12.50.'],
    ['underpay', '-5', 'Enter an amount such as 12.50.'],
    ['underpay', '1.234', 'Enter an amount such as 12.50.'],
    ['underpay', '<b>', 'Enter an amount such as 12.50.'],
    ['underpay', '25.00', 'Enter less than €25.00.'],
    ['overpay', '25.00', 'Enter more than €25.00.'],
  ])('%s refuses %j beside its field, where the hint was', async (button, amount, message) => {
    const { page, invoice } = await order();
    const after = await press(page, button, { amount });
    expect([after.status, new URL(after.url).pathname]).toEqual([200, new URL(page.url).pathname]); // a page to reload
    expect(after.html).toMatch(
      new RegExp(`id="${button}"[^>]*aria-describedby="${button}-hint"[^>]*aria-invalid="true"`),
    );
    expect(after.html).toContain(`<p id="${button}-hint" class="hint" role="alert">${message}</p>`);
    expect(typed(after, button)).toBe(amount);
    expect(typed(after, button === 'underpay' ? 'overpay' : 'underpay')).toBe(
      button === 'underpay' ? '37.50' : '12.50',
    );
    expect(after.html).not.toContain('<b>');
    expect(after.html.match(/class="hint"/g)).toHaveLength(page.html.match(/class="hint"/g)?.length ?? 0);
    expect(invoice().status).toBe('pending');
  });

  it('does not take a method out of range, nor one of another currency', async () => {
    const { page, invoice } = await order();
    for (const method of ['3', '6', '99', 'x']) {
      expect((await press(page, 'pay', { method })).text).toContain('This method cannot be used for this order.');
    }
    expect(invoice().status).toBe('pending');
  });

  it('is not paid with less by a method out of range, and says which one', async () => {
    const { page, invoice } = await order();
    const after = await press(page, 'underpay', { amount: '10.00', method: '3' });
    expect(after.text).toContain('Wallet cannot take this invoice');
    expect(invoice().status).toBe('pending');
  });

  it('says so when no method takes the amount', async () => {
    const { page } = await order({ amount: '1.00' }, { dialect: { unpayableAmount: 'accepted' } });
    expect(page.text).toContain('No method takes this amount.');
    expect(page.forms.flatMap(({ buttons }) => buttons.map(({ value }) => value))).toEqual([
      'cancel',
      'fail',
      'expire',
    ]);
  });
});

it('cannot be paid without a fresh rate, and says so', async () => {
  const stale = {
    platform: 'p',
    asset: 'USDT',
    fiat: 'EUR',
    side: 'buy',
    price: null,
    min_amount: '1',
    max_amount: '2',
  };
  const { page, sandbox, api } = await order({}, { rates: [{ ...stale, side: 'buy' }] });
  expect(page.text).toContain('Not available now: there is no fresh rate');
  expect((await api('GET', '/rates')).json.data).toEqual([]);
  await expect(sandbox.pay('order-1042')).rejects.toThrow('There is no fresh rate for EUR');
  expect(sandbox.invoice('order-1042').status).toBe('pending');
});

describe('a closed order', () => {
  it('is never paid twice: double click, reload, stale page', async () => {
    const hook = await receiver();
    const { page, sandbox } = await order({ callback_url: hook.url });
    const [first, second] = await Promise.all([press(page, 'pay'), press(page, 'pay')]);
    await press(page, 'overpay', { amount: '99.00' });
    await press(page, 'cancel');
    expect([first?.status, second?.status]).toEqual([200, 200]);
    expect(hook.received).toHaveLength(1);
    expect(sandbox.invoice('order-1042')).toMatchObject({ status: 'success', is_adjusted: false });
  });

  it('has expired for a page that was opened in time', async () => {
    const { page, sandbox } = await order();
    await sandbox.advance('31m');
    expect((await press(page, 'pay')).text).toContain('The time to pay has passed. Nothing was charged.');
  });

  it('tells what became of the webhook and sends it again', async () => {
    const hook = await receiver([500]);
    const { page } = await order({ callback_url: hook.url });
    const failed = await press(page, 'pay');
    expect(failed.text).toContain('Webhook: retrying · 500 : The receiver failed.');
    expect((await press(failed, 'resend')).text).toMatch(/Webhook: delivered in (?:< 1|\d+) ms/);
  });

  it('that ended unpaid can be paid late', async () => {
    const hook = await receiver();
    const { page, invoice } = await order({ callback_url: hook.url });
    const after = await press(await press(page, 'expire'), 'late');
    expect([invoice().status, hook.received.length]).toEqual(['success', 2]);
    expect(after.text).toContain('You paid €25.50 by Card');
  });

  it('that was paid late by a first click changes nothing by a second one, and says so', async () => {
    const hook = await receiver();
    const { page } = await order({ callback_url: hook.url });
    const expired = await press(page, 'expire');
    await press(expired, 'late');
    const after = await press(expired, 'late');
    expect(after.text).toContain('Nothing was changed: this order was closed already.');
    expect(hook.received).toHaveLength(2);
  });

  it('without an address says why no webhook can be sent', async () => {
    const { page } = await order();
    const expired = await press(page, 'expire');
    const button = { name: 'action', value: 'resend', text: 'Send again' };
    const forms = expired.forms.map((form) => ({ ...form, buttons: [button] })); // of a page that is not this one
    expect((await press({ ...expired, forms }, 'resend')).text).toContain('has no webhook to send');
  });

  it('can be corrected after the payment', async () => {
    const { page, sandbox } = await order();
    const after = await press(await press(page, 'pay'), 'adjust', { amount: '20.00' });
    expect(after.text).toContain('You paid €20.00 of €25.00');
    expect(sandbox.invoice('order-1042').is_adjusted).toBe(true);
  });

  it('without addresses says that the page can be closed', async () => {
    const { page } = await order({ success_url: null, fail_url: null });
    expect((await press(page, 'pay')).text).toContain('You can close this page');
  });
});
