import { WebhookVerificationError } from '../errors/classes.ts';
import type { WebhookReason } from '../errors/codes.ts';
import { isMerchantError } from '../errors/guards.ts';
import { bytesFrom, type RawBody } from './body.ts';
import { catchUp } from './catch-up/catch-up.ts';
import type { CatchUpClient, CatchUpOptions, CatchUpResult } from './catch-up/options.ts';
import { engine } from './crypto.ts';
import { decodeEvent, readableNames } from './event/decode.ts';
import type { InvoiceEvent } from './event/event-types.ts';
import { keyOf } from './event/identity.ts';
import { memberOf, takeNodeResponse } from './framework.ts';
import { type HandlerSettings, readHandlerOptions, type WebhookHandlerOptions } from './handle/handler-options.ts';
import { identify, playInTime } from './handle/play-event.ts';
import { type Ending, replyFor, type WebhookReply } from './handle/reply.ts';
import { NO_SUBJECT, type ReportSettings, type ReportSubject, report, subjectOf } from './handle/report.ts';
import { startTimeLimit } from './handle/timing.ts';
import { type HeadersInput, type HeaderValues, isCompressed, readHeaders } from './verify/headers.ts';
import { isSandboxAllowed } from './verify/sandbox-secret.ts';
import { type VerifiedPayload, type VerifySettings, verifyDelivery } from './verify/verify.ts';
import { fingerprintLine, whyMismatch } from './verify/why.ts';

// One request through the receiver, in the order in which it happens: method, headers, body, signature, event, store,
// the merchant's function, reply.

/** A request of any framework. */
export interface WebhookRequest {
  /** The HTTP method. Any other than POST is answered 405. */
  readonly method: string;
  /** All headers of the request, in any form of {@link HeadersInput}. */
  readonly headers: HeadersInput;
  /**
   * The raw body, or a function that reads it after method and Content-Encoding are checked. It may read at most
   * `limit` bytes, and only until the signal is aborted at the handler's time limit. Null means that the sender closed
   * the connection before the body was complete.
   */
  readonly body: RawBody | ((limit: number, signal: AbortSignal) => Promise<RawBody | null>);
}

/**
 * The endpoint as a function. Wrap it with `toFetchHandler`, `toNodeHandler` or `toLambdaHandler`, or call it directly.
 */
export interface WebhookHandler {
  /**
   * Handles one delivery. Never rejects: each failure is a response and a report.
   *
   * @example
   * const reply = await handler.handle({ method: request.method, headers: request.headers, body: rawBody });
   * response.writeHead(reply.status, reply.headers).end(reply.body);
   */
  handle(request: WebhookRequest): Promise<WebhookReply>;
  /**
   * Plays the events that no webhook delivered: run it on a schedule, and after an outage. It reads all invoices of each
   * order that your database still waits for, and passes their events to the same functions, through the same store: each
   * payment, and the cancellation of the last invoice where none is paid or open. A webhook that arrives later finds them
   * done. Reports go to `onReport`, with the status null.
   *
   * With more than a hundred orders it reads the list of pending invoices first, and needs no other read for an order
   * whose first invoice is in it. A failed order does not stop the run, and the next run tries it again. If an invoice
   * lacks an amount, the order is counted as failed, because amounts are never guessed.
   *
   * @param merchant A `MerchantClient`.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable argument.
   * @throws AbortedError (`SDK_ABORTED`) if the signal is aborted.
   * @throws CallError of the client if the key is refused, or if ten orders in a row and a list cannot be read: the
   *   service is down.
   * @example
   * const { played, failed } = await handler.catchUp(merchant, { orders: ['order-1001', 'order-1002'] });
   * console.log(`${played} played, ${failed} failed`);
   */
  catchUp(merchant: CatchUpClient, options: CatchUpOptions): Promise<CatchUpResult>;
}

/**
 * Creates the webhook endpoint. It verifies each delivery, drops repeats, and runs your function. It answers 2xx only
 * when nothing is left to do, so that the service repeats a delivery until then.
 *
 * Your function may run again after a crash. Make its work idempotent, or write inside the transaction of a store that
 * has one.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for a missing or unusable option.
 * @example
 * const handler = createWebhookHandler({
 *   store: memoryStore(),
 *   onPaid: async (event) => book(event.order, event.invoice_uuid, event.amount, event.credited_usdt),
 *   onAdjusted: async (event) => review(event.order, event.invoice_uuid, event.amount, event.credited_usdt), // paid less, or more
 *   onCanceled: async (event) => cancel(event.order, event.renewal), // where it still waits for this renewal, or a lower one
 * });
 * http.createServer(toNodeHandler(handler)).listen(3000);
 * @see [Receiver rules](../../docs/service-interface.md#receiver-rules)
 */
export function createWebhookHandler<Extra extends object = object>(
  options: WebhookHandlerOptions<Extra>,
): WebhookHandler {
  const settings = readHandlerOptions(options);
  return {
    // If this function was mounted as a route by mistake, the second argument is the framework's response.
    handle: (request: WebhookRequest, ...others: unknown[]) =>
      isFrameworkRequest(request) ? refuseRoute(request, others[0], settings) : handleRequest(request, settings),
    catchUp: (merchant, options) => catchUp(merchant, options, settings),
  };
}

