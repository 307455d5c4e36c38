// One request to a receiver: its body, its signature, and how it is sent.
import type { KnownEventType } from '../../../contract/statuses.ts';
import { isLoopback } from '../../../contract/values/scalars.ts';
import { kindOf } from '../../../errors/checks.ts';
import { eventNameOf } from '../../../webhooks/event/events.ts';
import { signWebhook } from '../../../webhooks/verify/signature.ts';
import type { Dialect } from '../dialects.ts';
import type { DeliveryFetch } from '../sandbox-options.ts';
import type { DeliveryFault } from '../state/faults.ts';
import { copyOfStart } from '../state/log.ts';
import type { DeliveryRecord, InvoiceRecord } from '../state/records.ts';
import type { SandboxAttempt, SandboxWebhookRequest } from '../types.ts';
import type { World } from '../world.ts';

/** The event of an invoice that has ended. A status that the interface does not list counts as canceled. */
export function eventTypeOf(invoice: InvoiceRecord): KnownEventType {
  return eventNameOf(invoice.status) ?? 'invoice.canceled';
}

/** The members that say whether a payment was adjusted. */
function adjustedMembers(adjusted: boolean, { adjustedMember }: Dialect): object {
  switch (adjustedMember) {
    case 'payment.adjusted':
      return { payment: { adjusted } };
    case 'only_when_true':
      return adjusted ? { adjusted } : {};
    default:
      return { [adjustedMember]: adjusted };
  }
}

/**
 * The body of the terminal webhook.
 * @see [Payload members](../../../../docs/service-interface.md#payload-members)
 */
export function eventBody(
  invoice: InvoiceRecord,
  dialect: Dialect,
  writeBody: (members: object) => string = JSON.stringify,
): string {
  const type = eventTypeOf(invoice);
  const { orderIdMember } = dialect;
  const { external_id, amount, adjustment } = invoice;
  const paid = {
    amount: adjustment?.actual_amount_fiat ?? amount,
    credited_usdt: invoice.settledUsdt,
    ...adjustedMembers(adjustment !== null, dialect),
    ...(adjustment !== null && { original_amount: adjustment.expected_amount_fiat }),
  };
  const members = {
    event: type,
    invoice_uuid: invoice.uuid,
    ...(orderIdMember === 'order.id' ? { order: { id: external_id } } : { [orderIdMember]: external_id }),
    status: invoice.status,
    ...(type === 'invoice.paid' ? paid : { amount }),
    ...(dialect.laterVersion === 'some' && { customer_id: invoice.customer_id, meta: { attempt_of: 'sandbox' } }),
  };
  return writeBody(members);
}

const TEN_MINUTES = 600_000;

/** The faults that change the request of a delivery. */
export const REQUEST_CHANGES = ['wrong_signature', 'late_timestamp', 'reserialized'] as const;

/**
 * Signs a delivery and adds the headers in the form of the dialect. Each attempt sends the same bytes as its body.
 * @see [Headers on every delivery](../../../../docs/service-interface.md#headers-on-every-delivery)
 */
export async function signedRequest(
  { dialect, webhookSecret }: { readonly dialect: Dialect; readonly webhookSecret: string },
  { id, body }: Pick<DeliveryRecord, 'id' | 'body'>,
  url: string,
  stampAt: number,
  fault: DeliveryFault | null = null,
): Promise<SandboxWebhookRequest> {
  const age = fault?.type === 'late_timestamp' ? (fault.age ?? TEN_MINUTES) : 0;
  const secret = fault?.type === 'wrong_signature' ? `${webhookSecret}_but_another` : webhookSecret;
  const signed = await signWebhook(body, secret, {
    id,
    timestamp: stampAt - age,
    timestampFormat: dialect.timestampFormat,
    encoding: dialect.signatureEncoding,
  });
  return {
    url,
    method: 'POST',
    headers: {
      'User-Agent': 'merchant-invoicing-sandbox',
      ...signed,
      ...(dialect.laterVersion === 'some' && { 'X-Webhook-Version': '1', 'X-Business-Id': 'sandbox' }),
    },
    body: fault?.type === 'reserialized' ? JSON.stringify(JSON.parse(body), null, 2) : body,
  };
}

/** The result of one attempt. */
export interface SendResult extends Omit<SandboxAttempt, 'fault' | 'cause' | 'triggered_by' | 'created_at'> {
  /**
   * Why no response came: the code of the connection error, `time-out`, `no-response` of an own fetch, or `not_sent`.
   * Null with a response.
   */
  readonly problem: string | null;
}
type Answered = Omit<SendResult, 'duration_ms' | 'request'>;

