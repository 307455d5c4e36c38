import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { type Form, open, type Page } from '../browser.ts';
import { listening, ORDER, receiver } from '../loopback.ts';

/** Submits the form of an action, with what is filled in. */
async function submit(page: Page, action: string, filled: Record<string, string> = {}): Promise<Page> {
  const form: Form | undefined = page.forms.find((each) => each.action === `/_/${action}`);
  if (form === undefined) throw new Error(`no form for ${action} on ${page.url}`);
  const target = new URL(form.action, page.url);
  const response = await fetch(target, {
    method: 'POST',
    body: new URLSearchParams({ ...form.fields, ...filled }),
    headers: { Origin: target.origin },
    redirect: 'manual',
  });
  const location = response.headers.get('location');
  if (location !== null) return open(new URL(location, target).href);
  return { ...page, status: response.status, html: await response.text() };
}

describe('a new payment', () => {
  it('is created by a form, with the next free order id and the callback of the business', async () => {
    const { sandbox, url } = await listening({ defaults: { callback_url: 'http://127.0.0.1:9/hook' } });
    const page = await open(`${url}/payments/new`);
    expect(page.text).toContain('Empty: http://127.0.0.1:9/hook, the address of the business.');
    const after = await submit(page, 'create', { amount: '1250.50', currency: 'USD' });
    expect(after.text).toContain('The payment was created.');
    const mine = { amount: '5', currency: 'EUR', external_id: 'mine', callback_url: 'http://127.0.0.1:8/x' };
    await submit(page, 'create', mine);
    expect(sandbox.invoices()).toMatchObject([
      { external_id: 'mine', amount: '5', callback_url: 'http://127.0.0.1:8/x' },
      {
        external_id: 'order-1001',
        amount: '1250.50',
        callback_url: 'http://127.0.0.1:9/hook',
        customer_id: 'customer-1',
      },
    ]);
  });

  it.each([
    [{ amount: '0', currency: 'EUR' }, 'amount', 'Enter an amount above 0, such as 12.50.'],
    [
      { amount: '4.99', currency: 'EUR' },
      'amount',
      'No payment method takes this amount. They take 1 Card (5.00 to 2000.00)',
    ],
    [
      { amount: '5.00', currency: 'EUR', external_id: 'order-1042' },
      'external_id',
      'This order has a payment already.',
    ],
    [
      { amount: '5.00', currency: 'EUR', callback_url: 'http://shop.example/' },
      'callback_url',
      'Enter an https:// address',
    ],
  ])('is refused on the page of the form, at the field: %o', async (draft, field, problem) => {
    const { api, sandbox, url } = await listening();
    await api('POST', '/invoices', ORDER);
    const after = await submit(await open(`${url}/payments/new`), 'create', draft);
    expect([after.status, new URL(after.url).pathname]).toEqual([200, '/payments/new']); // a page that can be asked for again
    const [, hint = ''] = new RegExp(`<p id="${field}-hint" class="hint" role="alert">([^<]*)`).exec(after.html) ?? [];
    expect(hint).toContain(problem);
    expect(after.html).toContain(`value="${draft.amount}"`); // what was typed stays
    expect(sandbox.invoices()).toHaveLength(1);
  });

  it('has the focus in the first wrong field', async () => {
    const { url } = await listening();
    const draft = { amount: 'x', currency: 'EUR', callback_url: 'ftp://x' };
    const { html } = await submit(await open(`${url}/payments/new`), 'create', draft);
    expect([...html.matchAll(/<input[^>]* id="(\w+)"[^>]* autofocus/g)].map(([, id]) => id)).toEqual(['amount']);
    expect(html.match(/role="alert"/g)).toHaveLength(2);
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
    const page = await open(`${url}/payments/${uuid}`);
    const line = page.text.slice(page.text.indexOf('What happened'), page.text.indexOf('Details'));
    const inOrder = [
      'Created €25.00',
      'Paid 26.861298 USDT credited',
      'attempts 1 to 3: returned 500',
      'attempt 4: delivered, 200',
      'Corrected',
    ];
    const places = inOrder.map((text) => line.indexOf(text));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it('is green only when the shop knows', async () => {
    const hook = await receiver([401]);
    const { sandbox, url } = await listening();
    sandbox.create({ amount: '25.00', currency: 'EUR', external_id: 'a', callback_url: hook.url });
    await sandbox.pay('a');
    const state = async () => (await open(`${url}/payments`)).html.match(/<span class="(?:tag|hook) (?:\w+)">[^<]*/g);
    expect(await state()).toEqual(['<span class="tag plain">Paid', '<span class="hook bad">Retrying · 401']);
    await sandbox.resend('a');
    expect(await state()).toEqual(['<span class="tag good">Paid', '<span class="hook good">Delivered']);
  });

  it('is found by its id alone, and keeps hostile texts as text', async () => {
    const { api, url } = await listening();
    const { json } = await api('POST', '/invoices', { ...ORDER, external_id: '<b>\u202e"' });
    expect((await open(`${url}/payments/${json.data.uuid}`)).html).not.toContain('<b>');
    expect((await open(`${url}/payments/00000000-0000-4000-8000-000000000000`)).status).toBe(404);
  });
});

describe('the other resources', () => {
  it('approves and rejects withdrawals, each once', async () => {
    const { api, sandbox, url } = await listening();
    const waiting = sandbox.withdrawals().filter(({ status }) => status === 'pending');
    const [first, second] = waiting;
    if (first === undefined || second === undefined) throw new Error('the seed data has no two pending withdrawals');
    await submit(await open(`${url}/payouts`), 'approve', { ident: first.uuid });
    const { json } = await api('GET', `/withdrawals/${first.uuid}`);
    expect(json.data).toMatchObject({
      status: 'approved',
      tx_hash: expect.any(String),
      processed_at: '2026-03-01T12:00:00.000Z',
    });
    sandbox.reject(second.uuid, 'unknown address');
    const rejected = await api('GET', `/withdrawals/${second.uuid}`);
    expect(rejected.json.data).toMatchObject({ status: 'rejected', reject_reason: 'unknown address' });
    expect(() => sandbox.reject(first.uuid, 'late')).toThrow('is approved already');
    expect(() => sandbox.approve('nope')).toThrow('No withdrawal "nope"');
  });

  it('lists methods, rates and open points', async () => {
    const { url } = await listening({ dialect: { createStatus: 200 } });
    const { text } = await open(`${url}/reference`);
    expect(text).toContain('Bank transfer 2 €10.00 €10,000.00 0.00 % 0.80 %');
    expect(text).toContain('TRY sell bybit no fresh data');
    expect(text).toMatch(/createStatus .{0,160} 200 changed/);
  });
});

describe('credentials', () => {
  it('are a block to copy', async () => {
    const { url } = await listening({ webhookSecret: 'whsec_sandbox' });
    expect((await open(url)).text).toContain(
      `MERCHANT_BASE_URL=${url} MERCHANT_API_KEY=sk_sandbox MERCHANT_WEBHOOK_SECRET=whsec_sandbox MERCHANT_SANDBOX=1`,
    );
  });

  it('that the user gave are shown on request alone', async () => {
    const given: SandboxOptions = { apiKey: 'sk_live_given', webhookSecret: 'whsec_given' };
    const { url } = await listening(given);
    const page = await open(url);
    expect(page.html).not.toMatch(/sk_live_given|whsec_given/);
    expect(page.links).toContain('/?secrets=shown');
    expect((await open(`${url}/?secrets=shown`)).html).toMatch(/sk_live_given[\s\S]*whsec_given/);
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

  it('groups what needs attention by endpoint and cause, and sends all of it again', async () => {
    const hook = await receiver([404, 404, 500]);
    const { sandbox, url } = await listening();
    for (const external_id of ['a', 'b', 'c']) {
      sandbox.create({ amount: '25.00', currency: 'EUR', external_id, callback_url: hook.url });
      await sandbox.pay(external_id);
    }
    const page = await open(url);
    expect(page.text).toContain('2 webhooks not delivered: The receiver has no POST route at /webhook.');
    expect(page.text).toContain('1 webhook not delivered: The receiver failed.');
    const group = page.html.slice(page.html.indexOf('2 webhooks not delivered'));
    const [form = ''] = /<form[^>]*action="\/_\/resend"[\s\S]*?<\/form>/.exec(group) ?? [];
    const body = new URLSearchParams(
      [...form.matchAll(/name="ident" value="([^"]*)"/g)].map(([, id = '']) => ['ident', id]),
    );
    await fetch(`${url}/_/resend`, { method: 'POST', body, headers: { Origin: url } });
    expect(sandbox.deliveries().map(({ external_id, status }) => `${external_id} ${status}`)).toEqual([
      'c pending',
      'b delivered',
      'a delivered',
    ]);
  });

  it('leads from each count to as many rows', async () => {
    const { sandbox, url } = await listening({ fetch: async () => new Response(null, { status: 500 }) });
    for (let at = 1; at <= 8; at += 1)
      await sandbox.pay(
        sandbox.create({ amount: '25.00', currency: 'EUR', callback_url: 'http://127.0.0.1:3000/' }).uuid,
      );
    const page = await open(url);
    expect(page.text).toContain('and 5 more');
    const target = page.links.find((link) => link.startsWith('/webhooks?')) ?? '';
    expect((await open(url + target)).html.match(/class="row hook-row bad"/g)).toHaveLength(8);
  });

  it('is no request to the service, nor is any page or button', async () => {
    const { api, sandbox, url } = await listening();
    await api('GET', '/rates');
    await submit(await open(url), 'advance', { duration: '1m' });
    await fetch(`${url}/_/create`);
    await fetch(`${url}/nowhere`);
    expect(sandbox.requests().map(({ path }) => path)).toEqual(['/api/v1/external/rates']);
  });

  it('says what to do next where there is nothing', async () => {
    const { url } = await listening();
    for (const [path, text] of [
      ['/payments', 'No payments yet'],
      ['/webhooks', 'No webhooks yet'],
      ['/requests', 'No requests yet'],
      ['/faults', 'No fault is active'],
    ] as const) {
      expect((await open(url + path)).text).toContain(text);
    }
  });
});

describe('faults', () => {
  it('refuse a wrong number beside its field', async () => {
    const { url, sandbox } = await listening();
    const page = await open(`${url}/faults`);
    const form = page.forms.find(({ textInputs }) => textInputs.includes('times'));
    const body = new URLSearchParams({ ...form?.fields, times: '0', type: 'hang' });
    const response = await fetch(`${url}/_/fault`, { method: 'POST', body, headers: { Origin: url } });
    const html = await response.text();
    expect(new URL(response.url).pathname).toBe('/faults');
    expect(html).toContain('<p id="times-hint" class="hint" role="alert">Enter a whole number from 1.</p>');
    expect(sandbox.faults.queued()).toEqual([]);
  });
});

describe('requests', () => {
  it('show headers but the key, what they made, and a curl command', async () => {
    const { api, sandbox, url } = await listening();
    await api('POST', '/invoices', ORDER, { 'X-Mine': 'yes' });
    const [request] = sandbox.requests();
    const page = await open(`${url}/requests/${request?.id}`);
    expect(page.text).toContain('x-mine: yes');
    expect(page.html).not.toContain('sk_sandbox');
    expect(page.links).toContain(`/payments/${sandbox.invoice('order-1042').uuid}`);
    expect(page.text).toContain(`curl -i -X POST '${url}/api/v1/external/invoices'`);
  });
});
