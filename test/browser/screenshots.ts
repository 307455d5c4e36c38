// Takes the screenshots of the pages of the sandbox. `node test/browser/screenshots.ts` renews those of the docs.
// `node test/browser/screenshots.ts <folder> [text]` writes every page in light and dark, narrow and wide, or those whose name has the text.
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { testSandbox } from '../support/test-sandbox.ts';
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
    response.writeHead(refuses ? 401 : 200, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(refuses ? 'signature_mismatch' : 'ok');
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
});
const server = await sandbox.listen();
const call = (external_id: string, change: object = {}) =>
  fetch(`${server.url}/api/v1/external/invoices`, {
    method: 'POST',
    headers: { 'X-Api-Key': sandbox.apiKey },
    body: JSON.stringify({
      external_id,
      customer_id: 'c-7',
      amount: '25.00',
      currency: 'EUR',
      purpose: 'Two tickets, row 7',
      callback_url: 'http://127.0.0.1:3000/webhook',
      success_url: 'https://shop.example/thanks',
      ...change,
    }),
  });
await call('order-1038', { amount: '120.00', currency: 'USD' });
await sandbox.pay('order-1038');
await call('order-1039');
await sandbox.underpay('order-1039', '17.00');
await call('order-1040', { amount: '450.00', currency: 'TRY', customer_id: 'c-12' });
await sandbox.cancel('order-1040');
await call('order-1041');
await sandbox.pay('order-1041');
await call('order-1042');
await call('order-1042');
await call('order-1043', { amount: '0.00', currency: 'XYZ' });
sandbox.faults.next('rate_limit', { operation: 'invoices.create' });

const path = (ident: string): string => new URL(sandbox.invoice(ident).payment_url).pathname;
const [refused] = sandbox.deliveries('order-1041');
const [last] = sandbox.requests().slice(-1);
const PAGES = [
  ['payment', path('order-1042')],
  ['receipt', path('order-1038')],
  ['partial', path('order-1039')],
  ['refused', path('order-1041')],
  ['canceled', path('order-1040')],
  ['dashboard', '/'],
  ['invoices', '/invoices'],
  ['new', '/invoices/new'],
  ['invoice', `/invoices/${sandbox.invoice('order-1041').uuid}`],
  ['deliveries', '/deliveries'],
  ['delivery', `/deliveries/${refused?.id}`],
  ['requests', '/requests'],
  ['request', `/requests/${last?.id}`],
  ['faults', '/faults'],
  ['withdrawals', '/withdrawals'],
  ['methods', '/methods'],
  ['rates', '/rates'],
  ['dialects', '/dialects'],
] as const;
const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 800 } };

/** The pictures of docs/sandbox.md. */
const IN_DOCS: readonly string[] = ['payment-light-wide', 'dashboard-light-wide', 'delivery-light-wide'];

const target = folder ?? join(import.meta.dirname, '..', '..', 'docs', 'images');
mkdirSync(target, { recursive: true });
const browser = await launch();
for (const colorScheme of ['light', 'dark'] as const) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    const page = await browser.newPage({ colorScheme, viewport, reducedMotion: 'reduce' });
    for (const [name, address] of PAGES) {
      const file = `${name}-${colorScheme}-${size}`;
      if (folder === undefined && !IN_DOCS.includes(file)) continue;
      if (!file.includes(only)) continue;
      await page.goto(server.url + address);
      // The docs show the beginning of a long page: a small file, and enough to see what it is.
      const clip = folder === undefined && size === 'wide' ? { clip: { x: 0, y: 0, ...viewport, height: 1_000 } } : {};
      await page.screenshot({ path: join(target, `${file}.png`), fullPage: true, ...clip });
      console.log(`${file}.png`);
    }
    await page.close();
  }
}
await browser.close();
await sandbox.close();
shop.close();
