// Takes the screenshots of the pages of the sandbox. `node test/browser/screenshots.ts` renews those of the docs, and the social card, which shows
// one of them. They have the font of the site, so that they are the same wherever they are taken.
// `node test/browser/screenshots.ts <folder> [text]` writes every page in light and dark, narrow and wide, or those whose name has the text.
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { storm } from '../../src/tools/storm/index.ts';
import { testSandbox } from '../support/test-sandbox.ts';
import { MISTAKES } from '../tools/storm/mistakes.ts';
import { shopWith } from '../tools/storm/shop.ts';
import { launch, NO_CHROMIUM } from './chromium.ts';

if (NO_CHROMIUM !== null) {
  console.error(NO_CHROMIUM);
  process.exit(1);
}
const [folder, only = ''] = process.argv.slice(2);

/** A receiver that takes every delivery but those of the orders that are to fail. */
const shop = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => {
    body += part;
  });
  request.on('end', () => {
    const refuses = body.includes('order-1041');
    const status = request.url !== '/webhook' ? 404 : refuses ? 401 : 200;
    // As a receiver of this package in sandbox mode that has the API key as its secret.
    const cause = refuses && { 'X-Merchant-Cause': 'api_key_as_secret' };
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...cause });
    response.end(status === 404 ? 'Cannot POST' : refuses ? 'signature_mismatch' : 'ok');
  });
});
await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
const { port } = shop.address() as AddressInfo; // it listens on a port

let wall = Date.parse('2026-03-01T12:00:00Z');
const sandbox = testSandbox({
  seed: 7,
  now: '2026-03-01T12:00:00Z',
  // Ports and durations differ from run to run, but the pictures must not.
  wallClock: () => {
    wall += 3;
    return wall;
  },
  fetch: (address, init) => fetch(address.replace(':3000', `:${port}`), init),
  url: 'http://127.0.0.1:4010',
  merchantName: 'Northwind Books',
});
const server = await sandbox.listen();
const call = (external_id: string, change: object = {}) =>
  fetch(`${server.url}/api/v1/external/invoices`, {
    method: 'POST',
    headers: { 'X-Api-Key': sandbox.apiKey },
    body: JSON.stringify({
      external_id,
      customer_id: 'c-7',
      amount: '149.00',
      currency: 'EUR',
      purpose: 'Annual plan, Team, 5 seats',
      callback_url: 'http://127.0.0.1:3000/webhook',
      success_url: 'https://shop.example/thanks',
      ...change,
    }),
  });
for (const [at, path] of ['webhook', 'webhook', 'hooks/pay', 'webhook', 'hooks/pay', 'webhook', 'webhook'].entries()) {
  const id = `order-${1031 + at}`;
  await call(id, { amount: `${19 + 10 * at}.00`, callback_url: `http://127.0.0.1:3000/${path}` });
  await sandbox.advance('25s');
  await sandbox.pay(id);
  await sandbox.advance('50s');
}
await call('order-1030', { callback_url: 'http://127.0.0.1:4199/webhook' });
await sandbox.fail('order-1030');
await call('order-1038', { amount: '120.00', currency: 'USD' });
await sandbox.pay('order-1038');
await call('order-1039');
await sandbox.pay('order-1039', { amount: '17.00' });
await call('order-1040', { amount: '450.00', currency: 'TRY', customer_id: 'c-12' });
await sandbox.cancel('order-1040');
await call('order-1041');
await sandbox.pay('order-1041');
await sandbox.advance('1m');
await call('order-1042');
await call('order-1042');
await call('order-1043', { amount: '0.00', currency: 'XYZ' });
const empty = testSandbox({ now: '2026-03-01T12:00:00Z', url: 'http://127.0.0.1:4010' });
const first = await empty.listen();

const path = (ident: string): string => `${server.url}${new URL(sandbox.invoice(ident).payment_url).pathname}`;
const [refused] = sandbox.deliveries('order-1041');
const [last] = sandbox.requests().slice(-1);
const PAGES = [
  ['checkout', path('order-1042')],
  ['receipt', path('order-1038')],
  ['partial', path('order-1039')],
  ['refused', path('order-1041')],
  ['canceled', path('order-1040')],
  ['first', `${first.url}/`],
  ['overview', `${server.url}/`],
  ['payments', `${server.url}/payments`],
  ['new', `${server.url}/payments/new`],
  ['open', `${server.url}/payments/${sandbox.invoice('order-1042').uuid}`],
  ['payment', `${server.url}/payments/${sandbox.invoice('order-1041').uuid}`],
  ['webhooks', `${server.url}/webhooks`],
  ['webhook', `${server.url}/webhooks/${refused?.id}`],
  ['requests', `${server.url}/requests`],
  ['request', `${server.url}/requests/${last?.id}`],
  ['faults', `${server.url}/faults`],
  ['payouts', `${server.url}/payouts`],
] as const;
const SIZES = { wide: { width: 1280, height: 720 }, narrow: { width: 390, height: 800 } };

/** The pictures of README and docs/sandbox.md: in both themes, at two densities. */
const IN_DOCS: readonly string[] = ['checkout', 'overview', 'webhook'];

/** The pictures of the site's first screen: a part of a page that can be read at its size there. */
const PARTS = {
  'home-checkout': { page: 'checkout', viewport: { width: 360, height: 776 }, clip: null },
  'home-diagnosis': {
    page: 'webhook',
    viewport: { width: 440, height: 900 },
    clip: { of: '.detail', top: 40, height: 372 },
  },
} as const;

function data(type: string, ...path: string[]): string {
  const file = join(import.meta.dirname, '..', '..', ...path);
  return `data:${type};base64,${readFileSync(file).toString('base64')}`;
}

