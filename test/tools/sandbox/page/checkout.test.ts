import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../../../src/tools/sandbox/index.ts';
import { open, type Page, press } from '../browser.ts';
import { listening, ORDER, receiver } from '../loopback.ts';

// The payment page without a browser. Keyboard, focus, a double click, the way back, a page left open too long and a
// dispute are in test/browser.

const [THANKS, SORRY] = ['https://shop.example/thanks', 'https://shop.example/sorry'];

async function order(change: Record<string, unknown> = {}, options: SandboxOptions = {}) {
  const context = await listening(options);
  const { json } = await context.api('POST', '/invoices', {
    ...ORDER,
    success_url: THANKS,
    fail_url: SORRY,
    ...change,
  });
  const link: string = json.data.payment_url;
  return { ...context, link, page: await open(link), invoice: () => context.sandbox.invoice('order-1042') };
}

/** The text in a field, by its id. */
function typed({ html }: Page, id: string): string {
  const [, value = ''] = new RegExp(`<input[^>]* id="${id}"[^>]* value="([^"]*)"`).exec(html) ?? [];
  return value.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
}

describe('an open order', () => {
  it('shows shop, amount, time and each method with what it comes to, or why it cannot be used', async () => {
    const { page } = await order({}, { merchantName: 'Bäckerei <Süß>' });
    for (const text of [
      'Bäckerei <Süß> Order order-1042',
      'Order order-1042 €25.00',
      'Card fee, 2 % €0.50',
      'Pay within 30 min',
      'Card €0.50 fee €25.50',
      'Bank transfer No fee €25.00',
      'For €50.00 to €5,000.00',
    ]) {
      expect(page.text).toContain(text);
    }
    expect(page.text).not.toContain('€2,000.00'); // what is available needs no limits
    expect(page.html).toMatch(/<input[^>]*value="3"[^>]* disabled/);
    expect(page.html.match(/<svg[^>]*aria-hidden="true"><rect/g)).toHaveLength(3); // pictures without a request
  });

  it.each([1, 499, 500, 999])('says one second while %d ms are left, and never none', async (left) => {
    const { sandbox, link } = await order();
    await sandbox.advance(30 * 60_000 - left);
    expect((await open(link)).text).toContain('Pay within 1 s');
  });

  it('is paid by the method that was chosen before, unless another is picked', async () => {
    const { sandbox, invoice, link } = await order();
    sandbox.choose('order-1042', 2);
    const page = await open(link);
    expect(page.html).toMatch(/id="method-2"[^>]* checked/);
    await press(page, 'pay');
    expect(invoice()).toMatchObject({ status: 'success', payment_method: { name: 'Bank transfer' } });
  });

  it.each([
    [
      'pay',
      { method: '2' },
      /Paid Order order-1042 €1,250\.50 Paid by Bank transfer €1,250\.50/,
      'good',
      '1346.316474',
    ],
    [
      'amount',
      { amount: '10.00', method: '1' },
      /Paid in part €1,240\.50 is open\. Your shop decides .*Order order-1042 €1,250\.50 Paid by Card €10\.00 Open €1,240\.50/,
      'warn',
      '10.744519',
    ],
    [
      'amount',
      { amount: '1300.5', method: '1' },
      /Paid €50\.00 more than the order costs\. Your shop sees that too\..*€1,250\.50 Paid by Card €1,300\.50?/,
      'good',
      '1397.324723',
    ],
    ['cancel', {}, /The order was canceled Nothing was charged\. Order order-1042 €1,250\.50 01 Mar/, 'off', null],
    ['fail', {}, /The payment failed Nothing was charged\./, 'bad', null],
    ['expire', {}, /The time to pay has passed Nothing was charged\./, 'off', null],
  ] as const)('%s with %o ends it: %s', async (button, filled, sentence, tone, usdt) => {
    const { page, invoice } = await order({ amount: '1250.50' });
    const after = await press(page, button, filled);
    expect([after.status, invoice().settled_amount_usdt]).toEqual([200, usdt]);
    expect(after.text).toMatch(sentence);
    expect(after.html).toContain(`<svg class="${tone}"`);
    expect(after.links.filter((link) => [THANKS, SORRY].includes(link))).toEqual([usdt === null ? SORRY : THANKS]);
  });

  it.each([
    ['amount', '', 'Enter an amount such as 12.50.'],
    ['amount', '0', 'Enter an amount such as 12.50.'],
    ['amount', '-5', 'Enter an amount such as 12.50.'],
    ['amount', '1.234', 'Enter an amount such as 12.50.'],
    ['amount', '<b>', 'Enter an amount such as 12.50.'],
  ])('%s refuses %j beside its field, where the hint was', async (button, amount, message) => {
    const { page, invoice, link } = await order();
    const after = await press(page, button, { amount });
    expect([after.status, after.url.split('?')[0]]).toEqual([200, link]); // a page to reload
    const describedBy = `aria-describedby="${button}-hint"`;
    expect(after.html).toMatch(new RegExp(`id="${button}"[^>]*${describedBy}[^>]*aria-invalid="true"`));
    expect(after.html).toContain(`<p id="${button}-hint" class="hint" role="alert">${message}</p>`);
    expect(after.html.match(/class="hint"/g)).toHaveLength(page.html.match(/class="hint"/g)?.length ?? 0);
    expect([typed(page, 'amount'), typed(after, 'amount')]).toEqual(['12.50', amount]);
    expect(after.html).not.toContain('<b>');
    expect(invoice().status).toBe('pending');
  });

  it.each([
    ['pay', { method: '3' }, 'Wallet cannot take this invoice: amount is too small: from 50.00 EUR'],
    ['pay', { method: '6' }, 'No method "6" for EUR'], // of another currency
    ['pay', { method: 'x' }, 'No method "x" for EUR'],
    ['amount', { amount: '10.00', method: '3' }, 'Wallet cannot take this invoice'],
  ])('%s does not take %o', async (button, filled, text) => {
    const { page, invoice } = await order();
    expect((await press(page, button, filled)).text).toContain(text);
    expect(invoice().status).toBe('pending');
  });

  it('says so when no method takes the amount', async () => {
    const { page } = await order({ amount: '1.00' }, { dialect: { unpayableAmount: 'accepted' } });
    expect(page.text).toContain('No method takes this amount.');
    const buttons = page.forms.flatMap((form) => form.buttons.map(({ value }) => value));
    expect(buttons).toEqual(['cancel', 'fail', 'expire']);
  });

  it('cannot be paid without a fresh rate, and says so', async () => {
    const limits = { min_amount: '1', max_amount: '2' };
    const stale = { platform: 'p', asset: 'USDT', fiat: 'EUR', side: 'buy', price: null, ...limits } as const;
    const { page, sandbox, api } = await order({}, { rates: [stale] });
    expect(page.text).toContain('Not available now: there is no fresh rate');
    expect((await api('GET', '/rates')).json.data).toEqual([]);
    await expect(sandbox.pay('order-1042')).rejects.toThrow('There is no fresh rate for EUR');
    expect(sandbox.invoice('order-1042').status).toBe('pending');
  });
});

