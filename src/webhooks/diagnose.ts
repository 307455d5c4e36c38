import { RAW_BODY_ADVICE } from './body.ts';
import { replyFor, type Verdict } from './handle/verdict.ts';
import {
  base64ToBytes,
  engine,
  equalDigests,
  type HmacKey,
  hexToBase64,
  parseSignature,
  utf8,
} from './verify/signature.ts';
import { bodyMistake, COMPARE_THE_SECRET, readHeaders, requiredHeaders } from './verify/verify.ts';

// Why a webhook was refused, found in three ways: from the response of the receiver (diagnoseReply), by requests that
// only a receiver with one mistake accepts (searchMistake), and from the request as the receiver got it
// (diagnoseMismatch). Only the command line, the sandbox and the storm call this file: a receiver in production spends nothing on
// the requests of strangers.

/** The cause of a refused webhook, with its remedy. */
export interface Diagnosis {
  /** The kind of cause, such as `nothing_listens` or `wrong_secret`. */
  readonly id: DiagnosisId;
  /** What is wrong, as one sentence. */
  readonly text: string;
  /** What to change. Null if nothing has to be changed. */
  readonly remedy: string | null;
  /** True if the evidence shows this cause and no other. */
  readonly isProven: boolean;
}

/** The kinds of causes: without a response, in the response, of the signature, and of the sandbox itself. */
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
  | 'refused'
  | 'receiver_failed'
  | 'signature_mismatch'
  | 'missing_header'
  | 'signature_form'
  | 'timestamp_form'
  | 'timestamp_age'
  | 'unreadable_payload'
  | 'handler_failed'
  | 'store_failed'
  | 'busy'
  | 'receiver_setup'
  | 'sandbox_secret'
  | 'wrong_secret'
  | 'signed_text'
  | 'changed_body'
  | 'accepted_now'
  | 'inconclusive'
  | 'not_sent'
  | 'fault_accepted'
  | 'fault_refused';

/** The remedy of a receiver that takes too long. To answer before the work is done would lose the event. */
export const LONG_WORK = 'Write and answer in one transaction; give long work to a queue.';

/** A diagnosis as text for people: the cause, then the remedy. */
export function sentenceOf({ text, remedy }: Pick<Diagnosis, 'text' | 'remedy'>): string {
  return remedy === null ? text : `${text} ${remedy}`;
}

/** True if {@link searchMistake} can tell more: the signature was refused, or no reason was given. */
export function isSearchable({ id }: Diagnosis): boolean {
  return id === 'signature_mismatch' || id === 'refused';
}

// First way: the response of the receiver.

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
}

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
  if (status === 400 || status === 401 || status === 403) {
    return {
      id: 'signature_mismatch',
      text: `${host} answered ${status}: most often its webhook secret is not the one of the dashboard.`,
      remedy: 'Compare the two. If they are the same, a body parser changes the body before it is checked.',
      isProven: false,
    };
  }
  const reply = { status, problem: null, body: null, headers: null, repeatsTimestamp: false };
  return { ...diagnoseReply({ ...reply, url }), isProven: false };
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

const SIGNED = 'The signature matches, and';

/** The causes for the verdicts that the handler of merchant-invoicing/webhooks sends as its response. */
const HANDLER_REPLIES: Readonly<
  Partial<Record<Verdict, readonly [id: DiagnosisId, text: string, remedy: string | null]>>
> = {
  signature_mismatch: [
    'signature_mismatch',
    'The signature did not match.',
    'Two usual causes: your handler has another secret, or a body parser changed the body before it was checked.',
  ],
  sandbox_secret: [
    'sandbox_secret',
    'Your handler refuses the public secret of the sandbox.',
    'For development, start it with MERCHANT_SANDBOX=1, or give sandbox: true.',
  ],
  missing_header: [
    'missing_header',
    'Your handler got no X-Webhook-Id, X-Webhook-Signature or X-Webhook-Timestamp, although all three were sent.',
    'A proxy removes headers: let it pass these.',
  ],
  malformed_signature: [
    'signature_form',
    'Your handler does not accept the form of the signature.',
    'Set its option encoding to that of the sender.',
  ],
  malformed_timestamp: [
    'timestamp_form',
    'Your handler does not accept the form of the timestamp.',
    'Set its option timestampFormat to that of the sender.',
  ],
  malformed_payload: [
    'unreadable_payload',
    `${SIGNED} your handler could not read the payload.`,
    'Its onReport names the member. An order id under another name needs the option orderIdMember.',
  ],
  handler_failed: ['handler_failed', `${SIGNED} your function threw.`, 'The onReport of your handler has the error.'],
  store_failed: ['store_failed', `${SIGNED} the store of your handler failed.`, 'Its onReport has the error.'],
  time_limit: ['time_out', `${SIGNED} your function took longer than the time limit of your handler.`, LONG_WORK],
  duplicate_running: ['busy', 'An earlier delivery of the same event is still being handled.', null],
};

