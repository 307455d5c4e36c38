import { expect } from 'vitest';
import { listening, ORDER, receiver } from '../sandbox/loopback.ts';
import { axe, sideways, withChromium } from './visit.ts';

const test = withChromium();

/** A sandbox in which every page has something to show. */
async function everyState() {
  const { sandbox, url, api } = await listening({
    magicOutcomes: true,
    dialect: { unpayableAmount: 'accepted' },
    webhookSecret: 'whsec_given',
  });
  const hook = await receiver([200, 401, 200, 200, 200]);
  const long = `order-${'x'.repeat(120)}`;
  const rest = { callback_url: hook.url, success_url: 'https://shop.example/thanks', purpose: 'Two tickets' };
  for (const external_id of ['paid', 'refused', 'less', 'failed', 'canceled', 'open', 'chosen', long]) {
    await api('POST', '/invoices', { ...ORDER, ...rest, external_id });
  }
  await api('POST', '/invoices', { ...ORDER, external_id: 'tiny', amount: '1.00' });
  await api('POST', '/invoices', { ...ORDER, external_id: 'open' });
  await sandbox.pay('paid');
  await sandbox.pay('refused');
  await sandbox.underpay('less', '17.00');
  await sandbox.fail('failed');
  await sandbox.cancel('canceled');
  sandbox.choose('chosen', 2);
  sandbox.faults.next('rate_limit', { operation: 'invoices.create' });
  sandbox.faults.random(0.2, 7, ['html']);
  const pay = (ident: string): string => new URL(sandbox.invoice(ident).payment_url).pathname;
  const [delivery] = sandbox.deliveries('refused');
  const [request] = sandbox.requests().slice(-1);
  const pages: Readonly<Record<string, string>> = {
    'open order': pay('open'),
    'order with a choice': `${pay('chosen')}?done=choose`,
    'order that no method takes': pay('tiny'),
    'order with a long name': pay(long),
    'paid order, just now': `${pay('paid')}?done=pay`,
    'paid order, second click': `${pay('paid')}?late=pay`,
    'paid order, webhook refused': pay('refused'),
    'paid order, adjusted': pay('less'),
    'failed order': pay('failed'),
    'canceled order': pay('canceled'),
    overview: '/?done=advance',
    'overview with the key and the secret': '/?secrets=shown',
    invoices: '/invoices',
    'invoices, none found': '/invoices?q=nothing-is-called-so',
    'paid invoice': `/invoices/${sandbox.invoice('refused').uuid}`,
    'pending invoice': `/invoices/${sandbox.invoice('open').uuid}`,
    deliveries: '/deliveries',
    'refused delivery': `/deliveries/${delivery?.id}`,
    requests: '/requests',
    'one request': `/requests/${request?.id}`,
    faults: '/faults',
    assumptions: '/assumptions',
    withdrawals: '/withdrawals',
    methods: '/methods',
    rates: '/rates',
    'no such page': '/nowhere',
    'no such order': '/pay/nobody',
  };
  return { sandbox, url, pages, pay };
}

/** The width for axe, and further widths at which nothing may scroll sideways. */
const SIZES = { narrow: [320, 480, 768], wide: [1440, 1024] } as const;

for (const [colorScheme, size, hasScript, rules] of [
  ['dark', 'narrow', true, undefined],
  ['light', 'wide', false, ['color-contrast', 'label', 'region']], // what colours, width and script can change
] as const) {
  test(`axe finds nothing, and nothing scrolls sideways: ${colorScheme}, ${size}, script ${hasScript}`, async (visit) => {
    const { url, pages } = await everyState();
    const [width, ...others] = SIZES[size];
    const { page, outside, trouble } = await visit(url, { colorScheme });
    // Where script is off in the browser, axe cannot run. Without its script the page is the same.
    if (!hasScript) await page.route('**/assets/sandbox.js', (route) => route.abort());
    for (const [name, address] of Object.entries(pages)) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(url + address);
      await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
      expect({ [name]: await axe(page, rules), sideways: await sideways(page) }).toEqual({ [name]: [], sideways: 0 });
      for (const other of others) {
        await page.setViewportSize({ width: other, height: 800 });
        expect([name, other, await sideways(page)]).toEqual([name, other, 0]);
      }
      expect(await page.getByText('SANDBOX', { exact: true }).count(), name).toBe(1);
    }
    expect([outside, trouble]).toEqual([[], []]);
  });
}

test('axe finds nothing in a refusal, and its field has the focus', async (visit) => {
  const { url, pay } = await everyState();
  const { page } = await visit(url);
  await page.goto(url + pay('open'));
  await page.getByLabel(/Pay less/).fill('abc');
  await page.getByRole('button', { name: 'Pay less', exact: true }).click();
  await page.getByRole('alert').waitFor();
  expect(await axe(page)).toEqual([]);
  const described = 'document.getElementById(document.activeElement.getAttribute("aria-describedby"))';
  expect(await page.evaluate(`${described}.getAttribute("role")`)).toBe('alert');
});

test('the result has the focus when an order has ended', async (visit) => {
  const { url, pay } = await everyState();
  const { page } = await visit(url);
  await page.goto(url + pay('open'));
  await page.getByRole('button', { name: 'Pay 25.50 EUR' }).click();
  await page.getByText('Paid. Thank you.').waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Paid. Thank you.');
});

test('the keyboard goes through the page in the order of reading, and pays', async (visit) => {
  const { url, pay, sandbox } = await everyState();
  const { page } = await visit(url);
  await page.goto(url + pay('open'));
  const names: unknown[] = [];
  for (let step = 0; step < 11; step += 1) {
    await page.keyboard.press('Tab');
    names.push(await page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()'));
  }
  expect(names).toEqual([
    'method-1',
    'Pay 25.50 EUR',
    'Cancel and go back',
    'underpay',
    'Pay less',
    'overpay',
    'Pay more',
    'Pay, then correct it (dispute)',
    'Choose the method, pay later',
    'Let it fail',
    'Let it expire',
  ]);
  await page.locator('#method-1').focus();
  await page.keyboard.press('ArrowDown');
  expect(await page.locator('[data-pay-button]').textContent()).toBe('Pay 25.00 EUR');
  await page.keyboard.press('Enter');
  await page.getByText('Paid. Thank you.').waitFor();
  expect(sandbox.invoice('open').payment_method?.name).toBe('Bank transfer');
});

test('nothing moves for those who ask for less motion', async (visit) => {
  const { url, pay } = await everyState();
  for (const [reducedMotion, duration] of [
    ['reduce', '0s'],
    ['no-preference', '0.12s'],
  ] as const) {
    const { page } = await visit(url, { reducedMotion });
    await page.goto(url + pay('open'));
    const found = await page.evaluate<string>('getComputedStyle(document.querySelector("button")).transitionDuration');
    expect(found.split(', ')[0]).toBe(duration);
  }
});
