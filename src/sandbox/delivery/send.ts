import { isLoopback } from '../../contract/values/hosts.ts';
import type { DeliveryFault } from '../state/faults.ts';
import { excerpt } from '../state/log.ts';
import type { DeliveryRecord } from '../state/records.ts';
import type { SandboxWebhookRequest } from '../wire-types.ts';
import type { World } from '../world.ts';
import type { EndedAttempt } from './cause.ts';
import { signedRequest } from './signed-request.ts';

/** The result of one attempt. */
export type SendResult = Omit<EndedAttempt, 'fault'>;
type Answered = Omit<SendResult, 'duration_ms' | 'request'>;

const KEPT_ANSWER = 2_000;
/** Milliseconds of real time that a receiver has for its answer. */
const RECEIVER_LIMIT = 15_000;

function unanswered(error: string): Answered {
  return { status_code: null, success: false, error, response_body: null, response_headers: null };
}

/** Makes one attempt. Any 2xx is a success. Any other status, a timeout and a failed connection are not. */
export async function send(
  world: World,
  delivery: DeliveryRecord,
  stampAt: number,
  fault: DeliveryFault | null,
): Promise<SendResult> {
  const { url } = delivery;
  const unsent = (error: string): SendResult => ({ ...unanswered(error), duration_ms: 0, request: null });
  const refusal = refusedHost(url, world.settings.deliverTo);
  if (refusal !== null) return unsent(refusal);
  const request = await signedRequest(world.settings, delivery, url, stampAt, fault);
  const result = await exchange(world, request);
  if (fault?.type === 'duplicate') await exchange(world, request);
  return result;
}

/** The reason why a webhook must not go to this address, or null. */
function refusedHost(address: string, allowed: readonly string[]): string | null {
  const { hostname, protocol } = new URL(address);
  if (isLoopback(hostname) || allowed.includes(hostname.toLowerCase())) return null;
  return `not sent: the sandbox delivers to this machine only. Allow it with deliverTo: ["${hostname}"]${protocol === 'https:' ? '' : ' (the service itself takes https only)'}`;
}

/** Sends one request and waits for its answer, the timeout, or the end of the sandbox. */
export async function exchange(world: World, request: SandboxWebhookRequest): Promise<SendResult> {
  const { wallClock, sleep } = world.settings;
  const life = world.life.signal;
  const started = wallClock();
  const over = new AbortController();
  const end = (): void => over.abort();
  life.addEventListener('abort', end);
  const ended = new Promise<null>((resolve) => over.signal.addEventListener('abort', () => resolve(null)));
  const timedOut = sleep(RECEIVER_LIMIT, over.signal).then(() => null);
  const answer = await Promise.race([answerOf(world, request, over.signal), timedOut, ended]);
  life.removeEventListener('abort', end);
  over.abort();
  const reason = life.aborted ? 'the sandbox was closed' : `timeout: no answer within ${RECEIVER_LIMIT / 1000} s`;
  const duration_ms = Math.max(0, Math.round(wallClock() - started));
  return { ...(answer ?? unanswered(reason)), duration_ms, request };
}

async function answerOf(world: World, request: SandboxWebhookRequest, signal: AbortSignal): Promise<Answered> {
  try {
    const { url, method, headers, body } = request;
    // A redirect is an answer that is not 2xx. Following it would send signed data to an address that no one configured.
    const response = await world.settings.fetch(url, {
      method,
      headers: { ...headers },
      body,
      redirect: 'manual',
      signal,
    });
    const success = response.status >= 200 && response.status <= 299;
    const text = await startOf(response);
    return {
      status_code: response.status,
      success,
      error: success ? null : `answered ${response.status}`,
      response_body: text,
      response_headers: headersOf(response),
    };
  } catch (error) {
    return unanswered(`connection error: ${codeOf(error)}`);
  }
}

/** Reads the start of the body. The status alone decides, so a body that breaks off changes nothing. */
async function startOf(response: Response): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (text.length < KEPT_ANSWER) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    void reader.cancel().catch(() => undefined);
  } catch {
    // The part that has arrived is kept.
  }
  return excerpt(text, KEPT_ANSWER);
}

function headersOf({ headers }: Response): Record<string, string> {
  const kept = [...headers].slice(0, 30).map(([name, value]) => [name, excerpt(value, 200)] as const);
  return Object.fromEntries(kept);
}

/** The code of a failed connection, or its message. */
export function codeOf(error: unknown): string {
  const cause: unknown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string')
    return cause.code;
  return cause instanceof Error ? cause.message : 'no answer';
}
