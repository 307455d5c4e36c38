import { dateFrom, Problem } from '../contract/scalars.ts';
import { WebhookVerificationError } from '../errors.ts';
import type { TimestampFormat } from './signature.ts';

// Strict on purpose. A number with a dot and more digits would let the border between timestamp and body move:
// ("T", "1.2") and ("T.1", "2") have the same signature. ISO without a zone lets it move and does no harm: the longer
// body begins with a digit, so it is no object.
const SECONDS = /^\d{10}$/;
const MILLISECONDS = /^\d{13}$/;
const ISO = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}(?::?\d{2})?)?$/;

/**
 * The time that a timestamp header states.
 *
 * @throws WebhookVerificationError `malformed_timestamp`
 */
export function timeFrom(header: string, format: TimestampFormat | undefined): Date {
  const seen = formOf(header);
  if (seen !== null && (format === undefined || format === seen)) {
    const time = seen === 'iso' ? dateFrom(header) : new Date(Number(header) * (seen === 'seconds' ? 1000 : 1));
    if (!(time instanceof Problem)) return time;
  }
  const wanted = format === undefined ? 'seconds (10 digits), milliseconds (13 digits) or ISO 8601' : format;
  const found = seen === null ? `${header.length} characters of another form` : `in the form of ${seen}`;
  throw new WebhookVerificationError('malformed_timestamp', `X-Webhook-Timestamp must be ${wanted}. It is ${found}.`);
}

function formOf(header: string): TimestampFormat | null {
  if (SECONDS.test(header)) return 'seconds';
  if (MILLISECONDS.test(header)) return 'milliseconds';
  return ISO.test(header) ? 'iso' : null;
}
