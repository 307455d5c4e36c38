import { expect, it } from 'vitest';
import { scaled } from '../support/scaled.ts';
import { inProcess, listening, ORDER } from './loopback.ts';

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
