import { expect, it } from 'vitest';
import { scaled } from '../support/scaled.ts';
import { inProcess, listening, ORDER, receiver } from './loopback.ts';

/** Creates invoices that differ in currency, and ends every third one. */
async function many(count: number, options: Parameters<typeof inProcess>[0] = {}) {
  const { sandbox, api } = inProcess(options);
  for (let at = 0; at < count; at += 1) {
    const currency = at % 2 === 0 ? 'EUR' : 'USD';
    await api('POST', '/invoices', { ...ORDER, external_id: `order-${at}`, currency });
    if (at % 3 === 0) await sandbox.cancel(`order-${at}`);
    if (at % 100 === 0) await sandbox.advance('1s');
  }
  return { sandbox, api };
}

const COUNT = scaled(10_000);

it(`lists and pages ${COUNT} invoices, each once, by every filter`, async () => {
  const { api } = await many(COUNT);
  const walk = async (filter: string): Promise<number[]> => {
    const found: number[] = [];
    for (let page = 1; page <= 101; page += 1) {
      const { json } = await api('GET', `/invoices?per_page=100&page=${page}${filter}`);
      found.push(...json.data.items.map((item: { external_id: string }) => Number(item.external_id.slice(6))));
      if (!json.data.has_next) return found;
    }
    return found;
  };
  const newestFirst = (fits: (at: number) => boolean): number[] =>
    Array.from({ length: COUNT }, (_, at) => COUNT - 1 - at).filter(fits);
  expect(await walk('')).toEqual(newestFirst(() => true));
  expect(await walk('&status=canceled')).toEqual(newestFirst((at) => at % 3 === 0));
  expect(await walk('&currency=USD')).toEqual(newestFirst((at) => at % 2 === 1));
  expect(await walk('&status=pending&currency=EUR')).toEqual(newestFirst((at) => at % 3 !== 0 && at % 2 === 0));
  expect(await walk('&currency=XXX')).toEqual([]);
});

it('forgets the oldest beyond maxInvoices, with its delivery, and says so once', async () => {
  const hook = await receiver([500, 500, 500, 500]);
  const { sandbox, api } = inProcess({ maxInvoices: 3 });
  for (const external_id of ['a', 'b', 'c']) {
    await api('POST', '/invoices', { ...ORDER, external_id, callback_url: hook.url });
    await sandbox.pay(external_id);
  }
  await api('POST', '/invoices', { ...ORDER, external_id: 'd' });
  await api('POST', '/invoices', { ...ORDER, external_id: 'e' });
  expect(sandbox.invoices().map(({ external_id }) => external_id)).toEqual(['e', 'd', 'c']);
  expect(sandbox.deliveries().map(({ external_id }) => external_id)).toEqual(['c']);
  expect((await api('GET', '/invoices')).json.data).toMatchObject({ total_items: 3 });
  expect((await api('GET', '/invoices/a')).status).toBe(404);
  expect((await api('GET', '/invoices?status=success')).json.data.items).toHaveLength(1);
  const notes = sandbox
    .events()
    .filter((event) => event.kind === 'note' && event.text.includes('more than 3 invoices'));
  expect(notes).toHaveLength(1);
  await sandbox.advance('1m'); // the retries of a and b were forgotten with them
  expect(hook.received).toHaveLength(4);
});

it('keeps the latest 50 attempts of a delivery, and counts them all', async () => {
  const { sandbox, api } = inProcess({ fetch: async () => new Response('', { status: 200 }) });
  await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:3000/' });
  await sandbox.pay('order-1042');
  for (let at = 0; at < 60; at += 1) await sandbox.resend('order-1042');
  const [delivery] = sandbox.deliveries();
  expect([delivery?.attempts, delivery?.attempt_log.length]).toEqual([61, 50]);
});

it('keeps the start of long bodies only', async () => {
  const { sandbox, api } = await listening({ fetch: async () => new Response('x'.repeat(100_000)) });
  await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:3000/', junk: 'y'.repeat(100_000) });
  await sandbox.pay('order-1042');
  expect(sandbox.requests()[0]?.request_body).toHaveLength(4_000);
  expect(sandbox.deliveries()[0]?.attempt_log[0]?.response_body).toHaveLength(2_000);
});

it.each([0, -1, 1.5, Number.NaN])('does not take %s as maxInvoices', (maxInvoices) => {
  expect(() => inProcess({ maxInvoices })).toThrow('maxInvoices must be a whole number');
});
