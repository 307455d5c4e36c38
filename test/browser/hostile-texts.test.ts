import { expect } from 'vitest';
import { listening, ORDER } from '../tools/sandbox/loopback.ts';
import { withChromium } from './visit.ts';

const it = withChromium();

/** Several attempts in each, so that a few pages show all of them. */
const PAYLOADS = [
  `"><script>alert(1)</script>'><img src=x onerror=alert(2)> javascript:alert(4)`,
  `</title></textarea></pre><svg onload=alert(3)>"autofocus onfocus="alert(5) &lt;script&gt;alert(8)&lt;/script&gt;<!--`,
  `\`\${alert(6)}\`<iframe srcdoc="<script>alert(7)</script>"><form action=https://evil.example/><button autofocus>x</button>`,
  `<meta http-equiv=refresh content="0;url=https://evil.example/"><base href=https://evil.example/>`,
];
const URLS = [
  `https://shop.example/"><script>alert(9)</script>`,
  `https://shop.example/'onmouseover='alert(10)`,
  `https://shop.example/?next=javascript:alert(11)`,
];

it('no text of a merchant runs or leads anywhere, on any page', async (visit) => {
  const { sandbox, url, api } = await listening();
  const idents: string[] = [];
  for (const [at, payload] of PAYLOADS.entries()) {
    const address = encodeURI(URLS[at % URLS.length] ?? '').replaceAll('%22', '"');
    const { status } = await api('POST', '/invoices', {
      ...ORDER,
      external_id: payload,
      customer_id: payload,
      purpose: payload,
      callback_url: `http://127.0.0.1:9/${address.slice(21)}`,
      success_url: address,
      fail_url: address,
    });
    expect([payload, status]).toEqual([payload, 201]);
    idents.push(payload);
  }
  const { page, outside, trouble } = await visit(url);
  const look = async (address: string): Promise<void> => {
    await page.goto(address);
    await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
    const found = await page.evaluate<unknown[]>(`[
      document.querySelectorAll('script').length,
      document.querySelectorAll('img, iframe, object, embed, base, main meta').length,
      [...document.querySelectorAll('*')].flatMap((each) => each.getAttributeNames().filter((name) => name.startsWith('on'))),
      [...document.links].filter(({ protocol }) => protocol !== 'http:' && protocol !== 'https:').map(({ href }) => href),
      [...document.forms].filter((form) => new URL(form.getAttribute('action'), location.href).origin !== location.origin).length,
    ]`);
    expect([address, ...found]).toEqual([address, 1, 0, [], [], 0]);
  };
  for (const [at, ident] of idents.entries()) {
    const { payment_url } = sandbox.invoice(ident);
    await look(payment_url);
    expect(await page.getByText(ident, { exact: true }).count()).toBeGreaterThan(0);
    await page.goto('about:blank'); // a page of the order that is open would load itself again
    await (at % 2 === 0 ? sandbox.pay(ident) : sandbox.fail(ident));
    await look(payment_url);
    for (const { id } of sandbox.deliveries(ident)) await look(`${url}/webhooks/${id}`);
  }
  for (const path of ['/', '/payments', '/webhooks', '/requests']) await look(url + path);
  for (const text of [encodeURIComponent(PAYLOADS.join(' ')), encodeURIComponent(PAYLOADS[0] ?? '')]) {
    await look(`${url}/payments?q=${text}&state=${text}&page=${text}&done=${text}&refused=${text}`);
    await look(`${url}/pay/${sandbox.invoice(PAYLOADS[0] ?? '').uuid}?done=${text}`);
    await look(`${url}/requests?state=${text}&q=${text}`);
    await look(`${url}/webhooks?state=${text}&q=${text}`);
    await look(`${url}/pay/${text}`);
  }
  expect([outside, trouble]).toEqual([[], []]);
});

it('what a receiver answers does not run either', async (visit) => {
  const { sandbox, url, api } = await listening({
    fetch: async () =>
      new Response(PAYLOADS.join('\n'), {
        status: 302,
        headers: { Location: 'javascript:alert(1)', 'X-Evil': '<script>' },
      }),
  });
  await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:9/' });
  await sandbox.pay('order-1042');
  const { page, outside, trouble } = await visit(url);
  const [delivery] = sandbox.deliveries();
  for (const path of ['/', `/webhooks/${delivery?.id}`, new URL(sandbox.invoice('order-1042').payment_url).pathname]) {
    await page.goto(url + path);
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.locator('img, iframe, svg[onload]').count()).toBe(0);
  }
  expect([outside, trouble]).toEqual([[], []]);
});
