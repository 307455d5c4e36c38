// A page of invoices over HTTP, decoded.
import { readPage } from '../answers/by-hand.ts';
import type { Contenders, Task } from '../harness/contender.ts';
import { loadClient } from '../subject.ts';

const HEADERS = { 'x-api-key': 'sk_bench_0123456789', accept: 'application/json', 'user-agent': 'bench' };

const byClient =
  (per_page: number) =>
  async (address: string): Promise<Task> => {
    const { MerchantClient } = await loadClient();
    const merchant = new MerchantClient({ baseUrl: address, apiKey: HEADERS['x-api-key'] });
    return () => merchant.invoices.list({ per_page });
  };

const byHand =
  (per_page: number) =>
  (address: string): Task =>
  async () => {
    const response = await fetch(`${address}/api/v1/external/invoices?per_page=${per_page}`, { headers: HEADERS });
    if (!response.ok) throw new Error(String(response.status));
    const { data } = (await response.json()) as { data: Parameters<typeof readPage>[0] };
    return readPage(data);
  };

export const contenders: Contenders = {
  'merchant-invoicing': byClient(100),
  'merchant-invoicing, 10 items': byClient(10),
  'merchant-invoicing, 1 item': byClient(1),
  'fetch and a decoder by hand': byHand(100),
  'fetch and a decoder by hand, 10 items': byHand(10),
  'fetch and a decoder by hand, 1 item': byHand(1),
  'bare ky and lean compiled zod': async (address) => {
    const [{ default: ky }, { readLean }] = await Promise.all([import('ky'), import('./schemas.ts')]);
    const service = ky.create({ prefix: address, retry: 0, timeout: false, headers: HEADERS });
    return async () => {
      const { data } = await service.get('api/v1/external/invoices?per_page=100').json<{ data: unknown }>();
      return readLean(data);
    };
  },
};
