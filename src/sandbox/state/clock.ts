/** Something that falls due on the sandbox clock. */
export interface Appointment {
  readonly at: number;
  cancel(): void;
}

/** The sandbox's time and everything that waits for it. */
export interface Clock {
  now(): number;
  /** Runs `work` when the clock reaches `at`. The order of equal times is the order of the calls. */
  schedule(at: number, work: () => unknown): Appointment;
  /** Moves on, stopping at everything that falls due and waiting for it. Calls queue up behind each other. */
  advance(milliseconds: number): Promise<void>;
  /** Runs, without waiting, what is due by now; the real clock needs it where a timer is late. */
  catchUp(): void;
  /** Stops the running clock where it is, or lets a standing one run on from there. */
  run(running: boolean): void;
  running(): boolean;
  /** Forgets all appointments; a virtual clock goes back to `start`. */
  reset(start: number): void;
  close(): void;
}

interface Entry extends Appointment {
  readonly order: number;
  readonly work: () => unknown;
}

const LONGEST_TIMER = 2 ** 31 - 1; // beyond it a timer fires at once

/**
 * Virtual: stands still at `start` and moves only by advance(). Real: runs with `wallClock`; advance() puts it ahead.
 */
export function createClock(kind: 'virtual' | 'real', start: number, wallClock: () => number): Clock {
  let entries: Entry[] = [];
  let isRunning = kind === 'real';
  let base = start;
  let startedAt = wallClock();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let queue: Promise<void> = Promise.resolve();
  let closed = false;
  let epoch = 0; // a reset while advance() is under way wins
  let ceiling: number | null = null; // while advance() is under way, time stands at the appointment it runs

  const now = (): number => ceiling ?? (isRunning ? base + (wallClock() - startedAt) : base);
  let count = 0;
  const placeOf = ({ at, order }: Pick<Entry, 'at' | 'order'>): number => {
    let [low, high] = [0, entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = entries[middle];
      if (other !== undefined && (other.at < at || (other.at === at && other.order < order))) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const drop = (entry: Entry): void => {
    const place = placeOf(entry);
    if (entries[place] === entry) entries.splice(place, 1);
  };
  const nextDue = (limit: number): Entry | undefined => {
    const entry = entries[0];
    return entry !== undefined && entry.at <= limit ? entry : undefined;
  };
  const arm = (): void => {
    clearTimeout(timer);
    const first = entries[0];
    if (!isRunning || closed || first === undefined || ceiling !== null) return;
    timer = setTimeout(catchUp, Math.min(Math.max(first.at - now(), 0), LONGEST_TIMER));
    // A waiting delivery must not keep a finished test run or script alive.
    if (typeof timer === 'object' && 'unref' in timer) timer.unref();
  };
  function catchUp(): void {
    if (closed || ceiling !== null) return;
    for (let entry = nextDue(now()); entry !== undefined; entry = nextDue(now())) {
      drop(entry);
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
        drop(entry);
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
    schedule(at, work) {
      count += 1;
      const entry: Entry = {
        at,
        order: count,
        work,
        cancel() {
          drop(entry);
          arm();
        },
      };
      entries.splice(placeOf(entry), 0, entry);
      arm();
      return entry;
    },
    advance(milliseconds) {
      const run = queue.then(() => advance(milliseconds));
      queue = run.catch(() => undefined);
      return run;
    },
    catchUp,
    run(running) {
      base = now();
      startedAt = wallClock();
      isRunning = running;
      arm();
    },
    running: () => isRunning,
    reset(restart) {
      epoch += 1;
      entries = [];
      base = restart;
      startedAt = wallClock();
      arm();
    },
    close() {
      closed = true;
      entries = [];
      clearTimeout(timer);
    },
  };
}
