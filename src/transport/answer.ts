import { printable } from '../printable.ts';
import type { Attempt } from './attempt.ts';
import type { Redactor } from './secrecy/redact.ts';

const MIB = 1024 * 1024;
const BODY_MAX = 10 * MIB;
const ERROR_BODY_MAX = MIB;

/** A complete answer of the service. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** When its headers came, on the monotonic clock. */
  readonly receivedAt: number;
  readonly requestId: string | null;
  /** The body's text as received. */
  readonly raw: string;
  /** The body was longer than the cap; `raw` is its beginning. */
  readonly cut: boolean;
  /** The body broke off or could not be decoded as UTF-8; `raw` is what came. */
  readonly broken: boolean;
  /** The fetch followed a redirect by itself: the key may have gone along, and who answered is unknown. */
  readonly redirected: boolean;
}

const RAW_MAX = 2_000;
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id', 'x-trace-id', 'cf-ray'] as const;

const REQUEST_ID_MAX = 200;

/** The request id header of an answer, in whichever of the usual names, safe to show. The interface names none. */
function requestIdOf(headers: Headers, redactor: Redactor): string | null {
  for (const name of REQUEST_ID_HEADERS) {
    const value = headers.get(name);
    if (value !== null && value !== '') return printable(redactor.beginning(value, REQUEST_ID_MAX));
  }
  return null;
}

/** The beginning of a body, without key and secrets. It may hold a customer's data. */
export function excerpt({ raw, cut, broken }: Answer, redactor: Redactor): string {
  return redactor.beginning(raw, RAW_MAX, cut || broken);
}

/** Body and headers together. The status of a refusal counts even if its body breaks or never ends. */
export async function receive(response: Response, attempt: Attempt, redactor: Redactor): Promise<Answer> {
  const { status, headers } = response;
  const success = status >= 200 && status < 300;
  const requestId = requestIdOf(headers, redactor);
  const head = { status, headers, requestId, redirected: response.redirected === true, receivedAt: attempt.now() };
  const seen: Uint8Array[] = [];
  try {
    const body = await attempt.race(readBody(response, success ? BODY_MAX : ERROR_BODY_MAX, attempt.signal, seen));
    return { ...head, ...decoded(body, success) };
  } catch (thrown) {
    // Cut short by the caller, or a success of which only a part came in time.
    if (attempt.interruption === 'aborted' || (success && attempt.interruption !== null)) throw thrown;
    return { ...head, ...decoded({ bytes: join(seen), cut: false }, false), broken: true };
  }
}

function decoded(body: BodyBytes, strict: boolean): { raw: string; cut: boolean; broken: boolean } {
  try {
    return { raw: new TextDecoder('utf-8', { fatal: strict }).decode(body.bytes), cut: body.cut, broken: false };
  } catch {
    return { raw: new TextDecoder().decode(body.bytes), cut: body.cut, broken: !body.cut };
  }
}

/** What reading a body came to. `cut`: it was longer than the cap, and `bytes` is its beginning. */
export interface BodyBytes {
  readonly bytes: Uint8Array;
  readonly cut: boolean;
}

/**
 * Reads a body up to a cap, counting decoded bytes, so that a small compressed answer cannot fill the memory.
 * Rejects with the platform's error when the body breaks. `seen` fills as chunks come, for a reader that gives up early.
 */
export async function readBody(
  response: Response,
  cap: number,
  signal: AbortSignal,
  seen: Uint8Array[],
): Promise<BodyBytes> {
  if (response.body === null) return { bytes: new Uint8Array(0), cut: false };
  const reader = response.body.getReader();
  // A fetch that ignores its signal would otherwise feed a reader that nobody waits for.
  signal.addEventListener('abort', () => discard(reader), { once: true });
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: join(seen), cut: false };
    const room = cap - size;
    const chunk = value.byteLength > room ? value.subarray(0, room) : value;
    seen.push(chunk);
    size += chunk.byteLength;
    if (value.byteLength > room) {
      discard(reader);
      return { bytes: join(seen), cut: true };
    }
  }
}

/** Lets go of a body that nobody will read. Cancelling may fail; there is nothing left to do then. */
export function discard(stream: { cancel(): Promise<void> } | null): void {
  try {
    stream?.cancel().catch(() => {});
  } catch {
    // a locked stream throws at once; its reader has it in hand
  }
}

export function join(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
