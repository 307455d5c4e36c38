import { expect } from 'vitest';
import { pageOf } from '../../src/tools/cli/reconcile/page.ts';
import type { ReconcileReport } from '../../src/tools/cli/reconcile/report.ts';
import { listening, ORDER, receiver } from '../tools/sandbox/loopback.ts';
import { axe, sideways, withChromium } from './visit.ts';

const it = withChromium();

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
  await sandbox.pay('less', { amount: '17.00' });
  await sandbox.expire('expired');
  sandbox.faults.next('rate_limit', { operation: 'invoices.create' });
  sandbox.faults.next('html', { rate: 0.2, times: Number.POSITIVE_INFINITY, seed: 7 });
  const pay = (ident: string): string => new URL(sandbox.invoice(ident).payment_url).pathname;
  const [delivery] = sandbox.deliveries('refused');
  const [request] = sandbox.requests().slice(-1);
  const pages = [
    pay('open'),
    pay('tiny'), // no method takes it
    pay(long),
    `${pay('paid')}?done=pay&goal=late`,
    pay('refused'),
    `${pay('less')}?done=pay`,
    pay('expired'),
    '/?done=advance',
    '/payments',
    '/payments/new',
    `/payments/${sandbox.invoice('refused').uuid}`,
    `/payments/${sandbox.invoice('open').uuid}`,
    `/payments/${sandbox.invoice(long).uuid}`,
    '/webhooks',
    `/webhooks/${delivery?.id}`,
    '/requests',
    `/requests/${request?.id}`,
    '/faults',
    '/payouts',
    '/nowhere',
  ];
  /** Together they show every colour and every kind of element. */
  const colours = new Set([
    pay('open'),
    pay('refused'),
    `${pay('less')}?done=pay`,
    '/?done=advance',
    '/payouts',
    `/webhooks/${delivery?.id}`,
  ]);
  return { sandbox, url, pages, pay, colours };
}

