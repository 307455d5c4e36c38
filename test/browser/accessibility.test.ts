import { expect } from 'vitest';
import { listening, ORDER, receiver } from '../sandbox/loopback.ts';
import { axe, sideways, withChromium } from './visit.ts';

const test = withChromium();

/** A sandbox in which every page has something to show. */
async function everyState() {
  const { sandbox, url, api } = await listening({
    dialect: { unpayableAmount: 'accepted' },
    webhookSecret: 'whsec_given',
  });
  const hook = await receiver([200, 401]);
  const long = `order-${'x'.repeat(120)}`;
  const rest = { callback_url: hook.url, success_url: 'https://shop.example/thanks', purpose: 'Two tickets' };
  for (const external_id of ['paid', 'refused', 'less', 'expired', 'open', long]) {
    await api('POST', '/invoices', { ...ORDER, ...rest, external_id });
  }
  await api('POST', '/invoices', { ...ORDER, external_id: 'tiny', amount: '1.00' });
  await api('POST', '/invoices', { ...ORDER, external_id: 'open' });
  await sandbox.pay('paid');
  await sandbox.pay('refused');
  await sandbox.underpay('less', '17.00');
  await sandbox.expire('expired');
  sandbox.faults.next('rate_limit', { operation: 'invoices.create' });
  sandbox.faults.random(0.2, 7, ['html']);
  const pay = (ident: string): string => new URL(sandbox.invoice(ident).payment_url).pathname;
  const [delivery] = sandbox.deliveries('refused');
  const [request] = sandbox.requests().slice(-1);
  const pages = [
    pay('open'),
    pay('tiny'), // no method takes it
    pay(long),
    `${pay('paid')}?done=late`,
    pay('refused'),
    `${pay('less')}?done=underpay`,
    pay('expired'),
    '/?done=advance',
    '/invoices',
    '/invoices/new',
    `/invoices/${sandbox.invoice('refused').uuid}`,
    `/invoices/${sandbox.invoice(long).uuid}`,
    '/deliveries',
    `/deliveries/${delivery?.id}`,
    '/requests',
    `/requests/${request?.id}`,
    '/faults',
    '/withdrawals',
    '/methods',
    '/rates',
    '/dialects',
    '/nowhere',
  ];
  /** Together they show every colour and every kind of element. */
  const colours = new Set([
    pay('open'),
    pay('refused'),
    `${pay('less')}?done=underpay`,
    '/?done=advance',
    '/withdrawals',
  ]);
  return { sandbox, url, pages, pay, colours };
}

for (const [colorScheme, widths, hasScript] of [
  ['dark', [390, 320], true],
  ['light', [1280, 1024], false],
] as const) {
  const name = `${colorScheme}, ${widths[0]} px, script ${hasScript ? 'on' : 'off'}`;
  test(`axe finds nothing, and nothing scrolls sideways: ${name}`, async (visit) => {
    const { url, pages, colours } = await everyState();
    const { page, outside, trouble } = await visit(url, { colorScheme });
    // Where script is off in the browser, axe cannot run. Without its script the page is the same.
    if (!hasScript) await page.route('**/assets/sandbox.js', (route) => route.abort());
    for (const address of pages) {
      const [width, other] = widths;
      await page.setViewportSize({ width, height: 800 });
      await page.goto(url + address);
      const found = [await sideways(page)]; // with closed menus, which may not widen the page
      await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
      // The HTML is the same in both: the second time, axe looks where the colours differ.
      if (hasScript) expect({ [address]: await axe(page) }).toEqual({ [address]: [] });
      else if (colours.has(address)) expect({ [address]: await axe(page, OUTER_RULES) }).toEqual({ [address]: [] });
      found.push(await sideways(page));
      await page.setViewportSize({ width: other, height: 800 });
      found.push(await sideways(page));
      expect([address, ...found]).toEqual([address, 0, 0, 0]);
      expect(await page.getByText('SANDBOX', { exact: true }).count(), address).toBe(1);
    }
    expect([outside, trouble]).toEqual([[], []]);
  });
}

/** What colours, width and script can change. */
const OUTER_RULES = ['color-contrast', 'label', 'region', 'target-size', 'scrollable-region-focusable'];

/** A sandbox with one open order. */
async function opened() {
  const { sandbox, url, api } = await listening();
  const { json } = await api('POST', '/invoices', { ...ORDER, external_id: 'open' });
  const link: string = json.data.payment_url;
  return { sandbox, url, link };
}

test('the keyboard goes through the payment page in the order of reading, and pays', async (visit) => {
  const { url, link, sandbox } = await opened();
  const { page } = await visit(url);
  await page.goto(link);
  const names: unknown[] = [];
  for (let step = 0; step < 12; step += 1) {
    await page.keyboard.press('Tab');
    names.push(await page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()'));
  }
  expect(names).toEqual([
    'method-1',
    'Pay 25.50 EUR',
    'Cancel and go back',
    'This order on the dashboard',
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
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Paid. Thank you.');
  expect(sandbox.invoice('open').payment_method?.name).toBe('Bank transfer');
});

test('a refused amount has the focus, names its reason, and nothing has moved', async (visit) => {
  const { url, link } = await opened();
  const { page } = await visit(url);
  await page.goto(link);
  const last = `document.querySelector('button[value=expire]').getBoundingClientRect().top + scrollY`;
  const place = () => page.evaluate<number>(last);
  const before = await place();
  await page.getByLabel(/Pay less/).fill('abc');
  await page.getByRole('button', { name: 'Pay less', exact: true }).click();
  await page.getByRole('alert').getByText('Enter an amount such as 12.50.').waitFor();
  expect(await place()).toEqual(before);
  const described = 'document.getElementById(document.activeElement.getAttribute("aria-describedby"))';
  expect(await page.evaluate(`${described}.getAttribute("role")`)).toBe('alert');
  expect(await page.getByLabel(/Pay less/).inputValue()).toBe('abc');
  expect(await axe(page)).toEqual([]);
});

test('the menu of the clock opens and closes by the keyboard', async (visit) => {
  const { url } = await listening();
  const { page } = await visit(url);
  await page.goto(url);
  await page.locator('.menu > summary').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('+ 1m');
  await page.keyboard.press('Escape');
  expect(await page.evaluate('document.activeElement.parentElement.open')).toBe(false);
});

test('nothing moves for those who ask for less motion', async (visit) => {
  const { url, link } = await opened();
  for (const [reducedMotion, duration] of [
    ['reduce', '0s'],
    ['no-preference', '0.12s'],
  ] as const) {
    const { page } = await visit(url, { reducedMotion });
    await page.goto(link);
    const found = await page.evaluate<string>('getComputedStyle(document.querySelector("button")).transitionDuration');
    expect(found.split(', ')[0]).toBe(duration);
  }
});
