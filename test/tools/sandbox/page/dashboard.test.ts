import { describe, expect, it } from 'vitest';
import { CHECK_CUSTOMER } from '../../../../src/tools/sandbox/state/records.ts';
import { open, press } from '../browser.ts';
import { listening, ORDER, receiver } from '../loopback.ts';

// The dashboard without a browser. Its ways through, its live updates and its copy buttons are in test/browser.

describe('a new payment', () => {
  it('gets the next free order id, and the callback of the business unless another is given', async () => {
    const callback_url = 'http://127.0.0.1:9/hook';
    const { sandbox, url } = await listening({ defaults: { callback_url } });
    const page = await open(`${url}/payments/new`);
    expect(page.text).toContain('Empty: http://127.0.0.1:9/hook, the address of the business.');
    const after = await press(page, 'create', { amount: '1250.50', currency: 'USD' });
    expect(after.text).toContain('The payment was created.');
    const mine = { amount: '5', currency: 'EUR', external_id: 'mine', callback_url: 'http://127.0.0.1:8/x' };
    await press(page, 'create', mine);
    expect(sandbox.invoices()).toMatchObject([
      { ...mine, currency: { code: 'EUR' } },
      { external_id: 'order-1001', amount: '1250.50', callback_url, customer_id: 'customer-1' },
    ]);
  });

  it.each([
    [{ amount: '0' }, { amount: 'It must be a decimal greater than 0' }],
    [{ amount: '4.99' }, { amount: 'It is outside the range of every payment method: 1 Card (5.00 to 2000.00)' }],
    [{ amount: '5.00', external_id: 'order-1042' }, { external_id: 'It is taken by an invoice that is pending.' }],
    [{ amount: '5.00', callback_url: 'http://shop.example/' }, { callback_url: 'It must be an https:// URL' }],
    [
      { amount: 'x', callback_url: 'ftp://x' },
      { amount: 'It must be a decimal greater than 0', callback_url: 'It must be an https:// URL' },
    ],
  ])(
    'is refused on the page of the form, at the fields, of which the first has the focus: %o',
    async (draft, wrong) => {
      const { api, sandbox, url } = await listening();
      await api('POST', '/invoices', ORDER);
      const after = await press(await open(`${url}/payments/new`), 'create', { ...draft, currency: 'EUR' });
      expect([after.status, new URL(after.url).pathname]).toEqual([200, '/payments/new']); // a page that can be asked for again
      const hints = [...after.html.matchAll(/<p id="(\w+)-hint" class="hint" role="alert">([^<]*)/g)];
      const expected = Object.entries(wrong).map(([name, problem]) => [name, expect.stringContaining(problem)]);
      expect(hints.map(([, name, problem]) => [name, problem])).toEqual(expected);
      const focused = [...after.html.matchAll(/<input[^>]* id="(\w+)"[^>]* autofocus/g)].map(([, id]) => id);
      expect(focused).toEqual(Object.keys(wrong).slice(0, 1));
      expect(after.html).toContain(`value="${draft.amount}"`); // what was typed stays
      expect(sandbox.invoices()).toHaveLength(1);
    },
  );
});

