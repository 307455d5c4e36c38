// A creation over a transport of the merchant, through the `fetch` option of the client.
import { Agent, request as httpRequest } from 'node:http';
import type { Contenders } from '../harness/contender.ts';
import { loadClient } from '../subject.ts';

type FetchLike = NonNullable<
  NonNullable<ConstructorParameters<typeof import('../../src/index.ts').MerchantClient>[0]>['fetch']
>;

/** `undici.request`: the engine of the platform's fetch without the layer of the web standard. */
async function overUndici(): Promise<FetchLike> {
  const { Agent: Undici, request } = await import('undici');
  const dispatcher = new Undici({ maxResponseSize: 10_485_760 });
  return async (url, { method, headers, body, signal }) => {
    const answer = await request(url, {
      method: method as 'GET' | 'POST', // the client sends no others
      headers: Object.fromEntries(headers),
      body,
      signal,
      dispatcher,
    });
    const received = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) {
      for (const one of [value ?? []].flat()) received.append(name, one);
    }
    return new Response(await answer.body.text(), { status: answer.statusCode, headers: received });
  };
}

/** node:http with a connection that is kept. */
function overHttp(): FetchLike {
  const agent = new Agent({ keepAlive: true });
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const sent = httpRequest(url, { method, headers: Object.fromEntries(headers), signal, agent }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const received = new Headers();
          for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
            for (const value of values) received.append(name, value);
          }
          resolve(new Response(Buffer.concat(chunks), { status: answer.statusCode ?? 0, headers: received }));
        });
      });
      sent.on('error', reject);
      sent.end(body ?? undefined);
    });
}

const over =
  (open: () => FetchLike | undefined | Promise<FetchLike>): Contenders[string] =>
  async (address) => {
    const [{ MerchantClient }, fetch] = await Promise.all([loadClient(), open()]);
    const merchant = new MerchantClient({ baseUrl: address, apiKey: 'sk_bench_0123456789', fetch });
    const order = { external_id: 'order-1042', customer_id: 'customer-7', amount: '25.00', currency: 'EUR' };
    return () => merchant.invoices.create(order);
  };

export const contenders: Contenders = {
  "the platform's fetch": over(() => undefined),
  'undici.request': over(overUndici),
  'node:http': over(overHttp),
};
