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

describe('a new invoice', () => {
  it('is created by a form, with the next free order id and the callback of the business', async () => {
    const { sandbox, url } = await listening({ defaults: { callback_url: 'http://127.0.0.1:9/hook' } });
    const page = await open(`${url}/invoices/new`);
    expect(page.text).toContain('Empty: http://127.0.0.1:9/hook, the address of the business.');
    const after = await submit(page, 'create', { amount: '1250.50', currency: 'USD' });
    expect(after.text).toContain('The invoice was created.');
    expect(after.text).toContain('order-1001');
    await submit(page, 'create', {
      amount: '5',
      currency: 'EUR',
      external_id: 'mine',
      callback_url: 'http://127.0.0.1:8/x',
    });
    expect(sandbox.invoices()).toMatchObject([
      { external_id: 'mine', amount: '5', callback_url: 'http://127.0.0.1:8/x' },
      {
        external_id: 'order-1001',
        amount: '1250.50',
        callback_url: 'http://127.0.0.1:9/hook',
        customer_id: 'customer-1',
      },
    ]);
    expect(sandbox.create({ amount: '7.00', currency: 'EUR' }).external_id).toBe('order-1002');
  });

  it.each([
    [{ amount: '0', currency: 'EUR' }, 'amount must be a decimal greater than 0'],
    [
      { amount: '4.99', currency: 'EUR' },
      'amount is outside the range of every payment method: 1 Card (5.00 to 2000.00)',
    ],
    [{ amount: '5.00', currency: 'XXX' }, 'currency is not an active currency allowed for the business: EUR, USD'],
    [{ amount: '5.00', currency: 'EUR', external_id: 'order-1042' }, 'external_id order-1042 is taken'],
    [{ amount: '5.00', currency: 'EUR', callback_url: 'http://shop.example/' }, 'callback_url must be an https:// URL'],
  ])('is refused by the rules of the service: %o', async (draft, problem) => {
    const { api, sandbox, url } = await listening();
    await api('POST', '/invoices', ORDER);
    const page = await open(`${url}/invoices/new`);
    expect(page.text).toContain('Empty: no webhook is sent.');
    const after = await submit(page, 'create', draft);
    expect([after.status, after.html]).toEqual([422, expect.stringContaining(problem)]);
    expect(after.html).toMatch(/role="alert"/);
    expect(after.html).toContain(`value="${draft.amount}"`); // what was typed stays
    expect(() => sandbox.create(draft)).toThrow(problem);
    expect(sandbox.invoices()).toHaveLength(1);
  });
});

describe('the page of an invoice', () => {
  it('shows states, requests, deliveries and corrections in the order in which they happened', async () => {
    const hook = await receiver([500]);
    const { api, sandbox, url } = await listening();
    const order = { ...ORDER, external_id: 'a b/ü', callback_url: hook.url };
    const { json } = await api('POST', '/invoices', order);
    await api('POST', '/invoices', { ...ORDER, external_id: 'other' });
    await api('GET', `/invoices/${encodeURIComponent('a b/ü')}`);
    await api('POST', '/invoices', order);
    await sandbox.pay('a b/ü');
    await sandbox.advance('1m');
    await sandbox.adjust('a b/ü', '20.00');
    const page = await open(`${url}/invoices/${json.data.uuid}`);
    const line = page.text.slice(page.text.indexOf('Timeline'), page.text.indexOf('Keep it'));
    const newestFirst = [
      'Corrected',
      'try 2 of 7: 200, delivered',
      'try 1 of 7: returned 500',
      'Paid a b/ü 26.861298 USDT credited',
      '409',
      'GET',
      '201',
      'Created',
    ];
    const places = newestFirst.map((text) => line.indexOf(text));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(line).not.toContain('other');
    expect(page.html).toContain('/deliveries/');
  });

  it('is found by its id alone, and keeps hostile texts as text', async () => {
    const { api, url } = await listening();
    const { json } = await api('POST', '/invoices', { ...ORDER, external_id: '<b>\u202e"' });
    expect((await open(`${url}/invoices/${json.data.uuid}`)).html).not.toContain('<b>');
    expect((await open(`${url}/invoices/00000000-0000-4000-8000-000000000000`)).status).toBe(404);
  });
});