describe('the page of a webhook', () => {
  it('says what came of sending it again in its box, with no green notice above a red one', async () => {
    const hook = await receiver([500, 500]);
    const { sandbox, url } = await listening();
    const { uuid } = sandbox.create({ amount: '25.00', currency: 'EUR', callback_url: hook.url });
    await sandbox.pay(uuid);
    const [delivery] = sandbox.deliveries();
    const refused = await press(await open(url), 'resend'); // of the overview
    expect(new URL(refused.url).pathname).toBe(`/webhooks/${delivery?.id}`); // where its box stands
    expect(refused.text).toMatch(/Sent again at 12:00:00 ?: this is what came back\./);
    expect(refused.html).not.toContain('notice good');
    const accepted = await press(refused, 'resend');
    expect(accepted.text).toMatch(/Sent again: your endpoint returned 200 in (?:< 1|\d+) ms\./);
    expect(accepted.html).not.toContain('class="box bad"');
    const strip = /<ol class="strip">(.*?)<\/ol>/s.exec(accepted.html)?.[1];
    expect(strip?.match(/<li/g)).toHaveLength(3); // it ends at the delivery
  });

  it('offers to send it again only if it is the latest of its payment, which a resend sends', async () => {
    const hook = await receiver([500, 500]);
    const { sandbox, url } = await listening();
    const { uuid } = sandbox.create({ amount: '25.00', currency: 'EUR', callback_url: hook.url });
    await sandbox.expire(uuid);
    await sandbox.pay(uuid, { late: true });
    const pages = sandbox.deliveries().map(({ id }) => open(`${url}/webhooks/${id}`));
    const [paid, expired] = (await Promise.all(pages)).map(({ text }) => text);
    expect(paid).toContain('Send again');
    expect(expired).not.toContain('Send again');
  });
});

describe('the page of a payment', () => {
  it('tells what happened, oldest first, and equal attempts once', async () => {
    const hook = await receiver([500, 500, 500]);
    const { sandbox, url } = await listening();
    const { uuid } = sandbox.create({ amount: '25.00', currency: 'EUR', external_id: 'a b/ü', callback_url: hook.url });
    await sandbox.pay('a b/ü');
    await sandbox.advance('37m');
    await sandbox.adjust('a b/ü', '20.00');
    const { text } = await open(`${url}/payments/${uuid}`);
    expect(text.slice(text.indexOf('Story'), text.indexOf('Details'))).toMatch(
      /Customer Service Your shop.*Service: Created 25\.00 EUR, customer customer-1.*Customer: Paid 26\.861298 USDT credited.*Your shop: Attempts 1 to 3, 12:00 to 12:06 invoice\.paid returned 500.*Attempt 4 of 7 invoice\.paid returned 200.*Corrected/,
    );
  });

  it('is green when it is paid, and red beside it while the shop has not heard', async () => {
    const hook = await receiver([401]);
    const { sandbox, url } = await listening();
    sandbox.create({ amount: '25.00', currency: 'EUR', external_id: 'a', callback_url: hook.url });
    await sandbox.pay('a');
    const state = async () => (await open(`${url}/payments`)).html.match(/<span class="(?:tag|hook) (?:\w+)">[^<]*/g);
    expect(await state()).toEqual(['<span class="tag good">Paid', '<span class="hook bad">Retrying · 401']);
    await sandbox.resend('a');
    expect(await state()).toEqual(['<span class="tag good">Paid', '<span class="hook good">Delivered']);
  });
});

