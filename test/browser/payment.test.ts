import type { Locator } from 'playwright-core';
import { describe, expect } from 'vitest';
import { listening, ORDER, receiver } from '../tools/sandbox/loopback.ts';
import { withChromium } from './visit.ts';

// What only a browser shows of the payment page. Each button and each refusal is in test/sandbox/page/checkout.test.ts.

const it = withChromium();

const URLS = { success_url: 'https://shop.example/thanks', fail_url: 'https://shop.example/sorry' };

async function order(change: Record<string, unknown> = {}) {
  const context = await listening();
  const hook = await receiver();
  const { json } = await context.api('POST', '/invoices', { ...ORDER, callback_url: hook.url, ...change });
  const link: string = json.data.payment_url;
  return { ...context, hook, link, invoice: () => context.sandbox.invoice('order-1042') };
}

for (const javaScriptEnabled of [true, false]) {
  it(`pays with the picked method, in the zone of the reader where script can know it: script ${javaScriptEnabled ? 'on' : 'off'}`, async (visit) => {
    const { url, link, invoice, hook } = await order();
    const { page, outside, trouble } = await visit(url, { timezoneId: 'Asia/Tokyo', javaScriptEnabled });
    await page.goto(link);
    await page.getByLabel('Bank transfer').check();
    await page.getByRole('button', { name: 'Pay €25.00' }).click();
    await page.getByText('Paid by Bank transfer').waitFor();
    const time = javaScriptEnabled ? /Mar 1, 2026, 21:00:00/ : '01 Mar 2026 12:00:00 UTC';
    expect(await page.getByText(time).count()).toBe(1);
    expect(await page.getByText(/Webhook accepted, (?:< 1|\d+) ms/).count()).toBe(1);
    expect(invoice()).toMatchObject({ status: 'success', payment_method: { name: 'Bank transfer' } });
    expect(hook.received).toHaveLength(1);
    expect([outside, trouble]).toEqual([[], []]);
  });
}

describe('without script', () => {
  const options = { javaScriptEnabled: false };

  it('a double click, a reload and the way back pay once', async (visit) => {
    const { url, link, hook, sandbox } = await order();
    const { page } = await visit(url, options);
    await page.goto(link);
    await page.locator('button[value=pay]').dblclick();
    await page.getByText('Paid by Card').waitFor();
    await page.reload();
    expect(await page.getByText('Paid by Card').count()).toBe(1);
    await page.goBack();
    await page.getByText('Paid by Card').waitFor();
    expect(hook.received).toHaveLength(1);
    expect(sandbox.events().filter((event) => event.kind === 'invoice' && event.to === 'success')).toHaveLength(1);
  });

  it('a page left open too long changes nothing and says so', async (visit) => {
    const { url, link, hook, sandbox, invoice } = await order();
    const { page } = await visit(url, options);
    await page.goto(link);
    await sandbox.advance('31m');
    await page.locator('button[value=pay]').click();
    await page.getByRole('alert').filter({ hasText: 'is expired, which is final' }).waitFor();
    expect(invoice().status).toBe('expired');
    expect(hook.received).toHaveLength(1); // of the expiry
  });

  it('a dispute asks for the correction, whose field has the focus', async (visit) => {
    const { url, link, invoice, hook } = await order();
    const { page } = await visit(url, options);
    await page.goto(link);
    await page.getByText('Other endings', { exact: true }).click();
    await page.getByRole('button', { name: 'Disputed' }).click();
    expect(await page.getByLabel('The paid amount').inputValue()).toBe('20.00');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('adjust'); // a browser focuses after it has loaded
    await page.getByRole('button', { name: 'Correct' }).click();
    await page.getByText('Paid in part').first().waitFor();
    expect([invoice().is_adjusted, hook.received.length]).toEqual([true, 1]);
  });
});

