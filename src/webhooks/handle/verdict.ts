import type { WebhookReason } from '../../errors/codes.ts';
import { LEASE } from './timing.ts';

// The verdict: how a request, or an event of `catchUp`, ended, in one word. It decides the status of the response.

/** The response of the endpoint: a plain object, for any framework. */
export interface WebhookReply {
  /** HTTP status. 2xx only for an event that is done, and for an unknown one that has no function and is not about money. */
  readonly status: number;
  /** Content-Type and Cache-Control, with Retry-After or Allow where they apply. */
  readonly headers: Readonly<Record<string, string>>;
  /** The verdict, one fixed word. It contains nothing of the request, and nothing that helps an attacker. */
  readonly body: string;
}

// 2xx never for work that has to be done. After any other status the service repeats, up to seven attempts by default.
const STATUS = {
  done: 200,
  duplicate: 200,
  duplicate_differs: 200,
  no_handler: 200,
  failed_after_commit: 200,
  malformed_signature: 400,
  malformed_timestamp: 400,
  duplicate_header: 400,
  body_already_parsed: 400,
  aborted: 400,
  missing_header: 401,
  signature_mismatch: 401,
  sandbox_secret: 401,
  timestamp_too_old: 401,
  timestamp_too_new: 401,
  method_not_allowed: 405,
  duplicate_running: 409,
  lease_lost: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  malformed_payload: 500,
  handler_failed: 500,
  unknown_payment: 500,
  setup: 500,
  store_failed: 503,
  time_limit: 503,
} as const satisfies Readonly<Record<string, number> & Record<WebhookReason, number>>;

/** How the handling of a request, or of an event, ended. `WebhookReportReason` explains each word. */
export type Verdict = keyof typeof STATUS;

/** How a request, or an event, ended, with the text and the error for its report. */
export interface Ending {
  readonly verdict: Verdict;
  readonly message: string;
  readonly error?: unknown;
}

const RETRY_LATER = { 'Retry-After': String(LEASE / 1000) };
const EXTRA_HEADERS: Partial<Record<Verdict, Readonly<Record<string, string>>>> = {
  method_not_allowed: { Allow: 'POST' },
  duplicate_running: RETRY_LATER,
  lease_lost: RETRY_LATER,
  time_limit: RETRY_LATER,
};

/** The whole response for a verdict. */
export function replyFor(verdict: Verdict): WebhookReply {
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    ...EXTRA_HEADERS[verdict],
  };
  return { status: STATUS[verdict], headers, body: verdict };
}