describe('the overview', () => {
  it('ticks its three steps as they are done, then they make room', async () => {
    const hook = await receiver();
    const { api, sandbox, url } = await listening();
    const ticks = async () => ((await open(url)).html.match(/<li class="good"><h3>/g) ?? []).length;
    const steps = [await ticks()];
    await api('GET', '/rates');
    steps.push(await ticks());
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    steps.push(await ticks());
    expect(steps).toEqual([0, 1, 2]);
    await sandbox.pay('order-1042');
    expect((await open(url)).text).not.toContain('Three steps');
  });

  it('groups what needs attention by endpoint and cause, and sends all of a group again', async () => {
    const hook = await receiver([404, 404, 500]);
    const { sandbox, url } = await listening();
    for (const external_id of ['a', 'b', 'c']) {
      sandbox.create({ amount: '25.00', currency: 'EUR', external_id, callback_url: hook.url });
      await sandbox.pay(external_id);
    }
    const page = await open(url);
    expect(page.text).toContain('Needs attention 3 webhooks, 2 causes');
    expect(page.text).toMatch(/The receiver has no POST route at \/webhook\. 2 × 404 at \/webhook · b , a/);
    expect(page.text).toMatch(/The receiver failed\. 500 at \/webhook · c/);
    expect(page.html.match(/<details name="cause"[^>]* open/g)).toHaveLength(1); // of all causes one
    const group = page.forms.filter(({ fields }) => fields.filter(([name]) => name === 'ident').length === 2);
    await press({ ...page, forms: group }, 'resend');
    const states = sandbox.deliveries().map(({ external_id, status }) => `${external_id} ${status}`);
    expect(states).toEqual(['c pending', 'b delivered', 'a delivered']);
  });

  it('shows what a failed receiver wrote, and a page for people that answered 200', async () => {
    const bodies: readonly [number, string][] = [
      [500, 'TypeError: id is undefined\n    at handler'],
      [200, '<!doctype html><h1>Welcome</h1>'],
    ];
    const { sandbox, url } = await listening({
      fetch: async (address) => {
        const [status, body] = bodies[Number(address.at(-1))] ?? [404, ''];
        return new Response(body, { status });
      },
    });
    const order = { amount: '25.00', currency: 'EUR' };
    for (const at of [0, 1])
      await sandbox.pay(sandbox.create({ ...order, callback_url: `http://127.0.0.1:3000/${at}` }).uuid);
    const { text } = await open(url);
    expect(text).toContain('Needs attention 2 webhooks, 2 causes');
    expect(text).toMatch(/TypeError: id is undefined Look into the log/);
    expect(text).toContain('An HTML page answered at /1');
  });

  it('has a lane of its own for four endpoints, and one for all others', async () => {
    const { sandbox, url } = await listening({ fetch: async () => new Response() });
    for (const at of [1, 2, 3, 4, 5, 6])
      await sandbox.pay(
        sandbox.create({ amount: '25.00', currency: 'EUR', callback_url: `http://127.0.0.1:3000/${at}` }).uuid,
      );
    const { text } = await open(url);
    expect(text.match(/→ \/\d/g)).toHaveLength(4);
    expect(text).toContain('→ 2 others : 2 accepted, 0 not');
  });

  it('leads from each count to as many rows', async () => {
    const { sandbox, url } = await listening({ fetch: async () => new Response(null, { status: 500 }) });
    const order = { amount: '25.00', currency: 'EUR', callback_url: 'http://127.0.0.1:3000/' };
    for (let at = 1; at <= 8; at += 1) await sandbox.pay(sandbox.create(order).uuid);
    const page = await open(url);
    expect(page.text).toContain('and 5 more');
    const target = page.links.find((link) => link.startsWith('/webhooks?state')) ?? '';
    expect((await open(url + target)).html.match(/class="row hook-row bad"/g)).toHaveLength(8);
  });

  it('shows the last minutes: payments, and what each endpoint answered', async () => {
    const hook = await receiver([500]);
    const { sandbox, url } = await listening();
    const order = { amount: '25.00', currency: 'EUR', callback_url: hook.url };
    await sandbox.pay(sandbox.create(order).uuid);
    await sandbox.pay(sandbox.create(order).uuid);
    const page = await open(url);
    expect(page.text).toContain('2 payments · 1 webhook delivered · 1 not');
    expect(page.text).toContain('→ /webhook : 1 accepted, 1 not');
    const shapes = page.html
      .match(/<(?:circle|svg x)[^>]* class="\w+"/g)
      ?.map((shape) => /class="(\w+)"/.exec(shape)?.[1]);
    expect(shapes?.sort()).toEqual(['bad', 'good', 'wait']); // two payments at one time are one mark
    await sandbox.advance('20m');
    expect((await open(url)).html).not.toContain('→ <bdi>/webhook');
  });

  it('tells a payment in one line, and leaves out what only reads', async () => {
    const hook = await receiver();
    const { api, sandbox, url } = await listening();
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    await sandbox.pay('order-1042', { amount: '17.00' });
    await api('GET', '/invoices/order-1042');
    const { text } = await open(url);
    const lines = text.slice(text.indexOf('Activity'), text.lastIndexOf('Connection'));
    expect(lines).toMatch(/order-1042 created €25\.00 → paid less €17\.00 → webhook delivered, 200 in (?:< 1|\d+) ms/);
    expect(lines.match(/order-1042/g)).toHaveLength(1);
  });

  it('shows a key and a secret that the user gave on request alone', async () => {
    const { url } = await listening({ apiKey: 'sk_live_given', webhookSecret: 'whsec_given' });
    const page = await open(url);
    expect(page.html).not.toMatch(/sk_live_given|whsec_given/);
    expect(page.links).toContain('/?secrets=shown');
    expect((await open(`${url}/?secrets=shown`)).html).toMatch(/sk_live_given[\s\S]*whsec_given/);
  });
});

