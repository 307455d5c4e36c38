import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWebhookHandler, memoryStore, toNodeHandler } from '../../../webhooks/index.ts';
import type { NewInvoice, Sandbox } from '../../sandbox/index.ts';

/**
 * Plays an evening of a shop: orders in every state, one webhook delivered, one refused, one given up, and requests that were
 * refused. All of it happens, over HTTP and on the clock of the sandbox, which it moves by a day.
 *
 * @param url Where the sandbox listens.
 * @returns A function that ends the receiver of the demo.
 */
export async function playDemo(sandbox: Sandbox, url: string): Promise<() => void> {
  // The shop of the demo takes webhooks at /webhook, has another secret at /other-secret, and no other route.
  const refusing = toNodeHandler(
    createWebhookHandler({
      secret: 'whsec_of_another_shop',
      store: memoryStore(),
      onPaid: () => undefined,
      onAdjusted: () => undefined,
      onCanceled: () => undefined,
      onReport: () => undefined,
    }),
  );
  const shop = createServer((request, response) => {
    if (request.url === '/other-secret') return void refusing(request, response);
    response.statusCode = request.url === '/webhook' ? 200 : 404;
    request.resume().on('end', () => response.end(request.url === '/webhook' ? 'ok' : 'no such route'));
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  shop.unref();
  const { port } = shop.address() as AddressInfo; // it listens on a port
  const order = (
    external_id: string,
    amount: string,
    currency: string,
    rest: Partial<NewInvoice> = {},
  ): NewInvoice => ({
    external_id,
    customer_id: 'demo-customer',
    amount,
    currency,
    callback_url: at('/webhook'),
    ...rest,
  });
  const create = (...given: Parameters<typeof order>): unknown => sandbox.create(order(...given));
  const call = async (path: string, body?: NewInvoice): Promise<void> => {
    const headers = { 'X-Api-Key': sandbox.apiKey, 'Content-Type': 'application/json' };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}/api/v1/external${path}`, init);
    await response.arrayBuffer();
  };
  const at = (path: string): string => `http://127.0.0.1:${port}${path}`;
  create('demo-given-up', '120.00', 'USD', { purpose: 'Headphones', callback_url: at('/hooks') });
  await sandbox.pay('demo-given-up');
  create('demo-expired', '2500.00', 'TRY', { purpose: 'Winter coat' });
  await sandbox.advance('21h');
  create('demo-canceled', '80.00', 'EUR', { purpose: 'Concert ticket' });
  await sandbox.cancel('demo-canceled');
  create('demo-failed', '35.00', 'EUR', { purpose: 'Umbrella' });
  await sandbox.fail('demo-failed');
  create('demo-paid', '25.00', 'EUR', { purpose: 'Two mugs' });
  await sandbox.pay('demo-paid');
  create('demo-underpaid', '60.00', 'EUR', { purpose: 'Desk lamp' });
  await sandbox.pay('demo-underpaid', { amount: '45.00' });
  create('demo-overpaid', '150.00', 'BRL', { purpose: 'Board game' });
  await sandbox.pay('demo-overpaid', { amount: '155.50' });
  create('demo-refused', '119.00', 'EUR', { purpose: 'Annual plan', callback_url: at('/other-secret') });
  await sandbox.pay('demo-refused');
  const pending = order('demo-pending', '49.90', 'EUR', { purpose: 'Three books' });
  await call('/payment-methods');
  await call('/invoices', pending);
  await call('/invoices', pending); // a 409
  await call('/invoices', order('demo-too-small', '2.00', 'USD')); // a 422: no method takes so little
  await call('/invoices/demo-paid/webhooks');
  return () => shop.close();
}
