import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../../src/tools/sandbox/index.ts';
import type { Internals } from '../../../src/tools/sandbox/sandbox-options.ts';
import { type ClientDialect, speaking } from '../../support/dialects.ts';
import { listen } from '../../support/fault-server.ts';
import { testSandbox } from '../../support/test-sandbox.ts';

export const START = '2026-03-01T12:00:00.000Z';

/** A sandbox on a loopback port, and plain fetch against it. */
export async function listening(options: SandboxOptions & Internals = {}) {
  const sandbox = testSandbox({ seed: 7, now: START, ...options });
  const server = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  return { sandbox, server, url: server.url, api: apiOf(sandbox, `${server.url}/api/v1/external`, fetch) };
}

/** The same without a port. */
export function inProcess(options: SandboxOptions & Internals = {}, forms?: ClientDialect) {
  const sandbox = testSandbox({ seed: 7, now: START, ...options });
  onTestFinished(() => sandbox.close());
  const send = forms === undefined ? sandbox.fetch : speaking({ ...sandbox.dialect, ...forms }, sandbox.fetch);
  return { sandbox, api: apiOf(sandbox, 'https://pay.example.com/api/v1/external', send) };
}

function apiOf(sandbox: Sandbox, base: string, send: typeof sandbox.fetch) {
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const init: RequestInit = { method, headers: { 'X-Api-Key': sandbox.apiKey, ...headers } };
    if (body !== undefined) init.body = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await send(`${base}${path}`, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    // biome-ignore lint/suspicious/noExplicitAny: expectations below are typed by hand, member by member
    const json: any = isJson ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, json };
  };
}

export const ORDER = { external_id: 'order-1042', customer_id: 'c-7', amount: '25.00', currency: 'EUR' };

/** A webhook receiver on loopback. It answers the scripted statuses, then 200. `'destroy'` breaks the connection. */
export async function receiver(script: (number | 'destroy' | 'hang')[] = []) {
  const received: { readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await buffer(request) });
    server.emit('received');
    const next = script.shift() ?? 200;
    if (next === 'destroy') request.socket.destroy();
    else if (next !== 'hang') response.writeHead(next, next === 302 ? { Location: '/elsewhere' } : {}).end('noted');
  });
  return { url: `${await listen(server)}/webhook`, received, first: once(server, 'received') };
}

/** A request whose Host and Origin are chosen freely, which fetch does not allow. */
export async function rawRequest(url: string, method: string, headers: Record<string, string>, body = '') {
  const request = httpRequest(url, { method, headers }).end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage]; // the arguments of this event
  return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
}
