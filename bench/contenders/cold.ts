// A process from its start to the first page of 100, and what importing a package costs. Each is run once in a process.
import { readPage } from '../answers/by-hand.ts';
import type { Contenders } from '../harness/contender.ts';
import { DIST, loadClient } from '../subject.ts';

const KEY = 'sk_bench_0123456789';
const PATH = 'api/v1/external/invoices?per_page=100';

type WirePage = { data: Parameters<typeof readPage>[0] };

const importing = (specifier: string) => () => () => import(specifier);

export const contenders: Contenders = {
  'import merchant-invoicing': importing(`${DIST}index.js`),
  'import merchant-invoicing/webhooks': importing(`${DIST}webhooks.js`),
  'import stripe': importing('stripe'),
  'import openai': importing('openai'),
  'import polar': importing('@polar-sh/sdk/2026-10'),
  'import paddle': importing('@paddle/paddle-node-sdk'),
  'import ky': importing('ky'),

  'merchant-invoicing': (address) => async () => {
    const { MerchantClient } = await loadClient();
    return await new MerchantClient({ baseUrl: address, apiKey: KEY }).invoices.list({ per_page: 100 });
  },
  'raw fetch': (address) => async () => {
    const response = await fetch(`${address}/${PATH}`, { headers: { 'x-api-key': KEY } });
    return readPage(((await response.json()) as WirePage).data);
  },
  ky: (address) => async () => {
    const { default: ky } = await import('ky');
    return readPage((await ky.get(`${address}/${PATH}`, { headers: { 'x-api-key': KEY } }).json<WirePage>()).data);
  },
  stripe: (address) => async () => {
    const { default: Stripe } = await import('stripe');
    const { hostname, port } = new URL(address);
    const service = new Stripe(KEY, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
    return await service.paymentIntents.list({ limit: 100 });
  },
  openai: (address) => async () => {
    const { default: OpenAI } = await import('openai');
    const service = new OpenAI({ apiKey: KEY, baseURL: `${address}/openai`, maxRetries: 0 });
    return await service.files.list({ limit: 100 });
  },
  polar: (address) => async () => {
    const { createPolar } = await import('@polar-sh/sdk/2026-10');
    return await createPolar({ accessToken: KEY, baseUrl: address }).checkouts.list({ limit: 100 });
  },
};
