import type { Kill } from './customers.ts';
import { nextTurn, pause } from './waiting.ts';

// The kills of a storm. Each waits for work of its kind and is spent on nothing else: a shop that is killed while it has
// nothing to do shows nothing.

/** What the process of the shop does for a killed function that it still runs: nothing can cut it off from here. */
const UNTIL_CUT_OFF = 20;
/** So often a kill at the first change of one kind of work may come too late: the shop writes and answers in one turn. */
const MISSES_MAX = 3;

/** What the kills need of the shop. */
export interface Killed {
  /** The rows of its database, as one text that differs when they do. */
  readonly rows: () => Promise<string>;
  /** Resolves when what the work has begun is over. */
  readonly idle: () => Promise<void>;
  /** Kills it and starts it again. `isWithin`: between two writes, and not when the work was done. */
  readonly restart: (isWithin: boolean) => Promise<void>;
  /** Whether it is another process, whose rows are read less often. */
  readonly isAtAddress: boolean;
}

/** How a piece of work ended: with its result, or killed, where the answer may be lost. */
export type Worked<Value> = { readonly value: Value } | 'killed';

export class Kills {
  /** How many kills met work of each kind. */
  readonly met: Record<Kill['in'], number> = { delivery: 0, job: 0, press: 0 };
  readonly #waiting: Record<Kill['in'], Kill[]> = { delivery: [], job: [], press: [] };
  readonly #shop: Killed;
  readonly #misses: Record<Kill['in'], number> = { delivery: 0, job: 0, press: 0 };
  #isWatching = false;

  constructor(shop: Killed) {
    this.#shop = shop;
  }

  /** From now on the kill waits for its work. */
  add(kill: Kill): void {
    this.#waiting[kill.in].push(kill);
  }

  get total(): number {
    return this.met.delivery + this.met.job + this.met.press;
  }

  /**
   * Does a piece of work, and kills the shop where a kill waits for it.
   *
   * @param isWork Whether the result shows that there was work to do. `isChanged`: the rows have changed meanwhile.
   */
  async during<Value>(
    kind: Kill['in'],
    work: () => Promise<Value>,
    isWork: (value: Value, isChanged: () => Promise<boolean>) => boolean | Promise<boolean>,
  ): Promise<Worked<Value>> {
    const kill = this.#isWatching ? undefined : this.#waiting[kind].shift();
    if (kill === undefined) return { value: await work() };
    this.#isWatching = true;
    try {
      return await this.#watch(kill, work, isWork);
    } finally {
      this.#isWatching = false;
    }
  }

  async #watch<Value>(
    kill: Kill,
    work: () => Promise<Value>,
    isWork: (value: Value, isChanged: () => Promise<boolean>) => boolean | Promise<boolean>,
  ): Promise<Worked<Value>> {
    const { rows, idle, isAtAddress } = this.#shop;
    const before = await rows();
    const isChanged = async (): Promise<boolean> => (await rows()) !== before;
    const progress = { hasAnswered: false, isOver: false };
    const working = work().finally(() => {
      progress.hasAnswered = true;
    });
    if (kill.when !== 'change' || this.#misses[kill.in] >= MISSES_MAX) {
      const value = await working;
      if (!(await isWork(value, isChanged))) return this.#missed(kill, value);
      await this.#strike(kill, false);
      return kill.when === 'after' ? { value } : 'killed';
    }
    // What the shop does behind its answer is part of the work.
    const over = working.then(idle).finally(() => {
      progress.isOver = true;
    });
    over.catch(() => {}); // `working` tells it
    while (!progress.isOver) {
      await (isAtAddress ? pause(1) : nextTurn());
      if (progress.isOver || !(await isChanged())) continue;
      if (progress.isOver) break;
      const { hasAnswered } = progress; // a restart takes its time
      await this.#strike(kill, true);
      await Promise.race([over.catch(() => {}), pause(UNTIL_CUT_OFF)]);
      return hasAnswered ? { value: await working } : 'killed';
    }
    const value = await working;
    if (await isWork(value, isChanged)) this.#misses[kill.in] += 1; // it wrote and answered in one turn
    return this.#missed(kill, value);
  }

  #missed<Value>(kill: Kill, value: Value): Worked<Value> {
    this.#waiting[kill.in].unshift(kill);
    return { value };
  }

  async #strike(kill: Kill, isWithin: boolean): Promise<void> {
    this.met[kill.in] += 1;
    await this.#shop.restart(isWithin);
  }
}
