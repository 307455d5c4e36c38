import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** One request to a receiver. */
export interface Shot {
  readonly method: 'POST' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came of it. */
export interface Reply {
  /** Null: no answer. */
  readonly status: number | null;
  /** The start of the answer's body. */
  readonly text: string;
  readonly ms: number;
  /** Why there is no answer: `time-out`, or the code of the connection error. */
  readonly problem: string | null;
}

const KEPT = 2_000;

/** Sends it on a connection of its own, follows no redirect, and never rejects. */
export function deliver(url: string, { method, headers, body }: Shot, timeout: number): Promise<Reply> {
  const began = performance.now();
  const send = url.toLowerCase().startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    let status: number | null = null;
    let text = '';
    const end = (problem: string | null): void => {
      clearTimeout(timer);
      resolve({ status, text: text.slice(0, KEPT), ms: Math.round(performance.now() - began), problem });
      request.destroy();
    };
    const timer = setTimeout(() => end(status === null ? 'time-out' : null), timeout);
    const length = method === 'GET' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const request = send(url, { method, headers: { ...headers, ...length }, agent: false }, (response) => {
      status = response.statusCode ?? null;
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        if (text.length < KEPT) text += part;
      });
      response.on('end', () => end(null));
      response.on('error', () => end(null)); // the status decides, a body that breaks off changes nothing
    });
    request.on('error', (error: Error & { readonly code?: string }) => {
      // A receiver may refuse a large body before it has read all of it: its answer may be here already.
      setImmediate(() => end(status === null ? (error.code ?? error.message) : null));
    });
    request.end(method === 'GET' ? undefined : body);
  });
}

/** True for an answer that counts as a receipt. */
export function isReceipt({ status }: Reply): boolean {
  return status !== null && status >= 200 && status <= 299;
}
