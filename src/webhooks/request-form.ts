import { type HeaderValues, unsignedHeader } from './delivery-headers.ts';

const JSON_TYPE = /^(?:application|text)\/(?:[\w.-]+\+)?json$/i;

/** False for a body that is not said to be JSON. No Content-Type at all is accepted: the signature decides. */
export function isJson(headers: HeaderValues): boolean {
  const type = unsignedHeader(headers, 'content-type');
  // Two equal ones are joined with a comma, as where a test adds its own to those of signWebhook.
  return type === null || type.split(',').every((each) => JSON_TYPE.test((each.split(';', 1)[0] ?? '').trim()));
}

/** False for a compressed body: what was signed are the bytes before compression, and a small one can hold gigabytes. */
export function isPlain(headers: HeaderValues): boolean {
  const encoding = unsignedHeader(headers, 'content-encoding');
  return encoding === null || encoding.trim().toLowerCase() === 'identity';
}
