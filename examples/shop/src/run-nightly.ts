import { MerchantClient } from 'merchant-invoicing';
import { openDatabase } from './database.ts';
import { nightly } from './nightly.ts';
import { Orders } from './orders.ts';
import { readSettings } from './settings.ts';
import { openReceiver } from './webhook.ts';

const { live, database } = readSettings(process.env);
if (live === null)
  throw new Error(
    'set MERCHANT_BASE_URL: the sandbox of `npm start` ends with its process',
  );
const db = openDatabase(database);
const handler = await openReceiver(
  db,
  new Orders(db),
  live.webhookSecret,
  console.error,
);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

const findings = await nightly(
  db,
  new MerchantClient({ deadline: 120_000 }),
  handler,
  console.log,
  stop.signal,
);
process.exitCode = findings > 0 ? 1 : 0; // cron reports a code that is not 0
db.close();
