import { type Html, html } from './html.ts';

/** A time in UTC, such as `2026-03-01 12:00:00 UTC`. With script, the page shows it in the time zone of the reader. */
export function moment(at: number | string | null): Html | null {
  if (at === null) return null;
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/**
 * A duration in its largest unit, with the next unit where that is not zero: `1 h 30 min`. A part of a second counts as
 * one, so that what is left is never shown as nothing.
 */
export function span(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const at = UNITS.findIndex(([, size]) => seconds * 1000 >= size);
  if (at === -1) return `${Math.max(0, seconds)} s`;
  const parts: string[] = [];
  let rest = seconds * 1000;
  for (const [unit, size] of UNITS.slice(at, at + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.join(' ');
}
