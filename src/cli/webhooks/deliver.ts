import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { shellWord } from '../../sandbox/page/copies.ts';
import { CliError, EXIT } from '../io.ts';

/** One request to a receiver. */
export interface ReceiverRequest {
  readonly method: 'POST' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How the receiver answered. */
export interface Reply {
  /** Null where there is no answer. */
  readonly status: number | null;
  /** The start of the answer's body. */
  readonly text: string;
  readonly ms: number;
  /** Why there is no answer: `time-out`, or the code of the connection error. */
  readonly problem: string | null;
  /** The header Location. */
  readonly location: string | null;
  /** True for an answer with the header WWW-Authenticate. */
  readonly asksForLogin: boolean;
}

/** How many characters of the answer are kept. */
const MAX_TEXT = 2_000;

/** Sends a request on a new connection and follows no redirect. Never rejects. */
export function deliver(url: string, { method, headers, body }: ReceiverRequest, timeout: number): Promise<Reply> {
  const began = performance.now();
  const send = url.toLowerCase().startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    let status: number | null = null;
    let text = '';
    let location: string | null = null;
    let asksForLogin = false;
    const end = (problem: string | null): void => {
      clearTimeout(timer);
      const ms = Math.round(performance.now() - began);
      resolve({ status, text: text.slice(0, MAX_TEXT), ms, problem, location, asksForLogin });
      request.destroy();
    };
    const timer = setTimeout(() => end(status === null ? 'time-out' : null), timeout);
    const length = method === 'GET' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const request = send(url, { method, headers: { ...headers, ...length }, agent: false }, (response) => {
      status = response.statusCode ?? null;
      location = response.headers.location ?? null;
      asksForLogin = response.headers['www-authenticate'] !== undefined;
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        if (text.length < MAX_TEXT) text += part;
      });
      response.on('end', () => end(null));
      response.on('error', () => end(null)); // the status decides, even if the body breaks off
    });
    request.on('error', (error: Error & { readonly code?: string }) => {
      // A receiver may refuse a large body before it has read all of it, so its answer may have arrived.
      setImmediate(() => end(status === null ? (error.code ?? error.message) : null));
    });
    request.end(method === 'GET' ? undefined : body);
  });
}

/** @throws CliError if there was no connection. After a timeout the receiver counts as reachable. */
export function throwIfUnreachable(url: string, reply: Reply, typed: string): void {
  if (!isUnreachable(reply)) return;
  const fix = `start your receiver, then: npx merchant-invoicing webhooks ${typed} ${shellWord(url)}`;
  throw new CliError(EXIT.unreachable, `cannot reach ${url}: ${reply.problem}`, fix);
}

/** True if there was no connection. */
export function isUnreachable({ status, problem }: Reply): boolean {
  return status === null && problem !== 'time-out';
}

/** True for a 2xx, which acknowledges a delivery. */
export function isAcknowledged({ status }: Reply): boolean {
  return status !== null && status >= 200 && status <= 299;
}
