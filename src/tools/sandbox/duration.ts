import { quoted } from '../../errors/checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const TEXT = /^\s*(?:\d+(?:\.\d+)?(?:ms|min|[smhd])\s*)+$/;
/** A century, so that dates keep a year of four digits. */
const LONGEST = 100 * 365 * 86_400_000;

/** Reads `"6h"`, `"1h30m"`, `"90s"`, `"250ms"`, `"2d"` or a number of milliseconds. A number as text has no unit. */
export function parseDuration(value: unknown, name: string): number {
  const milliseconds = typeof value === 'number' ? value : typeof value === 'string' ? fromText(value) : Number.NaN;
  if (milliseconds >= 0 && milliseconds <= LONGEST) return milliseconds;
  const unit = typeof value === 'string' && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? '. A number needs a unit' : '';
  throw new ConfigurationError(
    `${name} must be milliseconds from 0 up to 100 years, or text such as "90s", "30m", "6h" or "1d", not ${quoted(value)}${unit}`,
  );
}

function fromText(text: string): number {
  if (text.length > 40 || !TEXT.test(text)) return Number.NaN;
  const parts = [...text.matchAll(/([\d.]+)([a-z]+)/g)].map(
    ([, count, unit = '']) => Number(count) * (UNITS[unit] ?? 0),
  );
  return parts.reduce((sum, part) => sum + part, 0);
}
