import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWebhookHandler, memoryStore, toNodeHandler } from '../../../webhooks/index.ts';
import type { NewInvoice, Sandbox } from '../../sandbox/index.ts';

/** The orders of the demo, each with the path of its webhook and how it ends. The clock moves between the two lists. */
const A_DAY_AGO = [
  ['demo-given-up', '120.00', 'USD', 'Headphones', '/hooks', 'pay'],
  ['demo-expired', '2500.00', 'TRY', 'Winter coat', '/webhook', null],
] as const;
const TONIGHT = [
  ['demo-canceled', '80.00', 'EUR', 'Concert ticket', '/webhook', 'cancel'],
  ['demo-failed', '35.00', 'EUR', 'Umbrella', '/webhook', 'fail'],
  ['demo-paid', '25.00', 'EUR', 'Two mugs', '/webhook', 'pay'],
  ['demo-underpaid', '60.00', 'EUR', 'Desk lamp', '/webhook', 'pay', '45.00'],
  ['demo-overpaid', '150.00', 'BRL', 'Board game', '/webhook', 'pay', '155.50'],
  ['demo-refused', '119.00', 'EUR', 'Annual plan', '/other-secret', 'pay'],
] as const;

/**
 * Plays an evening of a shop: orders in every state, one webhook delivered, one refused, one given up, and requests
 * that were refused. All of it happens, over HTTP and on the clock of the sandbox, which it moves by a day.
 *
 * @param url Where the sandbox listens.
 * @returns A function that ends the receiver of the demo.
 */
export async function playDemo(sandbox: Sandbox, url: string): Promise<() => void> {
  // The shop of the demo takes webhooks at /webhook, has another secret at /other-secret, and no other route.
  const nothing = (): undefined => undefined;
  const functions = { onPaid: nothing, onAdjusted: nothing, onCanceled: nothing, onReport: nothing };
  const refusing = toNodeHandler(
    createWebhookHandler({ secret: 'whsec_of_another_shop', store: memoryStore(), ...functions }),
  );
  const shop = createServer((request, response) => {
    if (request.url === '/other-secret') return void refusing(request, response);
    response.statusCode = request.url === '/webhook' ? 200 : 404;
    request.resume().on('end', () => response.end(request.url === '/webhook' ? 'ok' : 'no such route'));
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  shop.unref();
  const { port } = shop.address() as AddressInfo; // it listens on a port
  const draft = (external_id: string, amount: string, currency: string, purpose?: string, path = '/webhook') => ({
    ...{ external_id, customer_id: 'demo-customer', amount, currency, purpose },
    callback_url: `http://127.0.0.1:${port}${path}`,
  });
  const play = async (orders: typeof A_DAY_AGO | typeof TONIGHT): Promise<void> => {
    for (const [id, amount, currency, purpose, path, end, paid] of orders) {
      sandbox.create(draft(id, amount, currency, purpose, path));
      if (end === 'pay') await sandbox.pay(id, { amount: paid });
      else if (end !== null) await sandbox[end](id);
    }
  };
  const call = async (path: string, body?: NewInvoice): Promise<void> => {
    const headers = { 'X-Api-Key': sandbox.apiKey, 'Content-Type': 'application/json' };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}/api/v1/external${path}`, init);
    await response.arrayBuffer();
  };
  await play(A_DAY_AGO);
  await sandbox.advance('21h');
  await play(TONIGHT);
  const pending = draft('demo-pending', '49.90', 'EUR', 'Three books');
  await call('/payment-methods');
  await call('/invoices', pending);
  await call('/invoices', pending); // a 409
  await call('/invoices', draft('demo-too-small', '2.00', 'USD')); // a 422: no method takes so little
  await call('/invoices/demo-paid/webhooks');
  return () => shop.close();
}