describe('with script', () => {
  it('while it pays the button says so, and nothing on the page sends a second form', async (visit) => {
    const { url, link, invoice } = await order();
    const { page } = await visit(url);
    const posts: (string | null)[] = [];
    page.on('request', (request) => request.method() === 'POST' && posts.push(request.postData()));
    await page.goto(link);
    const seen = await page.evaluate(`(() => {
      const press = (selector) => document.querySelector(selector).click();
      press('[data-pay-button]');
      for (const selector of ['[data-pay-button]', '.dock [value=fail]', '.dock [value=expire]']) press(selector);
      const button = document.querySelector('[data-pay-button]');
      return [button.getAttribute('aria-busy'), getComputedStyle(button, '::after').content];
    })()`);
    expect(seen).toEqual(['true', '"Paying…"']);
    await page.getByText('Paid by Card').waitFor();
    expect([posts, invoice().status]).toEqual([['method=1&action=pay'], 'success']);
  });

  for (const [button, target] of [
    ['Pay €25.50', URLS.success_url],
    ['Failed', URLS.fail_url],
  ] as const) {
    it(`${button}: leads back to the shop after three seconds, not before`, async (visit) => {
      const { url, link } = await order(URLS);
      const { page, outside } = await visit(url);
      await page.clock.install();
      await page.goto(link);
      await page.getByRole('button', { name: button }).click();
      await page.getByText('You go there in 3 s').waitFor();
      await page.clock.runFor(2_000);
      expect(outside).toEqual([]);
      const leaving = page.waitForEvent('requestfailed');
      await page.clock.runFor(1_000);
      await leaving;
      expect(outside).toEqual([target]);
    });
  }

  it('stays when asked to, when something else is pressed, and at a later visit', async (visit) => {
    for (const stay of ['button', 'key', 'later']) {
      const { url, link, sandbox } = await order(URLS);
      if (stay === 'later') await sandbox.fail('order-1042');
      const { page, outside } = await visit(url);
      await page.clock.install();
      await page.goto(link);
      const notice = page.getByText('You go there in 3 s');
      if (stay !== 'later') {
        await page.getByRole('button', { name: 'Failed' }).click();
        await notice.waitFor();
      }
      if (stay === 'button') await page.getByRole('button', { name: 'Stay here' }).click();
      if (stay === 'key') await page.keyboard.press('Tab');
      await notice.waitFor({ state: 'hidden' });
      await page.clock.runFor(10_000);
      expect(outside).toEqual([]);
    }
  });

  it('shows the end when the order is paid elsewhere', async (visit) => {
    const { url, link, sandbox } = await order();
    const { page, trouble } = await visit(url);
    await page.goto(link);
    await page.getByText('Pay with', { exact: true }).waitFor();
    await sandbox.pay('order-1042');
    await page.getByRole('heading', { name: 'Paid' }).waitFor();
    expect(trouble).toEqual([]);
  });

  it('counts down on a running clock, and shows the end when it comes', async (visit) => {
    let now = Date.UTC(2026, 2, 1, 12);
    const { url, api } = await listening({ clock: 'real', wallClock: () => now });
    const { json } = await api('POST', '/invoices', ORDER);
    now += 30 * 60_000 - 499;
    const { page } = await visit(url);
    await page.goto(json.data.payment_url);
    await page.getByText('0:01').waitFor();
    now += 499;
    await page.getByRole('heading', { name: 'The time to pay has passed' }).waitFor();
  });
});

