import { keptText } from '../http/kept-text.ts';
import type { DeliveryFault } from '../service/faults.ts';
import type { DeliveryRecord } from '../state/store.ts';
import type { SandboxAttempt, SandboxWebhookRequest } from '../wire-types.ts';
import type { World } from '../world.ts';
import { refusedHost } from './hosts.ts';
import { signedHeaders } from './signed-headers.ts';

/** What one attempt came to. */
export type SendResult = Pick<
  SandboxAttempt,
  'status_code' | 'success' | 'error' | 'duration_ms' | 'request' | 'response_body' | 'response_headers'
>;

const TEN_MINUTES = 600_000;
const KEPT_ANSWER = 2_000;

/** Signs the body and puts the headers around it. The body's bytes are the same for every attempt. */
export async function signedRequest(
  world: Pick<World, 'settings'>,
  delivery: Pick<DeliveryRecord, 'id' | 'body' | 'eventType'>,
  url: string,
  stampAt: number,
  fault: DeliveryFault | null = null,
): Promise<SandboxWebhookRequest> {
  const { dialect, webhookSecret } = world.settings;
  const age = fault?.type === 'late_timestamp' ? (fault.age ?? TEN_MINUTES) : 0;
  const secret = fault?.type === 'wrong_signature' ? `${webhookSecret}_but_another` : webhookSecret;
  const signed = await signedHeaders(dialect, secret, { ...delivery, timestamp: stampAt - age });
  const body = fault?.type === 'reserialized' ? JSON.stringify(JSON.parse(delivery.body), null, 2) : delivery.body;
  return {
    url,
    method: 'POST',
    headers: {
      'User-Agent': 'merchant-invoicing-sandbox',
      ...signed,
    },
    body,
  };
}

/** One attempt: any 2xx is a success; any other status, the time-out and a failed connection are not. */
export async function send(
  world: World,
  delivery: DeliveryRecord,
  stampAt: number,
  fault: DeliveryFault | null,
): Promise<SendResult> {
  const nothing = {
    status_code: null,
    success: false,
    duration_ms: 0,
    request: null,
    response_body: null,
    response_headers: null,
  };
  if (delivery.url === null)
    return { ...nothing, error: 'not sent: neither the invoice nor the business has a callback URL' };
  const refused = refusedHost(delivery.url, world.settings.deliverTo);
  if (refused !== null) return { ...nothing, error: refused };
  const request = await signedRequest(world, delivery, delivery.url, stampAt, fault);
  const result = await exchange(world, request);
  if (fault?.type === 'duplicate') await exchange(world, request);
  return result;
}

/** Sends one request and waits for its answer, the time-out, or the end of the sandbox. */
export async function exchange(world: World, request: SandboxWebhookRequest): Promise<SendResult> {
  const { wallClock, sleep, deliveryTimeout } = world.settings;
  const started = wallClock();
  const over = new AbortController();
  const stopWaiting = new AbortController();
  const end = (): void => over.abort();
  world.life.signal.addEventListener('abort', end);
  const timedOut = sleep(deliveryTimeout, stopWaiting.signal).then(() => 'timeout' as const);
  const answered = answerOf(world, request, over.signal);
  const ended = new Promise<'ended'>((resolve) => over.signal.addEventListener('abort', () => resolve('ended')));
  const outcome = await Promise.race([answered, timedOut, ended]);
  world.life.signal.removeEventListener('abort', end);
  over.abort();
  stopWaiting.abort();
  const timing = { duration_ms: Math.max(0, Math.round(wallClock() - started)), request };
  if (typeof outcome !== 'string') return { ...outcome, ...timing };
  const error =
    outcome === 'timeout' ? `time-out: no answer within ${deliveryTimeout / 1000} s` : 'the sandbox was closed';
  return { status_code: null, success: false, error, response_body: null, response_headers: null, ...timing };
}

type Answered = Pick<SendResult, 'status_code' | 'success' | 'error' | 'response_body' | 'response_headers'>;

async function answerOf(world: World, request: SandboxWebhookRequest, signal: AbortSignal): Promise<Answered> {
  try {
    const { url, method, headers, body } = request;
    // A redirect is an answer that is not 2xx: followed, it would carry signed data to a place nobody named.
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
    const nothing = { status_code: null, success: false, response_body: null, response_headers: null };
    return { ...nothing, error: `connection error: ${codeOf(error)}` };
  }
}

/** The status decides: a body that breaks off changes nothing, and no more than its start is read. */
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
    // What has arrived is kept.
  }
  return keptText(text, KEPT_ANSWER);
}

function headersOf({ headers }: Response): Record<string, string> {
  const kept = [...headers].slice(0, 30).map(([name, value]) => [name, keptText(value, 200)] as const);
  return Object.fromEntries(kept);
}

function codeOf(error: unknown): string {
  const cause: unknown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string')
    return cause.code;
  return cause instanceof Error ? cause.message : 'no answer';
}