describe('a closed order', () => {
  it.each([
    ['pay', 'pay'],
    ['pay', 'amount'],
    ['pay', 'cancel'],
    ['expire', 'pay'],
  ])('of a page that pressed %s is not changed by %s of the page before, and says why', async (button, stale) => {
    const hook = await receiver();
    const { page, invoice } = await order({ callback_url: hook.url });
    await press(page, button);
    const before = invoice();
    const after = await press(page, stale, stale === 'cancel' ? {} : { amount: '99.00' });
    expect(after.text).toMatch(/order-1042.* is (?:success|expired), which is final/);
    expect([invoice(), hook.received.length]).toEqual([before, 1]);
  });

  it('that ended unpaid is paid late once, and a second click says that it is paid', async () => {
    const hook = await receiver();
    const { page, invoice } = await order({ callback_url: hook.url });
    const expired = await press(page, 'expire');
    expect((await press(expired, 'late')).text).toMatch(
      /Paid, late The payment came after the order had ended\..* Card fee €0\.50 Paid by Card €25\.50/,
    );
    expect((await press(expired, 'late')).text).toContain('Only an order that was not paid can be paid late');
    expect([invoice().status, hook.received.length]).toEqual(['success', 2]);
  });

  it('tells what became of the webhook and sends it again', async () => {
    const hook = await receiver([500]);
    const { page } = await order({ callback_url: hook.url });
    const failed = await press(page, 'pay');
    expect(failed.text).toMatch(/Webhook failed \/webhook answers 500: noted\. .*See why/);
    expect((await press(failed, 'resend')).text).toMatch(/Sent again: accepted , (?:< 1|\d+) ms/);
  });

  it('without addresses says that the page can be closed', async () => {
    const { page } = await order({ success_url: null, fail_url: null });
    expect((await press(page, 'pay')).text).toContain('You can close this page');
  });
});