it('the panel for another amount has room for the amount on a phone and a tablet', async (visit) => {
  const { url, link, invoice } = await order({ amount: '1149.00' });
  const { page } = await visit(url);
  await page.goto(link);
  await page.locator('.dock summary').first().click();
  const [input, button] = [page.getByLabel('The customer pays'), page.getByRole('button', { name: 'Pay this amount' })];
  for (const width of [320, 390, 768, 899, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    const [wide, other] = await Promise.all(
      [input, button].map(async (each) => (await each.boundingBox())?.width ?? 0),
    );
    expect([width, (wide ?? 0) >= 100, (other ?? 0) <= 200]).toEqual([width, true, true]);
  }
  await input.fill('45.00');
  await button.click();
  await page.getByText('Paid in part').first().waitFor();
  expect(invoice().adjustment?.actual_amount_fiat).toBe('45.00');
});

it('the dock of a phone covers nothing of a question, and the page scrolls for its content alone', async (visit) => {
  const { url, link, sandbox } = await order();
  const { page } = await visit(url, { viewport: { width: 390, height: 664 } });
  await page.goto(link);
  await page.getByText('Cancel this order', { exact: true }).click();
  const [answer, dock] = await Promise.all(
    [page.getByRole('button', { name: 'Yes, cancel it' }), page.locator('.dock')].map((each) => each.boundingBox()),
  );
  expect((answer?.y ?? 0) + (answer?.height ?? 0)).toBeLessThanOrEqual(dock?.y ?? 0);
  expect(answer?.y).toBeGreaterThanOrEqual(0);
  await page.getByRole('button', { name: 'Yes, cancel it' }).click();
  await page.getByRole('heading', { name: 'The order was canceled' }).waitFor();
  await page.setViewportSize({ width: 390, height: 1000 });
  const scrolls = 'document.documentElement.scrollHeight - innerHeight';
  expect([await page.evaluate(scrolls), sandbox.invoice('order-1042').status]).toEqual([0, 'canceled']);
});

it('the endings of an open payment: on a phone each name is whole, and what opens is above the dock', async (visit) => {
  const { url, link } = await order();
  const { page } = await visit(url);
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(link);
    const buttons = page.locator('.dock .acts').locator('summary, button').filter({ visible: true });
    const cut = await buttons.evaluateAll((all) => all.map((each) => each.scrollWidth - each.clientWidth));
    expect([width, cut]).toEqual([width, [0, 0, 0]]);
    for (const at of [0, 1]) {
      await page.locator('.dock summary').nth(at).click();
      const [sheet, dock] = await Promise.all(
        [page.locator('.dock [open] .sheet'), page.locator('.dock')].map((each) => each.boundingBox()),
      );
      expect((sheet?.y ?? 0) + (sheet?.height ?? 0)).toBeLessThanOrEqual(dock?.y ?? 0);
    }
  }
});

it('the dock of a phone: the state, the whole cause, three buttons', async (visit) => {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Merchant-Cause': 'api_key_as_secret' };
  const { url, api, sandbox } = await listening({
    fetch: async () => new Response('signature_mismatch', { status: 401, headers }),
  });
  const { json } = await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:3000/' });
  await sandbox.pay('order-1042');
  for (const width of [320, 390]) {
    const { page } = await visit(url, { viewport: { width, height: 844 } });
    await page.goto(json.data.payment_url);
    const dock = page.locator('.dock');
    expect(await dock.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
    const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const state = await boxOf(dock.getByText('Webhook refused, 401'));
    const cause = await boxOf(dock.getByText('The secret of the receiver is the API key.'));
    expect(cause.y).toBeGreaterThanOrEqual(state.y + state.height);
    expect(cause.x + cause.width).toBeLessThanOrEqual(width);
    const buttons = await Promise.all(
      [
        dock.getByRole('link', { name: 'See why' }),
        dock.getByRole('button', { name: 'Send again' }),
        dock.getByText('Correct').first(),
      ].map(boxOf),
    );
    expect(new Set(buttons.map(({ y, height }) => Math.round(y + height)))).toHaveProperty('size', 1);
    for (const { width: wide, height, x } of buttons) {
      expect([wide, height].every((size) => size >= 40)).toBe(true);
      expect(x + wide).toBeLessThanOrEqual(width);
    }
    await dock.getByRole('link', { name: 'See why' }).click();
    await page.locator('.box').getByText('The secret of the receiver is the API key.').waitFor();
  }
});
