import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import type { Server } from 'node:net';
import { afterEach } from 'vitest';
import { toNodeHandler } from '../../src/webhooks/index.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** A real server on a free loopback port, closed after the test. */
export async function serve(listener: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<URL> {
  const server = createServer((request, response) => void listener(request, response));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
    return once(server, 'close');
  });
  return new URL(`http://127.0.0.1:${await portOf(server)}/webhook`);
}

/** A connection to a real HTTP/2 server, both closed after the test. `onEnd` is called when the adapter has ended. */
export async function connectTo(
  handler: Parameters<typeof toNodeHandler>[0],
  onEnd = (): void => {},
): Promise<ClientHttp2Session> {
  const adapter = toNodeHandler(handler);
  const server = createHttp2Server((request, response) => void adapter(request, response).then(onEnd));
  ends.push(() => server.close());
  const client = connectHttp2(`http://127.0.0.1:${await portOf(server)}`);
  ends.push(() => client.destroy());
  return client;
}

/** Collects a body, as a framework's parser does. */
export async function collect(request: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
