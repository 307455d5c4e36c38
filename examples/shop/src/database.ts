import { DatabaseSync } from 'node:sqlite';

/**
 * With better-sqlite3, this line and the constructor below are all that
 * changes.
 */
export type Database = DatabaseSync;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS orders (
  id TEXT PRIMARY KEY, -- cannot be guessed: whoever knows it sees the order
  created_at TEXT NOT NULL,
  lines TEXT NOT NULL, -- JSON
  amount TEXT NOT NULL,
  currency TEXT NOT NULL,
  name TEXT,
  address TEXT,
  placed_at TEXT -- NULL for a draft
) STRICT;
-- What the customer is asked for: the whole order (ID), and after a payment
-- what is missing (ID.2). For the service each charge is an order, and the
-- events of all its invoices (ID.2 and ID.2--1) name it.
CREATE TABLE IF NOT EXISTS charges (
  id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL REFERENCES orders (id),
  amount TEXT NOT NULL,
  -- of the last invoice whose link was given, or which ended
  renewal INTEGER NOT NULL DEFAULT 0,
  -- canceled: it expired, or another payment came. It may still be paid.
  status TEXT NOT NULL DEFAULT 'new'
    CHECK (status IN ('new', 'pending', 'paid', 'canceled')),
  changed_at TEXT NOT NULL
) STRICT;
-- Each payment, by its invoice: a charge can be paid twice.
CREATE TABLE IF NOT EXISTS payments (
  invoice_uuid TEXT PRIMARY KEY,
  charge_id TEXT NOT NULL REFERENCES charges (id),
  paid TEXT NOT NULL, -- in the currency of the order
  credited_usdt TEXT NOT NULL
) STRICT;
-- What the warehouse sends. One row for each order, whatever happens.
CREATE TABLE IF NOT EXISTS shipments (
  order_id TEXT PRIMARY KEY REFERENCES orders (id),
  created_at TEXT NOT NULL
) STRICT;
`;

export function openDatabase(file: string): Database {
  const db = new DatabaseSync(file);
  db.exec(
    `PRAGMA journal_mode = WAL;
     PRAGMA foreign_keys = ON;
     PRAGMA busy_timeout = 5000;`,
  );
  db.exec(SCHEMA);
  return db;
}

/**
 * Runs synchronous work in a transaction. Nothing else can use the connection
 * meanwhile.
 */
export function inTransaction<T>(db: Database, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}
