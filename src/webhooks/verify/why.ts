import { environment, SANDBOX_KEY } from '../../errors/environment.ts';
import { RAW_BODY_ADVICE } from '../body.ts';
import { areEqual, base64ToBytes, engine, type HmacKey, hexToBase64, toBase64url, toHex, utf8 } from '../crypto.ts';
import { firstOf, type HeaderValues, requiredHeaders } from './headers.ts';
import { SANDBOX_SECRET } from './sandbox-secret.ts';
import { SECRET_MISTAKES } from './secrets.ts';
import { parseSignature, signedHead } from './signature.ts';

// Why a signature does not match. Only the receiver can say: it has the secret, the bytes and the headers.
// One table of mistakes. A mistake is proven when the signature matches without it. What no row explains is another
// secret, or a change of the body that no row knows: the sender, who knows the bytes that it sent, tells the two apart.
//
// Only the handler in sandbox mode and the command `webhooks verify` search, because it costs an HMAC for each row.

/** The names of the mistakes. */
export type MistakeId =
  | 'api_key_as_secret'
  | keyof typeof SECRET_MISTAKES
  | 'prefix_missing_in_secret'
  | 'encoded_secret'
  | 'decoded_secret'
  | 'body_alone_signed'
  | 'dot_not_signed'
  | 'byte_order_mark_lost'
  | 'line_break_lost'
  | 'white_space_around_body'
  | 'body_written_again'
  | 'amounts_as_numbers'
  | 'body_empty'
  | 'body_of_other_length'
  | 'another_secret';

/** Why a signature does not match. It names no value: neither the secret nor the body. */
export interface Mistake {
  readonly id: MistakeId;
  /** What is wrong, as one sentence. */
  readonly text: string;
  readonly remedy: string;
  /** True if the signature matches without the mistake. False for what remains by elimination. */
  readonly isProven: boolean;
}

/** A refused delivery as the receiver got it. */
interface Received {
  readonly body: Uint8Array;
  /** The body as text. */
  readonly text: string;
  readonly headers: HeaderValues;
  readonly timestamp: string;
  readonly digest: string;
  /** The secrets of the receiver. */
  readonly secrets: readonly HmacKey[];
}

/** What would have matched without a mistake. */
interface Candidate {
  readonly key: HmacKey;
  readonly body?: Uint8Array;
  /** What is signed before the body. Default: the timestamp and a dot. */
  readonly head?: string;
}

interface MistakeRow extends Omit<Mistake, 'isProven'> {
  /** The secrets or bodies that match if this is the mistake, or true where the request itself shows it. */
  readonly candidates: (received: Received) => Iterable<Candidate> | boolean;
}

const SERVICE_SIGNS = 'The signed text is {timestamp}.{body}: correct the sender.';

/** A mistake of the receiver's secret: `right` gives the texts that it should have been. */
function ofSecret(
  id: MistakeId,
  what: string,
  remedy: string,
  right: (secret: string) => readonly string[],
): MistakeRow {
  return {
    id,
    text: `The secret of the receiver ${what}.`,
    remedy,
    candidates: ({ secrets }) =>
      secrets.flatMap((secret) => {
        const text = textOf(secret);
        const changed = text === null ? [] : right(text);
        return changed.filter((each) => each !== '' && each !== text).map((key) => ({ key }));
      }),
  };
}

/**
 * A change of the body on its way: `sent` gives the texts that the service may have signed, if this is what arrived.
 */
function ofBody(id: MistakeId, text: string, sent: (received: string) => readonly string[]): MistakeRow {
  return {
    id,
    text,
    remedy: RAW_BODY_ADVICE,
    candidates: ({ text: received, secrets }) =>
      sent(received)
        .filter((each) => each !== received)
        .flatMap((each) => secrets.map((key) => ({ key, body: utf8(each) }))),
  };
}

