import { once } from 'node:events';
import { createServer } from 'node:http';
import type { MerchantClient } from 'merchant-invoicing';
import {
  toNodeHandler,
  type WebhookHandler,
} from 'merchant-invoicing/webhooks';
import type { Database } from './database.ts';
import { Orders } from './orders.ts';
import { answerPage } from './server.ts';
import { openReceiver } from './webhook.ts';

export interface ShopOptions {
  readonly db: Database;
  readonly merchant: MerchantClient;
  readonly webhookSecret: string;
  readonly log?: (line: string) => void;
  readonly host?: string;
  readonly port?: number;
  /** The address of the shop behind its proxy. Default: host and port. */
  readonly publicUrl?: string | undefined;
  /** A sandbox plays the service, so its invoices may have an old address. */
  readonly isSandbox?: boolean;
}

/** A running shop. */
export interface Shop {
  readonly url: string;
  readonly orders: Orders;
  readonly handler: WebhookHandler;
  close(): Promise<void>;
}

export async function startShop(options: ShopOptions): Promise<Shop> {
  const {
    db,
    merchant,
    webhookSecret,
    log = console.error,
    host = '127.0.0.1',
    port = 0,
    publicUrl,
    isSandbox = false,
  } = options;
  const orders = new Orders(db);
  const handler = await openReceiver(db, orders, webhookSecret, log);
  const webhook = toNodeHandler(handler);
  let url = '';
  const server = createServer((request, response) => {
    if (request.url === '/webhook') return webhook(request, response);
    return answerPage(
      { merchant, orders, log, url: () => url, isSandbox },
      request,
      response,
    );
  });
  server.requestTimeout = 30_000; // a sender that takes longer is disconnected
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  url =
    publicUrl ??
    `http://${host}:${typeof address === 'object' ? address?.port : port}`;
  return {
    url,
    orders,
    handler,
    close: async () => {
      const closed = once(server, 'close');
      server.close(); // lets running requests end
      server.closeIdleConnections();
      await closed;
    },
  };
}
