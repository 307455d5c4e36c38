import { dateFrom, Problem } from '../../contract/values/scalars.ts';
import { WebhookVerificationError } from '../../errors/classes.ts';
import type { TimestampFormat } from './signature.ts';

// Strict on purpose, as the dot between timestamp and body is not marked: ("T", "1.{}") and ("T.1", "{}") have one
// signature. Of all places where the signed text could be cut, only one gives an event: its body must begin with "{"
// (an event is a JSON object), and what stands before it must be a timestamp, in none of whose forms there is a "{".
const SECONDS = /^\d{10}(?:\.\d{1,9})?$/;
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
    const time =
      seen === 'iso' ? dateFrom(header) : new Date(Math.round(Number(header) * (seen === 'seconds' ? 1000 : 1)));
    if (!(time instanceof Problem)) return time;
  }
  const wanted =
    format === undefined
      ? 'seconds (10 digits, perhaps with a fraction), milliseconds (13 digits) or ISO 8601'
      : format;
  const found = seen === null ? `${header.length} characters of another form` : `in the form of ${seen}`;
  throw new WebhookVerificationError('malformed_timestamp', `X-Webhook-Timestamp must be ${wanted}. It is ${found}.`);
}

function formOf(header: string): TimestampFormat | null {
  if (SECONDS.test(header)) return 'seconds';
  if (MILLISECONDS.test(header)) return 'milliseconds';
  return ISO.test(header) ? 'iso' : null;
}
