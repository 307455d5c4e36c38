import { expect, it } from 'vitest';
import { open } from '../browser.ts';
import { listening, ORDER } from '../loopback.ts';

const NASTY = `"><script>alert(1)</script><img src=x onerror='alert(2)'>\`&amp;`;

it('every text of the merchant is escaped, on every page', async () => {
  const code = `X${NASTY}`.slice(0, 16);
  const limits = { min_amount: '1', max_amount: '9' };
  const percents = { total_commission_percent: '0', client_commission_percent: '0', merchant_commission_percent: '0' };
  const currency = { id: 1, code, name: NASTY, symbol: NASTY };
  const { api, sandbox, url } = await listening({
    merchantName: NASTY,
    methods: [{ id: 1, name: NASTY, currency, logo_url: NASTY, ...limits, ...percents }],
    rates: [{ platform: 'p', asset: 'USDT', fiat: code, side: 'buy', price: '1', ...limits }],
  });
  const { json } = await api('POST', '/invoices', {
    ...{ external_id: NASTY, customer_id: NASTY, amount: '5.00', currency: code, purpose: NASTY },
    callback_url: `http://127.0.0.1:9/?q="><script>`,
    success_url: `https://shop.example/"><script>alert(3)</script>`,
  });
  const { payment_url, uuid } = json.data;
  const unpaid = await open(payment_url);
  expect(unpaid.text).toContain(NASTY);
  const pages = [unpaid, await open(url)];
  await sandbox.pay(NASTY);
  const ids = [sandbox.deliveries()[0]?.id, sandbox.requests()[0]?.id];
  const paths = ['/', '/payments', `/payments/${uuid}`, '/webhooks', `/webhooks/${ids[0]}`, `/requests/${ids[1]}`];
  for (const path of [...paths, `/pay/${uuid}`, `/pay/${encodeURIComponent(NASTY)}`])
    pages.push(await open(url + path));
  for (const page of pages) {
    expect(page.html).not.toMatch(/<script>|<img src=x|onerror='|`/);
    expect(page.html.match(/<script[^>]*>/g)).toEqual(['<script src="/assets/sandbox.js" defer>']);
  }
});

it('the pages have a strict policy, nothing inline and nothing from outside', async () => {
  const { sandbox, url } = await listening({ seedData: { invoices: [ORDER] } });
  for (const { headers, html } of [await open(sandbox.invoice('order-1042').payment_url), await open(url)]) {
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(html).not.toMatch(/\sstyle=|\son[a-z]+=|<style/);
    const loaded = [...html.matchAll(/<(?:link|script|img|iframe)[^>]*?(?:href|src)="([^"]*)"/g)].map(([, to]) => to);
    expect(loaded).toEqual(['/assets/icon.svg', '/assets/sandbox.css', '/assets/sandbox.js']);
    for (const target of loaded) expect((await fetch(new URL(target ?? '', url))).status).toBe(200);
  }
});

it.each([
  ['GET', '/pay/nobody', 404],
  ['GET', '/pay/order-1042', 404], // guessing external ids leads nowhere
  ['GET', '/payments/order-1042', 404],
  ['GET', '/payments/00000000-0000-4000-8000-000000000000', 404],
  ['DELETE', '/pay/{uuid}', 405],
  ['GET', '/pay/{uuid}', 200],
])('%s %s of a page is answered with %i', async (method, path, status) => {
  const { sandbox, url } = await listening({ seedData: { invoices: [ORDER] } });
  const address = url + path.replace('{uuid}', sandbox.invoice('order-1042').uuid);
  expect((await fetch(address, { method })).status).toBe(status);
});
