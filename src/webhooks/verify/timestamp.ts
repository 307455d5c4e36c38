import { dateFrom, Problem } from '../../contract/values/scalars.ts';
import { ConfigurationError, WebhookVerificationError } from '../../errors/classes.ts';

/** How the timestamp is written. The interface does not show it. @see [Authentication](../../../docs/service-interface.md#authentication) */
export type TimestampFormat = 'seconds' | 'milliseconds' | 'iso';

// Strict, because the dot between timestamp and body is not marked: ("T", "1.{}") and ("T.1", "{}") have the same
// signature. An event is a JSON object, so its body must begin with "{". No format of a timestamp contains a "{".
// Therefore only one place to cut the signed text gives an event.
const PATTERNS: Readonly<Record<TimestampFormat, RegExp>> = {
  seconds: /^\d{10}(?:\.\d{1,9})?$/,
  milliseconds: /^\d{13}$/,
  iso: /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}(?::?\d{2})?)?$/,
};
export const TIMESTAMP_FORMATS = ['seconds', 'milliseconds', 'iso'] as const satisfies readonly TimestampFormat[];

/**
 * Parses the timestamp header.
 *
 * @throws WebhookVerificationError `malformed_timestamp`
 */
export function parseTimestamp(header: string, format?: TimestampFormat | undefined): Date {
  const seen = TIMESTAMP_FORMATS.find((known) => PATTERNS[known].test(header));
  if (seen !== undefined && (format === undefined || format === seen)) {
    const time =
      seen === 'iso' ? dateFrom(header) : new Date(Math.round(Number(header) * (seen === 'seconds' ? 1000 : 1)));
    if (!(time instanceof Problem)) return time;
  }
  const expected = format ?? 'seconds (10 digits, perhaps with a fraction), milliseconds (13 digits) or ISO 8601';
  const found = seen === undefined ? `has ${header.length} characters of another form` : `is in ${seen}`;
  throw new WebhookVerificationError('malformed_timestamp', `X-Webhook-Timestamp must be ${expected}. It ${found}.`);
}

/**
 * Writes the timestamp header. Text is written unchanged.
 *
 * @throws ConfigurationError for a value that is not a time.
 */
export function formatTimestamp(timestamp: Date | number | string, format: TimestampFormat): string {
  if (typeof timestamp === 'string') return timestamp;
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) throw new ConfigurationError('The timestamp to sign is not a time.');
  if (format === 'iso') return date.toISOString();
  return String(format === 'seconds' ? Math.floor(date.getTime() / 1000) : date.getTime());
}
