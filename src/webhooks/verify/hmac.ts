import { encoder } from './utf8.ts';

/** A key: text, or bytes that nobody changes any more. */
export type HmacKey = string | Uint8Array;

/**
 * The cryptography of a runtime. Two sources, one verdict: `node:crypto` where the runtime has it (four times
 * faster), WebCrypto elsewhere.
 */
export interface Engine {
  /**
   * HMAC-SHA256 over `{timestamp}.{body}`, in lower-case hex. A secret of text is used as its UTF-8, as it stands in
   * the dashboard.
   */
  hmac(secret: HmacKey, timestamp: string, body: Uint8Array): string | Promise<string>;
  /** SHA-256 of a text, in lower-case hex. */
  sha256(text: string): string | Promise<string>;
}

/** The engine of this runtime. Asked for on each use, so that importing the module loads nothing. */
export function engine(): Engine {
  return nodeEngine() ?? webEngine;
}

/** The part of `node:crypto` that is used here. Typed by hand: the declarations must not need Node's types. */
interface NodeCrypto {
  createHmac(algorithm: string, key: unknown): NodeHash;
  createSecretKey(key: Uint8Array): unknown;
  createHash(algorithm: string): NodeHash;
}
interface NodeHash {
  update(data: string | Uint8Array): NodeHash;
  digest(encoding: 'hex'): string;
}
interface NodeProcess {
  getBuiltinModule?(id: string): unknown;
}

// Kept by the function that gave it: to ask Node for the module again costs a tenth of a verification.
type GetModule = NonNullable<NodeProcess['getBuiltinModule']>;
let known: { readonly getModule: GetModule; readonly engine: Engine | null } | null = null;

/** `node:crypto`, or null where the runtime has none. */
export function nodeEngine(): Engine | null {
  // `process` is not declared everywhere this file runs, so the global is looked at as an unknown.
  const process = (globalThis as { readonly process?: NodeProcess }).process;
  const getModule = process?.getBuiltinModule;
  if (typeof getModule !== 'function') return null;
  if (known?.getModule !== getModule)
    known = { getModule, engine: engineFrom(() => getModule.call(process, 'node:crypto')) };
  return known.engine;
}

function engineFrom(load: () => unknown): Engine | null {
  try {
    const crypto = load() as NodeCrypto | undefined; // our typing of a Node built-in
    return typeof crypto?.createHmac === 'function' ? engineOf(crypto) : null;
  } catch {
    return null; // a Node built without OpenSSL
  }
}

function engineOf(crypto: NodeCrypto): Engine {
  // A key object for bytes, made once for each: a Buffer as key makes Node 3.6 times slower, one as digest 1.25 times.
  const keys = new WeakMap<Uint8Array, unknown>();
  const keyOf = (secret: HmacKey): unknown => {
    if (typeof secret === 'string') return secret;
    const known = keys.get(secret) ?? crypto.createSecretKey(secret);
    keys.set(secret, known);
    return known;
  };
  return {
    hmac: (secret, timestamp, body) =>
      crypto.createHmac('sha256', keyOf(secret)).update(`${timestamp}.`).update(body).digest('hex'),
    sha256: (text) => crypto.createHash('sha256').update(text).digest('hex'),
  };
}

/** WebCrypto: workers, browsers' service workers, and every other runtime without `node:crypto`. */
export const webEngine: Engine = {
  async hmac(secret, timestamp, body) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const bytes = typeof secret === 'string' ? encoder.encode(secret) : secret.slice();
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
    const head = encoder.encode(`${timestamp}.`);
    const signed = new Uint8Array(head.length + body.length);
    signed.set(head);
    signed.set(body, head.length);
    return toHex(new Uint8Array(await crypto.subtle.sign('HMAC', key, signed)));
  },
  async sha256(text) {
    return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text))));
  },
};

const DIGEST_LENGTH = 64;

/**
 * Compares two hex digests in a time that does not depend on where they differ: every character is looked at, and
 * nothing is decided before the end. What is not a whole digest equals nothing, itself included.
 */
export function equalDigests(a: string, b: string): boolean {
  if (a.length !== DIGEST_LENGTH || b.length !== DIGEST_LENGTH) return false;
  let difference = 0;
  for (let at = 0; at < DIGEST_LENGTH; at += 1) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}

/** Lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}
