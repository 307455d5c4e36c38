/** Work that is due at a time of the sandbox clock. */
export interface ScheduledTask {
  readonly at: number;
  cancel(): void;
}

interface Task extends ScheduledTask {
  readonly work: () => unknown;
}

const LONGEST_TIMER = 2 ** 31 - 1; // beyond it a timer fires at once

/** What a clock shows: the time `at`, and where it runs, what has passed since the wall clock showed `since`. */
interface Reading {
  readonly at: number;
  readonly since: number | null;
}

/**
 * The time of the sandbox, and the work scheduled on it. A virtual clock moves only by `advance()`. A real one runs with
 * `wallClock`, and `advance()` sets it ahead.
 */
export class Clock {
  readonly #wallClock: () => number;
  #reading: Reading;
  /** The move in progress, with the time of the task that it runs. A reset ends it. */
  #move: { at: number } | null = null;
  /** The moves, one after another. */
  #moves: Promise<void> = Promise.resolve();
  /** The next task first. Tasks at one time stand in the order in which they were scheduled. */
  #tasks: Task[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(kind: 'virtual' | 'real', start: number, wallClock: () => number) {
    this.#wallClock = wallClock;
    this.#reading = { at: start, since: kind === 'real' ? wallClock() : null };
  }

  readonly now = (): number => {
    if (this.#move !== null) return this.#move.at;
    const { at, since } = this.#reading;
    return since === null ? at : at + (this.#wallClock() - since);
  };

  running(): boolean {
    return this.#reading.since !== null;
  }

  /** Lets the clock run with real time from its current time, or stops it there. */
  run(running: boolean): void {
    this.#set(this.now(), running ? this.#wallClock() : null);
  }

  /** Runs `work` when the clock reaches `at`, in epoch milliseconds. Equal times run in the order of the calls. */
  schedule(at: number, work: () => unknown): ScheduledTask {
    const task: Task = {
      at,
      work,
      cancel: () => {
        this.#tasks = this.#tasks.filter((other) => other !== task);
        this.#arm();
      },
    };
    const later = this.#tasks.findIndex((other) => other.at > at);
    if (!this.#isClosed) this.#tasks.splice(later === -1 ? this.#tasks.length : later, 0, task);
    this.#arm();
    return task;
  }

  /**
   * Moves the clock. Runs the work that falls due in order and waits for each. Concurrent calls run one after
   * another.
   */
  advance(milliseconds: number): Promise<void> {
    const move = this.#moves.then(() => this.#advance(milliseconds));
    this.#moves = move.catch(() => undefined);
    return move;
  }

  /** Runs all due work without waiting for it. The real clock needs this if a timer is late. */
  runDue(): void {
    if (this.#move !== null) return;
    for (let task = this.#takeDue(this.now()); task !== undefined; task = this.#takeDue(this.now())) void task.work();
    this.#arm();
  }

  /** Cancels all scheduled work and sets the time to `restart`. */
  reset(restart: number): void {
    this.#tasks = [];
    this.#move = null;
    this.#set(restart, this.running() ? this.#wallClock() : null);
  }

  close(): void {
    this.#isClosed = true;
    this.#tasks = [];
    this.#arm();
  }

  async #advance(milliseconds: number): Promise<void> {
    const move = { at: this.now() };
    const [target, since] = [move.at + milliseconds, this.#wallClock()];
    this.#move = move;
    try {
      while (this.#move === move) {
        const task = this.#takeDue(target);
        if (task === undefined) break;
        move.at = Math.max(move.at, task.at);
        await task.work();
      }
    } finally {
      if (this.#move === move) {
        this.#move = null;
        this.#set(target, this.running() ? since : null); // what passed meanwhile counts
      }
    }
  }

  #set(at: number, since: number | null): void {
    this.#reading = { at, since };
    this.#arm();
  }

  #takeDue(limit: number): Task | undefined {
    const [task] = this.#tasks;
    return task !== undefined && task.at <= limit ? this.#tasks.shift() : undefined;
  }

  /** Sets the timer to the next task. */
  #arm(): void {
    clearTimeout(this.#timer);
    const [first] = this.#tasks;
    if (first === undefined || this.#move !== null || !this.running()) return;
    this.#timer = setTimeout(() => this.runDue(), Math.min(Math.max(first.at - this.now(), 0), LONGEST_TIMER));
    // A waiting delivery must not keep a finished test run or script alive.
    if (typeof this.#timer === 'object' && 'unref' in this.#timer) this.#timer.unref();
  }
}
