import { type HeaderValues, unsignedHeaders } from '../verify/delivery-headers.ts';

// Codings that are no compression ("UTF-8", which some senders put there) do no harm: the signature covers the bytes.
const COMPRESSED = /^(?:(?:x-)?(?:gzip|compress)|aes128gcm|br|dcb|dcz|deflate|exi|pack200-gzip|zstd)$/i;

/** False for a compressed body: what was signed are the bytes before compression, and a small one can hold gigabytes. */
export function isPlain(headers: HeaderValues): boolean {
  return unsignedHeaders(headers, 'content-encoding').every((value) =>
    value.split(',').every((each) => !COMPRESSED.test(each.trim())),
  );
}
