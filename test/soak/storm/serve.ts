import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Pool } from 'pg';
import type { MerchantClient } from '../../../src/index.ts';
import { toNodeHandler, type WebhookHandler } from '../../../src/webhooks/index.ts';
import { checkout, waiting } from './booking.ts';

/** The addresses of a shop: POST /checkout is its pay button, POST /webhook its receiver, POST /catch-up its job. */
export async function serve(pool: Pool, merchant: MerchantClient, handler: WebhookHandler): Promise<void> {
  const webhook = toNodeHandler(handler);
  const server = createServer(async (request, response) => {
    if (request.url === '/webhook') return webhook(request, response);
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = String(Buffer.concat(chunks));
      if (request.url === '/checkout')
        response.end(await checkout(pool, merchant, JSON.parse(body), `http://${request.headers.host}`));
      else if (request.url === '/catch-up')
        response.end(JSON.stringify(await handler.catchUp(merchant, { orders: await waiting(pool) })));
      else response.end();
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1');
  await once(server, 'listening');
  console.log('up');
}
