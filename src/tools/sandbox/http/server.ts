import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback } from '../../../contract/values/scalars.ts';
import { configurationFail, count, type OptionTable, readOptions, unchecked } from '../../../errors/checks.ts';
import { ConfigurationError } from '../../../errors/classes.ts';
import { BodyChunks } from '../../../webhooks/body.ts';
import { failure, MAX_BODY, type UnsentResponse } from '../service/respond.ts';
import type { World } from '../world.ts';
import { type Front, responseOf } from './dispatch.ts';

const fail = configurationFail();

/**
 * The options of `Sandbox.listen`.
 *
 * @example
 * const { url } = await sandbox.listen({ port: 4010, allowedHosts: ['sandbox'] });
 */
export interface ListenOptions {
  /** The port to listen on, 0 to 65535. @defaultValue 0, any free port */
  readonly port?: number | undefined;
  /**
   * The host name or address to listen on. Any but loopback opens the sandbox to the network. @defaultValue '127.0.0.1'
   */
  readonly host?: string | undefined;
  /** Further host names that requests may use, such as `sandbox` in a container network. */
  readonly allowedHosts?: readonly string[] | undefined;
}

/** The HTTP server of a sandbox. */
export interface SandboxServer {
  /**
   * Where it listens: `http://` with host and port, without a slash at the end. 127.0.0.1 for a server on all
   * addresses.
   */
  readonly url: string;
  /** The port that was asked for, or the free one that was found. */
  readonly port: number;
  /** Ends the server. The sandbox still answers in the process. */
  close(): Promise<void>;
}

const LISTEN = {
  port: count({ default: 0, min: 0, max: 65_535 }),
  host: unchecked<string | undefined>(),
  allowedHosts: unchecked<readonly string[] | undefined>(),
} satisfies OptionTable<ListenOptions>;

/** Serves the sandbox over HTTP. @throws ConfigurationError if the port is in use, or an option unusable. @internal */
export async function listenHttp(world: World, front: Front, options: ListenOptions = {}): Promise<SandboxServer> {
  const { port, host = '127.0.0.1', allowedHosts = [] } = readOptions('listen', options, LISTEN, fail);
  // An empty host would be all addresses.
  const isName = (name: unknown) => typeof name === 'string' && name !== '';
  if (!Array.isArray(allowedHosts) || ![host, ...allowedHosts].every(isName))
    fail('host must be a host name, and allowedHosts an array of them');
  const { createServer } = nodeHttp();
  const names = new Set([host.toLowerCase(), ...allowedHosts.map((name) => name.toLowerCase())]);
  const server = createServer((request, response) => {
    void respond(world, front, names, request, response);
  });
  const bound = await new Promise<number>((resolve, reject) => {
    server.once('error', (error: Error & { readonly code?: string }) => {
      const reason =
        error.code === 'EADDRINUSE'
          ? `port ${port} is in use. Take another, or 0 for any`
          : (error.code ?? error.message);
      reject(new ConfigurationError(`Cannot listen on ${host}: ${reason}`, { cause: error }));
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
 * `node:http` of this runtime. An `import()` would fail in CommonJS under Jest, and bundlers for workers refuse its
 * name.
 */
function nodeHttp(): typeof import('node:http') {
  const process = (globalThis as { readonly process?: Partial<NodeJS.Process> }).process; // workers have none
  const http = process?.getBuiltinModule?.('node:http');
  if (http !== undefined) return http;
  throw new ConfigurationError(
    'listen needs node:http, which this runtime does not have. Give sandbox.fetch to the client as its option fetch',
  );
}

/** Answers a request to the port with the front, and breaks the connection where the front rejects. */
async function respond(
  world: World,
  front: Front,
  names: ReadonlySet<string>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  const closed = new Promise<void>((resolve) => outgoing.once('close', resolve));
  void closed.then(() => gone.abort());
  outgoing.sendDate = false; // the response carries the time of the sandbox clock
  try {
    const refusal = refuseForeign(world, names, incoming);
    const response = refusal === null ? await front(await requestOf(incoming, gone.signal)) : responseOf(refusal);
    if (!incoming.complete) outgoing.setHeader('Connection', 'close'); // the rest of a body that is too large
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    const reader = response.body?.getReader();
    void closed.then(() => reader?.cancel().catch(() => undefined));
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      const { value } = part;
      await Promise.race([closed, new Promise((resolve) => outgoing.write(value, resolve))]);
    }
    outgoing.end();
  } catch {
    incoming.socket.destroy();
  }
}

async function requestOf(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const { method = 'GET', headersDistinct, url = '/' } = incoming;
  const chunks = new BodyChunks(2 * MAX_BODY); // a chunk has at most 64 KiB
  let size = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.add(chunk);
    size += chunk.length;
    if (size > MAX_BODY) break; // the front refuses it
  }
  const headers = Object.entries(headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
  const body = method === 'GET' || method === 'HEAD' ? null : Buffer.from(chunks.take());
  const address = `http://${incoming.headers.host}${url.startsWith('/') ? url : '/'}`;
  return new Request(address, { method, headers, body, signal });
}

/** Refuses web pages of other sites, which could call directly or through a host name that points to this machine. */
function refuseForeign(world: World, names: ReadonlySet<string>, request: IncomingMessage): UnsentResponse | null {
  const { host = '', origin } = request.headers;
  const address = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
  const name = address?.hostname ?? '';
  const isAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i.test(name);
  if (!isAddress && !isLoopback(name) && !names.has(name)) {
    const what = name === '' ? 'a request without a host' : `the host ${name}`;
    const remedy = 'Allow a host with the option allowedHosts, or --allow-host of the command line.';
    return failure(421, 'HOST_NOT_ALLOWED', `This sandbox does not answer ${what}. ${remedy}`);
  }
  if (origin !== undefined && origin !== `http://${host}` && origin !== new URL(world.url).origin) {
    return failure(403, 'ORIGIN_NOT_ALLOWED', 'Pages of another origin may not call the sandbox.');
  }
  const { 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode } = request.headers;
  // A browser names the origin only of some requests, but always the site. A link from the shop to the payment page may
  // come from anywhere, also as the redirect after the form of an order.
  const isLink = mode === 'navigate' && request.method === 'GET';
  if (site === 'same-origin' || site === 'none' || isLink) return null;
  return failure(403, 'SITE_NOT_ALLOWED', 'Pages of another site may not call the sandbox.');
}
