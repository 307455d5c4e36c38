import { printable } from '../../../errors/printable.ts';
import { RAW_BODY_ADVICE } from '../../../webhooks/body.ts';
import { REASONS, SANDBOX_CLOCK, type Verdict } from '../../../webhooks/reasons.ts';
import { type MistakeId, mistakeOf } from '../../../webhooks/verify/why.ts';

// Why a webhook was refused, from the response of the receiver. A receiver of this package says it itself, in the words
// of its own tables, and `fromHandler` reads it. The rest of this file reads the responses of other receivers:
// redirects, logins, routes, proxies, and connections that fail.

/** The remedy of a receiver that takes too long. To answer before the work is done would lose the event. */
export const LONG_WORK = 'Answer 2xx right after the commit. Give long work to a queue in the same transaction.';
const THEN_RESEND = 'Then send the webhook again.';
const REPAIR = `Repair the receiver: its log has this request. ${THEN_RESEND}`;
/** For a secret that is proven to be another one: nothing changed the body. */
const COMPARE_SECRETS =
  'Compare MERCHANT_WEBHOOK_SECRET of the receiver with the secret of the sender, which a sandbox prints. The bytes arrived as they were sent. The console of the receiver shows the fingerprint of its secret.';
/** What is said of a receiver of which nothing else is known. It is not tried out: its merchant has all three. */
const COMPARE_THREE =
  'Compare three things: its secret (MERCHANT_WEBHOOK_SECRET), the bytes of the body as they arrived, and the text that is signed, {timestamp}.{body}.';
const NO_LOGIN = 'A webhook has a signature and no login: exempt this route.';

/** What is wrong, and what to change. `{host}`, `{path}`, `{place}` and `{what}` are filled in. */
const CAUSES = {
  nothing_listens: [
    'Nothing listens at {host}.',
    `Start the receiver, or correct the port of the callback_url. ${THEN_RESEND}`,
  ],
  unknown_host: ['No address is known for {host}.', 'Correct the host of the callback_url.'],
  connection_closed: [
    'The receiver closed the connection without a response.',
    `It may have crashed: look into its log, and repair it. ${THEN_RESEND}`,
  ],
  no_tls: ['{host} does not speak TLS.', 'Write http:// in the callback_url.'],
  unknown_certificate: [
    'The certificate of {host} is not known here.',
    'Start the sandbox with NODE_EXTRA_CA_CERTS, or use http:// on this machine.',
  ],
  connection_failed: [
    'The connection to {host} failed: {what}.',
    `Correct the address of the callback_url, or repair the receiver. ${THEN_RESEND}`,
  ],
  time_out: [
    'No response came in time. The work takes long, or the route never calls its handler.',
    `${LONG_WORK} ${THEN_RESEND}`,
  ],
  no_response: [
    'The option fetch of the sandbox resolved to no Response.',
    'Return the Response of the receiver: a function in braces needs return.',
  ],
  redirect: ['{path} redirects{what}.', 'A redirect counts as a failure: use the final address as the callback_url.'],
  no_route: [
    'The receiver has no POST route {place}.',
    'Compare the path of the callback_url with your route. If they are equal, put the route above the handler for all other paths, and return the response of your webhook handler.',
  ],
  no_post: ['The receiver takes no POST {place}.', 'Make the route take POST.'],
  body_too_large: ['The body is too large for the receiver.', 'Raise its limit: a webhook has about 1 kB.'],
  not_json: ['The receiver does not take application/json.', 'Let this route take it.'],
  proxy: [
    'A proxy answered, and the application behind it did not.',
    `Start the application, or correct the proxy. ${THEN_RESEND}`,
  ],
  login: ['The endpoint asks for a login (WWW-Authenticate).', NO_LOGIN],
  csrf: ['A protection against forged forms (CSRF) refused it.', 'Exempt this route from it.'],
  host_blocked: [
    'The development server refuses this host name.',
    'Allow it there, or use 127.0.0.1 in the callback_url.',
  ],
  forbidden: [
    'It answers 403, which no receiver of this package does. A firewall, a login or a guard stands before the route.',
    NO_LOGIN,
  ],
  rate_limited: [
    'A rate limit stands before the route.',
    'Exempt this route from it: after an outage the service sends many webhooks at once.',
  ],
  refused: [
    '{path} answers {what}',
    `${COMPARE_THREE} If its log shows no request, a login or a firewall stands before the route: exempt the route.`,
  ],
  receiver_cannot_reach: [
    '{path} answers {what}',
    `The receiver cannot reach this address: start what listens there, such as its database. ${THEN_RESEND}`,
  ],
  receiver_failed: ['{path} answers {what}', REPAIR],
  html_page: [
    'An HTML page answered {place}: most often this is not your webhook route.',
    'Compare the path of the callback_url with your route. If it is your route, respond without a page.',
  ],
  changed_body: [
    'Your handler got other bytes than were sent: something changed the body on its way.',
    RAW_BODY_ADVICE,
  ],
} as const satisfies Readonly<Record<string, readonly [text: string, remedy: string]>>;
type CauseId = keyof typeof CAUSES;

