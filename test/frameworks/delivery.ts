import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  createWebhookHandler,
  memoryStore,
  type WebhookHandler,
  type WebhookReport,
} from '../../src/webhooks/index.ts';
import { testSandbox } from '../support/test-sandbox.ts';

/** Starts a server on loopback with this handler at POST /webhook, and gives its port. Closes it after the test. */
export type Start = (handler: WebhookHandler) => Promise<number>;

/** What came of a delivery, and of sending it once more. */
export interface Outcome {
  /** The orders that were paid, in the eyes of the merchant's function. */
  readonly paid: readonly string[];
  readonly reports: readonly WebhookReport[];
  /** In the eyes of the service. */
  readonly delivery: { readonly status: string | undefined; readonly last: number | null | undefined };
}

/** The sandbox delivers the webhook of a paid invoice to a real server, then delivers it again. */
export async function deliverTo(start: Start): Promise<Outcome> {
  const sandbox = testSandbox({ seed: 7 });
  onTestFinished(() => sandbox.close());
  const paid: string[] = [];
  const reports: WebhookReport[] = [];
  const handler = createWebhookHandler({
    secret: sandbox.webhookSecret,
    store: memoryStore(),
    onPaid: (event) => void paid.push(`${event.external_id} ${event.credited_usdt.gt(0)}`),
    onAdjusted: () => {},
    onCanceled: () => {},
    onReport: (report) => void reports.push(report),
  });
  const port = await start(handler);
  const created = await sandbox.fetch('https://pay.example.com/api/v1/external/invoices', {
    method: 'POST',
    headers: { 'X-Api-Key': sandbox.apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      external_id: 'Bestellung-é-1',
      customer_id: 'c-7',
      amount: '25.00',
      currency: 'EUR',
      callback_url: `http://127.0.0.1:${port}/webhook`,
    }),
  });
  if (!created.ok) throw new Error(await created.text());
  await sandbox.pay('Bestellung-é-1');
  await sandbox.resend('Bestellung-é-1');
  const [delivery] = sandbox.deliveries('Bestellung-é-1');
  return { paid, reports, delivery: { status: delivery?.status, last: delivery?.last_http_status } };
}

/** Listens on a free loopback port until the test ends. */
export async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port; // a server that listens on a port has such an address
}
