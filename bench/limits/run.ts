// What the worst texts, bodies and senders cost, and what a sandbox with many invoices holds: `npm run bench -- limits`.
import { lock } from './lock.ts';
import { manyInvoices } from './sandbox.ts';
import { strangers } from './strangers.ts';

await strangers();
await lock();
await manyInvoices();
