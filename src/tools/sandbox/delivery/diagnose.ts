import { RAW_BODY_ADVICE } from '../../../webhooks/body.ts';
import { REASONS, type Verdict } from '../../../webhooks/handle/reasons.ts';
import { type MistakeId, mistakeOf } from '../../../webhooks/verify/why.ts';

// Why a webhook was refused, from the response of the receiver. A receiver of this package says it itself, in the words of
// its own tables. This file reads what strangers say: redirects, logins, routes, proxies, and connections that fail.

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
 * The kinds of causes: without a response, in the response of a stranger, of the sandbox itself, and the verdicts and mistakes
 * that a receiver of this package names.
 */
export type DiagnosisId =
  | 'nothing_listens'
  | 'unknown_host'
  | 'connection_closed'
  | 'no_tls'
  | 'unknown_certificate'
  | 'connection_failed'
  | 'time_out'
  | 'redirect'
  | 'no_route'
  | 'no_post'
  | 'body_too_large'
  | 'not_json'
  | 'proxy'
  | 'login'
  | 'csrf'
  | 'host_blocked'
  | 'forbidden'
  | 'rate_limited'
  | 'refused'
  | 'receiver_failed'
  | 'changed_body'
  | 'signature_form'
  | 'not_sent'
  | 'fault_accepted'
  | 'fault_refused'
  | Verdict
  | MistakeId;

/** The remedy of a receiver that takes too long. To answer before the work is done would lose the event. */
export const LONG_WORK = 'Write and answer in one transaction; give long work to a queue in that transaction.';

/** A diagnosis as text for people: the cause, then the remedy. */
export function sentenceOf({ text, remedy }: Pick<Diagnosis, 'text' | 'remedy'>): string {
  return remedy === null ? text : `${text} ${remedy}`;
}

/** True if the response does not say what is wrong with a signature: `webhooks check` can try it out. */
export function isUnexplained({ id }: Diagnosis): boolean {
  return id === 'signature_mismatch' || id === 'refused';
}

/** A delivery that was not accepted, and how it ended. */
export interface RefusedDelivery {
  /** The address of the receiver. Null if it is that of the business, which only the service knows. */
  readonly url: string | null;
  /** The HTTP status. Null without a response. */
  readonly status: number | null;
  /** The code of a failed connection, or `time-out`. Null with a response. */
  readonly problem: string | null;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>> | null;
  /** True if the sender repeats the timestamp of the first attempt, as services may do. It was not stamped anew. */
  readonly repeatsTimestamp: boolean;
  /** SHA-256 of the body that was sent, in lower-case hex. Null if it is not known. */
  readonly sentSha256: string | null;
  /** The fingerprint of the secret that signed it. Null if it is not to be shown. */
  readonly secretFingerprint: string | null;
}

/** A delivery of which nothing else is known. */
const NO_REPLY: RefusedDelivery = {
  url: null,
  status: null,
  problem: null,
  body: null,
  headers: null,
  repeatsTimestamp: false,
  sentSha256: null,
  secretFingerprint: null,
};

const SEE_LOG = 'Look into the log of the receiver for this request.';

/**
 * Returns the cause that the response shows. Without a known sign it is `refused` or `receiver_failed`, and not proven.
 */
export function diagnoseReply(reply: RefusedDelivery): Diagnosis {
  const { status } = reply;
  if (status === null) return unanswered(reply);
  const known = fromHandler(reply, status) ?? fromResponse(reply, status);
  if (known !== null) return known;
  return status >= 500
    ? { id: 'receiver_failed', text: 'The receiver failed.', remedy: SEE_LOG, isProven: false }
    : {
        id: 'refused',
        text: 'The receiver gave no reason that is known here.',
        remedy: SEE_LOG,
        isProven: false,
      };
}

/**
 * Returns the likely cause of an attempt of which only the status is known, as in the delivery history of the service.
 *
 * @param host The receiver, as a sentence names it.
 */
export function diagnoseStatus(host: string, url: string | null, status: number | null): Diagnosis {
  if (status === null) {
    const remedy = `Start it, or correct the address. The service waits for 15 s. ${LONG_WORK}`;
    return { id: 'connection_failed', text: `No response came from ${host}.`, remedy, isProven: false };
  }
  if (status === 400 || status === 401) {
    return {
      id: 'signature_mismatch',
      text: `${host} answered ${status}: most often its webhook secret is not the one of the dashboard.`,
      remedy: 'Compare the two. If they are the same, a body parser changes the body before it is checked.',
      isProven: false,
    };
  }
  return { ...diagnoseReply({ ...NO_REPLY, status, url }), isProven: false };
}

function proven(id: DiagnosisId, text: string, remedy: string | null): Diagnosis {
  return { id, text, remedy, isProven: true };
}

const CLOSED = [
  'connection_closed',
  'The receiver closed the connection without a response.',
  'It may have crashed: look into its log.',
] as const;
const NO_TLS = ['no_tls', '{host} does not speak TLS.', 'Write http:// in the callback_url.'] as const;
const CERTIFICATE = [
  'unknown_certificate',
  'The certificate of {host} is not known here.',
  'Start the sandbox with NODE_EXTRA_CA_CERTS, or use http:// on this machine.',
] as const;
const BY_CODE: Readonly<Record<string, readonly [id: DiagnosisId, text: string, remedy: string]>> = {
  ECONNREFUSED: [
    'nothing_listens',
    'Nothing listens at {host}.',
    'Start the receiver, or correct the port of the callback_url.',
  ],
  ENOTFOUND: ['unknown_host', 'No address is known for {host}.', 'Correct the host of the callback_url.'],
  ECONNRESET: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
};

