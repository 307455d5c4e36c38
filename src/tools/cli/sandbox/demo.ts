import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWebhookHandler, memoryStore, toNodeHandler } from '../../../webhooks/index.ts';
import type { NewInvoice, Sandbox } from '../../sandbox/index.ts';

/** An order of the demo, the path of its webhook, how it ends, and what is paid where that is another amount. */
type DemoOrder = readonly [
  ...texts: readonly [id: string, amount: string, currency: string, purpose: string, path: string],
  end: 'pay' | 'cancel' | 'fail' | null,
  paid?: string,
];
/** It expires. */
const EARLIER: DemoOrder = ['demo-expired', '2500.00', 'TRY', 'Winter coat', '/webhook', null];
/** One after the other. The receiver at /shop2 fails until the fifth. */
const TONIGHT: readonly DemoOrder[] = [
  ['demo-canceled', '80.00', 'EUR', 'Concert ticket', '/webhook', 'cancel'],
  ['demo-recovered', '120.00', 'USD', 'Headphones', '/shop2', 'pay'],
  ['demo-paid', '25.00', 'EUR', 'Two mugs', '/webhook', 'pay'],
  ['demo-failed', '35.00', 'EUR', 'Umbrella', '/webhook', 'fail'],
  ['demo-refused', '119.00', 'EUR', 'Annual plan', '/other-secret', 'pay'],
  ['demo-underpaid', '60.00', 'EUR', 'Desk lamp', '/webhook', 'pay', '45.00'],
  ['demo-refused-too', '89.00', 'EUR', 'Annual plan, student', '/other-secret', 'pay'],
  ['demo-overpaid', '150.00', 'BRL', 'Board game', '/webhook', 'pay', '155.50'],
];
const REPAIRED_AT = 4;

/**
 * Plays twelve minutes of a shop: orders in every state, webhooks that are delivered, one receiver that recovers, one that
 * has the API key as its secret, and requests that were refused. All of it happens, over HTTP and on the clock of the
 * sandbox, which it moves by an hour.
 *
 * @param url Where the sandbox listens.
 * @returns A function that ends the receiver of the demo.
 */
export async function playDemo(sandbox: Sandbox, url: string): Promise<() => void> {
  const nothing = (): undefined => undefined;
  const functions = { onPaid: nothing, onAdjusted: nothing, onCanceled: nothing, onReport: nothing };
  const refusing = toNodeHandler(
    createWebhookHandler({ secret: sandbox.apiKey, sandbox: true, store: memoryStore(), ...functions }),
  );
  let isDown = true;
  const shop = createServer((request, response) => {
    if (request.url === '/other-secret') return void refusing(request, response);
    const fails = request.url === '/shop2' && isDown;
    response.writeHead(fails ? 500 : 200, { 'Content-Type': 'text/plain' });
    request.resume().on('end', () => response.end(fails ? 'connect ECONNREFUSED 10.0.0.5:5432' : 'ok'));
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  shop.unref();
  const { port } = shop.address() as AddressInfo; // it listens on a port
  const draft = (external_id: string, amount: string, currency: string, purpose?: string, path = '/webhook') => ({
    ...{ external_id, customer_id: 'demo-customer', amount, currency, purpose },
    callback_url: `http://127.0.0.1:${port}${path}`,
  });
  const play = async ([id, amount, currency, purpose, path, end, paid]: DemoOrder): Promise<void> => {
    sandbox.create(draft(id, amount, currency, purpose, path));
    if (end === 'pay') await sandbox.pay(id, { amount: paid });
    else if (end !== null) await sandbox[end](id);
  };
  const call = async (path: string, body?: NewInvoice): Promise<void> => {
    const headers = { 'X-Api-Key': sandbox.apiKey, 'Content-Type': 'application/json' };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}/api/v1/external${path}`, init);
    await response.arrayBuffer();
  };
  await play(EARLIER);
  await sandbox.advance('45m');
  for (const [at, order] of TONIGHT.entries()) {
    isDown = at < REPAIRED_AT;
    await play(order);
    await sandbox.advance('85s');
  }
  const pending = draft('demo-pending', '49.90', 'EUR', 'Three books');
  await call('/payment-methods');
  await call('/invoices', pending);
  await call('/invoices', pending); // a 409
  await call('/invoices', draft('demo-too-small', '2.00', 'USD')); // a 422: no method takes so little
  await call('/invoices/demo-paid/webhooks');
  return () => shop.close();
}