it.each([
  ['/payments', 'No payments yet'],
  ['/webhooks', 'No webhooks yet'],
  ['/requests', 'No requests yet'],
  ['/faults', 'No fault is active'],
  ['/payouts', /Pending 250\.000000 USDT sends 249\.000000 by TRC20 .* Approve Reject/],
])('%s of a new sandbox says: %s', async (path, text) => {
  const { url } = await listening();
  expect((await open(url + path)).text).toMatch(text);
});

it('a search counts what it finds in each filter, and can be taken back', async () => {
  const { sandbox, url } = await listening();
  for (const external_id of ['a-1', 'a-2', 'b-1']) sandbox.create({ amount: '25.00', currency: 'EUR', external_id });
  await sandbox.pay('a-1');
  expect((await open(`${url}/payments?q=a-`)).text).toContain('All 2 Open 1 Paid 1 Ended 0');
  const none = await open(`${url}/payments?q=b-&state=paid`);
  expect(none.text).toMatch(/Nothing matches “ ?b- ?” is in 1 of 3\. Show all 3/);
  expect(none.links).toEqual(expect.arrayContaining(['/payments?state=paid', '/payments']));
});

it('an address without a page leads back to the overview', async () => {
  const { url } = await listening();
  const page = await open(`${url}/payments/gone`);
  expect([page.status, page.text]).toEqual([404, expect.stringContaining('There is no such page.')]);
  expect(page.links).toContain('/');
});

it('a fault with a wrong number is refused beside its field', async () => {
  const { url, sandbox } = await listening();
  const after = await press(await open(`${url}/faults`), 'fault', { times: '0', type: 'hang', back: '/faults' });
  expect(new URL(after.url).pathname).toBe('/faults');
  expect(after.html).toContain('<p id="times-hint" class="hint" role="alert">Enter a whole number from 1.</p>');
  expect(sandbox.faults.queued()).toEqual([]);
});

it('the page of a request shows headers but the key, what it made, and a curl command', async () => {
  const { api, sandbox, url } = await listening();
  await api('POST', '/invoices', ORDER, { 'X-Mine': 'yes' });
  const [request] = sandbox.requests();
  const page = await open(`${url}/requests/${request?.id}`);
  expect(page.text).toContain('x-mine: yes');
  expect(page.html).not.toContain('sk_sandbox');
  expect(page.links).toContain(`/payments/${sandbox.invoice('order-1042').uuid}`);
  expect(page.text).toContain(`curl -i -X POST '${url}/api/v1/external/invoices'`);
});

it('the orders of webhooks check are folded in payments and webhooks', async () => {
  const hook = await receiver();
  const { sandbox, url } = await listening();
  const order = { amount: '25.00', currency: 'EUR', callback_url: hook.url };
  await sandbox.pay(sandbox.create({ ...order, external_id: 'mine' }).uuid);
  await sandbox.pay(sandbox.create({ ...order, external_id: 'of-check', customer_id: CHECK_CUSTOMER }).uuid);
  for (const path of ['/payments', '/webhooks']) {
    const { text, links } = await open(url + path);
    expect(text).toContain('1 of webhooks check not shown.');
    expect(text).not.toContain('of-check');
    expect((await open(url + (links.find((link) => link.includes('check=shown')) ?? ''))).text).toContain('of-check');
  }
});
