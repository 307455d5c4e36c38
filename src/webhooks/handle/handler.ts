import { ConfigurationError, isMerchantError, WebhookVerificationError } from '../../errors/classes.ts';
import { ReadingStopped, RequestAborted, untilAborted } from '../adapters/request-aborted.ts';
import { catchUp } from '../catch-up/catch-up.ts';
import { type HeaderValues, readHeaders } from '../verify/delivery-headers.ts';
import { bytesFrom } from '../verify/raw-body.ts';
import { weakSecrets } from '../verify/secrets.ts';
import { verifyDelivery } from '../verify/verify.ts';
import {
  type HandlerSettings,
  handlerSettings,
  type WebhookHandler,
  type WebhookHandlerOptions,
  type WebhookRequest,
} from './handler-options.ts';
import { type Ending, playEvent } from './play-event.ts';
import { replyFor, statusOf, type Verdict, type WebhookReply } from './replies.ts';
import { type RequestFacts, requestFacts, tell, type WebhookReportReason } from './report.ts';
import { isPlain } from './request-form.ts';
import { underTimeLimit } from './time-limit.ts';

/**
 * Makes the webhook endpoint: verifies, drops repeats, runs your function, and answers what makes the service repeat
 * exactly when the work is not done.
 *
 * Your function may run again after a crash, so its work must bear repetition, or be written inside the transaction
 * of a store that has one.
 *
 * @throws ConfigurationError for a missing or unusable option.
 * @see [Receiver rules](../../../docs/service-interface.md#receiver-rules)
 */
export function createWebhookHandler<Extra extends object = object>(
  options: WebhookHandlerOptions<Extra>,
): WebhookHandler {
  const settings = handlerSettings(options);
  reportWeakSecrets(settings);
  return {
    handle: (request) => handleRequest(request, settings),
    catchUp: (merchant, options) => catchUp(merchant, options, settings),
  };
}

/** What is found out about a request on the way. */
interface Progress {
  facts: RequestFacts;
  key: string | null;
  isBodyRead: boolean;
}

/** Once for each handler, when it is made: a delivery would not show it. */
function reportWeakSecrets<Extra extends object>({ verify, options }: HandlerSettings<Extra>): void {
  const weak = weakSecrets(verify.secrets);
  if (weak.length === 0) return;
  const which = verify.secrets.length === 1 ? 'The webhook secret' : `Webhook secret ${weak.join(', ')}`;
  const message = `${which} has under 16 bytes, and could be found by trying. Use the one of the dashboard, or have it make a longer one.`;
  tell(options.onReport, { reason: 'weak_secret', message, status: null, deliveryId: null, ageMs: null, key: null });
}

async function handleRequest<Extra extends object>(
  request: WebhookRequest,
  settings: HandlerSettings<Extra>,
): Promise<WebhookReply> {
  const { timeout, options } = settings;
  const progress: Progress = { facts: { deliveryId: null, ageMs: null }, key: null, isBodyRead: false };
  const report = (reason: WebhookReportReason, message: string, status: number | null, error?: unknown): void => {
    const { facts, key } = progress;
    tell(options.onReport, { reason, message, status, ...facts, key, ...(error === undefined ? {} : { error }) });
  };
  const { ending, work } = await underTimeLimit(settings, (signal) =>
    workOn(request, settings, progress, signal, report).catch(endingOf),
  );
  if (ending !== null) {
    const { verdict, message, error } = ending;
    if (verdict !== 'done') report(verdict, message, statusOf(verdict), error);
    return replyFor(verdict);
  }
  const why = progress.isBodyRead ? '' : ' The sender had not sent the whole body.';
  report('time_limit', `The time limit of ${timeout} ms is over: answered 503.${why}`, statusOf('time_limit'));
  void work.then((late) => reportLate(late, report));
  return replyFor('time_limit');
}

type Report = (reason: WebhookReportReason, message: string, status: number | null, error?: unknown) => void;

function reportLate({ verdict, message, error }: Ending, report: Report): void {
  if (verdict === 'done') report('completed_late', 'Your function succeeded after the time limit.', null);
  else if (verdict !== 'time_limit') report(verdict, message, null, error);
}

async function workOn<Extra extends object>(
  request: WebhookRequest,
  settings: HandlerSettings<Extra>,
  progress: Progress,
  signal: AbortSignal,
  report: Report,
): Promise<Ending> {
  const { verify } = settings;
  const headers = headersOrError(request.headers);
  progress.facts = requestFacts(headers instanceof WebhookVerificationError ? null : headers, verify.now);
  if (String(request.method).toUpperCase() !== 'POST') {
    return { verdict: 'method_not_allowed', message: 'Only POST is a delivery.' };
  }
  if (headers instanceof WebhookVerificationError) throw headers;
  if (!isPlain(headers)) {
    const message =
      'The body is compressed (Content-Encoding): the signature covers the bytes before that. Turn compression of requests off.';
    return { verdict: 'unsupported_media_type', message };
  }
  const bytes = await bytesOf(request, verify.maxBodySize, signal, progress);
  const event = await verifyDelivery(bytes, headers, verify).catch(async (error: unknown) => {
    const isMismatch = error instanceof WebhookVerificationError && error.reason === 'signature_mismatch';
    throw isMismatch && (await request.wasReset?.()) === true ? new RequestAborted() : error;
  });
  return await playEvent(event, settings, {
    signal,
    onKey: (key) => {
      progress.key = key;
    },
    onFinding: (reason, message) => report(reason, message, null),
  });
}

/** The body. At the time limit what was read is let go of, whatever the function that reads it does. */
async function bytesOf(
  { body }: WebhookRequest,
  limit: number,
  signal: AbortSignal,
  progress: Progress,
): Promise<Uint8Array> {
  const raw = typeof body === 'function' ? await untilAborted(body(limit, signal), signal) : body;
  progress.isBodyRead = true;
  return bytesFrom(raw, limit);
}

function headersOrError(headers: unknown): HeaderValues | WebhookVerificationError {
  try {
    return readHeaders(headers);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error;
    throw error;
  }
}

/** What a thrown value means for the answer. */
function endingOf(error: unknown): Ending {
  if (error instanceof WebhookVerificationError) return { verdict: error.reason, message: error.message };
  if (error instanceof ReadingStopped) return { verdict: error.verdict, message: error.message };
  if (error instanceof RequestAborted) return { verdict: 'aborted', message: error.message };
  if (error instanceof ConfigurationError || isMerchantError(error))
    return { verdict: 'setup', message: error.message };
  const verdict: Verdict = 'setup';
  return { verdict, message: 'The request could not be read: is it { method, headers, body }?', error };
}
