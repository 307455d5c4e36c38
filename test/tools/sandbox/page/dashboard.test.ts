import { describe, expect, it } from 'vitest';
import { CHECK_CUSTOMER } from '../../../../src/tools/sandbox/actions.ts';
import { cli } from '../../cli/command-line.ts';
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
    expect(paid).toContain('Send order-1001 again');
    expect(expired).not.toContain('order-1001 again');
  });
});

it.each([301, 302, 307])('a response %i to a webhook is red, as the webhook is', async (status) => {
  const { sandbox, url } = await listening({ fetch: async () => new Response(null, { status }) });
  const order = { amount: '25.00', currency: 'EUR', callback_url: 'http://127.0.0.1:3000/' };
  await sandbox.pay(sandbox.create(order).uuid);
  const tags = (await open(`${url}/webhooks`)).html.match(/<span class="tag \w+">[^<]*/g);
  expect(tags).toEqual([`<span class="tag bad">Retrying · ${status}`, `<span class="tag bad">${status}`]);
});

it('the list of payments finds an amount as a row shows it, and as people type it', async () => {
  const { sandbox, url } = await listening();
  const create = (external_id: string, amount: string, currency = 'EUR') =>
    sandbox.create({ external_id, amount, currency });
  create('euro', '1089.00');
  create('lira', '2500.5', 'TRY');
  create('less', '60');
  await sandbox.pay('less', { amount: '45' });
  const found = async (typed: string) =>
    (await open(`${url}/payments?q=${encodeURIComponent(typed)}`)).html.match(/(?<=<strong><bdi title=")\w+/g);
  for (const typed of ['€1,089.00', '€1089', '1089,00', '1,089.00', '1089.00'])
    expect(await found(typed)).toEqual(['euro']);
  for (const typed of ['TRY 2,500.50', '2500,50']) expect(await found(typed)).toEqual(['lira']);
  for (const typed of ['€45.00', '60,00']) expect(await found(typed)).toEqual(['less']);
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
      /Customer Service Your shop.*Service: Created €25\.00, customer customer-1.*Customer: Paid €25\.00, 26\.861298 USDT credited.*Your shop: Attempts 1 to 3, 12:00 to 12:06 invoice\.paid returned 500.*Attempt 4 of 7 invoice\.paid returned 200.*Corrected/,
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

/** The labels below the lanes, each behind what it is if it is not a tick. */
function axisOf(html: string): string[] {
  const labels = html.matchAll(
    /<foreignObject[^>]*class="(?:tick|late|(?:tick )?([^"]*))">(?:<time[^>]*>|<span>)([^<]*)/g,
  );
  return [...labels].map(([, look, text]) => `${look === undefined ? '' : `${look} `}${text}`);
}

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
    expect(page.text).toMatch(
      /no POST route at \/webhook\. → \S+ answers 404 €50\.00 2 payments since 12:00 next in 1 min/,
    );
    expect(page.text).toMatch(/\/webhook answers 500: noted\. → \S+ €25\.00 1 payment since 12:00 next in 1 min/);
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
    expect(text).toContain('Your shop has not heard of 1 payment, €25.00 , since 12:00 .');
    expect(text).toMatch(/\/0 answers 500: TypeError: id is undefined\. → .*Repair the receiver/);
    expect(text).toMatch(/An HTML page answered at \/1.* answers 200 .* accepted/);
  });

  it('has a lane of its own for four endpoints, and one for all others', async () => {
    const { sandbox, url } = await listening({ fetch: async () => new Response() });
    for (const at of [1, 2, 3, 4, 5, 6])
      await sandbox.pay(
        sandbox.create({ amount: '25.00', currency: 'EUR', callback_url: `http://127.0.0.1:3000/${at}` }).uuid,
      );
    const { text } = await open(url);
    expect(text.match(/→ \/\d/g)).toHaveLength(4);
    expect(text).toContain('→ 2 others 2 accepted');
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
    expect(page.text).toContain('Payments 2 → /webhook 1 not accepted');
    const shapes = page.html
      .match(/<(?:circle|svg x)[^>]* class="\w+"/g)
      ?.map((shape) => /class="(\w+)"/.exec(shape)?.[1]);
    expect(shapes?.sort()).toEqual(['bad', 'good', 'wait']); // two payments at one time are one mark
    await sandbox.advance('20m');
    expect((await open(url)).text).toContain('→ /webhook 2 of 3 accepted Last 22 min'); // all of them
  });

  it('says in one sentence what the shop has not heard of, and menu, list and buttons have the same count', async () => {
    let isDown = false;
    const { sandbox, url } = await listening({
      fetch: async (address) => {
        if (address.endsWith('/none')) return new Response('no route', { status: 404 });
        return isDown ? new Response('connect ECONNREFUSED 10.0.0.5:5432\n', { status: 500 }) : new Response();
      },
    });
    const order = (external_id: string, change: object = {}) =>
      sandbox.create({
        external_id,
        amount: '100.00',
        currency: 'EUR',
        callback_url: 'http://127.0.0.1:3000/hook',
        ...change,
      });
    const pay = (id: string, change: object = {}) => sandbox.pay(order(id, change).uuid);
    const heard = async () => (await open(url)).text;
    await pay('heard');
    expect(await heard()).toContain('Your shop has heard of the payment that has ended.');
    await pay('no-address', { callback_url: undefined });
    expect(await heard()).not.toContain('has heard of'); // a green is earned
    await pay('never', { amount: '30.00', callback_url: 'http://127.0.0.1:3000/none' });
    await sandbox.advance('3h');
    isDown = true;
    await pay('euro');
    await pay('dollar', { currency: 'USD', amount: '70.50' });
    await sandbox.pay(order('less').uuid, { amount: '40.25' });
    await sandbox.cancel(order('canceled').uuid);
    await pay('of-the-check', { customer_id: CHECK_CUSTOMER });
    await sandbox.expire(order('late').uuid);
    isDown = false;
    await sandbox.pay('late', { late: true }); // its second webhook is accepted, so the first one is settled
    isDown = true;
    await sandbox.resend('heard'); // the shop has heard of it
    const page = await open(url);
    expect(page.text).toContain(
      'Your shop has not heard of 5 orders, 4 of them paid, €170.25 , $70.50 : most of it since 15:00 . Send all 5 again',
    );
    expect(page.text).toContain('Webhooks 5 not delivered');
    expect(page.text).toMatch(
      /Causes most money first \/hook answers 500: connect ECONNREFUSED 10\.0\.0\.5:5432\. → \S+ €140\.25 \$70\.50 4 orders, 3 of them paid since 15:00 next in 1 min The receiver cannot reach .* no POST route at \/none\. → \S+ answers 404 €30\.00 1 payment since 12:00/,
    );
    const [all] = page.forms.filter(({ action }) => action === '/_/resend');
    expect(all?.fields.filter(([name]) => name === 'ident')).toHaveLength(5);
    expect((await open(`${url}/webhooks?state=not+delivered`)).html.match(/class="row hook-row/g)).toHaveLength(5);
    const { uuid } = sandbox.invoice('euro');
    expect((await open(`${url}/payments/${uuid}`)).text).toContain(
      '/hook answers 500: connect ECONNREFUSED 10.0.0.5:5432. The receiver cannot reach this address: start what listens there, such as its database. Then send the webhook again. 3 other webhooks to /hook are not accepted either, $70.50 , €40.25 , since 15:00 .',
    );
  });

  it('says how many of the webhooks that were sent again were refused again', async () => {
    const statuses: Record<string, number> = { '/a': 500, '/b': 500 };
    const fetch = async (to: unknown) => new Response(null, { status: statuses[new URL(String(to)).pathname] ?? 0 });
    const { sandbox, url } = await listening({ fetch });
    for (const path of ['a', 'a', 'b'])
      await sandbox.pay(
        sandbox.create({ amount: '25.00', currency: 'EUR', callback_url: `http://127.0.0.1:3000/${path}` }).uuid,
      );
    expect((await press(await open(url), 'resend')).text).toContain('3 sent, 3 refused again (500)');
    statuses['/a'] = 200;
    const part = await press(await open(url), 'resend');
    expect(part.text).toContain('3 sent, 2 accepted, 1 refused again (500)');
    expect(part.html).not.toContain('notice good');
  });

  it('begins its lanes before the first payment that was not heard of', async () => {
    let isDown = true;
    const { sandbox, url } = await listening({ fetch: async () => new Response(null, { status: isDown ? 500 : 200 }) });
    const order = { amount: '25.00', currency: 'EUR', callback_url: 'http://127.0.0.1:3000/hook' };
    await sandbox.pay(sandbox.create(order).uuid); // attempts at 12:00, 12:01, 12:06 and 12:36
    await sandbox.advance('30m');
    isDown = false;
    await sandbox.pay(sandbox.create(order).uuid);
    const { html, text } = await open(url); // between two attempts of the outage
    expect(text).toContain('Your shop has not heard of 1 payment, €25.00 , since 12:00 .');
    expect(html.match(/<svg x="[^"]*" y="50%" class="bad">/g)).toHaveLength(3);
    const [, begins] = /<rect x="([\d.]+)%"/.exec(html) ?? [];
    expect(Number(begins)).toBeGreaterThan(0);
    expect(axisOf(html)).toEqual(['12:10', '12:20', 'begin 12:00', 'now']);
  });

  it('labels the beginning of an outage that has just begun, and no time beside it', async () => {
    let status = 200;
    const { sandbox, url } = await listening({ fetch: async () => new Response(null, { status }) });
    const order = { amount: '25.00', currency: 'EUR', callback_url: 'http://127.0.0.1:3000/hook' };
    await sandbox.pay(sandbox.create(order).uuid);
    await sandbox.advance('14m');
    status = 500;
    await sandbox.pay(sandbox.create(order).uuid);
    expect(axisOf((await open(url)).html)).toEqual([
      '12:00',
      '12:03',
      '12:06',
      'wide 12:09',
      'begin late 12:14',
      'now',
    ]);
  });

  it('has the endpoints in the order of the causes, and none changes its place by an attempt', async () => {
    const { sandbox, url } = await listening({ fetch: async () => new Response(null, { status: 500 }) });
    const pay = async (path: string, amount: string) => {
      const order = { external_id: path, amount, currency: 'EUR', callback_url: `http://127.0.0.1:3000/${path}` };
      await sandbox.pay(sandbox.create(order).uuid);
      await sandbox.advance('1m');
    };
    await pay('less', '30.00');
    await pay('most', '100.00');
    await pay('least', '10.00');
    for (const path of ['most', 'less', 'least']) {
      await sandbox.resend(path);
      const { html } = await open(url);
      expect([...html.matchAll(/→ <bdi>\/(\w+)/g)].map(([, name]) => name)).toEqual(['most', 'less', 'least']);
      expect([...html.matchAll(/<strong><bdi>\/(\w+)/g)].map(([, name]) => name)).toEqual(['most', 'less', 'least']);
    }
  });

  it('a canceled event that was overtaken by its payment is neither red nor in the tab of what is not delivered', async () => {
    const { sandbox, url } = await listening({ fetch: async () => new Response(null, { status: 500 }) });
    const order = { external_id: 'late', amount: '30.00', currency: 'EUR', callback_url: 'http://127.0.0.1:3000/' };
    sandbox.create(order);
    await sandbox.cancel('late');
    await sandbox.pay('late', { late: true });
    const { html, text } = await open(`${url}/webhooks`);
    expect(text).toContain('All 2 Not delivered 1 Delivered 0 Other 1');
    expect([...html.matchAll(/class="row hook-row (\w+)"/g)].map(([, tone]) => tone)).toEqual(['bad', 'off']);
  });

  it('tells a payment in one line, and leaves out what only reads', async () => {
    const hook = await receiver();
    const { api, sandbox, url } = await listening();
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    await sandbox.pay('order-1042', { amount: '17' }); // shown with two decimals
    await api('GET', '/invoices/order-1042');
    const { text } = await open(url);
    const lines = text.slice(text.indexOf('Activity'), text.lastIndexOf('Connection'));
    expect(lines).toMatch(/order-1042 created €25\.00 → paid less €17\.00 → webhook delivered, 200 in (?:< 1|\d+) ms/);
    expect(lines.match(/order-1042/g)).toHaveLength(1);
    expect((await open(`${url}/payments`)).text).toContain('€17.00 of €25.00');
    expect((await open(`${url}/payments/${sandbox.invoice('order-1042').uuid}`)).text).toContain(
      'Paid less €17.00 of €25.00, 18.265682 USDT credited',
    );
  });

  it('has one line for the orders of the check, and none for what the tools of the package ask', async () => {
    const { sandbox, url, api } = await listening();
    for (let at = 1; at <= 25; at += 1)
      await sandbox.pay(sandbox.create({ amount: '25.00', currency: 'EUR', customer_id: CHECK_CUSTOMER }).uuid);
    await sandbox.pay(sandbox.create({ amount: '25.00', currency: 'EUR', external_id: 'mine' }).uuid);
    await api('GET', '/invoices/mine--1');
    await api('GET', '/invoices/theirs--1');
    const env = { MERCHANT_BASE_URL: url, MERCHANT_API_KEY: sandbox.apiKey };
    await cli(['doctor'], { env });
    const { text } = await open(url);
    const activity = text.slice(text.indexOf('Activity'));
    expect(activity).toMatch(
      /^Activity \w.* Request GET \/invoices\/theirs--1 404 NOT_FOUND \S+ mine created €25\.00 → paid → no webhook \S+ webhooks check sent 25 orders of its own/,
    );
    expect(activity).not.toMatch(/mine--1|401|callback URL/);
    const requests = await open(`${url}/requests`);
    expect(requests.text).toContain('Refused 1 '); // the same ones
    expect(requests.html.match(/<span class="tag \w+">404/g)).toEqual([
      '<span class="tag bad">404',
      '<span class="tag off">404',
    ]);
    expect(text).toContain('Payments 1 ');
  });

  it('shows a key and a secret that the user gave on request alone', async () => {
    const { url } = await listening({ apiKey: 'sk_live_given', webhookSecret: 'whsec_given' });
    const page = await open(url);
    expect(page.html).not.toMatch(/sk_live_given|whsec_given/);
    expect(page.links).toContain('/?secrets=shown');
    expect(page.html).not.toMatch(/data-copy="[^"]*not shown/); // nobody copies a text without its values
    expect((await open(`${url}/?secrets=shown`)).html).toMatch(/sk_live_given[\s\S]*whsec_given/);
  });
});

