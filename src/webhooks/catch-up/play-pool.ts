import type { CatchUpInvoice } from './catch-up-client.ts';

/** Plays several invoices at once, and never two of one order. It holds no more than those. */
export class PlayPool {
  readonly #concurrency: number;
  readonly #play: (invoice: CatchUpInvoice) => Promise<void>;
  readonly #running = new Map<unknown, Promise<void>>();

  constructor(concurrency: number, play: (invoice: CatchUpInvoice) => Promise<void>) {
    this.#concurrency = concurrency;
    this.#play = play;
  }

  /** Begins an invoice as soon as there is room for it, and no other of its order runs. */
  async add(invoice: CatchUpInvoice): Promise<void> {
    const order: unknown = invoice.external_id ?? invoice.uuid;
    while (this.#running.has(order) || this.#running.size >= this.#concurrency) {
      await Promise.race(this.#running.values());
    }
    const run = this.#play(invoice).finally(() => this.#running.delete(order));
    run.catch(() => {}); // add and drain report it
    this.#running.set(order, run);
  }

  /** Waits for all of them. */
  async drain(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Waits for all of them, also if one fails. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }
}
