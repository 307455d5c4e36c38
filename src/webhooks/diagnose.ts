import { RAW_BODY_ADVICE } from './body.ts';
import { base64ToBytes, engine, equalDigests, type HmacKey, parseSignature, utf8 } from './verify/signature.ts';
import { readHeaders, requiredHeaders } from './verify/verify.ts';

// Why a signature does not match: seen by a receiver that has the request (diagnoseMismatch), and by the sender of a
// request that a receiver refuses (receiverMistakes). Only the command line and the sandbox search for it: a receiver in
// production spends nothing on the requests of strangers.

interface Mismatch {
  readonly timestamp: string;
  readonly digest: string;
  readonly secrets: readonly HmacKey[];
  readonly body: Uint8Array;
}

/**
 * Tries the usual mistakes on a request whose signature does not match: the secret in another form, and a body that was
 * changed on its way. Returns the mistake and its remedy, or null if none explains the signature.
 *
 * @throws WebhookVerificationError if the headers are not those of a delivery.
 */
export async function diagnoseMismatch(
  body: Uint8Array,
  headers: unknown,
  secrets: readonly HmacKey[],
): Promise<string | null> {
  const { signature, timestamp } = requiredHeaders(readHeaders(headers));
  const mismatch: Mismatch = { timestamp, digest: parseSignature(signature, undefined), secrets, body };
  return (await wrongSecret(mismatch)) ?? (await changedBody(mismatch));
}

async function wrongSecret(mismatch: Mismatch): Promise<string | null> {
  for (const secret of mismatch.secrets) {
    if (typeof secret !== 'string') continue;
    const [, unquoted] = /^\s*["'`]\s*(.+?)\s*["'`]\s*$/.exec(secret) ?? [];
    if (unquoted !== undefined && (await matches(mismatch, unquoted, mismatch.body))) {
      return 'the secret would match when trimmed of the quotes around it.';
    }
    for (const [encoding, bytes] of decoded(secret)) {
      if (!(await matches(mismatch, bytes, mismatch.body))) continue;
      return `the secret is the ${encoding} of a key, and the bytes of that key would match: pass them as a Uint8Array.`;
    }
  }
  return null;
}

const HEX_KEY = /^(?:[0-9a-f]{2}){16,64}$/i;
const BASE64_KEY = /^(?:[A-Za-z0-9+/]{4}){4,24}(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** The keys whose text form the secret could be. */
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

async function changedBody(mismatch: Mismatch): Promise<string | null> {
  for (const [body, diagnosis] of variants(mismatch.body)) {
    for (const secret of mismatch.secrets) {
      if (await matches(mismatch, secret, body)) return `${diagnosis} ${RAW_BODY_ADVICE}`;
    }
  }
  return null;
}

async function matches({ timestamp, digest }: Mismatch, secret: HmacKey, body: Uint8Array): Promise<boolean> {
  return equalDigests(await engine().hmac(secret, `${timestamp}.`, body), digest);
}

const RESERIALISED = 'the body was parsed and serialised again: with other spacing it would match.';
function* variants(body: Uint8Array): Generator<readonly [Uint8Array, string]> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  yield [utf8(`\uFEFF${text}`), 'the body lost its byte-order mark when it was read as text.'];
  yield [utf8(`${text}\n`), 'the line break at the end of the body was lost.'];
  const trimmed = text.trim();
  if (trimmed !== text) yield [utf8(trimmed), 'white space was added around the body.'];
  for (const spaced of [false, true]) {
    const plain = respaced(text, spaced);
    const escaped = inAscii(plain);
    if (plain !== text) yield [utf8(plain), RESERIALISED];
    if (escaped !== plain)
      yield [utf8(escaped), 'the body was parsed and serialised again: with escaped letters it would match.'];
  }
}

/** The same JSON text without spaces outside of strings, or with one after each comma and colon. */
function respaced(json: string, spaced: boolean): string {
  // The closing quote is optional. Otherwise each opening quote of a hostile body would be followed to the end.
  return json.replace(/"(?:[^"\\]|\\[\s\S])*"?|\s+|[,:]/g, (token) => {
    if (token.startsWith('"')) return token;
    if (token === ',' || token === ':') return spaced ? `${token} ` : token;
    return '';
  });
}

function inAscii(json: string): string {
  return json.replace(/[\u0080-\uFFFF]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A usual mistake of a receiver: it signs this text with this secret. Signed so, a request is accepted by it alone. */
export interface ReceiverMistake {
  /** The mistake and its remedy. */
  readonly mistake: string;
  readonly secret: string;
  readonly text: string;
}

/** The usual mistakes of receivers that nobody can look into, for a delivery with this secret, timestamp and body. */
export function receiverMistakes({
  secret,
  apiKey,
  timestamp,
  body,
}: {
  readonly secret: string;
  /** Tried as the secret, because the two are mixed up. */
  readonly apiKey: string | undefined;
  readonly timestamp: string;
  readonly body: string;
}): readonly ReceiverMistake[] {
  const data: unknown = JSON.parse(body);
  const sorted = Object.fromEntries(Object.entries(data ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
  const secrets = [
    ['is the API key. The webhook secret is another value of the dashboard.', apiKey ?? secret],
    ['ends with a line break. Trim it where it is read from a file or the environment.', `${secret}\n`],
    ['ends with a Windows line break. Trim it where it is read.', `${secret}\r\n`],
    ['begins with a space. Trim it where it is read.', ` ${secret}`],
    ['ends with a space. Trim it where it is read.', `${secret} `],
    ['has quotes around it.', `"${secret}"`],
    ['has single quotes around it.', `'${secret}'`],
    ['lacks "whsec_". The whole secret is the key.', secret.replace(/^whsec_/, '')],
  ] as const;
  // The body as other languages write the same data. JavaScript writes it as it was sent, so it is not tried.
  const bodies = [
    ['with a space after each comma and colon, as Python does', inAscii(respaced(body, true))],
    ['with its members sorted', JSON.stringify(sorted)],
    ['with escaped slashes and letters, as PHP does', inAscii(body).replaceAll('/', '\\/')],
    ['with line breaks and indents', JSON.stringify(data, null, 2)],
    ['with a line break at its end', `${body}\n`],
  ] as const;
  const right = `${timestamp}.${body}`;
  const all: readonly ReceiverMistake[] = [
    ...secrets.map(([what, other]) => ({ mistake: `the receiver’s secret ${what}`, secret: other, text: right })),
    { mistake: 'the receiver signs the body alone. The signed text is {timestamp}.{body}.', secret, text: body },
    {
      mistake: 'the receiver leaves out the dot. The signed text is {timestamp}.{body}.',
      secret,
      text: `${timestamp}${body}`,
    },
    ...bodies.map(([how, other]) => ({
      mistake: `the receiver parses the body and serialises it again (${how}). Sign the bytes as they arrived.`,
      secret,
      text: `${timestamp}.${other}`,
    })),
  ];
  return all.filter(({ secret: key, text }) => key !== secret || text !== right);
}