const KEPT_RESPONSE = 2_000;
/** Milliseconds of real time that a receiver has for its response. */
const RECEIVER_LIMIT = 15_000;

function unanswered(error: string, problem: string): Answered {
  return { problem, status_code: null, success: false, error, response_body: null, response_headers: null };
}

/** Makes one attempt. Any 2xx is a success. Any other status, a timeout and a failed connection are not. */
export async function send(
  world: World,
  delivery: DeliveryRecord,
  stampAt: number,
  fault: DeliveryFault | null,
): Promise<SendResult> {
  const life = world.life.signal; // read before signing, because a reset meanwhile replaces it
  const { url } = delivery;
  const unsent = (error: string): SendResult => ({ ...unanswered(error, 'not_sent'), duration_ms: 0, request: null });
  const { hostname } = new URL(url);
  if (!isLoopback(hostname) && !world.settings.deliverTo.includes(hostname.toLowerCase())) {
    return unsent('the sandbox delivers to this machine only');
  }
  if (fault?.type === 'outage') return unsent('ECONNREFUSED');
  const request = await signedRequest(world.settings, delivery, url, stampAt, fault);
  const sending = sendRequest(world, request, life);
  const second = fault?.type === 'duplicate' && fault.atOnce === true ? sendRequest(world, request, life) : null;
  const result = await sending;
  if (second !== null) {
    const other = await second;
    return result.success ? result : other; // one of the two may wait for the other
  }
  if (fault?.type === 'duplicate') await sendRequest(world, request, life);
  if (fault?.type !== 'ack_lost') return result;
  return { ...result, ...unanswered('ECONNRESET', 'ECONNRESET') };
}

/** Sends one request and waits for its response, the timeout, or the end of the sandbox. */
async function sendRequest(
  { settings: { wallClock, sleep, fetch } }: World,
  request: SandboxWebhookRequest,
  life: AbortSignal,
): Promise<SendResult> {
  const closed = unanswered('the sandbox was closed', 'not_sent');
  if (life.aborted) return { ...closed, duration_ms: 0, request };
  const started = wallClock();
  const over = new AbortController();
  const signal = AbortSignal.any([life, over.signal]);
  const { url, method, headers, body } = request;
  const ended = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)));
  const timedOut = sleep(RECEIVER_LIMIT, signal).then(() => null);
  const sending = fetchOnce(fetch, url, { method, headers, body, signal });
  const response = await Promise.race([sending, timedOut, ended]);
  over.abort();
  const late = unanswered(`timeout after ${RECEIVER_LIMIT / 1000} s`, 'time-out');
  const duration_ms = Math.max(0, Math.round(wallClock() - started));
  return { ...(life.aborted ? closed : (response ?? late)), duration_ms, request };
}

/** Sends a request once. Never rejects. A redirect is a response that is not 2xx, and is not followed. */
export async function fetchOnce(fetch: DeliveryFetch, url: string, init: RequestInit): Promise<Answered> {
  try {
    const response: Response | undefined = await fetch(url, { ...init, redirect: 'manual' }); // a function in braces
    if (typeof response?.status !== 'number')
      return unanswered(`the option fetch resolved to ${kindOf(response)}`, 'no-response');
    const success = response.status >= 200 && response.status <= 299;
    return {
      problem: null,
      status_code: response.status,
      success,
      error: success ? null : `returned ${response.status}`,
      response_body: await startOfBody(response),
      response_headers: headersOf(response),
    };
  } catch (error) {
    const code = codeOf(error);
    return unanswered(code, code);
  }
}

/** Reads the start of the body. The status alone decides, so a body that breaks off changes nothing. */
async function startOfBody(response: Response): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (text.length < KEPT_RESPONSE) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    void reader.cancel().catch(() => undefined);
  } catch {
    // The part that has arrived is kept.
  }
  return copyOfStart(text, KEPT_RESPONSE);
}

function headersOf({ headers }: Response): Record<string, string> {
  const kept = [...headers].slice(0, 30).map(([name, value]) => [name, copyOfStart(value, 200)] as const);
  return Object.fromEntries(kept);
}

/** The code of a failed connection, or its message. */
export function codeOf(error: unknown): string {
  const cause: unknown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string')
    return cause.code;
  return cause instanceof Error ? cause.message : 'no response';
}
