import { randomUUID } from 'node:crypto';
import { CURRENCY, type Line, totalOf } from './catalogue.ts';
import { type Database, inTransaction } from './database.ts';
import { type Order, type OrderFacts, type Payment, toOrder } from './order.ts';

/** The facts of a paid event. */
export interface Credit {
  readonly external_id: string;
  /**
   * The fiat that the customer has paid, which may be less or more than the
   * amount of the payment.
   */
  readonly paid: string;
  readonly credited_usdt: string;
}

/** The orders in SQLite. Every change is one statement or one transaction. */
export class Orders {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Keeps a cart as a draft, and returns its id. */
  draft(lines: readonly Line[]): string {
    const id = randomUUID();
    const insert = `INSERT INTO orders (id, created_at, lines, amount, currency)
       VALUES (?, ?, ?, ?, ?)`;
    const amount = totalOf(lines).toFixed(2);
    this.#db
      .prepare(insert)
      .run(
        id,
        new Date().toISOString(),
        JSON.stringify(lines),
        amount,
        CURRENCY,
      );
    return id;
  }

  get(id: string): Order | null {
    const row = this.#db.prepare('SELECT * FROM orders WHERE id = ?').get(id);
    if (row === undefined) return null;
    const payments = this.#db
      .prepare('SELECT * FROM payments WHERE order_id = ? ORDER BY number')
      .all(id);
    const facts = { ...row, lines: JSON.parse(String(row['lines'])), payments };
    // the columns are those of the tables
    return toOrder(facts as unknown as OrderFacts);
  }

  /**
   * Makes an order of a draft. A repeat changes nothing, so a customer cannot
   * redirect a paid parcel.
   */
  place(id: string, name: string, address: string): void {
    const update = `UPDATE orders SET name = ?, address = ?, placed_at = ?
       WHERE id = ? AND placed_at IS NULL`;
    this.#db.prepare(update).run(name, address, new Date().toISOString(), id);
  }

  /**
   * Returns the open payment with this number, and makes it if it is the next
   * one. Null for any other number, such as that of an outdated page. So two
   * clicks, two tabs and a repeated form find the same payment.
   */
  openPayment(id: string, number: number): Payment | null {
    return inTransaction(this.#db, () => {
      const order = this.get(id);
      if (order === null || order.placed_at === null || order.missing.isZero())
        return null;
      if (number !== order.nextNumber) return null;
      const open = order.payments.find(({ state }) => state === 'open');
      if (open !== undefined) return open;
      const external_id = number === 1 ? id : `${id}.${number}`;
      const amount = order.missing.toFixed(2);
      const insert = `INSERT INTO payments
        (external_id, order_id, number, amount, state, created_at)
        VALUES (?, ?, ?, ?, 'open', ?)`;
      this.#db
        .prepare(insert)
        .run(external_id, id, number, amount, new Date().toISOString());
      return {
        external_id,
        number,
        amount,
        state: 'open',
        paid: null,
        credited_usdt: null,
      };
    });
  }

  /** An invoice ended without a payment. A paid one stays paid. */
  end(external_id: string): void {
    this.#db
      .prepare(
        `UPDATE payments SET state = 'ended'
         WHERE external_id = ? AND state = 'open'`,
      )
      .run(external_id);
  }

  /**
   * Books a payment, and ships the order once it is paid in full. Call it in
   * the transaction of the webhook store. @throws Error if no order has this
   * payment, so that the service sends the event again.
   */
  credit({ external_id, paid, credited_usdt }: Credit): void {
    const update = `UPDATE payments
      SET state = 'paid', paid = ?, credited_usdt = ?
      WHERE external_id = ? RETURNING order_id`;
    const row = this.#db.prepare(update).get(paid, credited_usdt, external_id);
    if (row === undefined)
      throw new Error(
        `no order has the payment ${JSON.stringify(external_id)}`,
      );
    const order = this.get(String(row['order_id']));
    if (order?.missing.isZero() !== true) return;
    this.#db
      .prepare('INSERT OR IGNORE INTO shipments VALUES (?, ?)')
      .run(order.id, new Date().toISOString());
  }
}
