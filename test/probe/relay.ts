import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sandbox } from '../../src/sandbox/index.ts';

/** A server on a real socket in front of a sandbox, which counts what reaches it. */
export interface Relay {
  readonly url: string;
  /** Method and path of each request, in their order. */
  readonly asked: readonly string[];
  /** Keys that were sent. */
  readonly keys: readonly (string | undefined)[];
  /** Resolves when so many requests have come. */
  reached(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function relayTo(sandbox: Sandbox, change: (text: string) => string = (text) => text): Promise<Relay> {
  const asked: string[] = [];
  const keys: (string | undefined)[] = [];
  const waiting = new Set<() => void>();
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const method = request.method ?? 'GET';
    const key = request.headersDistinct['x-api-key']?.[0];
    asked.push(`${method} ${request.url}`);
    keys.push(key);
    const body = Buffer.concat(chunks).toString();
    const answer = await sandbox.fetch(`${sandbox.url}${request.url}`, {
      method,
      headers: { 'X-Api-Key': key ?? '' },
      ...(method === 'POST' && { body }),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(answer.status === 204 ? undefined : change(await answer.text()));
    for (const wake of waiting) wake();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    keys,
    reached: (count) =>
      new Promise((resolve) => {
        const wake = (): void => {
          if (asked.length < count) return;
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
        wake();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
