import type { Event, EventClock } from './event-clock.ts';

/** Thrown into everything that a killed process was doing. */
class Killed extends Error {}

/** One process from its start to its death. It has a processor and a pool of connections. */
export class Life {
  readonly #clock: EventClock;
  readonly #pool: number;
  readonly #waits = new Set<() => void>();
  readonly #queue: (() => void)[] = [];
  #inUse = 0;
  #isOver = false;
  readonly processor: Server;
  /** The most connections that were in use at the same time. */
  most = 0;

  constructor(clock: EventClock, pool: number) {
    this.#clock = clock;
    this.#pool = pool;
    this.processor = new Server(clock);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Kills the process. What it waits for never comes. */
  end(): void {
    this.#isOver = true;
    for (const stop of [...this.#waits]) stop();
  }

  /** Waits for virtual time. */
  async sleep(milliseconds: number): Promise<void> {
    let event: Event | undefined;
    try {
      await this.#until((resume) => {
        event = this.#clock.at(this.#clock.now() + milliseconds, resume);
      });
    } finally {
      this.#clock.cancel(event);
    }
  }

  /** Waits for a connection, and returns the function that releases it. */
  async connect(): Promise<() => void> {
    if (this.#inUse >= this.#pool) await this.#until((resume) => this.#queue.push(resume));
    else this.#inUse += 1;
    this.most = Math.max(this.most, this.#inUse);
    return () => {
      const next = this.#queue.shift();
      if (next === undefined) this.#inUse -= 1;
      else next();
    };
  }

  #until(begin: (resume: () => true) => void): Promise<void> {
    if (this.#isOver) return Promise.reject(new Killed());
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waits.delete(stop);
        reject(new Killed());
      };
      this.#waits.add(stop);
      begin(() => {
        this.#waits.delete(stop);
        resolve();
        return true;
      });
    });
  }
}

/** Something that does one thing at a time: a processor, or a database. */
export class Server {
  readonly #clock: EventClock;
  #freeAt = 0;
  /** Milliseconds of work in each minute. */
  readonly #busy = new Map<number, number>();

  constructor(clock: EventClock) {
    this.#clock = clock;
  }

  /** Waits until this work is done, after all work that came before. */
  async do(milliseconds: number, life: Life): Promise<void> {
    const now = this.#clock.now();
    this.#freeAt = Math.max(now, this.#freeAt) + milliseconds;
    const minute = Math.floor(this.#freeAt / 60_000);
    this.#busy.set(minute, (this.#busy.get(minute) ?? 0) + milliseconds);
    await life.sleep(this.#freeAt - now);
  }

  /** The share of its busiest minute that it worked. */
  get busiest(): number {
    return Math.max(0, ...this.#busy.values()) / 60_000;
  }
}
