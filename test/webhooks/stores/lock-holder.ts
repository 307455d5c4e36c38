import { DatabaseSync } from 'node:sqlite';

// A process of its own that holds a lock of an SQLite file from its start until it is told to let go.

export type HeldLock = 'reader' | 'writer' | 'exclusive';

/** The lock is let go after this, too, so that a test whose process is blocked fails instead of hanging. */
const WATCHDOG = 120_000;

const [file = '', lock = 'writer'] = process.argv.slice(2);
const db = new DatabaseSync(file, { timeout: 60_000 });
db.exec(lock === 'exclusive' ? 'BEGIN EXCLUSIVE' : lock === 'writer' ? 'BEGIN IMMEDIATE' : 'BEGIN');
db.prepare('SELECT count(*) FROM sqlite_master').get();
process.on('message', () => {
  db.exec('COMMIT');
  process.send?.('released');
});
process.on('disconnect', () => process.exit(0));
setTimeout(() => process.exit(1), WATCHDOG).unref();
process.send?.('held');
