import type { Verdict } from '../../webhooks/handle/verdict.ts';
import type { Settings } from '../options.ts';
import type { DeliveryFault } from '../state/faults.ts';
import type { SandboxAttempt } from '../wire-types.ts';

/** An attempt that has ended. */
export type EndedAttempt = Omit<SandboxAttempt, 'why' | 'triggered_by' | 'created_at'>;

/** The facts that explain an attempt but are not part of its record. */
export interface Circumstances {
  readonly settings: Pick<Settings, 'dialect'>;
  /** 1 for the first. */
  readonly attempt: number;
  /** The timestamp sent minus the real time, milliseconds. */
  readonly skew: number;
}

/**
 * The cause of a refusal and its remedy, if request and answer prove one. Otherwise null: a plain 401 of an unknown
 * receiver proves nothing.
 */
export function causeOfRefusal(attempt: EndedAttempt, circumstances: Circumstances): string | null {
  const { fault, success, request, status_code } = attempt;
  if (request === null) return null; // nothing was sent, and `error` has the reason
  if (fault !== null && fault !== 'duplicate') return success ? ACCEPTED[fault] : refusedAsMeant(fault, status_code);
  if (success) return null;
  if (status_code === null) return causeOfConnectionError(attempt);
  return fromSdk(attempt, circumstances) ?? causeInAnswer(attempt);
}

type ChangingFault = Exclude<DeliveryFault['type'], 'duplicate'>;

const ACCEPTED: Readonly<Record<ChangingFault, string>> = {
  wrong_signature:
    'It was signed with another secret on purpose and was accepted: this endpoint does not check the signature, so anybody can mark orders as paid.',
  late_timestamp:
    'Its timestamp was ten minutes or more off on purpose and was accepted: a recorded delivery can be played again. Refuse timestamps older than 5 minutes.',
  reserialized:
    'Its body was rewritten after signing on purpose and was accepted: the signature is not checked over the raw bytes.',
};

function refusedAsMeant(fault: ChangingFault, status: number | null): string | null {
  if (status === null || status < 400 || status > 499) return null;
  return `Refused as it should be: the fault ${fault} changed this delivery on purpose.`;
}

/**
 * True if a search by trial can tell more about a refusal: the receiver refused the signature, or gave no reason. An
 * answer that names its cause, and a receiver that failed (5xx), leave nothing to search for.
 */
export function isSearchable({
  success,
  status_code,
  why,
}: Pick<SandboxAttempt, 'success' | 'status_code' | 'why'>): boolean {
  if (success || status_code === null || status_code < 400 || status_code > 499) return false;
  return why === null || why.endsWith(LOOK);
}

const LOOK = '“Search for the cause” on its page of the dashboard tries to find out which.';
const REPORT = 'The onReport of your handler says which line to change.';

/** Status and meaning of the words that the handler of merchant-invoicing/webhooks answers with. */
const SDK_REPLIES: Readonly<Partial<Record<Verdict, readonly [status: number, meaning: string]>>> = {
  signature_mismatch: [
    401,
    `Your handler (merchant-invoicing/webhooks) has another secret, or was given a body that is not the raw one. ${LOOK}`,
  ],
  missing_header: [
    401,
    'Your handler misses one of X-Webhook-Id, X-Webhook-Signature and X-Webhook-Timestamp, and all three were sent: a proxy removes headers.',
  ],
  malformed_signature: [
    400,
    'Your handler does not take the form of the signature: its option encoding differs from the sandbox’s signatureEncoding.',
  ],
  malformed_timestamp: [
    400,
    'Your handler does not take the form of the timestamp: its option timestampFormat differs from the sandbox’s timestampFormat.',
  ],
  duplicate_header: [400, 'Your handler saw a webhook header twice: a proxy adds headers.'],
  body_already_parsed: [400, `Your handler was given a parsed body instead of the raw bytes. ${REPORT}`],
  body_too_large: [413, 'The body is larger than the option maxBodySize of your handler.'],
  method_not_allowed: [405, 'The delivery reached your handler with another method than POST: a proxy changed it.'],
  unsupported_media_type: [415, 'Your handler saw a compressed body, and none was sent: a proxy changed it.'],
  malformed_payload: [
    500,
    'The signature holds, and your handler could not read the payload. Its onReport names the member. An order id under another name needs the option orderIdMember.',
  ],
  unknown_payment: [
    500,
    'The signature holds, but your handler does not know the name of the event, and there is no onUnknown: handle it there.',
  ],
  handler_failed: [500, 'The signature holds, and your function threw. The onReport of your handler has the error.'],
  setup: [500, `Your handler is wired wrongly: most often the body was parsed or read before. ${REPORT}`],
  store_failed: [503, 'The signature holds, and the store of your handler failed. Its onReport has the error.'],
  time_limit: [503, 'The signature holds, and your function took longer than the time limit of your handler.'],
  duplicate_running: [409, 'An earlier delivery of the same event is still being handled. Nothing has to be fixed.'],
  lease_lost: [409, 'Your function outlived its lease, and another attempt took the event over.'],
};

function fromSdk(attempt: EndedAttempt, circumstances: Circumstances): string | null {
  const { status_code, response_body, response_headers } = attempt;
  if (!response_headers?.['content-type']?.startsWith('text/plain') || response_body === null) return null;
  if (status_code === 401 && /^timestamp_too_(?:old|new)$/.test(response_body)) return age(circumstances);
  const known = Object.hasOwn(SDK_REPLIES, response_body) ? SDK_REPLIES[response_body as Verdict] : undefined; // a key of the table
  return known !== undefined && known[0] === status_code ? known[1] : null;
}