for (const [colorScheme, widths, hasScript] of [
  ['dark', [390, 320], true],
  ['light', [1280, 1024], false],
] as const) {
  const name = `${colorScheme}, ${widths[0]} px, script ${hasScript ? 'on' : 'off'}`;
  it(`axe finds nothing, and nothing scrolls sideways: ${name}`, async (visit) => {
    const { url, pages, colours } = await everyState();
    const { page, outside, trouble } = await visit(url, { colorScheme });
    // Where script is off in the browser, axe cannot run. Without its script the page is the same.
    if (!hasScript) await page.route('**/assets/sandbox.js', (route) => route.abort());
    for (const address of pages) {
      const [width, other] = widths;
      await page.setViewportSize({ width, height: 800 });
      await page.goto(url + address);
      const found = [await sideways(page)]; // with closed menus, which may not widen the page
      await page.evaluate(
        'for (const each of document.querySelectorAll("details")) each.open = !each.classList.contains("menu")',
      );
      // The HTML is the same in both: the second time, axe looks where the colours differ.
      if (hasScript) expect({ [address]: await axe(page) }).toEqual({ [address]: [] });
      else if (colours.has(address)) expect({ [address]: await axe(page, OUTER_RULES) }).toEqual({ [address]: [] });
      found.push(await sideways(page));
      await page.setViewportSize({ width: other, height: 800 });
      found.push(await sideways(page));
      expect([address, ...found]).toEqual([address, 0, 0, 0]);
      expect(await page.getByText('SANDBOX', { exact: true }).count(), address).toBe(1);
      const names = await page
        .locator('main button, .dock button')
        .evaluateAll((buttons) => buttons.map((each) => each.getAttribute('aria-label') ?? each.textContent));
      expect([address, names.filter((name, at) => names.indexOf(name) !== at)]).toEqual([address, []]);
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

it('the keyboard goes through the payment page in the order of reading, and pays', async (visit) => {
  const { url, link, sandbox } = await opened();
  const { page } = await visit(url);
  await page.goto(link);
  const names: unknown[] = [];
  for (let step = 0; step < 8; step += 1) {
    await page.keyboard.press('Tab');
    names.push(await page.evaluate('document.activeElement.id || document.activeElement.innerText.trim()'));
  }
  expect(names).toEqual([
    'Skip to the payment',
    'method-1',
    'Pay €25.50',
    'Cancel this order',
    'Dashboard',
    'Another amount',
    'Failed',
    'Other endings',
  ]);
  await page.locator('#method-1').focus();
  await page.keyboard.press('ArrowDown');
  expect(await page.evaluate('document.querySelector("[data-pay-button]").innerText')).toBe('Pay €25.00');
  await page.keyboard.press('Enter');
  await page.getByText('Paid by Bank transfer').waitFor();
  const focused = () => page.evaluate('document.activeElement.textContent');
  await expect.poll(focused).toBe('Paid');
  expect(sandbox.invoice('open').payment_method?.name).toBe('Bank transfer');
});

it('what has the focus on the payment page is above the dock', async (visit) => {
  const { url, sandbox } = await listening();
  const order = {
    amount: '25.00',
    currency: 'EUR',
    purpose: 'Two tickets',
    success_url: 'https://shop.example/thanks',
  };
  const open = sandbox.create(order);
  const paid = sandbox.create({ ...order, callback_url: 'http://127.0.0.1:1/' }); // the dock says why nobody answered
  await sandbox.pay(paid.uuid);
  const { page } = await visit(url);
  for (const [width, height] of [
    [1280, 500],
    [768, 700],
    [390, 664],
    [320, 568],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const [link, step] of [open, open, open, open, open, paid, paid].map(
      ({ payment_url }, at) => [payment_url, at % 5] as const,
    )) {
      if (step === 0) await page.goto(link);
      await page.keyboard.press('Tab');
      const hidden = await page.evaluate(`(() => {
        const { activeElement: focused } = document;
        const isBelow = focused.getBoundingClientRect().bottom > document.querySelector('.dock').getBoundingClientRect().top;
        return isBelow && !focused.closest('.dock') ? focused.outerHTML : null;
      })()`);
      expect([width, hidden]).toEqual([width, null]);
    }
  }
});

it('a refused amount has the focus, names its reason, and keeps what was typed', async (visit) => {
  const { url, link } = await opened();
  const { page } = await visit(url);
  await page.goto(link);
  await page.locator('.dock summary').first().click();
  await page.locator('#amount').fill('abc');
  await page.getByRole('button', { name: 'Pay this amount' }).click();
  await page.getByRole('alert').getByText('Enter an amount such as 12.50.').waitFor();
  const described = 'document.getElementById(document.activeElement.getAttribute("aria-describedby"))';
  await expect.poll(() => page.evaluate(`${described}?.getAttribute("role")`)).toBe('alert');
  expect(await page.locator('#amount').inputValue()).toBe('abc');
  expect(await axe(page)).toEqual([]);
});

for (const colorScheme of ['light', 'dark'] as const) {
  it(`axe finds nothing on the page of reconcile, and it loads nothing: ${colorScheme}`, async (visit) => {
    const { page, outside, trouble } = await visit('http://127.0.0.1', { colorScheme });
    for (const width of [320, 390, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.setContent(pageOf(REPORT, 'Reconciliation'));
      expect([await axe(page), await sideways(page)], String(width)).toEqual([[], 0]);
      // No amount is broken: each is one line high, however long the id beside it is.
      const broken = `[...document.querySelectorAll('td.num, dd.num')].filter((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
      }).length`;
      expect(await page.evaluate(broken), String(width)).toBe(0);
      // Each sentence of the headline begins a line.
      const starts = `[...document.querySelectorAll('h1 span')].map((each) => each.getClientRects()[0].left)`;
      expect(new Set(await page.evaluate<number[]>(starts)).size, String(width)).toBe(1);
    }
    expect([outside, trouble]).toEqual([[], []]);
  });
}

const NUMBERS = ['Ordered', 'Paid', 'Missing', 'USDT credited'];
const REPORT: ReconcileReport = {
  grade: 'fail',
  about: [
    'Northwind Books',
    'orders.csv, 8 orders',
    'all invoices',
    'read from pay.example.com on 28 Nov 2026, 15:31 UTC',
  ],
  verdict: ['€179.00 is paid and not given.', '€1,000,000.00 is given and not paid.'],
  counts: ['8 orders: 4 matched, 4 to decide', '9 invoices, 1 paid or pending without an order'],
  money: [
    {
      currency: 'EUR',
      sums: ['€179.00', '€1,000,000.00', '€0.00'].map((amount) => ({ amount, orders: '1 order' })),
    },
    { currency: 'TRY', sums: ['', 'TRY 90,000.00', ''].map((amount) => ({ amount, orders: '1 order' })) },
  ],
  sections: [
    {
      title: 'Ask for the rest, or accept: given, and paid less',
      extent: '4 orders, €1,000,000.00',
      advice: 'If you accept, lower the amount of the order.',
      heads: [
        { text: 'Order', form: 'free' },
        ...NUMBERS.map((text) => ({ text, form: 'number' }) as const),
        { text: 'Line', form: 'number' },
        { text: 'Also', form: 'free' },
      ],
      rows: ['order-1042', '3f2a9c1e-7b54-4d8e-9a10-6c2f5e8b7d41', 'x'.repeat(128), 'Bestellung für später'].map(
        (id) => [id, '€1,025.00', '€20.00', '€1,005.00', '21.489038', '2', 'another credit booked'],
      ),
      isTodo: true,
    },
  ],
  folded: [{ title: '1 invoice waits for a payment, and no order has it', advice: 'Find the order.', names: 'ord-1' }],
};

for (const [path, name] of [
  ['/', '#clock'],
  ['/', '#faults-menu'],
  ['/pay', '.dock .menu'],
] as const) {
  it(`axe finds nothing in an open menu: ${path} ${name}`, async (visit) => {
    const { url, link } = await opened();
    const { page } = await visit(url);
    await page.goto(path === '/pay' ? link : url + path);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.locator(`${name} summary`).first().click();
    expect([await sideways(page), await axe(page)]).toEqual([0, []]);
  });
}

it('the ring of the focus stands out from the dark bars by 3:1', async (visit) => {
  const { url, link } = await opened();
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await visit(url, { colorScheme });
    for (const [address, control, bar] of [
      [url, '#clock summary', '.top'],
      [link, '.dock summary', '.dock'],
      [link, '.dock .to', '.dock'],
    ] as const) {
      await page.goto(address);
      await page.keyboard.press('Tab'); // a ring is for those who use the keyboard
      await page.locator(control).first().focus();
      const contrast = `(() => {
        const light = (color) => {
          const [r, g, b] = color.match(/\\d+/g).map((part) => part / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
        };
        const ring = light(getComputedStyle(document.activeElement).outlineColor);
        const ground = light(getComputedStyle(document.querySelector('${bar}')).backgroundColor);
        return Math.max(ring, ground) / Math.min(ring, ground);
      })()`;
      expect(await page.evaluate(contrast), `${colorScheme} ${control}`).toBeGreaterThanOrEqual(3);
    }
  }
});

it('the menu of the clock opens and closes by the keyboard', async (visit) => {
  const { url } = await listening();
  const { page } = await visit(url);
  await page.goto(url);
  await page.locator('#clock summary').first().focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('+1m');
  await page.keyboard.press('Escape');
  expect(await page.evaluate('document.activeElement.parentElement.open')).toBe(false);
});

it('nothing moves for those who ask for less motion', async (visit) => {
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
