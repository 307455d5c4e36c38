import { WebhookVerificationError } from '../../errors/classes.ts';
import { toHex } from './hmac.ts';
import type { SignatureEncoding } from './signature.ts';

const HEX = /^[0-9a-fA-F]{64}$/;
// Either alphabet, never both in one. The 43rd character of a 32-byte value carries two unused bits. Canonical means
// that they are zero.
const BASE64 = /^(?:[A-Za-z0-9+/]{42}|[A-Za-z0-9_-]{42})[AEIMQUYcgkosw048]=?$/;
const PREFIX = /^(?:sha256[=:]|hmac-sha256=|v1=)/i;

/**
 * The digest that a signature header states, in lower-case hex. The form is recognised exactly, and only then decoded: lenient decoders
 * stop at, or skip, what they do not know, and then call a damaged signature equal.
 * Hex may be in either case, as both spell the same bytes.
 *
 * @throws WebhookVerificationError `malformed_signature`
 */
export function digestFrom(header: string, encoding: SignatureEncoding | undefined): string {
  const text = header.replace(PREFIX, '');
  if (HEX.test(text) && encoding !== 'base64') return text.toLowerCase();
  if (BASE64.test(text) && encoding !== 'hex') {
    const standard = text.replaceAll('-', '+').replaceAll('_', '/');
    return toHex(Uint8Array.from(atob(standard), (char) => char.charCodeAt(0)));
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
