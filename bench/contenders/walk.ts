// 5,000 items in pages of 100, from a service that is 20 ms away. A task is the whole walk.
import { readPage } from '../answers/by-hand.ts';
import type { Contenders, Task } from '../harness/contender.ts';
import { loadClient } from '../subject.ts';

const KEY = 'sk_bench_0123456789';
const PAGES = 50;
const SIZE = 100;

function checked(count: number): void {
  if (count !== PAGES * SIZE) throw new Error(`the walk saw ${count} items`);
}

async function pageByHand(address: string, page: number): Promise<number> {
  const url = `${address}/api/v1/external/invoices?page=${page}&per_page=${SIZE}`;
  const response = await fetch(url, { headers: { 'x-api-key': KEY } });
  const { data } = (await response.json()) as { data: Parameters<typeof readPage>[0] };
  return readPage(data).items.length;
}

const byHand =
  (atOnce: number) =>
  (address: string): Task =>
  async () => {
    let next = 1;
    let seen = 0;
    const lane = async (): Promise<void> => {
      while (next <= PAGES) {
        next += 1;
        const found = await pageByHand(address, next - 1);
        seen += found;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    checked(seen);
  };

const byClient =
  (options: { readonly prefetch?: number }) =>
  async (address: string): Promise<Task> => {
    const { MerchantClient } = await loadClient();
    const merchant = new MerchantClient({ baseUrl: address, apiKey: KEY });
    return async () => {
      let seen = 0;
      for await (const _ of merchant.invoices.list({ per_page: SIZE }, options)) seen += 1;
      checked(seen);
    };
  };

async function count(items: AsyncIterable<unknown>): Promise<void> {
  let seen = 0;
  for await (const _ of items) seen += 1;
  checked(seen);
}

export const contenders: Contenders = {
  'merchant-invoicing': byClient({}),
  'merchant-invoicing, prefetch 4': byClient({ prefetch: 4 }),
  'one page after the other by hand': byHand(1),
  '4 requests at once by hand': byHand(4),
  stripe: async (address) => {
    const { default: Stripe } = await import('stripe');
    const { hostname, port } = new URL(address);
    const service = new Stripe(KEY, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
    return () => count(service.paymentIntents.list({ limit: SIZE }));
  },
  openai: async (address) => {
    const { default: OpenAI } = await import('openai');
    const service = new OpenAI({ apiKey: KEY, baseURL: `${address}/openai`, maxRetries: 0 });
    return () => count(service.files.list({ limit: SIZE }));
  },
};
