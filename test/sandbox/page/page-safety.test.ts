import { describe, expect, it } from 'vitest';
import { open } from '../browser.ts';
import { listening, ORDER } from '../loopback.ts';

async function order() {
  const context = await listening();
  const { json } = await context.api('POST', '/invoices', ORDER);
  return { ...context, page: await open(json.data.payment_url) };
}

describe('safety', () => {
  const NASTY = `"><script>alert(1)</script><img src=x onerror='alert(2)'>\`&amp;`;

  it('escapes every text of the merchant, on every page', async () => {
    const { api, sandbox, url } = await listening({
      merchantName: NASTY,
      methods: [
        {
          id: 1,
          name: NASTY,
          currency: { id: 1, code: `X${NASTY}`.slice(0, 16), name: NASTY, symbol: NASTY },
          min_amount: '1.00',
          max_amount: '9.00',
          total_commission_percent: '0',
          client_commission_percent: '0',
          merchant_commission_percent: '0',
          logo_url: NASTY,
        },
      ],
      rates: [
        {
          platform: 'p',
          asset: 'USDT',
          fiat: `X${NASTY}`.slice(0, 16),
          side: 'buy',
          price: '1',
          min_amount: '1',
          max_amount: '2',
        },
      ],
    });
    const { json } = await api('POST', '/invoices', {
      external_id: NASTY,
      customer_id: NASTY,
      amount: '5.00',
      currency: `X${NASTY}`.slice(0, 16),
      purpose: NASTY,
      callback_url: `http://127.0.0.1:9/?q="><script>`,
      success_url: `https://shop.example/"><script>alert(3)</script>`,
    });
    const pages = [await open(json.data.payment_url), await open(url)];
    await sandbox.pay(NASTY);
    pages.push(
      await open(json.data.payment_url),
      await open(url),
      await open(`${url}/pay/${encodeURIComponent(NASTY)}`),
    );
    for (const page of pages) {
      expect(page.html).not.toMatch(/<script>|<img src=x|onerror='|`/);
      expect([...page.html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([
        '<script src="/assets/sandbox.js" defer>',
      ]);
    }
    expect(pages[0]?.text).toContain(NASTY);
  });

  it('has a strict policy, nothing inline and nothing from outside', async () => {
    const { page, url } = await order();
    for (const each of [page, await open(url)]) {
      expect(each.headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(each.headers.get('x-content-type-options')).toBe('nosniff');
      expect(each.html).not.toMatch(/\sstyle=|\son[a-z]+=|<style/);
      const loaded = [...each.html.matchAll(/<(?:link|script|img|iframe)[^>]*?(?:href|src)="([^"]*)"/g)].map(
        ([, target]) => target,
      );
      expect(loaded).toEqual(['/assets/icon.svg', '/assets/sandbox.css', '/assets/sandbox.js']);
      for (const target of loaded) expect((await fetch(new URL(target ?? '', url))).status).toBe(200);
    }
  });

  it.each([
    'https://evil.example/x',
    '//evil.example/x',
    '/..//evil.example/x',
    '/\\evil.example/x',
    'javascript:alert(1)',
    'http://[',
  ])('returns after an action to its own pages, not to %s', async (back) => {
    const { url } = await listening();
    const init = { method: 'POST', body: new URLSearchParams({ back }), redirect: 'manual' } as const;
    const { headers } = await fetch(`${url}/_/freeze`, init);
    expect(headers.get('location')).toMatch(/^\/(?![/\\])/);
  });

  it('answers 404 for an unknown order and 405 for another method', async () => {
    const { url, page } = await order();
    expect((await open(`${url}/pay/nobody`)).status).toBe(404);
    expect((await open(`${url}/pay/order-1042`)).status).toBe(404); // guessing external ids leads nowhere
    expect((await fetch(page.url, { method: 'DELETE' })).status).toBe(405);
  });
});