/** Causes that the evidence does not prove. */
const UNPROVEN: readonly CauseId[] = [
  'connection_failed',
  'forbidden',
  'refused',
  'receiver_failed',
  'receiver_cannot_reach',
  'html_page',
];

/** The cause of a refused webhook, with its remedy. */
export interface Diagnosis {
  /** The kind of cause, such as `nothing_listens` or `another_secret`. */
  readonly id: DiagnosisId;
  /** What is wrong, as one sentence. */
  readonly text: string;
  /** What to change. Null if nothing has to be changed. */
  readonly remedy: string | null;
  /** True if the evidence shows this cause and no other. */
  readonly isProven: boolean;
}

/**
 * The kinds of causes: what a stranger's response or its absence shows, those of the sandbox itself, and the verdicts
 * and mistakes that a receiver of this package names.
 */
export type DiagnosisId = CauseId | 'not_sent' | 'fault_accepted' | 'fault_refused' | Verdict | MistakeId;

/** A diagnosis as text for people: the cause, then the remedy. */
export function sentenceOf({ text, remedy }: Pick<Diagnosis, 'text' | 'remedy'>): string {
  return remedy === null ? text : `${text} ${remedy}`;
}

/** True if the response does not say what is wrong with a signature. */
export function isUnexplained({ id }: Diagnosis): boolean {
  return id === 'signature_mismatch' || id === 'refused';
}

/** True for a cause whose text has the status, so that a page need not say it beside it. */
export function saysStatus({ id }: Pick<Diagnosis, 'id'>): boolean {
  return id === 'receiver_failed' || id === 'receiver_cannot_reach' || id === 'refused';
}

/** A delivery that was not accepted, or by a page, and how it ended. */
export interface RefusedDelivery {
  /** The address of the receiver. */
  readonly url: string;
  /** The HTTP status. Null without a response. */
  readonly status: number | null;
  /** The code of a failed connection, or `time-out`. Null with a response. */
  readonly problem: string | null;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>> | null;
  /** True if the sender repeats the timestamp of the first attempt, as services may do. It was not stamped anew. */
  readonly repeatsTimestamp: boolean;
  /** SHA-256 of the body that was sent, in lower-case hex. */
  readonly sentSha256: string;
  /** The fingerprint of the secret that signed it. */
  readonly secretFingerprint: string;
}

/**
 * The cause that the response shows. Without a known sign it is `refused` or `receiver_failed`, and not proven. A 2xx is
 * given only with a page: see {@link isHtmlPage}.
 */
export function diagnoseReply(reply: RefusedDelivery): Diagnosis {
  const { status, problem, url } = reply;
  if (status !== null) return fromHandler(reply, status) ?? ofStatus(reply, status, url);
  const code = problem ?? 'no response';
  const id = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  return diagnosis(id ?? 'connection_failed', url, code);
}

/** Whether a response is a page for people: a front end answers 200 with its page to every address. */
export function isHtmlPage({ body, headers }: Pick<RefusedDelivery, 'body' | 'headers'>): boolean {
  const isHtml = headers?.['content-type']?.startsWith('text/html') ?? false;
  return (isHtml ? /^\s*</ : /^\s*<(?:!doctype html|html)\b/i).test(body ?? '');
}

/**
 * The likely cause of an attempt of which only the status is known, as in the delivery history of the service.
 *
 * @param host The receiver, as a sentence names it.
 * @param url Its address. Null if it is that of the business, which only the service knows.
 */
export function diagnoseStatus(host: string, url: string | null, status: number | null): Diagnosis {
  if (status === null) {
    const remedy = `Start it, or correct the address. The service waits for 15 s. ${LONG_WORK} ${THEN_RESEND}`;
    return { id: 'connection_failed', text: `No response came from ${host}.`, remedy, isProven: false };
  }
  if (status === 400 || status === 401) {
    return {
      id: 'signature_mismatch',
      text: `${host} answered ${status}: most often its webhook secret is not the one of the dashboard.`,
      remedy: COMPARE_THREE,
      isProven: false,
    };
  }
  return { ...ofStatus({ body: null, headers: null }, status, url), isProven: false };
}

function ofStatus(reply: Pick<RefusedDelivery, 'body' | 'headers'>, status: number, url: string | null): Diagnosis {
  const id = idOf(reply, status);
  return diagnosis(id, url, saysStatus({ id }) ? `${status}${quoteOf(reply)}` : redirectOf(reply));
}

const LINE_MAX = 200;

/** What a receiver writes about its refusal is the cause of it. A page for people would not be one line. */
export function firstLineOf(body: string | null): string | null {
  const [line = ''] = (messageIn(body ?? '') ?? body ?? '').trim().split(/\r?\n/, 1);
  return line === '' || line.startsWith('<') ? null : printable(line.slice(0, LINE_MAX));
}

