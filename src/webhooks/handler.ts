import { ConfigurationError, isMerchantError, WebhookVerificationError } from '../errors.ts';
import { catchUp } from './catch-up.ts';
import { type HeaderValues, readHeaders } from './delivery-headers.ts';
import {
  type HandlerSettings,
  handlerSettings,
  type WebhookHandler,
  type WebhookHandlerOptions,
  type WebhookRequest,
} from './handler-options.ts';
import { type Ending, playEvent } from './play-event.ts';
import { bytesFrom } from './raw-body.ts';
import { replyFor, statusOf, type Verdict, type WebhookReply } from './replies.ts';
import { type RequestFacts, requestFacts, tell, type WebhookReportReason } from './report.ts';
import { RequestAborted } from './request-aborted.ts';
import { isJson, isPlain } from './request-form.ts';
import { underTimeLimit } from './time-limit.ts';
import { verifyDelivery } from './verify.ts';

/**
 * Makes the webhook endpoint: verifies, drops repeats, runs your function, and answers what makes the service repeat
 * exactly when the work is not done.
 *
 * Your function may run again after a crash, so its work must bear repetition, or be written inside the transaction
 * of a store that has one.
 *
 * @throws ConfigurationError for a missing or unusable option.
 * @see service interface, "Receiver rules"
 */
export function createWebhookHandler<Extra extends object = object>(
  options: WebhookHandlerOptions<Extra>,
): WebhookHandler {
  const settings = handlerSettings(options);
  return {
    handle: (request) => handleRequest(request, settings),
    catchUp: (merchant, options) => catchUp(merchant, options, settings),
  };
}

/** What is found out about a request on the way. */
interface Progress {
  facts: RequestFacts;
  key: string | null;
}

async function handleRequest<Extra extends object>(
  request: WebhookRequest,
  settings: HandlerSettings<Extra>,
): Promise<WebhookReply> {
  const { timeout, options } = settings;
  const progress: Progress = { facts: { deliveryId: null, ageMs: null }, key: null };
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
  report('time_limit', `The time limit of ${timeout} ms is over: answered 503.`, statusOf('time_limit'));
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
  if (!isJson(headers)) return { verdict: 'unsupported_media_type', message: 'The Content-Type is not JSON.' };
  if (!isPlain(headers)) return { verdict: 'unsupported_media_type', message: 'The body is compressed.' };
  const { body } = request;
  const raw = typeof body === 'function' ? await body(verify.maxBodySize) : body;
  const event = await verifyDelivery(bytesFrom(raw, verify.maxBodySize), headers, verify);
  return await playEvent(event, settings, {
    signal,
    onKey: (key) => {
      progress.key = key;
    },
    onFinding: (reason, message) => report(reason, message, null),
  });
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
  if (error instanceof RequestAborted) return { verdict: 'aborted', message: error.message };
  if (error instanceof ConfigurationError || isMerchantError(error))
    return { verdict: 'setup', message: error.message };
  const verdict: Verdict = 'setup';
  return { verdict, message: 'The request could not be read: is it { method, headers, body }?', error };
}
