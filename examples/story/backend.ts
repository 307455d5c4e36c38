import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CreateOrRenewResult,
  hasCode,
  hasKind,
  type MerchantClient,
} from 'merchant-invoicing';
import {
  createWebhookHandler,
  memoryStore,
  toNodeHandler,
  type WebhookReport,
} from 'merchant-invoicing/webhooks';
import { Orders } from './orders.ts';

/** A running shop. */
export interface Backend {
  readonly url: string;
  readonly orders: Orders;
  /** Reports of the webhook receiver: refusals, repeats and takeovers. */
  readonly reports: readonly WebhookReport[];
  close(): Promise<void>;
}

/**
 * A small merchant backend: POST /checkout starts a payment, POST /webhook
 * receives its result.
 */
export async function startBackend(
  merchant: MerchantClient,
  secret: string,
): Promise<Backend> {
  const orders = new Orders();
  const reports: WebhookReport[] = [];
  let url = '';

  const webhook = toNodeHandler(
    createWebhookHandler({
      secret,
      store: memoryStore(),
      onPaid: (event) => orders.pay(event.order, event.credited_usdt, true),
      onAdjusted: (event) =>
        orders.pay(event.order, event.credited_usdt, false),
      onCanceled: (event) => orders.cancel(event.order, event.renewal),
      onReport: (report) => reports.push(report),
    }),
  );

  const checkout = async (order: {
    id: string;
    amount: string;
    currency: string;
  }): Promise<CreateOrRenewResult> => {
    orders.open(order.id, order.amount, order.currency);
    const found = await merchant.invoices.createOrRenew({
      // the id of the order: a repeated click can never charge twice
      external_id: order.id,
      customer_id: 'customer-7',
      amount: order.amount,
      currency: order.currency,
      purpose: `Order ${order.id}`,
      callback_url: `${url}/webhook`,
      success_url: `${url}/thanks`,
      fail_url: `${url}/sorry`,
    });
    if (found.invoice.status === 'pending')
      orders.offer(order.id, found.renewal);
    return found;
  };

  const server = createServer(async (request, response) => {
    if (request.url === '/webhook') return webhook(request, response);
    const reply = (status: number, body: object): void => {
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(body));
    };
    if (request.method !== 'POST' || request.url !== '/checkout')
      return reply(200, { page: request.url });
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { invoice, created } = await checkout(
        JSON.parse(Buffer.concat(chunks).toString('utf8')),
      );
      reply(created ? 201 : 200, {
        payment_url: invoice.payment_url,
        status: invoice.status,
      });
    } catch (error) {
      if (hasKind(error, 'validation'))
        return reply(400, { fields: error.fields });
      if (hasCode(error, 'SDK_INVOICE_MISMATCH'))
        return reply(409, { differs: error.differences });
      reply(502, { error: 'payment is not possible right now' });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    orders,
    reports,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      orders.close();
    },
  };
}
