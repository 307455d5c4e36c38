import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { CliError, EXIT } from '../io.ts';
import type { RawRequest } from './raw-request.ts';

const BODY_MAX = 262_144;
/** An unauthenticated sender must not hold a connection for longer. */
const REQUEST_TIMEOUT = 15_000;

interface Listening {
  readonly port: number;
  /** Ends after this many deliveries. */
  readonly count: number;
  /** The answer to each delivery. 503 makes the service repeat it, so that nothing is lost. */
  readonly status: 200 | 503;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly take: (request: RawRequest, arrivedAt: number) => Promise<void>;
}

/** Receives deliveries on a loopback port until the user stops it, or until there were enough. */
export async function listenForDeliveries({ port, count, status, signal, say, take }: Listening): Promise<void> {
  let taken = 0;
  let isOver = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  // One at a time, so that a repeat finds the delivery before it.
  let last = Promise.resolve();
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrivedAt = Date.now();
    const body = request.method === 'POST' ? await bodyOf(request) : null;
    if (body === null) {
      response.writeHead(request.method === 'POST' ? 413 : 405, { Connection: 'close' }).end();
      return;
    }
    last = last.then(() => take({ headers: headersOf(request), body, remark: null }, arrivedAt));
    await last;
    response.writeHead(status, { Connection: 'close' }).end();
    taken += 1;
    if (taken >= count) isOver();
  };
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  server.requestTimeout = REQUEST_TIMEOUT;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error & { readonly code?: string }) =>
      reject(
        new CliError(
          EXIT.misuse,
          `cannot listen on port ${port}: ${error.code ?? error.message}`,
          'npx merchant-invoicing webhooks learn --port 0',
        ),
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  say(`listening on http://127.0.0.1:${bound}  (put your tunnel or proxy in front of it, Ctrl-C ends)`);
  say(
    status === 503
      ? 'each delivery is answered 503, so the service repeats it and your shop loses nothing'
      : 'each delivery is answered 200: your shop does not get it',
  );
  if (signal.aborted) isOver();
  signal.addEventListener('abort', isOver, { once: true });
  await over;
  await last;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

function headersOf({ headersDistinct }: IncomingMessage): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(headersDistinct).flatMap(([name, values]) => (values === undefined ? [] : [[name, values]])),
  );
}

/** The raw bytes, or null if there are too many. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= BODY_MAX) chunks.push(chunk);
  }
  return size > BODY_MAX ? null : Buffer.concat(chunks);
}