describe('the other resources', () => {
  it('approves and rejects withdrawals, each once', async () => {
    const { api, sandbox, url } = await listening();
    const waiting = sandbox.withdrawals().filter(({ status }) => status === 'pending');
    const [first, second] = waiting;
    if (first === undefined || second === undefined) throw new Error('the seed data has no two pending withdrawals');
    await submit(await open(`${url}/withdrawals`), 'approve', { ident: first.uuid });
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

  it('lists methods with their ranges, and rates with those that have no fresh data', async () => {
    const { url } = await listening();
    expect((await open(`${url}/methods`)).text).toContain('Bank transfer 2 10.00 EUR 10 000.00 EUR 0.00 % 0.80 %');
    expect((await open(`${url}/rates`)).text).toContain('TRY sell bybit no fresh data');
  });
});

describe('credentials', () => {
  it('are a block to copy', async () => {
    const { url } = await listening({ webhookSecret: 'whsec_sandbox' });
    expect((await open(url)).text).toContain(
      `MERCHANT_BASE_URL=${url} MERCHANT_API_KEY=sk_sandbox MERCHANT_WEBHOOK_SECRET=whsec_sandbox`,
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
  it('says what is wrong: failing webhooks, active faults, a clock that is ahead', async () => {
    const hook = await receiver([500, 500]);
    const { api, sandbox, url } = await listening({ wallClock: () => Date.UTC(2026, 2, 1, 12) });
    const wrong = async (): Promise<string> => {
      const { text } = await open(url);
      return text.slice(text.indexOf('What is wrong now'), text.indexOf('Connect your backend'));
    };
    expect(await wrong()).toContain('Nothing is wrong');
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    await sandbox.pay('order-1042');
    sandbox.faults.next('rate_limit', { times: 2 });
    await sandbox.advance('2m');
    const now = await wrong();
    expect(now).toContain('Retrying invoice.paid of order-1042 : returned 500 , next try in 4 min');
    expect(now).toContain('rate_limit refused with a rate limit: the next one, 2 times');
    expect(now).toContain('The clock of the sandbox is 2 min ahead of the real time');
  });

  it('shows the five newest invoices', async () => {
    const { api, url } = await listening();
    for (let at = 1; at <= 7; at += 1) await api('POST', '/invoices', { ...ORDER, external_id: `order-${at}` });
    const { html } = await open(url);
    const newest = html.slice(html.indexOf('id="newest"'), html.indexOf('id="happened"'));
    expect([...newest.matchAll(/<tr role="row"><td/g)]).toHaveLength(5);
  });

  it('hides its own requests, as the page of requests does', async () => {
    const { api, url } = await listening();
    await api('GET', '/rates');
    await submit(await open(url), 'advance', { duration: '1m' });
    for (const path of ['/', '/requests']) {
      const { html } = await open(url + path);
      expect([html.includes('GET /rates'), html.includes('POST /_/')]).toEqual([true, false]);
    }
  });

  it('says what to do next where there is nothing', async () => {
    const { url } = await listening();
    const { text } = await open(url);
    for (const next of ['No invoice yet', 'Create one here', 'Nothing is wrong', 'Nothing has happened yet']) {
      expect(text).toContain(next);
    }
    expect((await open(`${url}/deliveries`)).text).toContain('No webhook yet');
    expect((await open(`${url}/requests`)).text).toContain('No request yet');
  });
});

describe('dialects', () => {
  it('are one table, which marks what is not the default', async () => {
    const { url } = await listening({ dialect: { createStatus: 200 } });
    const { text } = await open(`${url}/dialects`);
    expect(text).toMatch(/createStatus .{0,160} 200 changed/);
  });
});
