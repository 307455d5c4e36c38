import type { HandlerSettings } from './handler-options.ts';
import type { Ending } from './verdict.ts';

/** Work that is subject to the time limit. */
export interface LimitedWork {
  /** How it ended, or null if the time limit came first. */
  readonly ending: Ending | null;
  /** The work itself, which continues after the limit. */
  readonly work: Promise<Ending>;
}

/**
 * Runs work under the time limit of a delivery: the caller gets an answer in time, and the work continues. The work must
 * not reject. Its signal is aborted at the limit, or when `stop` is.
 */
export async function runWithTimeLimit(
  { timers, timeout }: Pick<HandlerSettings<object>, 'timers' | 'timeout'>,
  begin: (signal: AbortSignal) => Promise<Ending>,
  stop?: AbortSignal,
): Promise<LimitedWork> {
  const limit = new AbortController();
  const onStop = (): void => limit.abort(stop?.reason);
  let timer: unknown;
  const overdue = new Promise<null>((resolve) => {
    timer = timers.setTimeout(() => {
      resolve(null); // before the abort, which may make the work end at once
      limit.abort(new DOMException(`The time limit of ${timeout} ms has ended.`, 'TimeoutError'));
    }, timeout);
  });
  stop?.addEventListener('abort', onStop);
  const work = begin(limit.signal);
  const ending = await Promise.race([work, overdue]);
  timers.clearTimeout(timer);
  stop?.removeEventListener('abort', onStop);
  return { ending, work };
}
