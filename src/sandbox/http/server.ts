import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkOptions, namesOf } from '../../checks.ts';
import { isLoopback } from '../../contract/values/hosts.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { fail } from '../option-checks.ts';
import { type Answer, failure, MAX_BODY, Refusal, tooLarge } from '../service/respond.ts';
import type { Outcome } from '../service/service.ts';
import type { World } from '../world.ts';
import { bodyParts, type Front, MARK } from './dispatch.ts';

/**
 * The options of `Sandbox.listen`.
 *
 * @example
 * const { url } = await sandbox.listen({ port: 4010, allowedHosts: ['sandbox'] });
 */
export interface ListenOptions {
  /** The port to listen on, 0 to 65535. @defaultValue 0, any free port */
  readonly port?: number | undefined;
  /** The host name or address to listen on. Any but loopback opens the sandbox to the network. @defaultValue '127.0.0.1' */
  readonly host?: string | undefined;
  /** Further host names that requests may use, such as `sandbox` in a container network. */
  readonly allowedHosts?: readonly string[] | undefined;
}

/** The HTTP server of a sandbox. */
export interface SandboxServer {
  /** Where it listens: `http://` with host and port, without a slash at the end. 127.0.0.1 for a server on all addresses. */
  readonly url: string;
  /** The port that was asked for, or the free one that was found. */
  readonly port: number;
  /**
   * Ends the server. The sandbox still answers in the process.
   *
   * @example
   * const server = await sandbox.listen();
   * await server.close();
   */
  close(): Promise<void>;
}

const LISTEN_NAMES = namesOf<ListenOptions>({ port: true, host: true, allowedHosts: true });

/** Serves the sandbox over HTTP. @throws ConfigurationError if the port is in use. @internal */
export async function listenHttp(world: World, front: Front, options: ListenOptions = {}): Promise<SandboxServer> {
  checkOptions('listen', options, LISTEN_NAMES, fail);
  const { port = 0, host = '127.0.0.1', allowedHosts = [] } = options;
  const { createServer } = nodeHttp();
  const names = new Set([host.toLowerCase(), ...allowedHosts.map((name) => name.toLowerCase())]);
  const server = createServer((request, response) => {
    void answer(world, front, names, request, response).catch(() => response.destroy());
  });
  const bound = await new Promise<number>((resolve, reject) => {
    server.once('error', (error: Error & { readonly code?: string }) => {
      const reason =
        error.code === 'EADDRINUSE'
          ? `port ${port} is in use. Take another, or 0 for any`
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

/**
 * `node:http` of this runtime. An `import()` would fail in CommonJS under Jest, and bundlers for workers refuse its name.
 */
function nodeHttp(): typeof import('node:http') {
  const process = (globalThis as { readonly process?: Partial<NodeJS.Process> }).process; // workers have none
  const http = process?.getBuiltinModule?.('node:http');
  if (http !== undefined) return http;
  throw new ConfigurationError(
    'listen needs node:http, which this runtime does not have. Give sandbox.fetch to the client as its option fetch',
  );
}

async function answer(
  world: World,
  front: Front,
  names: ReadonlySet<string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.sendDate = false; // the answer carries the time of the sandbox clock
  const refusal = refuseForeign(world, names, request);
  if (refusal !== null) return write(response, failure(refusal));
  if (request.method === 'GET' && request.url === EVENT_STREAM) return streamEvents(world, response, MARK);
  const body = await bodyOf(request);
  if (body === null) {
    response.setHeader('Connection', 'close');
    return write(response, tooLarge());
  }
  const url = new URL(`http://${request.headers.host}${request.url?.startsWith('/') ? request.url : '/'}`);
  const headers = new Headers();
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const outcome = await front({ method: request.method ?? 'GET', url, headers, body });
  await send(world, outcome, request, response);
}

/** Refuses web pages of other sites, which could call directly or through a host name that points to this machine. */
function refuseForeign(world: World, names: ReadonlySet<string>, request: IncomingMessage): Refusal | null {
  const { host = '', origin } = request.headers;
  const address = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
  const name = address?.hostname ?? '';
  const isAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i.test(name);
  if (!isAddress && !isLoopback(name) && !names.has(name)) {
    return new Refusal(
      421,
      'HOST_NOT_ALLOWED',
      `This sandbox is not reached as ${name || 'nothing'}. Allow it with allowedHosts.`,
    );
  }
  if (origin !== undefined && origin !== `http://${host}` && origin !== new URL(world.url).origin) {
    return new Refusal(403, 'ORIGIN_NOT_ALLOWED', 'Pages of another origin may not call the sandbox.');
  }
  const { 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode } = request.headers;
  // A browser names the origin only of some requests, but always the site. A link from the shop to the payment page may
  // come from anywhere, also as the redirect after the form of an order.
  const isLink = mode === 'navigate' && request.method === 'GET';
  if (site === 'same-origin' || site === 'none' || isLink) return null;
  return new Refusal(403, 'SITE_NOT_ALLOWED', 'Pages of another site may not call the sandbox.');
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function send(
  world: World,
  { answer: ready, fault }: Outcome,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (ready === null) {
    if (fault?.type !== 'hang') request.socket.destroy();
    return; // a hanging connection stays open until the caller or the server closes it
  }
  if (fault?.type !== 'truncated' && fault?.type !== 'slow') return write(response, ready);
  const { parts, length, delay, isCutOff } = bodyParts(ready, fault);
  response.writeHead(ready.status, { ...ready.headers, 'Content-Length': length });
  for (const part of parts) {
    if (!isCutOff) await world.settings.sleep(delay);
    if (response.destroyed) return;
    response.write(part, () => isCutOff && request.socket.destroy());
  }
  if (!isCutOff) response.end();
}

function write(response: ServerResponse, { status, headers, body }: Answer): void {
  const length = status === 204 ? {} : { 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...length });
  response.end(body);
}

/** The path of the stream of events, for the dashboard and for `sandbox events`. */
const EVENT_STREAM = '/_/events';

/**
 * Sends each event of the sandbox from now on, as server-sent events whose data is the event in JSON. Ends when the
 * reader closes the connection. A reader that does not keep up is cut off, so that it cannot fill the memory.
 */
function streamEvents({ log }: World, response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(': the events of this sandbox\n\n');
  const stop = log.subscribe((event) => {
    if (response.writableLength > MOST_WAITING) response.destroy();
    else response.write(`data: ${JSON.stringify(event)}\n\n`);
  });
  response.once('close', stop);
}

/** Bytes that may wait for a slow reader. */
const MOST_WAITING = 4 * 1024 * 1024;
