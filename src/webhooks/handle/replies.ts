import type { WebhookReason } from '../../errors/codes.ts';

/** What the endpoint answers. A plain object, for any framework. */
export interface WebhookReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** One of a few fixed words: nothing of the request, and nothing that helps a stranger. */
  readonly body: string;
}

/** How the handling of one request ended. */
export type Verdict =
  | 'done'
  | 'duplicate'
  | 'duplicate_differs'
  | 'no_handler'
  | 'unknown_payment'
  | 'failed_after_commit'
  | 'duplicate_running'
  | 'handler_failed'
  | 'store_failed'
  | 'lease_lost'
  | 'time_limit'
  | 'too_many_bodies'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'setup'
  | 'aborted'
  | WebhookReason;

/** The lease of a claim. The first repeat of the service comes after a minute, so that a crash is found by it. */
export const LEASE = 50_000;

// 2xx never for work that is not done: each other status makes the service try again, seven times by default.
const STATUS: Readonly<Record<Verdict, number>> = {
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
  too_many_bodies: 503,
};

const EXTRA_HEADERS: Partial<Record<Verdict, Readonly<Record<string, string>>>> = {
  method_not_allowed: { Allow: 'POST' },
  duplicate_running: { 'Retry-After': String(LEASE / 1000) },
  lease_lost: { 'Retry-After': String(LEASE / 1000) },
  time_limit: { 'Retry-After': String(LEASE / 1000) },
  too_many_bodies: { 'Retry-After': String(LEASE / 1000) },
};

/** The HTTP status that goes with a verdict. */
export function statusOf(verdict: Verdict): number {
  return STATUS[verdict];
}

/** The whole answer that goes with a verdict. */
export function replyFor(verdict: Verdict): WebhookReply {
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    ...EXTRA_HEADERS[verdict],
  };
  return { status: STATUS[verdict], headers, body: verdict };
}
