import ky from 'ky';
import type { FetchLike } from '../call/options.ts';
import type { WireRecord } from '../contract/endpoint.ts';
import { printable } from '../printable.ts';
import type { Answer, Reading } from './answer/answer.ts';
import { requestIdOf } from './answer/answer.ts';
import { type BodyBytes, discard, join, readBody } from './answer/body.ts';
import { readAnswer } from './answer/read-answer.ts';
import type { Attempt } from './attempt.ts';
import { aborted, attemptTimeout, connectionFailure, deadlinePassed, type Failure, unusableKey } from './failure.ts';
import type { ApiKeySource } from './secrecy/api-key.ts';
import type { Redactor } from './secrecy/redact.ts';

const MIB = 1024 * 1024;
const BODY_MAX = 10 * MIB;
const ERROR_BODY_MAX = MIB;
/** Characters of a platform's error that are shown. */
const SHOWN_MAX = 300;

/** A request without its key: the same bytes for every attempt. */
export interface PreparedRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The members of the body, as encoded: what an answer is compared with. */
  readonly sent: WireRecord;
  /** The size of the page that it asks for; null where it asks for none. */
  readonly pageSize: number | null;
}

/** Limits in force for one attempt, for the messages of its failures. */
export interface AttemptLimits {
  readonly timeout: number;
  readonly deadline: number;
  readonly callerSignal: AbortSignal | null;
}

export type AttemptResult<Data> =
  | { readonly ok: true; readonly value: Data; readonly answer: Answer }
  | { readonly ok: false; readonly failure: Failure; readonly answer: Answer | null };

/**
 * One attempt over ky. ky carries the request and nothing else: retries, timers, size caps and errors are ours,
 * because its own retry the wrong things, end at the headers and hold the key. See docs/decisions.md.
 */
export class Transport {
  readonly #fetch: FetchLike;
  readonly #key: ApiKeySource;

  constructor(fetch: FetchLike, key: ApiKeySource) {
    this.#fetch = fetch;
    this.#key = key;
  }

  async attempt<Data>(
    request: PreparedRequest,
    attempt: Attempt,
    limits: AttemptLimits,
    reading: Reading<Data>,
  ): Promise<AttemptResult<Data>> {
    try {
      const key = await attempt.race(this.#key());
      if (!key.ok) return { ok: false, failure: unusableKey(key.problem), answer: null };
      const answer = await this.#exchange(request, key.value, attempt, reading.redactor);
      const read = readAnswer(answer, reading);
      return read.ok ? { ok: true, value: read.value, answer } : { ok: false, failure: read.failure, answer };
    } catch (thrown) {
      return { ok: false, failure: failureOf(thrown, attempt, limits, reading.redactor), answer: null };
    } finally {
      attempt.end();
    }
  }

  async #exchange(request: PreparedRequest, key: string, attempt: Attempt, redactor: Redactor): Promise<Answer> {
    const work = ky(request.url, {
      method: request.method,
      headers: request.headers,
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
      redirect: 'manual',
      // Key, body and signal join the request here, on objects that ky never sees and no error of its own can hold.
      fetch: (bare) => {
        const headers = new Headers(bare instanceof Request ? bare.headers : request.headers);
        headers.set('X-Api-Key', key);
        attempt.sent = true;
        return this.#fetch(request.url, {
          method: request.method,
          headers,
          body: request.body,
          redirect: 'manual',
          signal: attempt.signal,
        });
      },
    });
    // Cut short, the attempt does not wait for an answer that may still come: it is let go when it does.
    work.then(
      (late) => attempt.interruption !== null && discard(late.body),
      () => {},
    );
    const response = await attempt.race(work);
    // What a fetch gives in place of a rejection: the request was sent, and there is no answer.
    if (response.type === 'error') throw new TypeError('fetch gave a network error as its response');
    return read(response, attempt, redactor);
  }
}

/** Body and headers together. The status of a refusal counts even if its body breaks or never ends. */
async function read(response: Response, attempt: Attempt, redactor: Redactor): Promise<Answer> {
  const { status, headers } = response;
  const success = status >= 200 && status < 300;
  const requestId = requestIdOf(headers, redactor);
  const head = { status, headers, requestId, redirected: response.redirected === true, receivedAt: attempt.now() };
  const seen: Uint8Array[] = [];
  try {
    const body = await attempt.race(readBody(response, success ? BODY_MAX : ERROR_BODY_MAX, attempt.signal, seen));
    return { ...head, ...textOf(body, success) };
  } catch (thrown) {
    // Cut short by the caller, or a success of which only a part came in time.
    if (attempt.interruption === 'aborted' || (success && attempt.interruption !== null)) throw thrown;
    return { ...head, ...textOf({ bytes: join(seen), cut: false }, false), broken: true };
  }
}

function failureOf(thrown: unknown, attempt: Attempt, limits: AttemptLimits, redactor: Redactor): Failure {
  const outcome = attempt.sent ? 'unknown' : 'not_sent';
  switch (attempt.interruption) {
    case 'aborted':
      return aborted(limits.callerSignal?.reason, outcome);
    case 'timeout':
      return attemptTimeout(limits.timeout, outcome);
    case 'deadline':
      return deadlinePassed(limits.deadline, outcome);
    case null:
      return connectionFailure(thrown, attempt.sent, (text) => printable(redactor.beginning(text, SHOWN_MAX)));
  }
}

function textOf(body: BodyBytes, strict: boolean): { raw: string; cut: boolean; broken: boolean } {
  try {
    return { raw: new TextDecoder('utf-8', { fatal: strict }).decode(body.bytes), cut: body.cut, broken: false };
  } catch {
    return { raw: new TextDecoder().decode(body.bytes), cut: body.cut, broken: !body.cut };
  }
}
