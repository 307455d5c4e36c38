import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import ky from 'ky';
import { MerchantClient } from '../src/index.ts';
import { compare, median, report } from './measure.ts';

const rates = JSON.stringify({
  success: true,
  data: [
    { platform: 'a', asset: 'USDT', fiat: 'EUR', side: 'buy', price: '0.92', min_amount: '10', max_amount: '1000' },
  ],
});
const PAGES = 40;

export async function call(): Promise<void> {
  const server = createServer((request, response) => {
    const page = Number(new URL(request.url ?? '', 'http://h').searchParams.get('page') ?? 1);
    response.setHeader('content-type', 'application/json');
    if (!request.url?.includes('withdrawals')) return response.end(rates);
    const data = {
      items: [{ uuid: `w-${page}`, status: 'approved' }],
      page,
      per_page: 20,
      total_items: PAGES,
      total_pages: PAGES,
      has_next: page < PAGES,
      has_prev: page > 1,
    };
    setTimeout(() => response.end(JSON.stringify({ success: true, data })), 5); // a service some way off
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${baseUrl}/api/v1/external/rates`;
  const headers = { 'x-api-key': 'sk_bench' };
  const merchant = new MerchantClient({ baseUrl, apiKey: 'sk_bench' });
  await compare('One call over loopback', 200, [
    { name: 'fetch and JSON.parse', run: async () => JSON.parse(await (await fetch(url, { headers })).text()) },
    { name: 'ky, its defaults', run: () => ky(url, { headers }).json() },
    { name: 'MerchantClient', run: () => merchant.rates.list() },
  ]);
  const rows = [];
  for (const prefetch of [1, 4]) {
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const startedAt = performance.now();
      for await (const _ of merchant.withdrawals.list({ per_page: 20 }, { prefetch }));
      times.push(performance.now() - startedAt);
    }
    rows.push({ name: `prefetch ${prefetch}`, milliseconds: median(times) });
  }
  report(`Walk ${PAGES} pages of a service 5 ms away`, rows);
  server.closeAllConnections();
  server.close();
}
