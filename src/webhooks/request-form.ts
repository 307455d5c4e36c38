import { type HeaderValues, unsignedHeaders } from './delivery-headers.ts';

/** False for a compressed body: what was signed are the bytes before compression, and a small one can hold gigabytes. */
export function isPlain(headers: HeaderValues): boolean {
  return unsignedHeaders(headers, 'content-encoding').every((value) =>
    value.split(',').every((each) => /^(?:identity)?$/i.test(each.trim())),
  );
}