/** The mistakes, the cheaper ones first. */
const MISTAKES: readonly MistakeRow[] = [
  {
    id: 'api_key_as_secret',
    text: 'The secret of the receiver is the API key.',
    remedy:
      'Set MERCHANT_WEBHOOK_SECRET to the webhook secret, not to the API key. The sandbox prints the secret; in production it is in your account.',
    candidates: ({ secrets }) =>
      secrets.some((secret) => [SANDBOX_KEY, environment('MERCHANT_API_KEY')].includes(textOf(secret) ?? '')),
  },
  ...Object.entries(SECRET_MISTAKES).map(
    ([id, [{ problem, remedy }, right]]) => ofSecret(id as keyof typeof SECRET_MISTAKES, problem, `${remedy}.`, right), // the names of the table
  ),
  ofSecret('prefix_missing_in_secret', 'lacks whsec_ at its beginning', 'The whole secret is the key.', (secret) => [
    `whsec_${secret}`,
  ]),
  {
    id: 'encoded_secret',
    text: 'The secret of the receiver is the hex or base64 of a key.',
    remedy: 'Pass the bytes of that key as a Uint8Array.',
    candidates: ({ secrets }) => secrets.flatMap((secret) => decodedForms(secret)).map((key) => ({ key })),
  },
  {
    id: 'decoded_secret',
    text: 'The secret of the receiver was decoded, but the key is the text itself.',
    remedy: 'Pass the text unchanged, as the sandbox or your account shows it.',
    candidates: ({ secrets }) =>
      secrets.flatMap((secret) => encodedForms(secret).flatMap((key) => [{ key }, { key: `whsec_${key}` }])),
  },
  {
    id: 'body_alone_signed',
    text: 'The sender signed the body alone, without the timestamp.',
    remedy: SERVICE_SIGNS,
    candidates: ({ secrets }) => secrets.map((key) => ({ key, head: '' })),
  },
  {
    id: 'dot_not_signed',
    text: 'The sender signed the timestamp and the body without the dot between them.',
    remedy: SERVICE_SIGNS,
    candidates: ({ secrets, timestamp }) => secrets.map((key) => ({ key, head: timestamp })),
  },
  ofBody('byte_order_mark_lost', 'The body lost its byte-order mark when it was read as text.', (text) => [
    `\uFEFF${text}`,
  ]),
  ofBody('line_break_lost', 'The line break at the end of the body was lost.', (text) => [`${text}\n`, `${text}\r\n`]),
  ofBody('white_space_around_body', 'White space was added around the body.', (text) => [text.trim()]),
  ofBody(
    'body_written_again',
    'The body was parsed and written again. It matches with other spaces or escapes.',
    waysToWrite,
  ),
  ofBody(
    'amounts_as_numbers',
    'The body was parsed and written again, with its amounts as numbers. It matches with the amounts as text.',
    (text) => waysToWrite(amountsAsText(respaced(text, false))),
  ),
];

/** Mistakes that need no HMAC. */
const VISIBLE: readonly (Omit<Mistake, 'isProven'> & {
  readonly isSeen: (body: Uint8Array, headers: HeaderValues) => boolean;
})[] = [
  {
    id: 'body_empty',
    text: 'The body is empty: something else has read the request before, or the route ended before the handler.',
    remedy: `Hono: return webhook(c.req.raw). ${RAW_BODY_ADVICE}`,
    isSeen: (body) => body.length === 0,
  },
  {
    id: 'body_of_other_length',
    text: 'The body has another length than Content-Length says: it was parsed and written again, or decoded.',
    remedy: RAW_BODY_ADVICE,
    isSeen: (body, headers) => {
      const length = firstOf(headers['content-length']);
      return typeof length === 'string' && /^\d{1,15}$/.test(length) && Number(length) !== body.length;
    },
  },
];

/** What is wrong with a body at first sight, or null. */
export function visibleMistake(body: Uint8Array, headers: HeaderValues): Mistake | null {
  const row = VISIBLE.find(({ isSeen }) => isSeen(body, headers));
  return row === undefined ? null : { id: row.id, text: row.text, remedy: row.remedy, isProven: true };
}

/** What remains when no row explains a mismatch. */
const ANOTHER_SECRET: Mistake = {
  id: 'another_secret',
  text: 'The sender probably has another secret than the receiver: no usual mistake explains the signature.',
  remedy:
    'Compare the secret with the one that the sandbox prints, in production with the one in your account: the two differ. If the secret is right, something changed the body in an unknown way.',
  isProven: false,
};

/**
 * Finds out why the signature of a delivery does not match.
 *
 * @throws WebhookVerificationError if the headers are not those of a delivery.
 */
export async function whyMismatch(
  body: Uint8Array,
  headers: HeaderValues,
  secrets: readonly HmacKey[],
): Promise<Mistake> {
  const { signature, timestamp } = requiredHeaders(headers);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const received = { body, text, headers, timestamp, digest: parseSignature(signature, undefined), secrets };
  const { hmacOf } = engine();
  for (const { candidates, ...mistake } of MISTAKES) {
    const found = candidates(received);
    if (found === true) return { ...mistake, isProven: true };
    if (found === false) continue;
    for (const { key, body: changed = body, head = signedHead(timestamp) } of found) {
      if (areEqual(await hmacOf(key)(head, changed), received.digest)) return { ...mistake, isProven: true };
    }
  }
  return visibleMistake(body, headers) ?? ANOTHER_SECRET;
}

