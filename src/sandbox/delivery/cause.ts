import { ConfigurationError } from '../../errors/classes.ts';
import { receiverMistakes } from '../../webhooks/diagnose.ts';
import { replyFor, type Verdict } from '../../webhooks/handle/verdict.ts';
import { engine, hexToBase64 } from '../../webhooks/verify/signature.ts';
import type { Dialect } from '../dialects.ts';
import { quoted } from '../option-checks.ts';
import type { DeliveryFault } from '../state/faults.ts';
import type { InvoiceRecord } from '../state/records.ts';
import type { SandboxAttempt, SandboxWebhookRequest } from '../wire-types.ts';
import type { World } from '../world.ts';
import { exchange, signedRequest, stampNow } from './webhook-request.ts';

// Why a receiver refuses a delivery: what request and answer prove, and a search by trial for what they do not.

/** An attempt that has ended. */
export type EndedAttempt = Omit<SandboxAttempt, 'why' | 'triggered_by' | 'created_at'>;

/** The facts that explain an attempt but are not part of its record. */
export interface Circumstances {
  readonly dialect: Dialect;
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

/** What the words mean that the handler of merchant-invoicing/webhooks answers with, where its report does not say more. */
const SDK_REPLIES: Readonly<Record<string, string>> = {
  signature_mismatch: `Your handler (merchant-invoicing/webhooks) has another secret, or was given a body that is not the raw one. ${LOOK}`,
  missing_header:
    'Your handler misses one of X-Webhook-Id, X-Webhook-Signature and X-Webhook-Timestamp, and all three were sent: a proxy removes headers.',
  malformed_signature:
    'Your handler does not take the form of the signature: its option encoding differs from the sandbox’s signatureEncoding.',
  malformed_timestamp:
    'Your handler does not take the form of the timestamp: its option timestampFormat differs from the sandbox’s timestampFormat.',
  malformed_payload:
    'The signature holds, and your handler could not read the payload. Its onReport names the member. An order id under another name needs the option orderIdMember.',
  handler_failed: 'The signature holds, and your function threw. The onReport of your handler has the error.',
  store_failed: 'The signature holds, and the store of your handler failed. Its onReport has the error.',
  time_limit: 'The signature holds, and your function took longer than the time limit of your handler.',
  duplicate_running: 'An earlier delivery of the same event is still being handled. Nothing has to be fixed.',
};

function fromSdk({ status_code, response_body, response_headers }: EndedAttempt, now: Circumstances): string | null {
  if (!response_headers?.['content-type']?.startsWith('text/plain') || response_body === null) return null;
  const { status } = replyFor(response_body as Verdict); // any other text has no status
  if (status !== status_code) return null;
  if (response_body.startsWith('timestamp_too_')) return age(now);
  return (
    SDK_REPLIES[response_body] ?? `Your handler answered ${response_body}. Its onReport says which line to change.`
  );
}

const MINUTE = 60_000;

function age({ dialect, attempt, skew }: Circumstances): string {
  const off = Math.round(Math.abs(skew) / MINUTE);
  if (off === 0) {
    return 'The signature holds, and the timestamp was right by this machine’s clock: the clock of the receiver, or its tolerance, is off.';
  }
  const isRepeated = dialect.timestampPer === 'delivery' && attempt > 1;
  const reason = isRepeated
    ? 'the dialect timestampPer "delivery" repeats that of the first attempt.'
    : 'the option deliveryTimestamp "sandbox" stamps by the sandbox clock. Take "wall", or give your verifier the same clock.';
  return `The timestamp was ${off} min ${skew < 0 ? 'behind' : 'ahead of'} the real time: ${reason}`;
}

const CLOSED = 'The receiver closed the connection without an answer: it may have crashed.';
const CERTIFICATE =
  'The certificate of {host} is not known here: start the sandbox with NODE_EXTRA_CA_CERTS, or use http:// on this machine.';
const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens at {host}. Is the receiver running, and on this port?',
  ENOTFOUND: 'No address is known for {host}.',
  ECONNRESET: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  ERR_SSL_WRONG_VERSION_NUMBER: '{host} does not speak TLS: write http:// in the callback_url.',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: '{host} does not speak TLS: write http:// in the callback_url.',
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
};

