import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback } from '../../contract/values/hosts.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { checkOptionNames, LISTEN_NAMES } from '../option-names.ts';
import { type Answer, failure, Refusal, tooLarge } from '../service/respond.ts';
import type { Outcome } from '../service/service.ts';
import type { World } from '../world.ts';
import { handle } from './front.ts';
import { cut } from './in-process.ts';

/** Where to listen. */
export interface ListenOptions {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1. Anything else opens the sandbox to the network. */
  readonly host?: string | undefined;
  /** Further names under which browsers and clients may reach it, such as `sandbox` in a container network. */
  readonly allowedHosts?: readonly string[] | undefined;
}

/** A sandbox that listens. */
export interface SandboxServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves the sandbox over HTTP. Rejects with a ConfigurationError when the port is taken. @internal */
export async function listenHttp(world: World, options: ListenOptions = {}): Promise<SandboxServer> {
  checkOptionNames('listen', options, LISTEN_NAMES);
  const { port = 0, host = '127.0.0.1', allowedHosts = [] } = options;
  const { createServer } = await import('node:http');
  const names = new Set([host.toLowerCase(), ...allowedHosts.map((name) => name.toLowerCase())]);
  const server = createServer((request, response) => {
    void answer(world, names, request, response).catch(() => response.destroy());
  });
  const bound = await new Promise<number>((resolve, reject) => {
    server.once('error', (error: Error & { readonly code?: string }) => {
      const reason =
        error.code === 'EADDRINUSE'
          ? `port ${port} is in use; take another, or 0 for any`
          : (error.code ?? error.message);
      reject(new ConfigurationError(`Cannot listen on ${host}: ${reason}`));
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
  const shownHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shownHost}:${bound}`,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  world: World,
  names: ReadonlySet<string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.sendDate = false; // the sandbox tells its own time
  const refusal = foreign(world, names, request);
  if (refusal !== null) return write(response, failure(refusal));
  const body = await bodyOf(request, world.settings.maxBody);
  if (body === null) {
    response.setHeader('Connection', 'close');
    return write(response, tooLarge(world.settings.maxBody));
  }
  const url = new URL(`http://${request.headers.host}${request.url?.startsWith('/') ? request.url : '/'}`);
  const headers = new Headers();
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const outcome = await handle(world, { method: request.method ?? 'GET', url, headers, body });
  await give(world, outcome, request, response);
}

/** A web page elsewhere must not drive the sandbox, neither directly nor through a name that it points to this machine. */
function foreign(world: World, names: ReadonlySet<string>, request: IncomingMessage): Refusal | null {
  const { host = '', origin } = request.headers;
  const address = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
  const name = address?.hostname ?? '';
  const isAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i.test(name);
  if (!isAddress && !isLoopback(name) && !names.has(name)) {
    return new Refusal(
      421,
      'HOST_NOT_ALLOWED',
      `This sandbox is not reached as ${name || 'nothing'}; allow it with allowedHosts.`,
    );
  }
  if (origin !== undefined && origin !== `http://${host}` && origin !== new URL(world.url).origin) {
    return new Refusal(403, 'ORIGIN_NOT_ALLOWED', 'Pages of another origin may not call the sandbox.');
  }
  return null;
}

async function bodyOf(request: IncomingMessage, limit: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function give(
  world: World,
  { answer: ready, fault }: Outcome,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (ready === null) {
    if (fault?.type !== 'hang') request.socket.destroy();
    return; // a hanging one stays open until the caller gives up or the server closes
  }
  const bytes = new TextEncoder().encode(ready.body);
  if (fault?.type === 'truncated') {
    response.writeHead(ready.status, { ...ready.headers, 'Content-Length': bytes.length });
    response.write(bytes.slice(0, Math.floor(bytes.length / 2)), () => request.socket.destroy());
    return;
  }
  if (fault?.type !== 'slow') return write(response, ready);
  response.writeHead(ready.status, { ...ready.headers, 'Content-Length': bytes.length });
  for (const part of cut(bytes, fault.pieces ?? 4)) {
    await world.settings.sleep(fault.delay ?? 100);
    if (response.destroyed) return;
    response.write(part);
  }
  response.end();
}

function write(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(
    status,
    status === 204 ? { ...headers } : { ...headers, 'Content-Length': Buffer.byteLength(body) },
  );
  response.end(status === 204 ? undefined : body);
}
