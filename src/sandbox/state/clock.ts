import { SortedList } from './sorted-list.ts';

/** Work that is due at a time of the sandbox clock. */
export interface ScheduledTask {
  readonly at: number;
  cancel(): void;
}

/** The time of the sandbox, and the work scheduled on it. */
export type Clock = ReturnType<typeof createClock>;

interface Entry extends ScheduledTask {
  readonly order: number;
  readonly work: () => unknown;
}

const LONGEST_TIMER = 2 ** 31 - 1; // beyond it a timer fires at once

/**
 * Creates a clock. A virtual one moves only by `advance()`. A real one runs with `wallClock`, and `advance()` sets it ahead.
 */
export function createClock(kind: 'virtual' | 'real', start: number, wallClock: () => number) {
  const entries = new SortedList<Entry>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  let isRunning = kind === 'real';
  let base = start;
  let startedAt = wallClock();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let queue: Promise<void> = Promise.resolve();
  let closed = false;
  let epoch = 0; // a reset ends an advance() in progress
  let ceiling: number | null = null; // during advance(): the time of the task that it runs

  const now = (): number => ceiling ?? (isRunning ? base + (wallClock() - startedAt) : base);
  let count = 0;
  const nextDue = (limit: number): Entry | undefined => {
    const entry = entries.first;
    return entry !== undefined && entry.at <= limit ? entry : undefined;
  };
  const arm = (): void => {
    clearTimeout(timer);
    const { first } = entries;
    if (!isRunning || closed || first === undefined || ceiling !== null) return;
    timer = setTimeout(catchUp, Math.min(Math.max(first.at - now(), 0), LONGEST_TIMER));
    // A waiting delivery must not keep a finished test run or script alive.
    if (typeof timer === 'object' && 'unref' in timer) timer.unref();
  };
  function catchUp(): void {
    if (closed || ceiling !== null) return;
    for (let entry = nextDue(now()); entry !== undefined; entry = nextDue(now())) {
      entries.remove(entry);
      void entry.work();
    }
    arm();
  }
  const advance = async (milliseconds: number): Promise<void> => {
    const from = now();
    const target = from + milliseconds;
    const wallAtStart = wallClock();
    const begun = epoch;
    ceiling = from;
    try {
      for (let entry = nextDue(target); entry !== undefined && !closed && epoch === begun; entry = nextDue(target)) {
        entries.remove(entry);
        ceiling = Math.max(ceiling, entry.at);
        await entry.work();
      }
    } finally {
      ceiling = null;
      if (epoch === begun) {
        base = target;
        startedAt = wallAtStart;
      }
      arm();
    }
  };
  return {
    now,
    /** Runs `work` when the clock reaches `at`, in epoch milliseconds. Equal times run in the order of the calls. */
    schedule(at: number, work: () => unknown): ScheduledTask {
      count += 1;
      const entry: Entry = {
        at,
        order: count,
        work,
        cancel() {
          entries.remove(entry);
          arm();
        },
      };
      entries.add(entry);
      arm();
      return entry;
    },
    /** Moves the clock. Runs the work that falls due in order and waits for each. Concurrent calls run one after another. */
    advance(milliseconds: number): Promise<void> {
      const run = queue.then(() => advance(milliseconds));
      queue = run.catch(() => undefined);
      return run;
    },
    /** Runs all due work without waiting for it. The real clock needs this if a timer is late. */
    catchUp,
    /** Lets the clock run with real time from its current time, or stops it there. */
    run(running: boolean): void {
      base = now();
      startedAt = wallClock();
      isRunning = running;
      arm();
    },
    running: () => isRunning,
    /** Cancels all scheduled work and sets the time to `restart`. */
    reset(restart: number): void {
      epoch += 1;
      entries.clear();
      base = restart;
      startedAt = wallClock();
      arm();
    },
    close(): void {
      closed = true;
      entries.clear();
      clearTimeout(timer);
    },
  };
}
