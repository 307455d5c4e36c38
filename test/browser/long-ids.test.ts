import { expect } from 'vitest';
import { listening, ORDER, receiver } from '../tools/sandbox/loopback.ts';
import { sideways, withChromium } from './visit.ts';

const it = withChromium();

const IDS: Readonly<Record<string, string>> = {
  'a UUID': '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d',
  '128 characters': 'x'.repeat(128),
  German: 'Donaudampfschifffahrtsgesellschaftskapitänsmützenbestellung-2026-0001',
  Arabic: 'طلب-شراء-منالمتجرالكبيرفيالمدينةالقديمةعلىالساحلالغربيرقم-٤٢',
};
const WIDTHS = [320, 390, 768, 1280];

/** The amounts and words that are in more than one line. Ids and free texts may break: they are in `bdi`, `dd` or code. */
const BROKEN = `(() => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const parent = node.parentElement;
    if (!parent.checkVisibility() || parent.closest('pre, .skip') || getComputedStyle(parent).clipPath !== 'none') continue;
    const parts = [...node.data.matchAll(/[^\\s\\d]{0,3}\\d[\\d,]*\\.\\d{2,}/g)];
    if (!parent.closest('bdi, code, .mono, dd, h1')) parts.push(...node.data.matchAll(/[a-z]{3,14}/gi));
    for (const { 0: text, index } of parts) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + text.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(text);
    }
  }
  return found;
})()`;

for (const [name, id] of Object.entries(IDS)) {
  it(`no amount and no word is higher than one line beside ${name}`, async (visit) => {
    const { sandbox, url, api } = await listening();
    const hook = await receiver([500, 500]);
    const draft = { ...ORDER, amount: '1149.00', customer_id: id, purpose: id, callback_url: hook.url };
    const [open, paid, less] = [`${id.slice(0, 120)}-open`, id, `${id.slice(0, 120)}-less`];
    for (const external_id of [open, paid, less])
      expect((await api('POST', '/invoices', { ...draft, external_id })).status).toBe(201);
    await sandbox.pay(paid);
    await sandbox.pay(less, { amount: '45.00' });
    const pay = (ident: string): string => new URL(sandbox.invoice(ident).payment_url).pathname;
    const [delivery] = sandbox.deliveries(paid);
    const [request] = sandbox.requests();
    const pages = [
      ...[open, paid, less].map(pay),
      ...[open, less].map((ident) => `/payments/${sandbox.invoice(ident).uuid}`),
      ...['/', '/payments', '/webhooks', `/webhooks/${delivery?.id}`, `/requests/${request?.id}`, '/payouts'],
    ];
    const { page } = await visit(url);
    const broken: unknown[] = [];
    for (const address of pages) {
      await page.goto(url + address);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        const found = [...(await page.evaluate<string[]>(BROKEN)), await sideways(page)];
        if (found.length > 1 || found[0] !== 0) broken.push([address, width, ...found]);
      }
    }
    expect(broken).toEqual([]);
  });
}

/** The amounts of which a part is outside of a box that cuts, or over the next cell of their row. */
const CUT = `[...document.querySelectorAll('.money')].filter((each) => {
  const { left, right } = each.getBoundingClientRect();
  const cell = each.closest('.row > *');
  const next = cell?.parentElement.children[[...cell.parentElement.children].indexOf(cell) + 1]?.getBoundingClientRect();
  const mine = cell?.getBoundingClientRect();
  if (next && next.top < mine.bottom && mine.top < next.bottom && next.left >= mine.left && next.left < right) return true;
  for (let box = each.parentElement; box; box = box.parentElement) {
    const edge = box.getBoundingClientRect();
    if (getComputedStyle(box).overflowX !== 'visible' && (left < edge.left || right > edge.right)) return true;
  }
  return right > innerWidth;
}).map((each) => each.textContent)`;

it('no amount of the payments is cut, and an order has its name beside it', async (visit) => {
  const { sandbox, url } = await listening();
  for (const name of ['1e0fbe55-2a28-4a30-a4a2-55cfe8e9f641', 'a-name-of-27-letters-or-more'])
    sandbox.create({ amount: '98765.43', currency: 'TRY', external_id: name, purpose: 'Annual plan, student' });
  await sandbox.pay('1e0fbe55-2a28-4a30-a4a2-55cfe8e9f641', { amount: '90000.00' });
  const { page } = await visit(url);
  await page.goto(`${url}/payments`);
  const found: unknown[] = [];
  for (const width of [320, 390, 768, 1024, 1100, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const names = await page.locator('.row .what > strong').evaluateAll((all) => all.map((each) => each.clientWidth));
    found.push([width, await page.evaluate(CUT), names.every((wide) => wide >= 110)]);
  }
  expect(found).toEqual([320, 390, 768, 1024, 1100, 1280].map((width) => [width, [], true]));
});
