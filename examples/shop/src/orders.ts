import { randomUUID } from 'node:crypto';
import { CURRENCY, type Line, totalOf } from './catalogue.ts';
import { type Database, inTransaction } from './database.ts';
import { type Order, type OrderFacts, toOrder } from './order.ts';

/** A payment of a charge. */
export interface Payment {
  /** The charge, which the service knows as the order. */
  readonly order: string;
  readonly invoice_uuid: string;
  /** The fiat that the customer has paid, which may be less or more. */
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
    const charges = this.#db
      .prepare('SELECT id, status FROM charges WHERE order_id = ?')
      .all(id);
    const payments = this.#db
      .prepare(
        `SELECT paid FROM payments JOIN charges ON charges.id = charge_id
         WHERE order_id = ?`,
      )
      .all(id)
      .map(({ paid }) => paid);
    const lines = JSON.parse(String(row['lines']));
    const facts = { ...row, lines, charges, payments };
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

  /** Keeps what the customer is asked for, before it has an invoice. */
  ask({ id, chargeId, missing }: Order): void {
    const insert = `INSERT OR IGNORE INTO charges
        (id, order_id, amount, changed_at)
       VALUES (?, ?, ?, ?)`;
    this.#db.prepare(insert).run(chargeId, id, missing.toFixed(2), now());
  }

  /**
   * Writes that the customer gets the link of an invoice. The renewal only
   * rises, and what was canceled opens again for a higher one alone. Returns
   * false if the customer must not pay: the charge was paid or replaced.
   */
  offer(chargeId: string, renewal: number): boolean {
    return inTransaction(this.#db, () => {
      const id = this.#orderOf(chargeId);
      if (this.get(id)?.chargeId !== chargeId) return false;
      const update = this.#db.prepare(`UPDATE charges
        SET renewal = max(renewal, $n), status = 'pending', changed_at = $now
        WHERE id = $id AND (status IN ('new', 'pending')
          OR status = 'canceled' AND renewal < $n)`);
      const { changes } = update.run({ id: chargeId, n: renewal, now: now() });
      return changes === 1;
    });
  }

  /**
   * An invoice ended without a payment. A later one of the charge may be open.
   */
  cancel(chargeId: string, renewal: number): void {
    this.#orderOf(chargeId);
    const update = this.#db.prepare(`UPDATE charges
      SET renewal = $renewal, status = 'canceled', changed_at = $now
      WHERE id = $id AND renewal <= $renewal AND status IN ('new', 'pending')`);
    update.run({ id: chargeId, renewal, now: now() });
  }

  /**
   * Books a payment, and ships the order once it is paid in full. What is too
   * much waits for a person: the nightly job tells it. Call it in the
   * transaction of the webhook store.
   */
  credit({
    order: chargeId,
    invoice_uuid,
    paid,
    credited_usdt,
  }: Payment): void {
    const id = this.#orderOf(chargeId);
    const insert = `INSERT INTO payments VALUES (?, ?, ?, ?)
      ON CONFLICT (invoice_uuid) DO UPDATE SET paid = excluded.paid,
        credited_usdt = excluded.credited_usdt`;
    this.#db
      .prepare(insert)
      .run(invoice_uuid.toLowerCase(), chargeId, paid, credited_usdt);
    // an open charge asks for what was missing before
    const end = `UPDATE charges SET changed_at = $now,
        status = CASE id WHEN $id THEN 'paid' ELSE 'canceled' END
      WHERE id = $id
        OR order_id = $order AND status IN ('new', 'pending')`;
    this.#db.prepare(end).run({ id: chargeId, order: id, now: now() });
    if (this.get(id)?.missing.isZero() !== true) return;
    this.#db
      .prepare('INSERT OR IGNORE INTO shipments VALUES (?, ?)')
      .run(id, now());
  }

  /**
   * Returns the order of a charge, whose row names it. @throws Error if there
   * is no such charge, so that the service sends the event again.
   */
  #orderOf(chargeId: string): string {
    const select = 'SELECT order_id FROM charges WHERE id = ?';
    const row = this.#db.prepare(select).get(chargeId);
    if (row === undefined)
      throw new Error(`no order has ${JSON.stringify(chargeId)}`);
    return String(row['order_id']);
  }
}

const now = (): string => new Date().toISOString();
