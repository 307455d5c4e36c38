import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasCode, MerchantClient } from '../../src/index.ts';
import type { Sandbox } from '../../src/tools/sandbox/index.ts';
import { freePort } from '../support/free-port.ts';
import { testSandbox } from '../support/test-sandbox.ts';

const PRISM = fileURLToPath(new URL('./node_modules/@stoplight/prism-cli/dist/index.js', import.meta.url));

const DOCUMENT = fileURLToPath(new URL('../../docs/openapi.yaml', import.meta.url));

interface Proxy {
  readonly url: string;
  stop(): void;
}

async function startPrism(upstream: string): Promise<Proxy> {
  if (!existsSync(PRISM)) throw new Error('Prism has a package of its own: npm ci --prefix test/openapi');
  const port = await freePort();
  const args = [PRISM, 'proxy', DOCUMENT, upstream, '--port', String(port), '--host', '127.0.0.1'];
  const prism = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  prism.stdout.on('data', (text) => {
    said += String(text);
  });
  for (let tries = 0; tries < 100 && !said.includes('Prism is listening'); tries += 1) {
    if (prism.exitCode !== null) throw new Error(`Prism ended: ${said}`);
    await once(prism.stdout, 'data');
  }
  return { url: `http://127.0.0.1:${port}`, stop: () => prism.kill() };
}

/** A proxy that nobody here wrote stands between client and sandbox and holds both to docs/openapi.yaml. */
describe('Prism between client and sandbox', () => {
  let sandbox: Sandbox;
  let prism: Proxy;
  let merchant: MerchantClient;
  const violations: string[] = [];

  beforeAll(async () => {
    sandbox = testSandbox({ seed: 3 });
    await sandbox.listen();
    prism = await startPrism(sandbox.url);
    merchant = new MerchantClient({
      baseUrl: prism.url,
      apiKey: sandbox.apiKey,
      retry: false,
      // Prism says in a header what in the request or the response is not as described.
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        const found = response.headers.get('sl-violations');
        if (found !== null) violations.push(`${init.method} ${input}: ${found}`);
        return response;
      },
    });
  });
  afterAll(async () => {
    prism?.stop();
    await sandbox?.close();
  });

  it('finds no violation in either direction over the whole journey', async () => {
    const order = { external_id: 'order-1', customer_id: 'c-1', amount: '25.00', currency: 'EUR' };
    await merchant.paymentMethods.list();
    await merchant.invoices.create({ ...order, purpose: 'Ü', success_url: 'https://shop.example/thanks' });
    expect(
      hasCode(await merchant.invoices.create(order).catch((error: unknown) => error), 'INVOICE_ALREADY_EXISTS'),
    ).toBe(true);
    await merchant.invoices.create({ ...order, external_id: 'order/2 ü', customer_id: 'c-2' });
    await sandbox.pay('order-1');
    await sandbox.pay('order/2 ü', { amount: '10.00' });
    for (const ident of ['order-1', 'order/2 ü']) await merchant.invoices.get(ident);
    for (const status of ['pending', 'success', 'fail', 'expired', 'canceled'] as const)
      await merchant.invoices.list({ status });
    await merchant.invoices.list({ currency: 'EUR', page: 1, per_page: 1 }).collect({ limit: 10 });
    const [withdrawal] = await merchant.withdrawals.list({ status: 'approved', per_page: 5 }).collect({ limit: 1 });
    await merchant.withdrawals.get(withdrawal?.uuid ?? '');
    await merchant.rates.list();
    await merchant.webhooks.deliveries('order-1');
    expect((await merchant.invoices.get('no-such').result()).ok).toBe(false);
    expect(violations).toEqual([]);
  });

  it('would have found one in a request', async () => {
    const bad = await fetch(`${prism.url}/api/v1/external/invoices?page=0`, {
      headers: { 'x-api-key': sandbox.apiKey },
    });
    expect(bad.headers.get('sl-violations')).toContain('page');
  });

  it('would have found one in a response', async () => {
    const odd = createHttpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true,"data":[{"platform":"a"}]}');
    }).listen(0, '127.0.0.1');
    await once(odd, 'listening');
    const proxy = await startPrism(`http://127.0.0.1:${(odd.address() as AddressInfo).port}`);
    try {
      const answer = await fetch(`${proxy.url}/api/v1/external/rates`, { headers: { 'x-api-key': 'k' } });
      expect(answer.headers.get('sl-violations')).toContain('price');
    } finally {
      proxy.stop();
      odd.closeAllConnections();
      odd.close();
    }
  });
});
