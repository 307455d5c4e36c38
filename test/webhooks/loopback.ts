import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach } from 'vitest';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

/** A real server on a free loopback port, closed after the test. */
export async function serve(listener: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<URL> {
  const server = createServer((request, response) => void listener(request, response));
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return new URL(`http://127.0.0.1:${address.port}/webhook`);
}

/** Writes text to a socket as it is, and gives everything that comes back until the other side closes. */
export async function raw(url: URL, text: string): Promise<string> {
  const socket = connect(Number(url.port), url.hostname);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

/** Collects a body, as a framework's parser does. */
export async function collect(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
