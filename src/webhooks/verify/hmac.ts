// HMAC-SHA256 and the text forms of its result, on `node:crypto` or WebCrypto. It imports nothing, and loads nothing
// before the first use.

// Created at first use: jsdom has neither class, and a test that only imports the entry must not fail there.
let textEncoder: TextEncoder | undefined;

/** Text as UTF-8. Left out of the declarations: TypeScript before 5.7 cannot read the type. @internal */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  textEncoder ??= new TextEncoder();
  return textEncoder.encode(text);
}

/** A key: text, or bytes that no longer change. */
export type HmacKey = string | Uint8Array;

/** The cryptography of a runtime: `node:crypto` if the runtime has it (four times faster), otherwise WebCrypto. */
export interface Engine {
  /** HMAC-SHA256 over `head` and `body` joined, in lower-case hex. A key of text is used as its UTF-8. */
  hmac(key: HmacKey, head: string, body: Uint8Array): string | Promise<string>;
  /** SHA-256 of a text, in lower-case hex. */
  sha256(text: string): string | Promise<string>;
}

/** The engine of this runtime. Looked up on each use, so that importing the module loads nothing. */
export function engine(): Engine {
  return nodeEngine() ?? webEngine;
}

/** The part of `node:crypto` that is used here, typed by hand: the declarations must not need Node's types. */
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

// Cached by the function that returned it: to ask Node for the module again costs a tenth of a verification.
type GetModule = NonNullable<NodeProcess['getBuiltinModule']>;
let known: { readonly getModule: GetModule; readonly engine: Engine | null } | null = null;

/** `node:crypto`, or null if the runtime has none. */
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
  // One key object for each key of bytes: a Buffer as key makes Node 3.6 times slower, a Buffer as digest 1.25 times.
  const keys = new WeakMap<Uint8Array, unknown>();
  const keyObject = (key: HmacKey): unknown => {
    if (typeof key === 'string') return key;
    const known = keys.get(key) ?? crypto.createSecretKey(key);
    keys.set(key, known);
    return known;
  };
  return {
    hmac: (key, head, body) => crypto.createHmac('sha256', keyObject(key)).update(head).update(body).digest('hex'),
    sha256: (text) => crypto.createHash('sha256').update(text).digest('hex'),
  };
}

/** WebCrypto: workers, browsers' service workers, and every other runtime without `node:crypto`. */
export const webEngine: Engine = {
  async hmac(key, head, body) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const bytes = typeof key === 'string' ? utf8(key) : new Uint8Array(key);
    const imported = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
    const start = utf8(head);
    const signed = new Uint8Array(start.length + body.length);
    signed.set(start);
    signed.set(body, start.length);
    return toHex(new Uint8Array(await crypto.subtle.sign('HMAC', imported, signed)));
  },
  async sha256(text) {
    return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text))));
  },
};

const DIGEST_LENGTH = 64;

/**
 * Compares two hex digests in constant time: it reads every character and decides at the end. A text that is not a whole
 * digest equals nothing, not even itself.
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

/** Standard base64 of bytes in hex. */
export function hexToBase64(hex: string): string {
  return btoa(hex.replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16))));
}

/** Converts standard base64 into the alphabet of URLs, without padding. */
export function toBase64url(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The bytes of valid base64. @internal */
export function base64ToBytes(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