/** The message of a response in JSON, under the names that frameworks give it. */
function messageIn(body: string): string | null {
  try {
    const { error, message, detail } = JSON.parse(body) ?? {};
    const texts: readonly unknown[] = [error?.message, message, detail, error];
    return texts.find((text): text is string => typeof text === 'string' && text !== '') ?? null;
  } catch {
    return null; // no JSON
  }
}

/** The end of a sentence that has the status. */
function quoteOf({ body }: Pick<RefusedDelivery, 'body'>): string {
  const line = firstLineOf(body);
  return line === null ? '.' : `: ${line}${/[.!?]$/.test(line) ? '' : '.'}`;
}

function diagnosis(id: CauseId, url: string | null, what = ''): Diagnosis {
  const [text, remedy] = CAUSES[id];
  const filled = text
    .replace('{host}', () => (url === null ? 'the receiver' : new URL(url).host))
    .replace('{path}', () => (url === null ? 'The receiver' : new URL(url).pathname))
    .replace('{place}', () => (url === null ? 'for the callback_url' : `at ${new URL(url).pathname}`))
    .replace('{what}', () => what);
  return { id, text: filled, remedy, isProven: !UNPROVEN.includes(id) };
}

const BY_CODE: Readonly<Record<string, CauseId>> = {
  'time-out': 'time_out',
  'no-response': 'no_response',
  ECONNREFUSED: 'nothing_listens',
  ENOTFOUND: 'unknown_host',
  ECONNRESET: 'connection_closed',
  UND_ERR_SOCKET: 'connection_closed',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no_tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'no_tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'unknown_certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown_certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown_certificate',
};

const BY_STATUS: Readonly<Record<number, CauseId>> = {
  403: 'forbidden',
  404: 'no_route',
  405: 'no_post',
  413: 'body_too_large',
  415: 'not_json',
  429: 'rate_limited',
  502: 'proxy',
  504: 'proxy',
};

/** What a stranger's response shows. Frameworks refuse a request before it reaches the merchant's code. */
function idOf({ body, headers }: Pick<RefusedDelivery, 'body' | 'headers'>, status: number): CauseId {
  const says = (pattern: RegExp, ...statuses: number[]): boolean =>
    statuses.includes(status) && pattern.test(body ?? '');
  if (says(/\b(?:ECONNREFUSED|EHOSTUNREACH|ENOTFOUND|ETIMEDOUT)\b/, 500, 502, 503)) return 'receiver_cannot_reach';
  if (says(/csrf|InvalidAuthenticityToken|page expired/i, 400, 403, 419, 422)) return 'csrf';
  if (says(/Blocked (?:request\.|hosts?:)/, 403)) return 'host_blocked';
  if (headers?.['www-authenticate'] !== undefined) return 'login';
  if (status <= 299) return 'html_page';
  if (status <= 399) return 'redirect';
  return BY_STATUS[status] ?? (status >= 500 ? 'receiver_failed' : 'refused');
}

function redirectOf({ headers }: Pick<RefusedDelivery, 'headers'>): string {
  const to = headers?.['location'];
  return to === undefined ? '' : ` to ${to}`;
}

/**
 * What a receiver of this package says by its response, in the words of its own table. In sandbox mode it names the
 * mistake behind a signature, and the digest of the bytes that it got.
 */
function fromHandler(
  { url, body, headers, repeatsTimestamp, sentSha256, secretFingerprint }: RefusedDelivery,
  status: number,
): Diagnosis | null {
  if (!headers?.['content-type']?.startsWith('text/plain') || body === null || !isVerdict(body)) return null;
  const { cause: text, remedy, status: usual } = REASONS[body];
  if (usual !== status) return null;
  if (repeatsTimestamp && body === 'timestamp_too_old') {
    const repeated = 'Each attempt repeats the timestamp of the first one, which is too old by now.';
    const tolerance = 'Give your receiver a larger tolerance. catchUp plays the events that came too late.';
    return { id: body, text: repeated, remedy: tolerance, isProven: true };
  }
  if (body === 'timestamp_too_old' || body === 'timestamp_too_new')
    return { id: body, text, remedy: SANDBOX_CLOCK, isProven: true };
  if (body !== 'signature_mismatch') return { id: body, text, remedy, isProven: true };
  const cause = mistakeOf(headers['x-merchant-cause']);
  if (cause === null) {
    const start =
      'Start your receiver with MERCHANT_SANDBOX=1, or give sandbox: true. It then says which of the two it is.';
    return { id: body, text, remedy: start, isProven: false };
  }
  if (cause.id !== 'another_secret') return { ...cause, isProven: true };
  if (headers['x-merchant-body-sha256'] !== sentSha256) return diagnosis('changed_body', url);
  const secrets = `Your handler has another secret: the sender's has the fingerprint ${secretFingerprint}.`;
  return { id: cause.id, text: secrets, remedy: COMPARE_SECRETS, isProven: true };
}

function isVerdict(word: string): word is Verdict {
  return Object.entries(REASONS).some(([reason, { status }]) => reason === word && status !== null);
}
