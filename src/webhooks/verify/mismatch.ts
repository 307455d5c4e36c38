import type { DiagnosisBudget } from './diagnosis-budget.ts';
import { base64ToBytes, type Engine, equalDigests, type HmacKey, utf8 } from './hmac.ts';
import { RAW_BODY_ADVICE } from './raw-body.ts';

/** A signature that did not match, and the values that it was checked against. */
export interface Mismatch {
  readonly engine: Engine;
  readonly secrets: readonly HmacKey[];
  readonly timestamp: string;
  readonly body: Uint8Array;
  readonly digest: string;
  readonly contentLength: number | null;
  readonly diagnoses: DiagnosisBudget;
}

// Anybody can send a wrong signature, so the work is bounded: few secrets, few variants, bodies of a delivery's size, and
// a budget. Without these limits a body of 32 KiB would cost a hundred times its signature.
const MAX_SECRETS = 3;
const MAX_BODY = 4_096;

/**
 * Explains why a signature does not match, by trying the usual mistakes. It works on text only and parses nothing,
 * because the body is not trusted.
 */
export async function explainMismatch(mismatch: Mismatch): Promise<string> {
  const { body, contentLength } = mismatch;
  const start = 'The signature does not match';
  if (body.length === 0)
    return `${start}: the body is empty. Something else read the request first. ${RAW_BODY_ADVICE}`;
  if (contentLength !== null && contentLength !== body.length) {
    return `${start}: the body has ${body.length} bytes, but Content-Length says ${contentLength}. It was parsed and serialised again, or decoded. ${RAW_BODY_ADVICE}`;
  }
  if (body.length <= MAX_BODY && mismatch.diagnoses.take()) {
    const proven = (await wrongSecret(mismatch)) ?? (await changedBody(mismatch));
    if (proven !== null) return `${start}: ${proven}`;
  }
  const many =
    mismatch.secrets.length > 1 ? `none of the ${mismatch.secrets.length} secrets fits` : 'the secret is another one';
  return `${start}: either ${many}, or the body is not the raw one. Compare the secret with the dashboard: sandbox and production differ. A body that was parsed and serialised again can look the same. ${RAW_BODY_ADVICE}`;
}

async function wrongSecret(mismatch: Mismatch): Promise<string | null> {
  for (const secret of mismatch.secrets.slice(0, MAX_SECRETS)) {
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
    for (const secret of mismatch.secrets.slice(0, MAX_SECRETS)) {
      if (await matches(mismatch, secret, body)) return `${diagnosis} ${RAW_BODY_ADVICE}`;
    }
  }
  return null;
}

async function matches({ engine, timestamp, digest }: Mismatch, secret: HmacKey, body: Uint8Array): Promise<boolean> {
  return equalDigests(await engine.hmac(secret, `${timestamp}.`, body), digest);
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
    const escaped = plain.replace(
      /[\u0080-\uFFFF]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
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
