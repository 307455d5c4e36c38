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
-- Each row is one invoice of the service. An order has another one after an
-- expiry (ID--1), or for what is missing after a payment (ID.2).
CREATE TABLE IF NOT EXISTS payments (
  external_id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL REFERENCES orders (id),
  amount TEXT NOT NULL,
  -- ended: expired, replaced, or not needed. It may still be paid.
  state TEXT NOT NULL CHECK (state IN ('open', 'paid', 'ended')),
  created_at TEXT NOT NULL,
  paid TEXT, -- in the currency of the order
  credited_usdt TEXT
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS one_open_payment ON payments (order_id)
  WHERE state = 'open';
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
