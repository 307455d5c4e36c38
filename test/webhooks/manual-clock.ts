import type { WebhookHandlerOptions } from '../../src/webhooks/index.ts';
import { NOW } from './vectors.ts';

/** Lets everything that is ready run: promises settle in turns of the event loop, without time passing. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Time that passes only when told. */
export class ManualClock {
  time = NOW;
  #timers = new Map<number, { readonly due: number; readonly run: () => void }>();
  #next = 1;

  readonly now = (): number => this.time;
  readonly timers: NonNullable<WebhookHandlerOptions['timers']> = {
    setTimeout: (run, ms) => {
      const id = this.#next++;
      this.#timers.set(id, { due: this.time + ms, run });
      return id;
    },
    clearTimeout: (id) => {
      this.#timers.delete(id as number); // what setTimeout above gave
    },
  };

  get pending(): number {
    return this.#timers.size;
  }

  /** Moves time, firing each timer at its own moment. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await settle();
    for (;;) {
      const due = [...this.#timers].filter(([, timer]) => timer.due <= end).sort(([, a], [, b]) => a.due - b.due)[0];
      if (due === undefined) break;
      this.#timers.delete(due[0]);
      this.time = due[1].due;
      due[1].run();
      await settle();
    }
    this.time = end;
  }
}
