import { dateFrom } from './scalars.ts';

const DATE_ALONE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Reads a Date, milliseconds since 1970, or ISO 8601 text (UTC without an offset), as milliseconds since 1970. Else
 * null.
 */
export function instantFrom(value: unknown): number | null {
  const text = typeof value === 'string' && DATE_ALONE.test(value) ? `${value}T00:00:00Z` : value;
  const date = typeof text === 'string' ? dateFrom(text) : typeof text === 'number' ? new Date(text) : text;
  const ms = date instanceof Date ? date.getTime() : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}
