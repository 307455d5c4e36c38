import { type Fact, REASONS, type Verdict } from '../reasons.ts';
import { LEASE } from './timing.ts';

// The response of the endpoint, made of the row of its verdict.

/** How a request, or an event, ended, with what its report says beside the row of its reason. */
export interface Ending extends Fact {
  readonly verdict: Verdict;
  readonly error?: unknown;
  /** The whole text of the report, if it was written before. */
  readonly message?: string;
  /** The cause was found, so the console prints it in place of the usual ones. It holds nothing of the request. */
  readonly isCauseKnown?: boolean;
  /** Headers of the response for the sender. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What could be read of a genuine payload that is refused. */
  readonly about?: Readonly<Record<'key' | 'external_id' | 'order', string | null>>;
}

/** The response of the endpoint: a plain object, for any framework. */
export interface WebhookReply {
  /**
   * HTTP status. 2xx only for an event that is done, and for an unknown one that has no function and is not about
   * money.
   */
  readonly status: number;
  /** Content-Type and Cache-Control, with Retry-After or Allow where they apply, and in sandbox mode the cause. */
  readonly headers: Readonly<Record<string, string>>;
  /** The verdict, one fixed word. It contains nothing of the request, and nothing that helps an attacker. */
  readonly body: string;
}

const RETRY_LATER = { 'Retry-After': String(LEASE / 1000) };
const EXTRA_HEADERS: Partial<Record<Verdict, Readonly<Record<string, string>>>> = {
  method_not_allowed: { Allow: 'POST' },
  duplicate_running: RETRY_LATER,
  lease_lost: RETRY_LATER,
  time_limit: RETRY_LATER,
};

/** The whole response for a verdict. */
export function replyFor(verdict: Verdict, further: Ending['headers'] = {}): WebhookReply {
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    ...EXTRA_HEADERS[verdict],
    ...further,
  };
  const status = REASONS[verdict].status ?? 500; // a verdict has a status
  const reply = { status, headers, body: verdict };
  if (status < 200 || status > 299) Object.defineProperty(reply, 'toJSON', { value: refuseJson });
  return reply;
}

/**
 * If a route returns the reply, the framework sends it as JSON with 200, and a refused delivery counts as delivered.
 */
export function refuseJson(): never {
  throw new Error(
    'A route returned the reply of a webhook handler. The framework would send it as JSON with the status 200, and the delivery would count as done. Use toNodeHandler(handler), toFetchHandler(handler) or toLambdaHandler(handler) as the route, and return its Response unchanged. Or write reply.status, reply.headers and reply.body.',
  );
}
