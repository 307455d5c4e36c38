/** A key of HMAC: text, or a copy of the caller's bytes. */
export type HmacKey = string | Uint8Array;

/** The HMAC-SHA256 of one key over `head` and `body` joined, in lower-case hex. */
export type Hmac = (head: string, body: Uint8Array) => string | Promise<string>;

/** The cryptography of a runtime: `node:crypto` if the runtime has it (four times faster), otherwise WebCrypto. */
interface Engine {
  /** Makes a key ready, once for all its uses. Text is used as its UTF-8. */
  hmacOf(key: HmacKey): Hmac;
  /** SHA-256 of a text or of bytes, in lower-case hex. */
  sha256(data: string | Uint8Array): string | Promise<string>;
}

/** The part of `node:crypto` that is used here, typed by hand: the declarations must not need Node's types. */
interface NodeCrypto {
  createSecretKey(key: Uint8Array): object;
  createHmac(algorithm: string, key: string | object): NodeHash;
  createHash(algorithm: string): NodeHash;
}
interface NodeHash {
  update(data: string | Uint8Array): NodeHash;
  digest(encoding: 'hex'): string;
}

/**
 * The cryptography of this runtime. It is looked up at each use, so that an import of this file loads nothing.
 */
export function engine(): Engine {
  // Not every runtime declares `process`, so it is read as a member of the global object.
  const { process } = globalThis as { readonly process?: { getBuiltinModule?(id: string): unknown } };
  if (typeof process?.getBuiltinModule !== 'function') return webEngine;
  try {
    const crypto = process.getBuiltinModule('node:crypto') as NodeCrypto | undefined; // our typing of a Node built-in
    return typeof crypto?.createHmac === 'function' ? nodeEngine(crypto) : webEngine;
  } catch {
    return webEngine; // a Node built without OpenSSL
  }
}

function nodeEngine(crypto: NodeCrypto): Engine {
  return {
    hmacOf(key) {
      // Bytes would cost twice as much as text at each use.
      const prepared = typeof key === 'string' ? key : crypto.createSecretKey(key);
      return (head, body) => crypto.createHmac('sha256', prepared).update(head).update(body).digest('hex');
    },
    sha256: (data) => crypto.createHash('sha256').update(data).digest('hex'),
  };
}

/** WebCrypto: workers, browsers' service workers, and every other runtime without `node:crypto`. */
export const webEngine: Engine = {
  hmacOf: (key) => async (head, body) => {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const bytes = typeof key === 'string' ? utf8(key) : new Uint8Array(key);
    const imported = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
    const start = utf8(head);
    const signed = new Uint8Array(start.length + body.length);
    signed.set(start);
    signed.set(body, start.length);
    return toHex(new Uint8Array(await crypto.subtle.sign('HMAC', imported, signed)));
  },
  async sha256(data) {
    const bytes = typeof data === 'string' ? utf8(data) : new Uint8Array(data);
    return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  },
};

const DIGEST_LENGTH = 64;

/**
 * Compares two digests in lower-case hex in constant time: each character is read before it decides. False for texts of
 * another length than a digest.
 */
export function areEqual(a: string, b: string): boolean {
  if (a.length !== DIGEST_LENGTH || b.length !== DIGEST_LENGTH) return false;
  let difference = 0;
  for (let at = 0; at < DIGEST_LENGTH; at += 1) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}

/** Bytes as lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

/** Converts hex into standard base64. */
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

/** A text as UTF-8. The encoder is created at the first use, because jsdom lacks the class. @internal */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  textEncoder ??= new TextEncoder();
  return textEncoder.encode(text);
}

let textEncoder: TextEncoder | undefined;
