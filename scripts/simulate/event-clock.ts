/** Something that happens at a time. */
export interface Event {
  readonly at: number;
  readonly order: number;
  /** Null once it is cancelled. */
  run: (() => unknown) | null;
}

/** The events that are still to come, as a binary heap: the first one is found without a look at the others. */
class Agenda {
  readonly #events: Event[] = [];

  get first(): Event | undefined {
    return this.#events[0];
  }

  add(event: Event): void {
    const events = this.#events;
    let place = events.push(event) - 1;
    for (let above = (place - 1) >> 1; place > 0; above = (place - 1) >> 1) {
      const other = events[above];
      if (other === undefined || !isBefore(event, other)) break;
      events[place] = other;
      place = above;
    }
    events[place] = event;
  }

  removeFirst(): void {
    const events = this.#events;
    const last = events.pop();
    if (last === undefined || events.length === 0) return;
    let place = 0;
    for (;;) {
      const [left, right] = [events[2 * place + 1], events[2 * place + 2]];
      const isRight = right !== undefined && left !== undefined && isBefore(right, left);
      const next = isRight ? right : left;
      if (next === undefined || isBefore(last, next)) break;
      events[place] = next;
      place = 2 * place + (isRight ? 2 : 1);
    }
    events[place] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Time that jumps from one event to the next, as soon as nothing is left to do at this one. Made for millions of events. */
export class EventClock {
  #now: number;
  #count = 0;
  readonly #agenda = new Agenda();
  /** Work of a real engine that the clock must not overtake. */
  #real = 0;

  constructor(start: number) {
    this.#now = start;
  }

  readonly now = (): number => this.#now;

  /** For the handler. */
  readonly timers = {
    setTimeout: (run: () => void, milliseconds: number): Event =>
      this.at(this.#now + milliseconds, () => {
        run();
        return true;
      }),
    clearTimeout: (event: unknown): void => this.cancel(event as Event | undefined), // what setTimeout above returned
  };

  /** Runs something at a time. Its result is undefined if no promise continues after it. */
  at(time: number, run: () => unknown): Event {
    this.#count += 1;
    const event: Event = { at: Math.max(time, this.#now), order: this.#count, run };
    this.#agenda.add(event);
    return event;
  }

  cancel(event: Event | undefined): void {
    if (event !== undefined) event.run = null;
  }

  /** Work that takes real time and no virtual one. */
  async real<T>(work: () => Promise<T>): Promise<T> {
    this.#real += 1;
    try {
      return await work();
    } finally {
      this.#real -= 1;
    }
  }

  /** Inside of real work: a wait for virtual time. */
  async virtual<T>(work: () => Promise<T>): Promise<T> {
    this.#real -= 1;
    try {
      return await work();
    } finally {
      this.#real += 1;
    }
  }

  /** Moves time until there are no more events. */
  async run(): Promise<void> {
    await this.#settle();
    for (let event = this.#agenda.first; event !== undefined; event = this.#agenda.first) {
      this.#agenda.removeFirst();
      const { run } = event;
      if (run === null) continue;
      this.#now = event.at;
      event.run = null;
      if (run() !== undefined) await this.#settle();
    }
  }

  /** Lets everything run that is ready, and waits for the engine. */
  async #settle(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.#real > 0);
  }
}
