import { DatabaseSync } from 'node:sqlite';
import { type InvoicePaidEvent, type SqliteCommit, sqliteStore } from '../../src/webhooks/index.ts';
import type { Shop } from './shop.ts';

export function sqliteShop(file: string): Shop<{ readonly commit: SqliteCommit<DatabaseSync> }> {
  const db = new DatabaseSync(file, { timeout: 5_000 });
  db.exec('PRAGMA synchronous = NORMAL'); // processes die here, never the machine
  const store = sqliteStore(db);
  const write = ({ invoice_uuid, credited_usdt }: InvoicePaidEvent): void => {
    db.prepare('INSERT INTO credits (invoice, usdt) VALUES (?, ?)').run(invoice_uuid, credited_usdt.toFixed());
  };
  return {
    store,
    async setUp() {
      db.exec('PRAGMA journal_mode = WAL');
      db.exec('CREATE TABLE credits (invoice TEXT, usdt TEXT)');
      await store.migrate();
    },
    credit: (event, context, written) =>
      context.commit(() => {
        write(event);
        written();
      }),
    creditAlone: write,
    credits: async () =>
      db
        .prepare('SELECT invoice, usdt FROM credits')
        .all()
        .map((row) => ({ invoice: String(row['invoice']), usdt: String(row['usdt']) })),
    close: () => db.close(),
  };
}