function fromHandler({ body, headers, repeatsTimestamp }: RefusedDelivery, status: number): Diagnosis | null {
  if (!headers?.['content-type']?.startsWith('text/plain') || body === null) return null;
  const verdict = body as Verdict; // any other text has no status in the table of verdicts
  if (replyFor(verdict).status !== status) return null;
  if (verdict === 'timestamp_too_old' || verdict === 'timestamp_too_new')
    return repeatsTimestamp ? REPEATED_TIME : WRONG_CLOCK;
  const [id, text, remedy] = HANDLER_REPLIES[verdict] ?? [];
  if (id !== undefined && text !== undefined)
    return { id, text, remedy: remedy ?? null, isProven: id !== 'signature_mismatch' };
  return proven('receiver_setup', `Your handler answered ${verdict}.`, 'Its onReport says which line to change.');
}

const WRONG_CLOCK = proven(
  'timestamp_age',
  `${SIGNED} the timestamp was right by this machine’s clock.`,
  'Correct the clock of the receiver, or its tolerance.',
);
const REPEATED_TIME = proven(
  'timestamp_age',
  'Each attempt repeats the timestamp of the first, which is too old by now.',
  'Give your verifier a larger tolerance. catchUp plays what came too late.',
);

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
    502: proxy,
    504: proxy,
  };
  return meanings[status] ?? null;
}

// Second way: requests that only a receiver with one mistake accepts.

/** A signed request to a receiver. */
interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The receiver to test, and how to sign requests for it. */
export interface Trial<Request extends SignedRequest> {
  readonly secret: string;
  readonly encoding: 'hex' | 'base64';
  /** Tried as the secret, because merchants confuse the two. */
  readonly apiKey: string | undefined;
  /** The time to sign with, in epoch milliseconds. */
  readonly now: () => number;
  /** Builds the correct request, signed with the current time. */
  readonly right: () => Promise<Request>;
  /** Sends a request, and resolves to whether the receiver accepted it. Null if no response came. */
  readonly accepts: (request: Request) => Promise<boolean | null>;
}

/** The result of a search by trial. */
export interface FoundCause extends Diagnosis {
  /** The number of requests that the receiver got. */
  readonly requests: number;
}

/**
 * Searches for the mistake of a receiver that refuses the signature. For each usual mistake it sends a request that only a
 * receiver with this mistake accepts. A mistake is proven if that request is accepted, and the correct one is refused before
 * and after it. The receiver gets up to 30 requests.
 */
export async function searchMistake<Request extends SignedRequest>(trial: Trial<Request>): Promise<FoundCause> {
  let requests = 0;
  const accepts = (request: Request): Promise<boolean | null> => {
    requests += 1;
    return trial.accepts(request);
  };
  const ended = (id: DiagnosisId, text: string, remedy: string | null): FoundCause => ({
    id,
    text,
    remedy,
    isProven: false,
    requests,
  });
  const first = await accepts(await trial.right());
  if (first === null)
    return ended('connection_failed', 'No response came.', 'This is about the connection, not the signature.');
  if (first) return ended('accepted_now', 'The same webhook is accepted now: the cause has ended.', null);
  const sample = await trial.right();
  for (const { headers, ...mistake } of await suspects(trial, sample)) {
    if (!(await accepts({ ...sample, headers: { ...sample.headers, ...headers } }))) continue;
    const again = await accepts(await trial.right());
    if (again !== false) break; // the receiver now accepts what it refused before, so nothing is proven
    return { ...mistake, isProven: true, requests };
  }
  return ended(
    'inconclusive',
    'None of the usual mistakes explains it: not the secret, the signed text, a changed body, or the form of signature or timestamp.',
    'Compare the secret and the bytes of the body on both sides: `webhooks verify` reads the request as it arrived.',
  );
}

/** A mistake of a receiver, and the headers that a receiver with this mistake accepts. */
type Suspect = Omit<Diagnosis, 'isProven'> & { readonly headers: Readonly<Record<string, string>> };

const SIGNED_TEXT = 'The signed text is {timestamp}.{body}.';

/**
 * Returns the requests that only a receiver with one mistake accepts, or with one reading of what the interface does
 * not show.
 */