it.each([
  ['/payments', 'No payments yet'],
  ['/webhooks', 'No webhooks yet'],
  ['/requests', 'No requests yet'],
  ['/faults', 'No fault is active'],
  [
    '/payouts',
    /Pending 250\.00 USDT sends 249\.00 USDT by TRC20 .* Approve Reject .* 1,200\.50 USDT sends 1,199\.50 USDT/,
  ],
])('%s of a new sandbox says: %s', async (path, text) => {
  const { url } = await listening();
  expect((await open(url + path)).text).toMatch(text);
});

it('a search for a whole id lists it first', async () => {
  const { sandbox, url } = await listening();
  for (const external_id of ['a-1', 'a-10', 'a-11']) sandbox.create({ amount: '25.00', currency: 'EUR', external_id });
  const { text } = await open(`${url}/payments?q=A-1`);
  expect(text).toMatch(/Open a-1 .*Open a-11 .*Open a-10 /);
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

it('a chosen row is on the page that is shown, from every link', async () => {
  const { sandbox, url } = await listening({ fetch: async () => new Response() });
  const order = { amount: '25.00', currency: 'EUR', callback_url: 'http://127.0.0.1:3000/' };
  for (let at = 1; at <= 60; at += 1) await sandbox.expire(sandbox.create(order).uuid);
  const oldest = sandbox.deliveries().at(-1)?.id;
  for (const query of ['', '?page=1', '?state=delivered']) {
    const { html, text } = await open(`${url}/webhooks/${oldest}${query}`);
    expect(html).toContain(`id="${oldest}" aria-current="true"`);
    expect(text).toContain('Page 3 of 3');
  }
  expect((await open(`${url}/webhooks/${oldest}?state=not+delivered`)).text).toContain('Nothing matches');
});
