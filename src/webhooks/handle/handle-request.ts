import { WebhookVerificationError } from '../../errors/classes.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { printable } from '../../printable.ts';
import { type HeadersInput, type HeaderValues, isCompressed, readHeaders, unsignedHeader } from '../verify/headers.ts';
import { bytesFrom, type RawBody } from '../verify/raw-body.ts';
import { parseTimestamp } from '../verify/timestamp.ts';
import { verifyDelivery } from '../verify/verify.ts';
import type { HandlerSettings } from './handler-options.ts';
import { playEvent } from './process-event.ts';
import { ReadingStopped, untilAborted } from './reading-stopped.ts';
import { Reporter, type WebhookReport } from './report.ts';
import { runWithTimeLimit } from './time-limit.ts';
import { type Ending, replyFor, type WebhookReply } from './verdict.ts';

// One request through the receiver: headers, body, signature, event, store, the merchant's function. This room may
// import the events and the verification, and the types of the stores.

/** A request of any framework. */
export interface WebhookRequest {
  readonly method: string;
  readonly headers: HeadersInput;
  /**
   * The raw body, or a function that reads it after the other parts of the request are checked. It may read at most
   * `limit` bytes, and only until the signal is aborted at the handler's time limit.
   */
  readonly body: RawBody | ((limit: number, signal: AbortSignal) => Promise<RawBody>);
  /** Called if the signature does not match. Says whether the sender closed the connection, so that the body is incomplete. */
  readonly wasReset?: (() => Promise<boolean>) | undefined;
}

/** Handles one delivery. Never rejects: each failure is an answer and a report. */
export async function handleRequest<Extra extends object>(
  request: WebhookRequest,
  settings: HandlerSettings<Extra>,
): Promise<WebhookReply> {
  const reporter = new Reporter(settings.options.onReport);
  const { ending } = await endDelivery(request, settings, reporter);
  return replyFor(ending.verdict);
}

/** Handles one delivery within the time limit, and reports how it ended. */
async function endDelivery<Extra extends object>(
  request: WebhookRequest,
  settings: HandlerSettings<Extra>,
  reporter: Reporter,
): Promise<{ readonly ending: Ending }> {
  const progress = { isBodyRead: false };
  const { ending, work } = await runWithTimeLimit(settings, (signal) =>
    handleDelivery(request, settings, progress, signal, reporter).catch(endingOf),
  );
  if (ending !== null) {
    const { verdict, message, error } = ending;
    if (verdict !== 'done') reporter.report(verdict, message, replyFor(verdict).status, error);
    return { ending };
  }
  const why = progress.isBodyRead ? '' : ' The sender had not sent the whole body.';
  const message = `The time limit of ${settings.timeout} ms has ended: answered 503.${why}`;
  reporter.report('time_limit', message, replyFor('time_limit').status);
  void work.then((late) => {
    if (late.verdict !== 'time_limit') reporter.reportLate(late);
  });
  return { ending: { verdict: 'time_limit', message } };
}

async function handleDelivery<Extra extends object>(
  request: WebhookRequest,
  settings: HandlerSettings<Extra>,
  progress: { isBodyRead: boolean },
  signal: AbortSignal,
  reporter: Reporter,
): Promise<Ending> {
  const { verify } = settings;
  const headers = headersOrError(request.headers);
  if (!(headers instanceof WebhookVerificationError)) reporter.describe(unsignedFacts(headers, verify.now));
  if (String(request.method).toUpperCase() !== 'POST') {
    return { verdict: 'method_not_allowed', message: 'A delivery is a POST request.' };
  }
  if (headers instanceof WebhookVerificationError) throw headers;
  if (isCompressed(headers)) {
    const message =
      'The body is compressed (Content-Encoding), and the signature covers the bytes before compression. Turn compression of requests off.';
    return { verdict: 'unsupported_media_type', message };
  }
  const { body } = request;
  // At the time limit the read is abandoned, whatever the function that reads does.
  const raw = typeof body === 'function' ? await untilAborted(body(verify.maxBodySize, signal), signal) : body;
  progress.isBodyRead = true;
  const bytes = bytesFrom(raw, verify.maxBodySize);
  const event = await verifyDelivery(bytes, headers, verify).catch(async (error: unknown) => {
    const isMismatch = error instanceof WebhookVerificationError && error.reason === 'signature_mismatch';
    throw isMismatch && (await request.wasReset?.()) === true ? new ReadingStopped('aborted') : error;
  });
  return await playEvent(event, settings, signal, reporter);
}

function headersOrError(headers: unknown): HeaderValues | WebhookVerificationError {
  try {
    return readHeaders(headers);
  } catch (error) {
    return error as WebhookVerificationError; // it throws no other
  }
}

const MAX_ID = 128;

/** Reads what a report says of the headers. Never throws, because requests of any kind are reported. */
function unsignedFacts(headers: HeaderValues, now: () => number): Pick<WebhookReport, 'deliveryId' | 'ageMs'> {
  const id = unsignedHeader(headers, 'x-webhook-id');
  const deliveryId = id === null ? null : printable(id.slice(0, MAX_ID));
  const timestamp = unsignedHeader(headers, 'x-webhook-timestamp');
  try {
    return { deliveryId, ageMs: timestamp === null ? null : now() - parseTimestamp(timestamp).getTime() };
  } catch {
    return { deliveryId, ageMs: null };
  }
}

/** The ending for a thrown value. */
function endingOf(error: unknown): Ending {
  if (error instanceof WebhookVerificationError) return { verdict: error.reason, message: error.message };
  if (error instanceof ReadingStopped) return { verdict: error.verdict, message: error.message };
  if (isMerchantError(error)) return { verdict: 'setup', message: error.message };
  return { verdict: 'setup', message: 'The request could not be read: is it { method, headers, body }?', error };
}
