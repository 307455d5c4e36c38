import { ConfigurationError } from '../errors/classes.ts';

/** The time: a Date, milliseconds since 1970, or a function that returns one of them. */
export type TimeSource = Date | number | (() => Date | number);

/**
 * A function that gives the time in milliseconds. NaN is refused, because with it no timestamp would ever be
 * too old.
 *
 * @throws ConfigurationError for anything else. The returned function throws it as well.
 */
export function parseClock(now: TimeSource | undefined): () => number {
  if (now === undefined) return () => Date.now();
  if (typeof now === 'function') return () => finiteTime(now());
  const fixed = finiteTime(now);
  return () => fixed;
}

/** Seconds of the years 2001 to 5138. As milliseconds they would be a day in the first years after 1970. */
const areSeconds = (time: number): boolean => time >= 1e9 && time < 1e11;

function finiteTime(time: unknown): number {
  const ms = typeof time === 'number' ? time : time instanceof Date ? time.getTime() : Number.NaN;
  if (areSeconds(ms)) throw new ConfigurationError(`now gave ${ms}: it must be in milliseconds, not in seconds.`);
  if (Number.isFinite(ms)) return ms;
  throw new ConfigurationError('now must be a Date, milliseconds since 1970, or a function that returns one of them.');
}