async function suspects<Request extends SignedRequest>(
  trial: Trial<Request>,
  { headers, body }: Request,
): Promise<Suspect[]> {
  const { secret, encoding, apiKey, now } = trial;
  const { 'X-Webhook-Timestamp': timestamp = '' } = headers;
  const sign = async (key: string, text: string, form = encoding): Promise<string> => {
    const hex = await engine().hmac(key, text, new Uint8Array());
    return form === 'hex' ? hex : hexToBase64(hex);
  };
  const found: Suspect[] = [];
  const add = async (id: DiagnosisId, text: string, remedy: string, key: string, signed: string): Promise<void> => {
    if (key === secret && signed === `${timestamp}.${body}`) return;
    found.push({ id, text, remedy, headers: { 'X-Webhook-Signature': await sign(key, signed) } });
  };
  const right = `${timestamp}.${body}`;
  for (const [what, remedy, other] of [
    ['is the API key', 'The webhook secret is another value of the dashboard.', apiKey ?? secret],
    ['ends with a line break', 'Trim it where it is read from a file or the environment.', `${secret}\n`],
    ['ends with a Windows line break', 'Trim it where it is read.', `${secret}\r\n`],
    ['begins with a space', 'Trim it where it is read.', ` ${secret}`],
    ['ends with a space', 'Trim it where it is read.', `${secret} `],
    ['has quotes around it', 'Remove them.', `"${secret}"`],
    ['has single quotes around it', 'Remove them.', `'${secret}'`],
    ['lacks "whsec_"', 'The whole secret is the key.', secret.replace(/^whsec_/, '')],
  ] as const) {
    await add('wrong_secret', `The secret of the receiver ${what}.`, remedy, other, right);
  }
  await add('signed_text', 'The receiver signs the body alone.', SIGNED_TEXT, secret, body);
  await add('signed_text', 'The receiver leaves out the dot.', SIGNED_TEXT, secret, `${timestamp}${body}`);
  for (const [how, changed] of changedBodies(body)) {
    const text = `The body that the receiver checks was written again (${how}).`;
    await add(
      'changed_body',
      text,
      'Check the bytes as they arrived, before a parser or a proxy writes them again.',
      secret,
      `${timestamp}.${changed}`,
    );
  }
  const expects = (id: DiagnosisId, form: string, changed: Suspect['headers']): void => {
    const isChanged = Object.entries(changed).some(([name, value]) => headers[name] !== value);
    const remedy = 'The interface does not show the form: take that of your real deliveries.';
    if (isChanged) found.push({ id, text: `The receiver expects ${form}.`, remedy, headers: changed });
  };
  const hex = await sign(secret, right, 'hex');
  expects('signature_form', 'the signature in hex', { 'X-Webhook-Signature': hex });
  expects('signature_form', 'the signature in base64', { 'X-Webhook-Signature': hexToBase64(hex) });
  expects('signature_form', '"sha256=" before the signature', { 'X-Webhook-Signature': `sha256=${hex}` });
  const at = now();
  for (const [form, stamp] of [
    ['seconds', String(Math.floor(at / 1000))],
    ['milliseconds', String(at)],
    ['ISO 8601', new Date(at).toISOString()],
  ] as const) {
    const signature = await sign(secret, `${stamp}.${body}`);
    expects('timestamp_form', `the timestamp in ${form}`, {
      'X-Webhook-Signature': signature,
      'X-Webhook-Timestamp': stamp,
    });
  }
  return found;
}

/**
 * Returns the body as other languages and proxies would write the same data. The form of JavaScript is not among them,
 * because it is the same as the sent one.
 */
