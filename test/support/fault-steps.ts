import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { START } from './fake-runtime.ts';
import type { SeenRequest, Step } from './fault-server.ts';

// What can happen to a request, one function each. Bodies are whatever the test gives.

type Headers = Readonly<Record<string, string>>;

/** The service's own clock stands at the moment at which the fixtures were created, unless a test says otherwise. */
const date = new Date(START).toUTCString();

/** A complete response. A body that is not text is written as JSON. */
export function answer(status: number, body: unknown = {}, headers: Headers = {}): Step {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    play: ({ response }) =>
      response
        .writeHead(status, {
          'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
          date,
          ...headers,
        })
        .end(text),
  };
}

export const ok = (data: unknown, headers: Headers = {}): Step => answer(200, { success: true, data }, headers);

/** The failure envelope of the interface. */
export function refuse(status: number, code: string | null, details?: unknown, headers: Headers = {}): Step {
  return answer(status, { success: false, error: { code, message: 'The service says no', details } }, headers);
}

/** The connection is reset when the head of the request is there and its body is not read. */
export const resetBeforeReading: Step = {
  early: true,
  play: ({ response }) => void response.socket?.resetAndDestroy(),
};

/** The connection is reset when the whole request has been read. */
export const resetAfterReading: Step = { play: ({ response }) => void response.socket?.resetAndDestroy() };

/** Head and half a body, then a reset. */
export const resetMidBody = (status = 200, half = '{"success":true,"data":{"uu'): Step => ({
  play({ response }) {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '5000' });
    response.write(half, () => onceRead(() => response.socket?.resetAndDestroy()));
  },
});

/** The body ends cleanly before its announced length. */
export const truncate = (status = 200, half = '{"success":true,"data":{"uu'): Step => ({
  play({ response }) {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '5000' });
    response.write(half, () => setImmediate(() => response.socket?.end()));
  },
});

/**
 * Runs after the client, in this process, has read what was sent. A busy machine delays the timer, and then runs it
 * before it reads any socket. Therefore turns of the event loop follow, each of which reads.
 */
export function onceRead(run: () => void): void {
  let turns = 50;
  const turn = (): void => {
    turns -= 1;
    if (turns === 0) run();
    else setImmediate(turn);
  };
  setTimeout(turn, 20);
}

/** No response at all. `reached` is called when the whole request is there. */
export const stall = (reached: () => void = () => {}): Step => ({ play: () => reached() });

/** Head and a part of the body, then nothing. `reached` is called when the part is on its way to the client. */
export const stallMidBody = (reached: () => void, status = 200, part = '{"success":true,"da'): Step => ({
  play({ response }) {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.write(part, () => onceRead(reached)); // the client must have got the head before it is cut short
  },
});

/** The response, one byte at a time. */
export const drip = (status: number, body: unknown): Step => ({
  play({ response }) {
    response.writeHead(status, { 'content-type': 'application/json' });
    const bytes = [...Buffer.from(JSON.stringify(body))];
    const next = (): void => {
      const byte = bytes.shift();
      if (byte === undefined) response.end();
      else response.write(Buffer.of(byte), () => setImmediate(next));
    };
    next();
  },
});

export const redirect = (status: number, location: string): Step => ({
  play: ({ response }) => response.writeHead(status, { location }).end(),
});

/** A body that never ends: full chunks for as long as the client takes them. */
export const endless = (status: number): Step => ({
  play({ response }) {
    response.writeHead(status, { 'content-type': 'application/json' });
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const pump = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', pump);
    };
    pump();
  },
});

const zeros = Buffer.alloc(64 * 1024 * 1024, ' ');
const bombs = new Map<string, Buffer>();
// The default quality takes seconds for what any quality packs.
const quickBrotli = (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

/** 64 MiB of blanks in a few kilobytes. */
export const bomb = (encoding: 'gzip' | 'br', status = 200): Step => ({
  play({ response }) {
    const packed = bombs.get(encoding) ?? (encoding === 'gzip' ? gzipSync(zeros) : quickBrotli(zeros));
    bombs.set(encoding, packed);
    response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': encoding }).end(packed);
  },
});

/** Everything that came, in every place of a failure where a server could put it. */
export const echo = (status: number, success = false): Step => ({
  play({ request, response }) {
    const body = Buffer.from(request.body, 'latin1').toString();
    const everything = `${JSON.stringify(request.headers)} ${body}`;
    const flat = Object.values(request.headers).join(' ');
    response
      .writeHead(status, {
        'content-type': 'application/json',
        'x-request-id': headerText(flat),
        'x-echo': headerText(flat),
      })
      .end(JSON.stringify(echoBody({ ...request, body }, everything, success)));
  },
});

function echoBody({ headers, body }: SeenRequest, everything: string, success: boolean): object {
  const byValue = Object.fromEntries(Object.entries(headers).map(([name, value]) => [value, [name]]));
  return {
    success,
    error: {
      code: Object.values(headers).join(' '),
      message: everything,
      details: { headers, body, byValue, nested: [{ deep: [everything] }], amount: [everything] },
    },
    detail: [{ loc: ['body', ...Object.values(headers)], msg: everything, type: everything }],
  };
}

function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 4_000);
}