const MINUTE = 60_000;

function age({ settings, attempt, skew }: Circumstances): string {
  const off = Math.round(Math.abs(skew) / MINUTE);
  if (off === 0) {
    return 'The signature holds, and the timestamp was right by this machine’s clock: the clock of the receiver, or its tolerance, is off.';
  }
  const apart = `The timestamp was ${off} min ${skew < 0 ? 'behind' : 'ahead of'} the real time`;
  if (settings.dialect.timestampPer === 'delivery' && attempt > 1) {
    return `${apart}: the dialect timestampPer "delivery" repeats that of the first attempt.`;
  }
  return `${apart}: the option deliveryTimestamp "sandbox" stamps by the sandbox clock. Take "wall", or give your verifier the same clock.`;
}

const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens at {host}. Is the receiver running, and on this port?',
  ENOTFOUND: 'No address is known for {host}.',
  EAI_AGAIN: 'The name {host} cannot be looked up now.',
  ECONNRESET: 'The receiver closed the connection without an answer: it may have crashed.',
  UND_ERR_SOCKET: 'The receiver closed the connection without an answer: it may have crashed.',
  UND_ERR_CONNECT_TIMEOUT: '{host} takes no connection: a firewall may swallow it.',
  EHOSTUNREACH: '{host} cannot be reached from here.',
  ENETUNREACH: '{host} cannot be reached from here.',
  ERR_SSL_WRONG_VERSION_NUMBER: '{host} does not speak TLS: write http:// in the callback_url.',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: '{host} does not speak TLS: write http:// in the callback_url.',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'The certificate of {host} is self-signed: start the sandbox with NODE_EXTRA_CA_CERTS, or use http:// on this machine.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'The certificate of {host} comes from an unknown authority: start the sandbox with NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The certificate of {host} comes from an unknown authority: start the sandbox with NODE_EXTRA_CA_CERTS.',
  CERT_HAS_EXPIRED: 'The certificate of {host} has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name than {host}.',
};

/** The reason why no answer came, where the error names it. */
function causeOfConnectionError({ error, request }: EndedAttempt): string | null {
  if (error?.startsWith('timeout')) return 'No answer came within 15 s. Answer 2xx first, work afterwards.';
  const code = /^connection error: (\S+)$/.exec(error ?? '')?.[1] ?? '';
  const cause = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  return cause?.replace('{host}', new URL(request?.url ?? 'http://localhost').host) ?? null;
}

/** An answer that identifies the software that gave it. A `status` of null matches any. */
interface KnownAnswer {
  readonly status: readonly number[] | null;
  readonly body: RegExp;
  readonly meaning: string;
}

/** Texts that frameworks write. The merchant's code was not reached. */
const KNOWN_ANSWERS: readonly KnownAnswer[] = [
  { status: [404], body: /Cannot POST \//, meaning: 'Express has no POST route at this path.' },
  { status: [404], body: /"Route POST:\S+ not found"/, meaning: 'Fastify has no POST route at this path.' },
  {
    status: [400, 403, 419, 422],
    body: /csrf|InvalidAuthenticityToken|page expired/i,
    meaning: 'A protection against forged forms (CSRF) refused it: exempt this route from it.',
  },
  {
    status: [403],
    body: /Blocked (?:request\.|hosts?:)/,
    meaning: 'The development server refuses this host name: allow it there, or use 127.0.0.1 in the callback_url.',
  },
  {
    status: null,
    body: /Missing (?:or invalid )?X-Webhook-Timestamp|X-Webhook-Timestamp (?:is )?missing/i,
    meaning:
      'The receiver reports that X-Webhook-Timestamp is missing, and it was sent. A proxy removes it, or the receiver reads the name in another case.',
  },
];

/** The cause that status, headers or known texts of an answer prove. */
function causeInAnswer({ status_code, response_body, response_headers, request }: EndedAttempt): string | null {
  const status = status_code ?? 0;
  const sign = KNOWN_ANSWERS.find(
    (each) => (each.status?.includes(status) ?? true) && each.body.test(response_body ?? ''),
  );
  if (sign !== undefined) return sign.meaning;
  if (response_headers?.['www-authenticate'] !== undefined) {
    return 'The answer asks for a login (WWW-Authenticate): the endpoint is behind authentication. A webhook carries a signature and no login.';
  }
  const path = new URL(request?.url ?? 'http://localhost').pathname;
  const to = response_headers?.['location'];
  const redirect = `A redirect is not followed, it counts as a failure${to === undefined ? '' : `. Make the final address the callback_url: ${to}`}`;
  const proxy = 'A proxy answered: the application behind it did not.';
  const meanings: Readonly<Record<number, string>> = {
    ...Object.fromEntries([301, 302, 303, 307, 308].map((each) => [each, redirect])),
    404: `The receiver knows no ${path}: compare the path of the callback_url with your route.`,
    405: `The receiver knows ${path} but takes no POST there.`,
    413: 'The body is too large for the receiver. Webhooks here are below 1 kB.',
    415: 'The receiver does not take application/json.',
    502: proxy,
    504: proxy,
  };
  return meanings[status] ?? null;
}
