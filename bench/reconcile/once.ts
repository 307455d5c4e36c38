// One run over as many orders and invoices as the argument says. Prints what it cost and found, as JSON.
import { loadClient, loadReconcile } from '../subject.ts';
import { NOW, Shop } from './shop.ts';

const count = Number(process.argv[2]);
const { MerchantClient } = await loadClient();
const { reconcile } = await loadReconcile();
const shop = new Shop(count);
const merchant = new MerchantClient({ baseUrl: 'https://pay.example.com', apiKey: 'sk', fetch: shop.fetch });

let heap = 0;
let rss = 0;
let progress = 0;
const measure = (): void => {
  progress += 1;
  if (progress % 20 > 0) return; // asking takes a millisecond
  const used = process.memoryUsage();
  heap = Math.max(heap, used.heapUsed);
  rss = Math.max(rss, used.rss);
};
const startedAt = performance.now();
const lookup = (ids: readonly string[]) => shop.lookup(ids);
const run = reconcile({ merchant, orders: shop.orders(), lookup, now: NOW, onProgress: measure });
const found: Record<string, number> = {};
for await (const { kind } of run) found[kind] = (found[kind] ?? 0) + 1;
const { matched, notCompared } = await run.summary();
const seconds = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage();
const cpu = (user + system) / 1_000_000;
console.log(JSON.stringify({ seconds, cpu, heap, rss, requests: shop.requests, matched, notCompared, found }));