/** The font that VitePress has. */
const FONTS = 'node_modules/vitepress/dist/client/theme-default/fonts';
const FONT = ['latin', 'latin-ext']
  .map((part) => data('font/woff2', FONTS, `inter-roman-${part}.woff2`))
  .map(
    (url, at) =>
      `@font-face { font-family: Inter; font-weight: 100 900; src: url(${url});${at === 1 ? ' unicode-range: U+0100-02BA, U+20A0-20C0;' : ''} }`,
  )
  .reverse()
  .join('\n');

/** Waits until a page is drawn in this font. */
async function withFont(page: Page): Promise<void> {
  await page.addStyleTag({ content: `${FONT}\n:root { --sans: Inter, sans-serif; }` });
  await page.evaluate('document.fonts.ready');
}

/** The picture of the home page and of a link to it. */
function socialCard(): string {
  return `<!doctype html><meta charset="utf-8"><style>
${FONT}
* { margin: 0; box-sizing: border-box; }
body { width: 1200px; height: 630px; overflow: hidden; position: relative; background: #10131c; color: #fff; font-family: Inter; padding: 60px 64px; }
.name { display: flex; align-items: center; gap: 14px; font-size: 26px; font-weight: 600; }
.name img { width: 44px; }
.name code { margin-inline-start: auto; font: 20px monospace; color: #a3a9ba; }
h1 { font-size: 62px; line-height: 72px; letter-spacing: -.035em; margin-top: 26px; }
h1 span { color: #a5a0ff; }
.shots img { position: absolute; border-radius: 12px; border: 1px solid #343a4d; box-shadow: 0 20px 50px #0008; }
</style><p class="name"><img src="${data('image/svg+xml', 'docs/public/mark.svg')}" alt="">merchant-invoicing<code>npm i merchant-invoicing</code></p>
<h1>Paid in five currencies. Credited in USDT.<br><span>Given exactly once.</span></h1>
<p class="shots"><img style="left: 64px; top: 302px; width: 330px" src="${data('image/png', 'docs/images/home-checkout-dark@2x.png')}" alt="">
<img style="left: 456px; top: 302px; width: 680px" src="${data('image/png', 'docs/images/home-diagnosis-dark@2x.png')}" alt=""></p>`;
}

const target = folder ?? join(import.meta.dirname, '..', '..', 'docs', 'images');
mkdirSync(target, { recursive: true });
const browser = await launch();
const shots =
  folder === undefined
    ? [1, 2].map((density) => ({ size: density === 1 ? '' : '@2x', viewport: SIZES.wide, density }))
    : Object.entries(SIZES).map(([size, viewport]) => ({ size: `-${size}`, viewport, density: 1 }));
for (const colorScheme of ['light', 'dark'] as const) {
  for (const { size, viewport, density } of shots) {
    const context = {
      colorScheme,
      viewport,
      deviceScaleFactor: density,
      reducedMotion: 'reduce',
      timezoneId: 'UTC',
      bypassCSP: true, // for the font
    } as const;
    const page = await browser.newPage(context);
    for (const [name, address] of PAGES) {
      const file = `${name}-${colorScheme}${size}`;
      if (folder === undefined ? !IN_DOCS.includes(name) : !file.includes(only)) continue;
      await page.goto(address);
      await withFont(page);
      await page.screenshot({ path: join(target, `${file}.png`), fullPage: folder !== undefined });
      console.log(`${file}.png`);
    }
    await page.close();
  }
  for (const [name, { page: shown, viewport, clip }] of folder === undefined ? Object.entries(PARTS) : []) {
    for (const [suffix, deviceScaleFactor] of [
      ['', 1],
      ['@2x', 2],
    ] as const) {
      const page = await browser.newPage({
        colorScheme,
        viewport,
        deviceScaleFactor,
        reducedMotion: 'reduce',
        timezoneId: 'UTC',
        bypassCSP: true,
      });
      await page.goto(PAGES.find(([each]) => each === shown)?.[1] ?? '');
      await withFont(page);
      const box = clip === null ? null : await page.locator(clip.of).first().boundingBox();
      const file = `${name}-${colorScheme}${suffix}.png`;
      await page.screenshot({
        path: join(target, file),
        ...(clip !== null && box !== null && { clip: { ...box, y: box.y + clip.top, height: clip.height } }),
      });
      console.log(file);
      await page.close();
    }
  }
}
// The report of a storm over a shop with two mistakes: its money, and the day as lines.
if (folder === undefined || 'storm'.includes(only)) {
  const result = await storm({
    seed: 3,
    shop: shopWith((wrong) => {
      MISTAKES['memoryStore with a restart'].plant(wrong);
      MISTAKES['adjusted treated as paid in full'].plant(wrong);
      return { catchUp: undefined };
    }),
  });
  console.log(result.summary());
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [suffix, deviceScaleFactor] of [
      ['', 1],
      ['@2x', 2],
    ] as const) {
      const page = await browser.newPage({ colorScheme, viewport: SIZES.wide, deviceScaleFactor, bypassCSP: true });
      await page.setContent(result.html());
      await withFont(page);
      const legend = await page.locator('.legend').boundingBox();
      const clip = { x: 0, y: 0, width: SIZES.wide.width, height: (legend?.y ?? 0) + (legend?.height ?? 0) + 8 };
      await page.screenshot({ path: join(target, `storm-${colorScheme}${suffix}.png`), fullPage: true, clip });
      console.log(`storm-${colorScheme}${suffix}.png`);
      await page.close();
    }
  }
}
if (folder === undefined) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 630 } });
  await page.setContent(socialCard());
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path: join(target, '..', 'public', 'social.png') });
  console.log('social.png');
}
await browser.close();
await sandbox.close();
await empty.close();
shop.close();
