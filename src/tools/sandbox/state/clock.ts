/** Work that is due at a time of the sandbox clock. */
export interface ScheduledTask {
  readonly at: number;
  cancel(): void;
}

/** The time of the sandbox, and the work scheduled on it. */
export type Clock = ReturnType<typeof createClock>;

interface Entry extends ScheduledTask {
  readonly work: () => unknown;
}

const LONGEST_TIMER = 2 ** 31 - 1; // beyond it a timer fires at once

/**
 * Creates a clock. A virtual one moves only by `advance()`. A real one runs with `wallClock`, and `advance()` sets it
 * ahead.
 */
export function createClock(kind: 'virtual' | 'real', start: number, wallClock: () => number) {
  /** The next task first. Tasks at one time stand in the order in which they were scheduled. */
  let entries: Entry[] = [];
  let isRunning = kind === 'real';
  let base = start;
  let startedAt = wallClock();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let queue: Promise<void> = Promise.resolve();
  let closed = false;
  let epoch = 0; // counts the resets, each of which ends an advance() in progress
  let ceiling: number | null = null; // during advance(): the time of the task that it runs

  const now = (): number => ceiling ?? (isRunning ? base + (wallClock() - startedAt) : base);
  const takeDue = (limit: number): Entry | undefined => {
    const [entry] = entries;
    return entry !== undefined && entry.at <= limit ? entries.shift() : undefined;
  };
  const arm = (): void => {
    clearTimeout(timer);
    const [first] = entries;
    if (!isRunning || closed || first === undefined || ceiling !== null) return;
    timer = setTimeout(runDue, Math.min(Math.max(first.at - now(), 0), LONGEST_TIMER));
    // A waiting delivery must not keep a finished test run or script alive.
    if (typeof timer === 'object' && 'unref' in timer) timer.unref();
  };
  function runDue(): void {
    if (closed || ceiling !== null) return;
    for (let entry = takeDue(now()); entry !== undefined; entry = takeDue(now())) void entry.work();
    arm();
  }
  const advance = async (milliseconds: number): Promise<void> => {
    const target = now() + milliseconds;
    const wallAtStart = wallClock();
    const begun = epoch;
    ceiling = now();
    try {
      while (!closed && epoch === begun) {
        const entry = takeDue(target);
        if (entry === undefined) break;
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
      const entry: Entry = {
        at,
        work,
        cancel() {
          entries = entries.filter((other) => other !== entry);
          arm();
        },
      };
      const later = entries.findIndex((other) => other.at > at);
      entries.splice(later === -1 ? entries.length : later, 0, entry);
      arm();
      return entry;
    },
    /**
     * Moves the clock. Runs the work that falls due in order and waits for each. Concurrent calls run one after
     * another.
     */
    advance(milliseconds: number): Promise<void> {
      const run = queue.then(() => advance(milliseconds));
      queue = run.catch(() => undefined);
      return run;
    },
    /** Runs all due work without waiting for it. The real clock needs this if a timer is late. */
    runDue,
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
      entries = [];
      base = restart;
      startedAt = wallClock();
      arm();
    },
    close(): void {
      closed = true;
      entries = [];
      clearTimeout(timer);
    },
  };
}
