// One creation. Each peer creates what its service has, with as many parameters, and none repeats a failure.
import type { Contenders } from '../harness/contender.ts';
import { loadClient } from '../subject.ts';

const ORDER = {
  external_id: 'order-1042',
  customer_id: 'customer-7',
  amount: '25.00',
  currency: 'EUR',
  purpose: 'Two tickets',
  callback_url: 'https://shop.example/webhooks/invoices',
  success_url: 'https://shop.example/paid',
  fail_url: 'https://shop.example/failed',
};
const PATH = '/api/v1/external/invoices';
const HEADERS = { 'x-api-key': 'sk_bench_0123456789', accept: 'application/json', 'user-agent': 'bench' };

/** Raw fetch, with JSON and the check of the status. */
async function byFetch(address: string): Promise<unknown> {
  const response = await fetch(address + PATH, {
    method: 'POST',
    headers: { ...HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify(ORDER),
  });
  if (!response.ok) throw new Error(String(response.status));
  return await response.json();
}

export const contenders: Contenders = {
  'merchant-invoicing': async (address) => {
    const { MerchantClient } = await loadClient();
    const merchant = new MerchantClient({ baseUrl: address, apiKey: HEADERS['x-api-key'] });
    return () => merchant.invoices.create(ORDER);
  },
  'raw fetch': (address) => () => byFetch(address),
  'raw fetch again': (address) => () => byFetch(address),
  'bare ky': async (address) => {
    const { default: ky } = await import('ky');
    const service = ky.create({ prefix: address, retry: 0, timeout: false, headers: HEADERS });
    return () => service.post(PATH.slice(1), { json: ORDER }).json();
  },
  'ky with defaults': async (address) => {
    const { default: ky } = await import('ky');
    const service = ky.create({ prefix: address, headers: HEADERS });
    return () => service.post(PATH.slice(1), { json: ORDER }).json();
  },
  openai: async (address) => {
    const { default: OpenAI } = await import('openai');
    const service = new OpenAI({ apiKey: HEADERS['x-api-key'], baseURL: `${address}/openai`, maxRetries: 0 });
    return () =>
      service.vectorStores.create({ name: 'order-1042', metadata: { customer: 'customer-7', purpose: 'Two tickets' } });
  },
  polar: async (address) => {
    const { createPolar } = await import('@polar-sh/sdk/2026-10');
    const service = createPolar({ accessToken: HEADERS['x-api-key'], baseUrl: address });
    return () =>
      service.checkouts.create({
        products: ['p-1'],
        external_customer_id: 'customer-7',
        success_url: ORDER.success_url,
      });
  },
  stripe: async (address) => {
    const { default: Stripe } = await import('stripe');
    const { hostname, port } = new URL(address);
    const service = new Stripe(HEADERS['x-api-key'], {
      host: hostname,
      port,
      protocol: 'http',
      maxNetworkRetries: 0,
      telemetry: false,
    });
    return () =>
      service.paymentIntents.create({
        amount: 2_500,
        currency: 'eur',
        customer: 'cus_7',
        description: 'Two tickets',
        metadata: { order: 'order-1042' },
      });
  },
};
