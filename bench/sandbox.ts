import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSandbox } from '../src/sandbox/index.ts';
import { median } from './measure.ts';

const COUNT = 10_000;
const BASE = 'https://sandbox.invalid/api/v1/external';

async function heap(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // what the flag has put there
  await new Promise((resolve) => setTimeout(resolve, 50)); // what has just ended lets go of its last promises
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

function report(what: string, value: number, unit: string): void {
  console.log(`  ${what.padEnd(56)} ${value.toFixed(2).padStart(10)} ${unit}`);
}

/** What a sandbox with many invoices costs. Sizes of the heap after a full collection. */
export async function manyInvoices(): Promise<void> {
  const sandbox = createSandbox({ seed: 7, fetch: async () => new Response('ok') });
  const call = async (path: string, init: RequestInit = {}): Promise<string> => {
    const response = await sandbox.fetch(path.startsWith('/api') ? path : BASE + path, {
      ...init,
      headers: { 'X-Api-Key': sandbox.apiKey },
    });
    return await response.text();
  };
  const create = (external_id: string, callback_url: string | null): Promise<string> => {
    const order = {
      external_id,
      customer_id: 'c-7',
      amount: '25.00',
      currency: 'EUR',
      purpose: 'Order 1',
      callback_url,
    };
    return call('/invoices', { method: 'POST', body: JSON.stringify(order) });
  };
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const started = performance.now();
    await work();
    return performance.now() - started;
  };

  console.log(`\nA sandbox with ${COUNT.toLocaleString('en')} invoices`);
  for (let at = 0; at < 2_000; at += 1) await create(`warm-${at}`, null); // fills the log, which is bounded
  sandbox.reset();
  for (let at = 0; at < 2_000; at += 1) await call('/invoices?per_page=1');
  const empty = await heap();
  const creating = await timed(async () => {
    for (let at = 0; at < COUNT; at += 1) await create(`order-${at}`, 'http://127.0.0.1:3000/webhook');
  });
  const pending = await heap();
  report('create one, all else included', creating / COUNT, 'ms');
  report('heap of a pending invoice', (pending - empty) / COUNT / 1024, 'kB');

  const page = async (query: string): Promise<number> => {
    const times: number[] = [];
    for (let at = 0; at < 40; at += 1) times.push(await timed(() => call(`/invoices?per_page=100${query}`)));
    return median(times);
  };
  report('page 1 of 100 invoices', await page(''), 'ms');
  report('page 100 of 100 invoices', await page('&page=100'), 'ms');
  report('page 1, by status and currency', await page('&status=pending&currency=EUR'), 'ms');
  const dashboard: number[] = [];
  for (let at = 0; at < 40; at += 1) {
    dashboard.push(await timed(async () => (await sandbox.fetch('https://sandbox.invalid/')).text()));
  }
  report('the dashboard', median(dashboard), 'ms');

  for (let at = 0; at < COUNT; at += 1) await sandbox.pay(`order-${at}`);
  const paid = await heap();
  report('heap of a paid invoice with its delivered webhook', (paid - empty) / COUNT / 1024, 'kB');
  await sandbox.close();
}