function unanswered({ url, problem }: RefusedDelivery): Diagnosis {
  if (problem === 'time-out') {
    return proven('time_out', 'No response came in time.', LONG_WORK);
  }
  const code = problem ?? 'no response';
  const host = url === null ? 'the receiver' : new URL(url).host;
  const [id, text, remedy] = (Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined) ?? [];
  if (id !== undefined && text !== undefined && remedy !== undefined)
    return proven(id, text.replace('{host}', host), remedy);
  return {
    id: 'connection_failed',
    text: `The connection to ${host} failed: ${code}.`,
    remedy: SEE_LOG,
    isProven: false,
  };
}

/**
 * Returns what a receiver of this package says by its response, in the words of its own table. In sandbox mode it names the
 * mistake behind a signature, and the digest of the bytes that it got.
 */
function fromHandler(
  { body, headers, repeatsTimestamp, sentSha256, secretFingerprint }: RefusedDelivery,
  status: number,
): Diagnosis | null {
  if (!headers?.['content-type']?.startsWith('text/plain') || body === null || !isVerdict(body)) return null;
  const row = REASONS[body];
  if (row.status !== status) return null;
  if (repeatsTimestamp && body === 'timestamp_too_old') return REPEATED_TIME;
  if (body !== 'signature_mismatch') return { id: body, text: row.cause, remedy: row.remedy, isProven: true };
  const cause = mistakeOf(headers['x-merchant-cause']);
  if (cause === null) return { id: body, text: row.cause, remedy: SANDBOX_MODE, isProven: false };
  if (cause.id !== 'another_secret') return { ...cause, isProven: true };
  const isChanged = sentSha256 !== null && headers['x-merchant-body-sha256'] !== sentSha256;
  if (isChanged) return CHANGED_BODY;
  const own =
    secretFingerprint === null
      ? ''
      : ` The secret here has the fingerprint ${secretFingerprint}; the console of your receiver shows its own.`;
  return {
    ...cause,
    text: `Your handler has another secret: it got the bytes that were sent.${own}`,
    isProven: sentSha256 !== null,
  };
}

const SANDBOX_MODE =
  'Start your receiver with MERCHANT_SANDBOX=1, or give sandbox: true: it then says which of the two it is.';
const CHANGED_BODY = proven(
  'changed_body',
  'Your handler got other bytes than were sent: something in between changed the body.',
  RAW_BODY_ADVICE,
);
const REPEATED_TIME = proven(
  'timestamp_too_old',
  'Each attempt repeats the timestamp of the first, which is too old by now.',
  'Give your verifier a larger tolerance. catchUp plays what came too late.',
);

function isVerdict(word: string): word is Verdict {
  return Object.entries(REASONS).some(([reason, { status }]) => reason === word && status !== null);
}

/** Responses of frameworks, which refuse the request before it reaches the merchant's code. */
const KNOWN_RESPONSES: readonly {
  readonly statuses: readonly number[];
  readonly body: RegExp;
  readonly diagnosis: Diagnosis;
}[] = [
  {
    statuses: [400, 403, 419, 422],
    body: /csrf|InvalidAuthenticityToken|page expired/i,
    diagnosis: proven('csrf', 'A protection against forged forms (CSRF) refused it.', 'Exempt this route from it.'),
  },
  {
    statuses: [403],
    body: /Blocked (?:request\.|hosts?:)/,
    diagnosis: proven(
      'host_blocked',
      'The development server refuses this host name.',
      'Allow it there, or use 127.0.0.1 in the callback_url.',
    ),
  },
];

function fromResponse({ body, headers, url }: RefusedDelivery, status: number): Diagnosis | null {
  const known = KNOWN_RESPONSES.find((each) => each.statuses.includes(status) && each.body.test(body ?? ''));
  if (known !== undefined) return known.diagnosis;
  if (headers?.['www-authenticate'] !== undefined) {
    return proven(
      'login',
      'The endpoint asks for a login (WWW-Authenticate).',
      'A webhook carries a signature and no login: exempt this route.',
    );
  }
  if (status >= 300 && status <= 399) {
    const to = headers?.['location'];
    const text = to === undefined ? 'It redirects.' : `It redirects to ${to}.`;
    return proven('redirect', text, 'A redirect counts as a failure: make the final address the callback_url.');
  }
  const place = url === null ? 'for the callback_url' : `at ${new URL(url).pathname}`;
  const proxy = proven(
    'proxy',
    'A proxy answered, and the application behind it did not.',
    'Start the application, or correct the proxy.',
  );
  const meanings: Readonly<Record<number, Diagnosis>> = {
    403: {
      id: 'forbidden',
      text: 'It answers 403, as no receiver of this package does: a firewall, a login or a guard stands before the route.',
      remedy: 'Exempt this route from it: a webhook carries a signature and no login.',
      isProven: false,
    },
    404: proven(
      'no_route',
      `The receiver has no POST route ${place}.`,
      'Compare the path of the callback_url with your route.',
    ),
    405: proven('no_post', `The receiver takes no POST ${place}.`, 'Make the route take POST.'),
    413: proven(
      'body_too_large',
      'The body is too large for the receiver.',
      'Raise its limit: a webhook has about 1 kB.',
    ),
    415: proven('not_json', 'The receiver does not take application/json.', 'Let this route take it.'),
    429: proven(
      'rate_limited',
      'A rate limit stands before the route.',
      'Exempt this route from it: after an outage the service sends many webhooks at once.',
    ),
    502: proxy,
    504: proxy,
  };
  return meanings[status] ?? null;
}
