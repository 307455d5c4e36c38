import type { CatchUpInvoice } from './catch-up-client.ts';

/** Plays several invoices at once, and never two of one order. It holds no more than those. */
export class PlayPool {
  readonly #concurrency: number;
  readonly #play: (invoice: CatchUpInvoice) => Promise<void>;
  readonly #running = new Map<unknown, Promise<void>>();
  /** `play` is not to reject. If it does, the run ends. */
  #failure: { readonly error: unknown } | null = null;

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
    this.#throwFailure();
    const failed = (error: unknown): void => {
      this.#failure ??= { error };
    };
    const run = this.#play(invoice)
      .catch(failed)
      .finally(() => this.#running.delete(order));
    this.#running.set(order, run);
  }

  /** Waits for all of them. */
  async drain(): Promise<void> {
    await this.settle();
    this.#throwFailure();
  }

  /** Waits for all of them, also if one fails. */
  async settle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }
}
