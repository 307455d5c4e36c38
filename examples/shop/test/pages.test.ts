import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStage, TYPED } from './stage.ts';

/** Texts that a customer could type, and how a page has to show them. */
const TYPED_TEXTS: readonly (readonly [typed: string, shown: string])[] = [
  [String.raw`C:\new\table\x3cb\u003e`, String.raw`C:\new\table\x3cb\u003e`],
  [
    String.raw`\\\'"; DROP TABLE orders; --`,
    String.raw`\\\&#39;&quot;; DROP TABLE orders; --`,
  ],
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  [
    '"><img src=x onerror=alert(1)>',
    '&quot;&gt;&lt;img src=x onerror=alert(1)&gt;',
  ],
  ['</textarea><b>&lt;', '&lt;/textarea&gt;&lt;b&gt;&amp;lt;'],
  ['$& $1 $` {{x}} %00 %5C', '$&amp; $1 $` {{x}} %00 %5C'],
  ['אבג 🎁 é', 'אבג 🎁 é'],
];

test('what a customer types is shown as typed', async () => {
  const stage = await openStage();
  for (const [typed, shown] of TYPED_TEXTS) {
    const path = await stage.fillCart();
    const refused = await stage.post(`${path}/pay`, {
      number: '1',
      name: typed,
      address: '',
    });
    assert.equal(refused.status, 422);
    assert.ok(refused.text.includes(`value="${shown}"`), refused.text);
    assert.match(
      (
        await stage.post(`${path}/pay`, {
          number: '1',
          name: 'Ada',
          address: typed,
        })
      ).location ?? '',
      /pay/,
    );
    assert.ok((await stage.get(path)).text.includes(`Ada\n${shown}</p>`));
  }
});

test('quantities and prices of a changed form are not believed', async () => {
  const stage = await openStage();
  for (const cart of [
    {},
    { tea: '0' },
    { tea: '-1' },
    { tea: '1.5' },
    { tea: '1e3' },
    { gold: '1' },
    { tea: '٣' },
  ]) {
    assert.equal(
      (await stage.post('/cart', cart)).status,
      422,
      JSON.stringify(cart),
    );
  }
  const path = await stage.fillCart({
    tea: '999',
    price: '0.01',
    amount: '0.01',
  });
  assert.match(
    (await stage.get(path)).text,
    /20 × Green tea[\s\S]*250\.00 EUR/,
  );
});

test('every page has its security headers, and needs no script', async () => {
  const stage = await openStage();
  const path = await stage.fillCart();
  for (const at of ['/', path, '/nowhere', '/style.css']) {
    const { headers } = await fetch(stage.shop.url + at);
    assert.match(
      headers.get('content-security-policy') ?? '',
      /default-src 'none'/,
    );
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  }
});

test('unknown orders, paths and methods are refused', async () => {
  const stage = await openStage();
  const path = await stage.fillCart();
  const unknown = `/orders/${crypto.randomUUID()}`;
  const paths = [
    unknown,
    '/orders/',
    '/orders/..%5C..',
    '/orders/%252e%252e',
    '//evil.example',
    `${path}/x`,
    '/?x=1/..',
  ];
  const statuses = await Promise.all(
    paths.map(async (each) => (await stage.get(each)).status),
  );
  assert.deepEqual(statuses, [404, 404, 404, 404, 404, 404, 200]);
  assert.equal((await stage.get(`${path}/pay`)).status, 405);
  assert.equal((await stage.post(`${unknown}/pay`, TYPED)).status, 404);
  assert.equal((await stage.get('/webhook')).status, 405);
});

test('a form without an address or with too much text places nothing', async () => {
  const stage = await openStage();
  const path = await stage.fillCart();
  for (const form of [
    {},
    { name: 'Ada' },
    { name: ' ', address: ' ' },
    { name: 'a'.repeat(201), address: 'x' },
  ]) {
    assert.equal(
      (await stage.post(`${path}/pay`, { number: '1', ...form })).status,
      422,
    );
  }
  assert.equal(
    (await stage.post(`${path}/pay`, { ...TYPED, address: 'x'.repeat(20_000) }))
      .status,
    413,
  );
  assert.equal(
    stage.db.prepare('SELECT placed_at FROM orders').get()?.['placed_at'],
    null,
  );
});
