import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import { SHOP_NAME } from './catalogue.ts';
import { openDatabase } from './database.ts';
import { readSettings } from './settings.ts';
import { startShop } from './shop.ts';

const { live, database, ...place } = readSettings(process.env);
const limits = { timeout: 5_000, deadline: 12_000 }; // a customer waits
const db = openDatabase(database);

const sandbox =
  live === null
    ? createSandbox({ clock: 'real', merchantName: SHOP_NAME })
    : null;
await sandbox?.listen();
const merchant = new MerchantClient(
  sandbox === null
    ? limits
    : { ...limits, baseUrl: sandbox.url, apiKey: sandbox.apiKey },
);
const webhookSecret = live?.webhookSecret ?? sandbox?.webhookSecret ?? '';
const shop = await startShop({ db, merchant, webhookSecret, ...place });
console.log(`shop     ${shop.url}`);
if (sandbox !== null)
  console.log(
    `sandbox  ${sandbox.url}  (no real money: invoices, webhooks, faults)`,
  );

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await shop.close();
    await sandbox?.close();
    db.close();
  });
}
