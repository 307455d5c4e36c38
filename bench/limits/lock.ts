import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import Database from 'better-sqlite3';
import { createWebhookHandler, type SqliteDatabase, signWebhook, sqliteStore } from '../../src/webhooks/index.ts';
import { temporaryFolder } from '../../test/support/engine-process.ts';
import { PAID_BODY } from '../answers/wire.ts';
import { SECRET } from './compare.ts';

/** How long another process holds the lock. LOCK_MS=20000 shows a lock that outlasts every limit. */
const HELD = Number(process.env['LOCK_MS'] ?? 1_500);
const HOLDER = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
db.exec('BEGIN EXCLUSIVE'); process.send('held'); setTimeout(() => process.exit(), Number(process.argv[2]));`;

/** Longest pause of the event loop while a delivery, or a bare transaction, waits for the lock of another process. */
export async function lock(): Promise<void> {
  console.log(`\nAnother process holds the lock of SQLite for ${HELD} ms`);
  const nodeSqlite = (file: string): SqliteDatabase => new DatabaseSync(file, { timeout: 5_000 });
  const better = (file: string): SqliteDatabase => new Database(file);
  await row('node:sqlite, timeout 5000: BEGIN IMMEDIATE', nodeSqlite, bare);
  await row('better-sqlite3, its default: BEGIN IMMEDIATE', better, bare);
  await row('a delivery, sqliteStore over node:sqlite', nodeSqlite, delivery);
  await row('a delivery, sqliteStore over better-sqlite3', better, delivery);
}

type Work = (db: SqliteDatabase) => Promise<string>;

async function row(name: string, open: (file: string) => SqliteDatabase, work: Work): Promise<void> {
  const { folder, remove } = temporaryFolder('bench-lock');
  const file = join(folder, 'shop.db');
  const db = open(file);
  await sqliteStore(db).migrate();
  const holder = spawn(process.execPath, ['-e', HOLDER, file, String(HELD)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(holder, 'message');
  const ended = once(holder, 'exit');
  let last = performance.now();
  let longest = 0;
  const turn = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const turning = setInterval(turn, 1);
  const began = performance.now();
  const answer = await work(db);
  const took = performance.now() - began;
  turn();
  clearInterval(turning);
  console.log(
    `  ${name.padEnd(46)} longest pause ${longest.toFixed(0).padStart(5)} ms   ${answer} after ${took.toFixed(0)} ms`,
  );
  await ended;
  remove();
}

async function bare(db: SqliteDatabase): Promise<string> {
  try {
    db.exec('BEGIN IMMEDIATE');
    db.exec('COMMIT');
    return 'done';
  } catch {
    return 'failed';
  }
}

async function delivery(db: SqliteDatabase): Promise<string> {
  const handler = createWebhookHandler({
    secret: SECRET,
    store: sqliteStore(db),
    onPaid: () => {},
    onCanceled: () => {},
  });
  const { status } = await handler.handle({
    method: 'POST',
    headers: { ...(await signWebhook(PAID_BODY, SECRET)) },
    body: PAID_BODY,
  });
  return `answered ${status}`;
}
