import { DatabaseSync } from 'node:sqlite';
import type { Decimal } from 'merchant-invoicing';

/** An order of the shop. Amounts are decimal text, exact in every database. */
export interface Order {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly state: 'open' | 'paid' | 'partly_paid' | 'canceled';
  readonly credited_usdt: string | null;
  readonly fulfilments: number;
}

/**
 * The shop's orders in SQLite. Only this table decides whether an order was
 * fulfilled.
 */
export class Orders {
  readonly #db: DatabaseSync;

  constructor(file = ':memory:') {
    this.#db = new DatabaseSync(file);
    this.#db.exec(`CREATE TABLE IF NOT EXISTS orders (
      id TEXT PRIMARY KEY, amount TEXT NOT NULL, currency TEXT NOT NULL,
      state TEXT NOT NULL DEFAULT 'open',
      renewal INTEGER NOT NULL DEFAULT 0,
      credited_usdt TEXT, fulfilments INTEGER NOT NULL DEFAULT 0)`);
  }

  open(id: string, amount: string, currency: string): void {
    this.#db
      .prepare(
        'INSERT OR IGNORE INTO orders (id, amount, currency) VALUES (?, ?, ?)',
      )
      .run(id, amount, currency);
  }

  /**
   * Notes the renewal whose link the customer gets. False for an order that is
   * over.
   */
  offer(id: string, renewal: number): boolean {
    const result = this.#db
      .prepare(
        `UPDATE orders SET renewal = max(renewal, ?), state = 'open'
         WHERE id = ? AND
           (state = 'open' OR state = 'canceled' AND renewal < ?)`,
      )
      .run(renewal, id, renewal);
    return result.changes === 1;
  }

  /**
   * Fulfils an open order against the credited amount. A repeat changes
   * nothing.
   */
  pay(id: string, credited: Decimal, inFull: boolean): boolean {
    const result = this.#db
      .prepare(
        `UPDATE orders SET state = ?, credited_usdt = ?,
           fulfilments = fulfilments + 1
         WHERE id = ? AND state = 'open'`,
      )
      .run(inFull ? 'paid' : 'partly_paid', credited.toFixed(), id);
    return result.changes === 1;
  }

  /** Cancels an open order, unless a later invoice of it was offered. */
  cancel(id: string, renewal: number): boolean {
    return (
      this.#db
        .prepare(
          `UPDATE orders SET renewal = ?, state = 'canceled'
           WHERE id = ? AND renewal <= ? AND state = 'open'`,
        )
        .run(renewal, id, renewal).changes === 1
    );
  }

  get(id: string): Order {
    const row = this.#db.prepare('SELECT * FROM orders WHERE id = ?').get(id);
    if (row === undefined) throw new Error(`there is no order ${id}`);
    return row as unknown as Order; // the columns are those of the table above
  }

  close(): void {
    this.#db.close();
  }
}
