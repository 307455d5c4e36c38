import { WebhookVerificationError } from '../../errors/classes.ts';
import { base64ToBytes, toHex } from './hmac.ts';

/**
 * How the signature is written: `base64` is read in the standard alphabet and in that of URLs. The interface does not
 * show the encoding.
 *
 * @see [Authentication](../../../docs/service-interface.md#authentication)
 */
export type SignatureEncoding = 'hex' | 'base64';
export const SIGNATURE_ENCODINGS = ['hex', 'base64'] as const satisfies readonly SignatureEncoding[];

const HEX = /^[0-9a-fA-F]{64}$/;
// One of the two alphabets, never both. The 43rd character of a 32-byte value has two unused bits, which must be zero.
const BASE64 = /^(?:[A-Za-z0-9+/]{42}|[A-Za-z0-9_-]{42})[AEIMQUYcgkosw048]=?$/;
const PREFIX = /^(?:sha256[=:]|hmac-sha256=|v1=)/i;

/**
 * Reads the digest from the signature header, in lower-case hex. The exact form is checked before decoding: lenient
 * decoders stop at, or skip, characters that they do not know, and would accept a damaged signature. Hex may be in
 * either case, because both spell the same bytes.
 *
 * @throws WebhookVerificationError `malformed_signature`
 */
export function parseSignature(header: string, encoding: SignatureEncoding | undefined): string {
  const text = header.replace(PREFIX, '');
  if (HEX.test(text) && encoding !== 'base64') return text.toLowerCase();
  if (BASE64.test(text) && encoding !== 'hex') {
    return toHex(base64ToBytes(text.replaceAll('-', '+').replaceAll('_', '/')));
  }
  throw new WebhookVerificationError('malformed_signature', diagnosis(text, encoding));
}

function diagnosis(text: string, encoding: SignatureEncoding | undefined): string {
  const asked = encoding === undefined ? '' : ` in ${encoding}`;
  const seen = HEX.test(text)
    ? 'is hex'
    : BASE64.test(text)
      ? 'is base64'
      : `has ${text.length} characters of another form`;
  const hint = text !== text.trim() ? ' It has white space around it.' : '';
  return `X-Webhook-Signature is not a SHA-256 signature${asked}: 64 hex characters or 44 of base64, with "sha256=", "sha256:", "hmac-sha256=" or "v1=" before them, or nothing. It ${seen}.${hint}`;
}
