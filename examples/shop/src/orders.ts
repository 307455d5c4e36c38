import { randomUUID } from 'node:crypto';
import { orderOf } from 'merchant-invoicing';
import { CURRENCY, type Line, totalOf } from './catalogue.ts';
import { type Database, inTransaction } from './database.ts';
import {
  type Order,
  type OrderFacts,
  orderIdOf,
  type Payment,
  toOrder,
} from './order.ts';

/** What is known of an invoice. */
export interface Invoice {
  readonly external_id: string;
  /** What was ordered. */
  readonly amount: string;
  /** The fiat that the customer has paid, which may be less or more. */
  readonly paid?: string;
  readonly credited_usdt?: string;
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
      .prepare('SELECT * FROM payments WHERE order_id = ?')
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
   * Keeps the invoice of a charge as the open one of its order. Returns false
   * if the charge was paid meanwhile.
   */
  keep(invoice: Invoice): boolean {
    return inTransaction(this.#db, () => {
      const { order: chargeId } = orderOf(invoice.external_id);
      const order = this.get(orderIdOf(chargeId));
      const isOpen = order?.chargeId === chargeId;
      if (isOpen) this.#endOpen(order.id);
      this.#note(invoice, isOpen ? 'open' : 'ended');
      return isOpen;
    });
  }

  /** An invoice ended without a payment. A paid one stays paid. */
  end(invoice: Invoice): void {
    this.#note(invoice, 'ended');
  }

  /**
   * Books a payment, and ships the order once it is paid in full. Call it in
   * the transaction of the webhook store.
   */
  credit(invoice: Required<Invoice>): void {
    const id = this.#note(invoice, 'paid');
    this.#endOpen(id); // it asks for what was missing before
    if (this.get(id)?.missing.isZero() !== true) return;
    this.#db
      .prepare('INSERT OR IGNORE INTO shipments VALUES (?, ?)')
      .run(id, new Date().toISOString());
  }

  /** The page no longer leads to the open invoice. It may still be paid. */
  #endOpen(id: string): void {
    const update = `UPDATE payments SET state = 'ended'
       WHERE order_id = ? AND state = 'open'`;
    this.#db.prepare(update).run(id);
  }

  /**
   * Writes what is known of an invoice, also if a crash has left no row of it.
   * Returns the id of its order. @throws Error if there is no such order, so
   * that the service sends the event again.
   */
  #note(invoice: Invoice, state: Payment['state']): string {
    const { external_id, amount, paid = null, credited_usdt = null } = invoice;
    const id = orderIdOf(external_id);
    if (this.get(id) === null)
      throw new Error(`no order has ${JSON.stringify(external_id)}`);
    const now = new Date().toISOString();
    const upsert = `INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (external_id) DO UPDATE SET state = excluded.state,
        paid = excluded.paid, credited_usdt = excluded.credited_usdt
      WHERE payments.state IN ('open', 'ended') OR excluded.state = 'paid'`;
    this.#db
      .prepare(upsert)
      .run(external_id, id, amount, state, now, paid, credited_usdt);
    return id;
  }
}
