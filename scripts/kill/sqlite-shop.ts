import {
  type InvoicePaidEvent,
  type SqliteCommit,
  type SqliteDatabase,
  sqliteStore,
} from '../../src/webhooks/index.ts';
import type { Credit, Shop, ShopAddress, SqliteDriver } from './shop.ts';

type SqliteStatement = ReturnType<SqliteDatabase['prepare']>;
type Database = SqliteDatabase & { close(): unknown };

/** The part of a statement that the shop uses. Both drivers have it. */
interface Statement extends SqliteStatement {
  run(...values: string[]): { readonly changes: number | bigint };
  all(): unknown[];
}

export async function sqliteShop({
  at,
  sqlite: { driver, journal, blocking = false } = { driver: 'node:sqlite', journal: 'WAL' },
}: ShopAddress): Promise<Shop<{ readonly commit: SqliteCommit<Database> }>> {
  const db = await open(driver, at);
  if (blocking) keepBlocking(db);
  const prepare = (sql: string) => db.prepare(sql) as Statement; // both drivers have these functions
  patiently(() => db.exec('PRAGMA synchronous = NORMAL')); // processes die here, never the machine
  const store = sqliteStore(db);
  const write = ({ invoice_uuid, credited_usdt }: InvoicePaidEvent): void => {
    prepare('INSERT INTO credits (invoice, usdt) VALUES (?, ?)').run(invoice_uuid, credited_usdt.toFixed());
  };
  return {
    store,
    async setUp() {
      prepare(`PRAGMA journal_mode = ${journal}`).all();
      db.exec('CREATE TABLE credits (invoice TEXT, usdt TEXT)');
      await store.migrate();
    },
    credit: (event, context, written) =>
      context.commit(() => {
        write(event);
        written();
      }),
    creditAlone: write,
    credits: async () => prepare('SELECT invoice, usdt FROM credits').all() as Credit[], // the columns of this table
    close: () => db.close(),
  };
}

/** Breaks the receiver on purpose: the waiting of SQLite stays unchanged, so that each lock of another process blocks it. */
function keepBlocking(db: Database): void {
  const exec = db.exec.bind(db);
  db.exec = (sql) => (sql.startsWith('PRAGMA busy_timeout') ? undefined : exec(sql));
}

/** A statement of the shop itself, at its start: the lock may be held for longer than the driver waits once. */
function patiently(statement: () => unknown): void {
  for (let left = 5; ; left -= 1) {
    try {
      return void statement();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

/** With the waiting for locks that each driver's documentation shows: 5 seconds, which would block the process. */
async function open(driver: SqliteDriver, file: string): Promise<Database> {
  if (driver === 'better-sqlite3') return new (await import('better-sqlite3')).default(file);
  return new (await import('node:sqlite')).DatabaseSync(file, { timeout: 5_000 });
}
