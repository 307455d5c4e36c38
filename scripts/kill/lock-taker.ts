import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { createRandom } from '../../src/sandbox/state/random.ts';

// The process of locker.ts: a report, backup or migration over the same SQLite file.

const [file = '', seed = ''] = process.argv.slice(2);
const { next } = createRandom(`${seed}:locks`);
const db = new DatabaseSync(file);
process.on('disconnect', () => process.exit(0));

/** Mostly short. One in thirty is longer than a receiver may take to answer. */
function holdFor(): number {
  const kind = next();
  if (kind < 1 / 30) return 3_000 + next() * 2_500;
  return kind < 0.2 ? 200 + next() * 1_000 : 5 + next() * 150;
}

for (;;) {
  try {
    db.exec(next() < 0.5 ? 'BEGIN IMMEDIATE' : 'BEGIN EXCLUSIVE');
    process.send?.('held');
    await pause(holdFor());
    db.exec('COMMIT');
  } catch {
    if (db.isTransaction) db.exec('ROLLBACK'); // without WAL a reader can be in the way of the COMMIT
  }
  await pause(5 + next() * 120);
}