/** The reason why no answer came, where the error names it. */
function causeOfConnectionError({ error, request }: EndedAttempt): string | null {
  if (error?.startsWith('timeout')) return 'No answer came within 15 s. Answer 2xx first, work afterwards.';
  const code = /^connection error: (\S+)$/.exec(error ?? '')?.[1] ?? '';
  const cause = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  return cause?.replace('{host}', new URL(request?.url ?? 'http://localhost').host) ?? null;
}

/** Texts that frameworks write: the statuses, the text, and its meaning. The merchant's code was not reached. */
const KNOWN_ANSWERS: readonly (readonly [status: readonly number[], body: RegExp, meaning: string])[] = [
  [
    [400, 403, 419, 422],
    /csrf|InvalidAuthenticityToken|page expired/i,
    'A protection against forged forms (CSRF) refused it: exempt this route from it.',
  ],
  [
    [403],
    /Blocked (?:request\.|hosts?:)/,
    'The development server refuses this host name: allow it there, or use 127.0.0.1 in the callback_url.',
  ],
];

/** The cause that status, headers or known texts of an answer prove. */
function causeInAnswer({ status_code, response_body, response_headers, request }: EndedAttempt): string | null {
  const status = status_code ?? 0;
  const known = KNOWN_ANSWERS.find(([statuses, text]) => statuses.includes(status) && text.test(response_body ?? ''));
  if (known !== undefined) return known[2];
  if (response_headers?.['www-authenticate'] !== undefined) {
    return 'The answer asks for a login (WWW-Authenticate): the endpoint is behind authentication. A webhook carries a signature and no login.';
  }
  const path = new URL(request?.url ?? 'http://localhost').pathname;
  const to = response_headers?.['location'];
  const redirect = `A redirect is not followed, it counts as a failure${to === undefined ? '' : `. Make the final address the callback_url: ${to}`}`;
  const proxy = 'A proxy answered: the application behind it did not.';
  const meanings: Readonly<Record<number, string>> = {
    404: `The receiver has no POST route at ${path}: compare the path of the callback_url with your route.`,
    405: `The receiver knows ${path} but takes no POST there.`,
    413: 'The body is too large for the receiver. Webhooks here are below 1 kB.',
    415: 'The receiver does not take application/json.',
    502: proxy,
    504: proxy,
  };
  return status >= 300 && status <= 399 ? redirect : (meanings[status] ?? null);
}

/** The result of the search for the cause of a refusal. @experimental */
export interface FoundCause {
  /** True if the receiver accepted a request that only a receiver with this mistake accepts. */
  readonly proven: boolean;
  /** The mistake and its remedy, or the reason why none was found. */
  readonly text: string;
  /** The number of requests that the receiver got. */
  readonly requests: number;
}

