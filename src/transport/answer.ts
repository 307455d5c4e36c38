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
  /** True when the body was longer than the limit. `raw` is its beginning then. */
  readonly cut: boolean;
  /** True when the body broke off or is not UTF-8. `raw` is the part that could be read. */
  readonly broken: boolean;
  /** True when the fetch has followed a redirect: the key may have been sent there, and the sender of the answer is unknown. */
  readonly redirected: boolean;
}

const RAW_MAX = 2_000;
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id', 'x-trace-id', 'cf-ray'] as const;

const REQUEST_ID_MAX = 200;

/** Returns the request id of an answer, safe to show, or null. The interface does not name the header. */
function readRequestId(headers: Headers, redactor: Redactor): string | null {
  for (const name of REQUEST_ID_HEADERS) {
    const value = headers.get(name);
    // A fake may have its headers in a Map, which gives undefined.
    if (typeof value === 'string' && value !== '') return printable(redactor.beginning(value, REQUEST_ID_MAX));
  }
  return null;
}

/** Returns the first 2,000 characters of a body, without key and secrets. They may hold a customer's data. */
export function excerpt({ raw, cut, broken }: Answer, redactor: Redactor): string {
  return redactor.beginning(raw, RAW_MAX, cut || broken);
}

/**
 * Reads the body of an answer, as long as the attempt lasts. The status of a refusal counts even if its body breaks or
 * never ends.
 */
export async function receiveAnswer(response: Response, attempt: Attempt, redactor: Redactor): Promise<Answer> {
  const { status, headers } = response;
  if (typeof headers?.get !== 'function') throw new TypeError('fetch gave a response without headers');
  const success = status >= 200 && status < 300;
  const head = { status, headers, redirected: response.redirected === true, receivedAt: attempt.now() };
  const seen: Uint8Array[] = [];
  try {
    const body = await attempt.race(readBody(response, success ? BODY_MAX : ERROR_BODY_MAX, attempt.signal, seen));
    return new ReceivedAnswer(head, decodedText(body, success), redactor);
  } catch (thrown) {
    // Aborted by the caller, or a success of which only a part came in time.
    if (attempt.interruption === 'aborted' || (success && attempt.interruption !== null)) throw thrown;
    const raw = new TextDecoder().decode(join(seen));
    return new ReceivedAnswer(head, { raw, cut: false, broken: true }, redactor);
  }
}

type Head = Pick<Answer, 'status' | 'headers' | 'redirected' | 'receivedAt'>;
type DecodedText = Pick<Answer, 'raw' | 'cut' | 'broken'>;

class ReceivedAnswer implements Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly receivedAt: number;
  readonly raw: string;
  readonly cut: boolean;
  readonly broken: boolean;
  readonly redirected: boolean;
  readonly #redactor: Redactor;

  constructor(
    { status, headers, redirected, receivedAt }: Head,
    { raw, cut, broken }: DecodedText,
    redactor: Redactor,
  ) {
    this.status = status;
    this.headers = headers;
    this.receivedAt = receivedAt;
    this.raw = raw;
    this.cut = cut;
    this.broken = broken;
    this.redirected = redirected;
    this.#redactor = redactor;
  }

  /** Hidden and escaped when it is read, because no caller reads the id of most answers. */
  get requestId(): string | null {
    return readRequestId(this.headers, this.#redactor);
  }
}

function decodedText(body: BodyBytes, strict: boolean): DecodedText {
  try {
    return { raw: new TextDecoder('utf-8', { fatal: strict }).decode(body.bytes), cut: body.cut, broken: false };
  } catch {
    return { raw: new TextDecoder().decode(body.bytes), cut: body.cut, broken: !body.cut };
  }
}

/** The bytes of a body. `cut`: it was longer than the limit, and `bytes` is its beginning. */
export interface BodyBytes {
  readonly bytes: Uint8Array;
  readonly cut: boolean;
}

/**
 * Reads a body up to a limit of decoded bytes, so that a small compressed answer cannot fill the memory.
 *
 * @param seen Receives each chunk, for a caller that stops before the end.
 * @throws The platform's error when the body breaks.
 */
export async function readBody(
  response: Response,
  cap: number,
  signal: AbortSignal,
  seen: Uint8Array[],
): Promise<BodyBytes> {
  if (response.body === null) return { bytes: new Uint8Array(0), cut: false };
  const reader = response.body.getReader();
  // A fetch that ignores its signal would otherwise send to a reader that no code waits for.
  signal.addEventListener('abort', () => discard(reader), { once: true });
  if (signal.aborted) discard(reader); // ended after the headers came
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

/** Cancels a body that no code will read. Failures are ignored. */
export function discard(stream: { cancel(): Promise<void> } | null): void {
  try {
    stream?.cancel().catch(() => {});
  } catch {
    // A locked stream throws at once. Its reader cancels it.
  }
}

export function join(chunks: readonly Uint8Array[]): Uint8Array {
  const only = chunks.length === 1 ? chunks[0] : undefined;
  if (only !== undefined) return only;
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