function changedBodies(body: string): readonly (readonly [how: string, body: string])[] {
  const data: unknown = JSON.parse(body);
  const sorted = Object.fromEntries(Object.entries(data ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
  const amount = /("(?:[a-z]+_)?(?:amount|usdt)":)"(\d{1,15}(?:\.\d{1,12})?)"/g;
  return [
    ['with a space after each comma and colon, as Python does', inAscii(respaced(body, true))],
    ['with its members sorted', JSON.stringify(sorted)],
    ['with escaped slashes and letters, as PHP does', inAscii(body).replaceAll('/', '\\/')],
    ['with line breaks and indents', JSON.stringify(data, null, 2)],
    ['with a line break at its end', `${body}\n`],
    ['with amounts as numbers', body.replace(amount, '$1$2')],
    [
      'with amounts as numbers, without zeros at the end',
      body.replace(amount, (_, name: string, digits: string) => name + Number(digits)),
    ],
  ];
}

// Third way: the request as the receiver got it.

interface Mismatch {
  readonly timestamp: string;
  readonly digest: string;
  readonly secrets: readonly HmacKey[];
  readonly body: Uint8Array;
}

/**
 * Searches for the cause of a signature that does not match: the secret in another form, or a body that was changed on
 * its way. If no usual mistake explains the signature, the result says so, and is not proven.
 *
 * @throws WebhookVerificationError if the headers are not those of a delivery.
 */
export async function diagnoseMismatch(
  body: Uint8Array,
  headers: unknown,
  secrets: readonly HmacKey[],
): Promise<Diagnosis> {
  const values = readHeaders(headers);
  const { signature, timestamp } = requiredHeaders(values);
  const mismatch: Mismatch = { timestamp, digest: parseSignature(signature, undefined), secrets, body };
  const found = (await wrongSecret(mismatch)) ?? (await changedBody(mismatch));
  if (found !== null) return found;
  const mistake = bodyMistake(body, values);
  const [cause, remedy] =
    mistake === null ? ['no usual mistake explains it.', COMPARE_THE_SECRET] : [mistake, RAW_BODY_ADVICE];
  return { id: 'signature_mismatch', text: `The signature does not match: ${cause}`, remedy, isProven: false };
}

async function wrongSecret(mismatch: Mismatch): Promise<Diagnosis | null> {
  for (const secret of mismatch.secrets) {
    if (typeof secret !== 'string') continue;
    const [, unquoted] = /^\s*["'`]\s*(.+?)\s*["'`]\s*$/.exec(secret) ?? [];
    if (unquoted !== undefined && (await matches(mismatch, unquoted, mismatch.body))) {
      return proven('wrong_secret', 'The secret would match when trimmed of the quotes around it.', 'Remove them.');
    }
    for (const [encoding, bytes] of decoded(secret)) {
      if (!(await matches(mismatch, bytes, mismatch.body))) continue;
      const text = `The secret is the ${encoding} of a key, and the bytes of that key would match.`;
      return proven('wrong_secret', text, 'Pass them as a Uint8Array.');
    }
  }
  return null;
}

const HEX_KEY = /^(?:[0-9a-f]{2}){16,64}$/i;
const BASE64_KEY = /^(?:[A-Za-z0-9+/]{4}){4,24}(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Yields the keys that the secret may be the hex or base64 form of. */
function* decoded(secret: string): Generator<readonly [string, Uint8Array]> {
  if (HEX_KEY.test(secret)) {
    yield ['hex', Uint8Array.from(secret.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))];
  }
  const key = secret
    .replace(/^whsec_/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  if (BASE64_KEY.test(key)) yield ['base64', base64ToBytes(key)];
}

async function changedBody(mismatch: Mismatch): Promise<Diagnosis | null> {
  for (const [body, text] of variants(mismatch.body)) {
    for (const secret of mismatch.secrets) {
      if (await matches(mismatch, secret, body)) return proven('changed_body', text, RAW_BODY_ADVICE);
    }
  }
  return null;
}

async function matches({ timestamp, digest }: Mismatch, secret: HmacKey, body: Uint8Array): Promise<boolean> {
  return equalDigests(await engine().hmac(secret, `${timestamp}.`, body), digest);
}

const REWRITTEN = 'The body was parsed and serialised again';

/** Yields the bodies that the service may have signed, if this is what arrived, each with the change on its way. */
function* variants(body: Uint8Array): Generator<readonly [Uint8Array, string]> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  yield [utf8(`\uFEFF${text}`), 'The body lost its byte-order mark when it was read as text.'];
  yield [utf8(`${text}\n`), 'The line break at the end of the body was lost.'];
  const trimmed = text.trim();
  if (trimmed !== text) yield [utf8(trimmed), 'White space was added around the body.'];
  for (const spaced of [false, true]) {
    const plain = respaced(text, spaced);
    const escaped = inAscii(plain);
    if (plain !== text) yield [utf8(plain), `${REWRITTEN}: with other spacing it would match.`];
    if (escaped !== plain) yield [utf8(escaped), `${REWRITTEN}: with escaped letters it would match.`];
  }
  const quoted = amountsAsText(respaced(text, false));
  if (quoted !== text) yield [utf8(quoted), `${REWRITTEN}, with amounts as numbers: as text they would match.`];
}

/** Returns the JSON text with its amounts as the service writes them: as text, with 2 decimals, and USDT with 6. */
function amountsAsText(json: string): string {
  return json.replace(
    /"((?:[a-z]+_)?(?:amount|usdt))":(\d{1,15}(?:\.\d{1,12})?)(?=[,}])/g,
    (_, name: string, digits: string) => `"${name}":"${Number(digits).toFixed(name.endsWith('usdt') ? 6 : 2)}"`,
  );
}

/** Returns the JSON text without spaces outside of its strings, or with one after each comma and colon. */
function respaced(json: string, spaced: boolean): string {
  // The closing quote is optional. Otherwise each opening quote of a hostile body would be followed to the end.
  return json.replace(/"(?:[^"\\]|\\[\s\S])*"?|\s+|[,:]/g, (token) => {
    if (token.startsWith('"')) return token;
    if (token === ',' || token === ':') return spaced ? `${token} ` : token;
    return '';
  });
}

/** Returns the JSON text with every letter outside of ASCII escaped. */
function inAscii(json: string): string {
  return json.replace(/[\u0080-\uFFFF]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