/** A mistake of a receiver, and the headers that a receiver with this mistake accepts. */
interface Suspect {
  readonly mistake: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Searches for the reason why a receiver refuses the delivery of an invoice.
 *
 * For each usual mistake it sends a request that only a receiver with this mistake accepts. A mistake is proven if that
 * request is accepted, and the correct one is refused before and after it. The receiver gets up to 25 requests. The
 * delivery, its attempts and its schedule stay unchanged.
 * @internal
 */
export async function searchCause(world: World, invoice: InvoiceRecord): Promise<FoundCause> {
  const [delivery] = world.store.deliveries(invoice);
  const last = delivery?.log.at(-1);
  if (delivery === undefined || last === undefined) {
    throw new ConfigurationError(
      `${quoted(invoice.external_id)} has no delivery that was sent, so there is nothing to explain`,
    );
  }
  if (last.request === null) throw new ConfigurationError(`Nothing was sent: ${last.error}`);
  if (!last.success && last.status_code !== null && !isSearchable(last)) {
    const failed = `It answered ${last.status_code}, which is no refusal of a signature. Its own log has the reason.`;
    return { proven: false, text: last.why ?? failed, requests: 0 };
  }
  const { settings } = world;
  const { webhookSecret, dialect, apiKey } = settings;
  const finding = await findMistake({
    webhookSecret,
    dialect,
    apiKey,
    now: () => stampNow(world),
    right: () => signedRequest(settings, delivery, delivery.url, stampNow(world)),
    async accepts(request) {
      const { status_code, success } = await exchange(world, request);
      return status_code === null ? null : success;
    },
  });
  delivery.finding = finding.text;
  return finding;
}

/** A receiver on trial. */
interface Trial {
  readonly webhookSecret: string;
  readonly dialect: Dialect;
  /** Tried as the secret, because the two are mixed up. */
  readonly apiKey: string | undefined;
  /** The time to sign with, in epoch milliseconds. */
  readonly now: () => number;
  /** Builds the correct request, signed now. */
  readonly right: () => Promise<SandboxWebhookRequest>;
  /** Sends a request. Null if no answer came. */
  readonly accepts: (request: SandboxWebhookRequest) => Promise<boolean | null>;
}

/** Searches for the mistake of a receiver by trial, as {@link searchCause}. @internal */
export async function findMistake(trial: Trial): Promise<FoundCause> {
  const { right } = trial;
  let requests = 0;
  const accepts = (request: SandboxWebhookRequest): Promise<boolean | null> => {
    requests += 1;
    return trial.accepts(request);
  };
  const first = await accepts(await right());
  if (first === null)
    return { proven: false, text: 'No answer came: this is about the connection, not the signature.', requests };
  if (first)
    return { proven: false, text: 'The same delivery is accepted now: the cause of the refusal has ended.', requests };
  const sample = await right();
  for (const { mistake, headers } of await suspects(trial, sample)) {
    if (!(await accepts({ ...sample, headers: { ...sample.headers, ...headers } }))) continue;
    const again = await accepts(await right());
    if (again !== false) break; // it accepts and refuses the same request, so nothing is proven
    return { proven: true, text: `Proven by trial: ${mistake}`, requests };
  }
  const text =
    'None of the usual mistakes explains it. Tried were the secret, the signed text, the spacing of the body and the forms of signature and timestamp. Compare the secret first.';
  return { proven: false, text, requests };
}

/** The requests that only a receiver with one mistake accepts, or with one reading of what the interface leaves open. */
async function suspects(
  { webhookSecret, dialect, apiKey, now }: Trial,
  { headers, body }: SandboxWebhookRequest,
): Promise<Suspect[]> {
  const { 'X-Webhook-Timestamp': timestamp = '' } = headers;
  const sign = async (key: string, text: string, encoding = dialect.signatureEncoding): Promise<string> => {
    const hex = await engine().hmac(key, text, new Uint8Array());
    return encoding === 'hex' ? hex : hexToBase64(hex);
  };
  const found: Suspect[] = [];
  for (const { mistake, secret, text } of receiverMistakes({ secret: webhookSecret, apiKey, timestamp, body })) {
    found.push({ mistake, headers: { 'X-Webhook-Signature': await sign(secret, text) } });
  }
  const expects = (form: string, changed: Suspect['headers']): void => {
    found.push({ mistake: `the receiver expects ${form}. The interface does not show the form.`, headers: changed });
  };
  const right = `${timestamp}.${body}`;
  const hex = await sign(webhookSecret, right, 'hex');
  expects('the signature in hex', { 'X-Webhook-Signature': hex });
  expects('the signature in base64', { 'X-Webhook-Signature': await sign(webhookSecret, right, 'base64') });
  expects('"sha256=" before the signature', { 'X-Webhook-Signature': `sha256=${hex}` });
  const at = now();
  for (const [form, stamp] of [
    ['seconds', String(Math.floor(at / 1000))],
    ['milliseconds', String(at)],
    ['ISO 8601', new Date(at).toISOString()],
  ] as const) {
    const signature = await sign(webhookSecret, `${stamp}.${body}`);
    expects(`the timestamp in ${form}`, { 'X-Webhook-Signature': signature, 'X-Webhook-Timestamp': stamp });
  }
  // A suspect that changes no header is the correct request.
  return found.filter((each) => Object.entries(each.headers).some(([name, value]) => headers[name] !== value));
}