/** Handles one delivery within the time limit. Never rejects: each failure is a response and a report. */
async function handleRequest<Extra extends object>(
  request: WebhookRequest,
  settings: HandlerSettings<Extra>,
): Promise<WebhookReply> {
  let subject = NO_SUBJECT;
  const limit = startTimeLimit(settings);
  try {
    const headers = readHeaders(request.headers);
    subject = subjectOf(headers, settings.verify.now);
    const received = await limit.race(receive(request, headers, settings, limit.signal).catch(endingOf));
    if (received === null || 'verdict' in received) return respond(settings, subject, received ?? BODY_TOO_SLOW);
    const identified = await identify(received, settings);
    const { external_id, order } = identified.event;
    subject = { ...subject, key: identified.key, external_id, order };
    return respond(settings, subject, await playInTime(identified, settings, limit, subject));
  } catch (error) {
    return respond(settings, subject, endingOf(error));
  } finally {
    limit.end();
  }
}

const BODY_TOO_SLOW: Ending = {
  verdict: 'time_limit',
  cause: 'The sender had not sent the whole body when the time limit ended: answered 503.',
  remedy: 'If this repeats, look at the proxy before the receiver.',
  isCauseKnown: true, // the row speaks of a function, and none has begun
};

/** Reports how the request ended, unless the event was handled now, and returns the response. */
function respond(settings: ReportSettings, subject: ReportSubject, ending: Ending): WebhookReply {
  const { verdict, headers, about, ...fact } = ending;
  const reply = replyFor(verdict, headers);
  if (verdict !== 'done')
    report(settings, { ...subject, ...about }, { reason: verdict, ...fact, status: reply.status });
  return reply;
}

/** The event of a genuine delivery, or why the request is refused. */
async function receive<Extra extends object>(
  { method, body }: WebhookRequest,
  headers: HeaderValues,
  { verify, store }: HandlerSettings<Extra>,
  signal: AbortSignal,
): Promise<InvoiceEvent | Ending> {
  if (String(method).toUpperCase() !== 'POST') return { verdict: 'method_not_allowed' };
  if (isCompressed(headers)) return { verdict: 'unsupported_media_type' };
  const raw = typeof body === 'function' ? await body(verify.maxBodySize, signal) : body;
  if (raw === null && typeof body === 'function') return { verdict: 'aborted' };
  const bytes = bytesFrom(raw, verify.maxBodySize);
  let verified: VerifiedPayload;
  try {
    verified = await verifyDelivery(bytes, headers, verify);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError) || !isSandboxAllowed(verify.sandbox)) throw error;
    if (error.reason === 'signature_mismatch') return await explainMismatch(bytes, headers, verify);
    return { ...endingOf(error), isCauseKnown: AGES.includes(error.reason) };
  }
  const { body: payload, origin } = verified;
  try {
    return decodeEvent(payload, origin, verify);
  } catch (error) {
    const { external_id, order, invoice_uuid, status } = readableNames(payload, verify);
    const key = await keyOf(invoice_uuid, status, store.namespace);
    return { ...endingOf(error), about: { key, external_id, order } };
  }
}

/** Refusals of a genuine delivery, which in sandbox mode say by which clock the sender stamps. */
const AGES: readonly WebhookReason[] = ['timestamp_too_old', 'timestamp_too_new'];

/**
 * Says why the signature does not match, in sandbox mode only, because it costs many HMACs. The sender gets the row and
 * a digest of its own bytes. Fingerprints of secrets go to the console only.
 */
async function explainMismatch(bytes: Uint8Array, headers: HeaderValues, verify: VerifySettings): Promise<Ending> {
  const { id, text, remedy, isProven } = await whyMismatch(bytes, headers, verify.secrets);
  return {
    verdict: 'signature_mismatch',
    cause: isProven ? text : `${text} ${await fingerprintLine(verify.secrets)}`,
    remedy,
    isCauseKnown: true,
    headers: { 'X-Merchant-Cause': id, 'X-Merchant-Body-SHA256': await engine().sha256(bytes) },
  };
}

/** The ending for a thrown value. */
function endingOf(error: unknown): Ending {
  if (error instanceof WebhookVerificationError) return { verdict: error.reason, message: error.message };
  if (isMerchantError(error)) return { verdict: 'setup', message: error.message };
  const cause = 'The request could not be read: is it { method, headers, body }?';
  return { verdict: 'setup', cause, remedy: null, error };
}

/**
 * True for the request of a framework, which is given to `handle` by mistake: `handle` takes { method, headers, body }.
 */
function isFrameworkRequest(request: unknown): boolean {
  return ['pipe', 'raw', 'req', 'arrayBuffer'].some((member) => memberOf(request, member) !== undefined);
}

const NOT_A_ROUTE: Ending = {
  verdict: 'setup',
  cause: 'handler.handle was given the request of a framework. It takes { method, headers, body }.',
  remedy:
    "Change the line to app.post('/webhook', toNodeHandler(handler)) for Express, Fastify, Koa, Nest and hapi, or to toFetchHandler(handler) for Hono, Next and every other function of a Request.",
};

/**
 * Answers 500 for a `handle` that is used as a route. Where the framework gave its response, it is written here: some
 * frameworks would send the returned object with the status 200, or wait for ever.
 */
async function refuseRoute<Extra extends object>(
  request: object,
  second: unknown,
  settings: HandlerSettings<Extra>,
): Promise<WebhookReply> {
  const reply = respond(settings, NO_SUBJECT, NOT_A_ROUTE);
  const response = takeNodeResponse(request, second);
  if (response !== undefined) {
    response.statusCode = reply.status;
    response.end(`${reply.body}: use toNodeHandler(handler) as the route`);
  }
  return reply;
}
