import { MerchantClient } from 'merchant-invoicing';
import { db, handler } from './handler.ts';

db.exec('CREATE TABLE IF NOT EXISTS catch_up (id INTEGER PRIMARY KEY CHECK (id = 1), cursor TEXT NOT NULL)');
const saved = db.prepare('SELECT cursor FROM catch_up').get();
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

const { cursor, failed, busy, invalid, ...rest } = await handler.catchUp(new MerchantClient(), {
  since: Date.now() - 2 * 86_400_000, // for the first run: longer than the retries of the service and than any outage
  cursor: saved === undefined ? null : JSON.parse(String(saved['cursor'])),
  signal: stop.signal,
});
if (cursor !== undefined) {
  db.prepare('INSERT INTO catch_up VALUES (1, ?) ON CONFLICT DO UPDATE SET cursor = excluded.cursor').run(
    JSON.stringify(cursor),
  );
}
console.log(rest);
process.exitCode = failed + busy + invalid > 0 ? 1 : 0; // a cron job reports a code that is not 0
