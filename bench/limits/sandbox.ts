import { setTimeout as pause } from 'node:timers/promises';
import { createSandbox } from '../../src/sandbox/index.ts';
import { figure, median } from './compare.ts';
import { inUse } from './dribble.ts';

const COUNT = 10_000;
const BASE = 'https://sandbox.invalid/api/v1/external';

async function memory(): Promise<number> {
  await pause(50); // lets the last promises end
  return inUse();
}

function print(what: string, value: number, unit: string): void {
  console.log(figure(what, value, 2, unit));
}

/** What a sandbox with many invoices costs. Memory is measured after a full garbage collection. */
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
  const empty = await memory();
  const creating = await timed(async () => {
    for (let at = 0; at < COUNT; at += 1) await create(`order-${at}`, 'http://127.0.0.1:3000/webhook');
  });
  const pending = await memory();
  print('create one, all else included', creating / COUNT, 'ms');
  print('heap of a pending invoice', (pending - empty) / COUNT / 1024, 'kB');

  const page = async (query: string): Promise<number> => {
    const times: number[] = [];
    for (let at = 0; at < 40; at += 1) times.push(await timed(() => call(`/invoices?per_page=100${query}`)));
    return median(times);
  };
  print('page 1 of 100 invoices', await page(''), 'ms');
  print('page 100 of 100 invoices', await page('&page=100'), 'ms');
  print('page 1, by status and currency', await page('&status=pending&currency=EUR'), 'ms');
  const dashboard: number[] = [];
  for (let at = 0; at < 40; at += 1) {
    dashboard.push(await timed(async () => (await sandbox.fetch('https://sandbox.invalid/')).text()));
  }
  print('the dashboard', median(dashboard), 'ms');

  for (let at = 0; at < COUNT; at += 1) await sandbox.pay(`order-${at}`);
  const paid = await memory();
  print('heap of a paid invoice with its delivered webhook', (paid - empty) / COUNT / 1024, 'kB');
  await sandbox.close();
}