/** The row that a receiver named in its response, or null for any other word. */
export function mistakeOf(id: string | undefined): Omit<Mistake, 'isProven'> | null {
  const row = [...MISTAKES, ...VISIBLE, ANOTHER_SECRET].find((each) => each.id === id);
  return row === undefined ? null : { id: row.id, text: row.text, remedy: row.remedy };
}

const FINGERPRINT_LENGTH = 8;

/** The first characters of the SHA-256 of a secret, for people who compare two secrets. Never sent to anybody. */
export async function fingerprintOf(secret: HmacKey): Promise<string> {
  return (await engine().sha256(secret)).slice(0, FINGERPRINT_LENGTH);
}

/** The console line of a receiver in sandbox mode about a mismatch that it cannot explain. */
export async function fingerprintLine(secrets: readonly HmacKey[]): Promise<string> {
  const own = await Promise.all(secrets.map(fingerprintOf));
  const which = own.length === 1 ? `This receiver's secret has the fingerprint` : 'These secrets have the fingerprints';
  return `${which} ${own.join(' and ')}, and ${SANDBOX_SECRET} has ${await fingerprintOf(SANDBOX_SECRET)}. The page of the sandbox shows its own.`;
}

/** The text of a secret, or null for bytes that are no text. */
function textOf(secret: HmacKey): string | null {
  if (typeof secret === 'string') return secret;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(secret);
  } catch {
    return null;
  }
}

const HEX_KEY = /^(?:[0-9a-f]{2}){16,64}$/i;
const BASE64_KEY = /^(?:[A-Za-z0-9+/]{4}){4,24}(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** The keys that a secret may be the hex or base64 form of. */
function decodedForms(secret: HmacKey): readonly Uint8Array[] {
  const text = textOf(secret)?.replace(/^whsec_/, '') ?? '';
  const key = text.replaceAll('-', '+').replaceAll('_', '/');
  return [
    ...(HEX_KEY.test(text) ? [Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))] : []),
    ...(BASE64_KEY.test(key) ? [base64ToBytes(key)] : []),
  ];
}

/** The texts that a key of bytes may have been decoded from. */
function encodedForms(secret: HmacKey): readonly string[] {
  if (typeof secret === 'string') return [];
  const hex = toHex(secret);
  const base64 = hexToBase64(hex);
  return [hex, base64, base64.replace(/=+$/, ''), toBase64url(base64)];
}

/**
 * The JSON text as JSON.stringify, Python's json.dumps and PHP's json_encode write it: spaces, and escapes in texts.
 */
function waysToWrite(json: string): readonly string[] {
  const ways: string[] = [];
  for (const spaced of [false, true]) {
    const text = respaced(json, spaced);
    const plain = unescaped(text);
    for (const each of [text, plain, plain.replaceAll('/', '\\/')]) ways.push(each, inAscii(each));
  }
  return [...new Set(ways)];
}

/** The JSON text without spaces outside of its strings, or with one after each comma and colon. */
function respaced(json: string, spaced: boolean): string {
  // The closing quote is optional. Otherwise each opening quote of a hostile body would be followed to the end.
  return json.replace(/"(?:[^"\\]|\\[\s\S])*"?|\s+|[,:]/g, (token) => {
    if (token.startsWith('"')) return token;
    if (token === ',' || token === ':') return spaced ? `${token} ` : token;
    return '';
  });
}

/** The JSON text with its letters and slashes unescaped, as JSON.stringify writes them. */
function unescaped(json: string): string {
  return json.replace(/\\(?:u[0-9a-fA-F]{4}|\/|[\s\S])/g, (token) => {
    if (token === '\\/') return '/';
    const code = Number.parseInt(token.slice(2), 16);
    return token.startsWith('\\u') && code >= 0x80 ? String.fromCharCode(code) : token;
  });
}

/** The JSON text with every letter outside of ASCII escaped. */
function inAscii(json: string): string {
  return json.replace(/[\u0080-\uFFFF]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The JSON text with its amounts as the service writes them: as text, with 2 decimals, and USDT with 6. */
function amountsAsText(json: string): string {
  return json.replace(
    /"((?:[a-z]+_)?(?:amount|usdt))":(\d{1,15}(?:\.\d{1,12})?)(?=[,}])/g,
    (_, name: string, digits: string) => `"${name}":"${Number(digits).toFixed(name.endsWith('usdt') ? 6 : 2)}"`,
  );
}
