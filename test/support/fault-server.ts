import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request as it came over the socket. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the body as Latin-1, so that equal text is equal bytes. */
  readonly body: string;
}

/** One request in the hands of a {@link Step}. */
export interface Exchange {
  readonly request: SeenRequest;
  readonly response: ServerResponse;
}

/** What the server does with one request. */
export interface Step {
  /** True: played as soon as the head is there, before the body is read. */
  readonly early?: boolean;
  play(exchange: Exchange): void;
}

export interface FaultServer {
  readonly url: string;
  readonly requests: SeenRequest[];
  /** The steps still to come. The last one repeats. */
  script: Step[];
}

/** A real HTTP server on loopback that plays one step per request; it closes with the test that started it. */
export async function serve(...script: Step[]): Promise<FaultServer> {
  const server = createServer();
  const faultServer = { url: await listen(server), requests: [] as SeenRequest[], script };
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    const [step] = faultServer.script;
    if (step === undefined) throw new Error('the fault server has no script');
    if (faultServer.script.length > 1) faultServer.script.shift();
    if (step.early === true) {
      const request = seen(incoming, []);
      faultServer.requests.push(request);
      step.play({ request, response });
      return;
    }
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = seen(incoming, chunks);
      faultServer.requests.push(request);
      step.play({ request, response });
    });
  });
  return faultServer;
}

/** Starts any server on a free loopback port, and ends it with the test. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server has no other kind of address
}

/** The address of a port at which nobody listens: connections are refused. */
export async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // see listen
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

function seen(incoming: IncomingMessage, chunks: readonly Buffer[]): SeenRequest {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(incoming.headersDistinct)) headers[name] = (values ?? []).join(' | ');
  return {
    method: incoming.method ?? '',
    url: incoming.url ?? '',
    headers,
    body: Buffer.concat(chunks).toString('latin1'),
  };
}
