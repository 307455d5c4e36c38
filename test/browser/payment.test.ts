import { describe, expect } from 'vitest';
import { listening, ORDER, receiver } from '../sandbox/loopback.ts';
import { withChromium } from './visit.ts';

const test = withChromium();

async function order(change: Record<string, unknown> = {}, script: Parameters<typeof receiver>[0] = []) {
  const context = await listening();
  const hook = await receiver(script);
  const { json } = await context.api('POST', '/invoices', { ...ORDER, callback_url: hook.url, ...change });
  return {
    ...context,
    hook,
    link: json.data.payment_url as string,
    invoice: () => context.sandbox.invoice('order-1042'),
  };
}

/** The reader's time zone is 9 hours ahead of the service. */
const TOKYO = { timezoneId: 'Asia/Tokyo', locale: 'en-US' };

for (const javaScriptEnabled of [true, false]) {
  describe(`with script ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    const options = { ...TOKYO, javaScriptEnabled };

    test('pays with the method that was picked', async (visit) => {
      const { url, link, invoice, hook } = await order();
      const { page, outside, trouble } = await visit(url, options);
      await page.goto(link);
      await page.getByLabel('Bank transfer').check();
      await page.getByRole('button', { name: javaScriptEnabled ? 'Pay 25.00 EUR' : 'Pay with this method' }).click();
      await page.getByText('Paid. Thank you.').waitFor();
      expect(await page.getByText(/Webhook delivered to 127\.0\.0\.1:\d+ in \d+ ms/).count()).toBe(1);
      expect(invoice()).toMatchObject({ status: 'success', payment_method: { name: 'Bank transfer' } });
      expect(hook.received).toHaveLength(1);
      expect([outside, trouble]).toEqual([[], []]);
    });

    test('let it fail: closed, says so at every later visit, and when', async (visit) => {
      const { url, link, invoice } = await order();
      const { page } = await visit(url, options);
      await page.goto(link);
      await page.getByRole('button', { name: 'Let it fail' }).click();
      await page.getByText('The payment failed.').waitFor();
      expect(invoice().status).toBe('fail');
      await page.goto(link);
      expect(await page.getByText('The payment failed.').count()).toBe(1);
      expect(await page.getByText('01 Mar 2026 12:00:00 UTC').count()).toBeGreaterThan(0); // one zone for everybody
      expect(await page.getByRole('radio').count()).toBe(0);
    });
  });
}

// The same forms with script and without: each is pressed in the plainer way.
describe('without script', () => {
  const options = { ...TOKYO, javaScriptEnabled: false };
  for (const [button, field, amount, credited] of [
    ['Pay less', /Pay less/, '17.00', '18.265682'],
    ['Pay more', /Pay more/, '30.00', '32.233557'],
  ] as const) {
    test(`${button.toLowerCase()}`, async (visit) => {
      const { url, link, invoice } = await order();
      const { page } = await visit(url, options);
      await page.goto(link);
      await page.getByLabel(field).fill(amount);
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByText(`You paid ${amount} of 25.00 EUR`).waitFor();
      expect(await page.getByText('Thank you').count()).toBe(0);
      expect(invoice()).toMatchObject({ status: 'success', is_adjusted: true, settled_amount_usdt: credited });
    });
  }

  for (const [button, status, sentence] of [
    ['Cancel and go back', 'canceled', 'This order was canceled.'],
    ['Let it expire', 'expired', 'This order has expired.'],
  ] as const) {
    test(`${button.toLowerCase()}`, async (visit) => {
      const { url, link, invoice } = await order();
      const { page } = await visit(url, options);
      await page.goto(link);
      await page.getByRole('button', { name: button }).click();
      await page.getByText(sentence).waitFor();
      expect(invoice().status).toBe(status);
    });
  }

  test('a double click pays once', async (visit) => {
    const { url, link, hook, sandbox } = await order();
    const { page } = await visit(url, options);
    await page.goto(link);
    await page.locator('button[value=pay]').dblclick();
    await page.getByText('Paid. Thank you.').waitFor();
    expect(hook.received).toHaveLength(1);
    expect(sandbox.events().filter((event) => event.kind === 'invoice' && event.to === 'success')).toHaveLength(1);
  });

  test('reload and back show the receipt and pay nothing', async (visit) => {
    const { url, link, hook } = await order();
    const { page } = await visit(url, options);
    await page.goto(link);
    await page.locator('button[value=pay]').click();
    await page.getByText('Paid. Thank you.').waitFor();
    await page.reload();
    expect(await page.getByText('Paid. Thank you.').count()).toBe(1);
    await page.goBack();
    await page.getByText('Paid. Thank you.').waitFor();
    expect(hook.received).toHaveLength(1);
  });

  test('a page left open too long changes nothing and says so', async (visit) => {
    const { url, link, hook, sandbox, invoice } = await order();
    const { page } = await visit(url, options);
    await page.goto(link);
    await sandbox.advance('31m');
    await page.locator('button[value=pay]').click();
    await page.getByRole('status').filter({ hasText: 'Nothing was changed' }).waitFor();
    expect(invoice().status).toBe('expired');
    expect(hook.received).toHaveLength(1); // of the expiry
  });

  test('a choice is kept, and can be paid later', async (visit) => {
    const { url, link, invoice } = await order();
    const { page } = await visit(url, options);
    await page.goto(link);
    await page.getByLabel('Bank transfer').check();
    await page.getByRole('button', { name: 'Choose the method, pay later' }).click();
    await page.getByText('is chosen: you pay 25.00 EUR.').waitFor();
    expect(invoice()).toMatchObject({ status: 'pending', amount_to_send: '25.00' });
    await page.locator('button[value=pay]').click();
    await page.getByText('Paid. Thank you.').waitFor();
  });

  test('a dispute corrects the amount after the payment', async (visit) => {
    const { url, link, invoice, hook } = await order();
    const { page } = await visit(url, options);
    await page.goto(link);
    await page.getByRole('button', { name: /dispute/ }).click();
    const field = page.getByLabel(/Correct the paid amount/);
    expect(await field.inputValue()).toBe('20.00');
    expect(await page.evaluate('document.activeElement.id')).toBe('adjust');
    await page.getByRole('button', { name: 'Correct' }).click();
    await page.getByText('You paid 20.00 of 25.00 EUR').waitFor();
    expect(invoice().is_adjusted).toBe(true);
    expect(hook.received).toHaveLength(1);
  });

  test('a refused webhook says why, when it comes again, and can be sent now', async (visit) => {
    const { url, link, hook } = await order({}, [302]);
    const { page } = await visit(url, options);
    await page.goto(link);
    await page.locator('button[value=pay]').click();
    await page.getByText(`Webhook to ${hook.host}: try 1, answered 302; next try in 1 min`).waitFor();
    expect(await page.getByText('A redirect is not followed').count()).toBe(1);
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText(/Webhook delivered to .* \(try 2\)/).waitFor();
  });

  test('an amount that is none is refused with the reason', async (visit) => {
    const { url, link, invoice } = await order();
    const { page } = await visit(url, options);
    await page.goto(link);
    await page.getByLabel(/Pay less/).fill('1.234');
    await page.getByRole('button', { name: 'Pay less', exact: true }).click();
    expect(await page.getByRole('alert').textContent()).toContain('Enter an amount such as 12.50.');
    const field = page.getByLabel(/Pay less/);
    expect(await field.inputValue()).toBe('1.234');
    expect(await page.evaluate('document.activeElement.id')).toBe('underpay');
    expect(invoice().status).toBe('pending');
  });
});

describe('with script', () => {
  const URLS = { success_url: 'https://shop.example/thanks', fail_url: 'https://shop.example/sorry' };

  test('sends each form once, however often it is pressed', async (visit) => {
    const { url, link } = await order();
    const { page } = await visit(url);
    await page.goto(link);
    const stopped = await page.evaluate(`[...document.forms].map((form) => [1, 2].map(() => {
      const event = new Event('submit', { cancelable: true });
      form.dispatchEvent(event);
      return event.defaultPrevented;
    }))`);
    expect(stopped).toEqual(Array.from({ length: 5 }, () => [false, true]));
  });

  test('leads back to the shop after three seconds, not before', async (visit) => {
    const { url, link } = await order(URLS);
    const { page, outside } = await visit(url);
    await page.clock.install();
    await page.goto(link);
    await page.locator('button[value=pay]').click();
    await page.getByText('You go to shop.example in 3 s').waitFor();
    await page.clock.runFor(2_000);
    expect(outside).toEqual([]);
    const leaving = page.waitForEvent('requestfailed');
    await page.clock.runFor(1_000);
    await leaving;
    expect(outside).toEqual(['https://shop.example/thanks']);
  });

  test('stays when asked to, and when something else is pressed', async (visit) => {
    for (const stay of ['button', 'key']) {
      const { url, link } = await order(URLS);
      const { page, outside } = await visit(url);
      await page.clock.install();
      await page.goto(link);
      await page.getByRole('button', { name: 'Let it fail' }).click();
      const notice = page.getByText('You go to shop.example in 3 s');
      await notice.waitFor();
      if (stay === 'button') await page.getByRole('button', { name: 'Stay here' }).click();
      else await page.keyboard.press('Tab');
      await notice.waitFor({ state: 'hidden' });
      await page.clock.runFor(10_000);
      expect(outside).toEqual([]);
      expect(await page.getByRole('link', { name: 'Go back to the shop' }).getAttribute('href')).toBe(URLS.fail_url);
    }
  });

  test('does not lead away at a later visit', async (visit) => {
    const { url, link, sandbox } = await order(URLS);
    await sandbox.pay('order-1042');
    const { page, outside } = await visit(url);
    await page.clock.install();
    await page.goto(link);
    await page.clock.runFor(10_000);
    expect(outside).toEqual([]);
  });

  for (const left of [499]) {
    test(`shows the end of an order that was opened ${left} ms before`, async (visit) => {
      let now = Date.UTC(2026, 2, 1, 12);
      const context = await listening({ clock: 'real', wallClock: () => now });
      const { json } = await context.api('POST', '/invoices', ORDER);
      now += 30 * 60_000 - left;
      const { page } = await visit(context.url);
      await page.goto(json.data.payment_url);
      await page.getByText('0:01 left').waitFor();
      now += left;
      await page.getByText('This order has expired.').waitFor();
    });
  }

  test('counts down on a running clock', async (visit) => {
    const context = await listening({ clock: 'real' });
    const { json } = await context.api('POST', '/invoices', ORDER);
    const { page } = await visit(context.url);
    await page.clock.install();
    await page.goto(json.data.payment_url);
    const left = async (): Promise<number> => {
      const [, minutes, seconds] =
        /^(\d+):(\d\d) left$/.exec((await page.getByRole('timer').textContent()) ?? '') ?? [];
      return Number(minutes) * 60 + Number(seconds);
    };
    const before = await left();
    await page.clock.runFor(60_000);
    expect(before - (await left())).toBeGreaterThanOrEqual(60);
  });
});
