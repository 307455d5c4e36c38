// What the worst texts, bodies and senders cost, and what a sandbox with many invoices holds: `npm run bench -- limits`.
import { findings } from './findings.ts';
import { hiding } from './hiding.ts';
import { lock } from './lock.ts';
import { manyClients, observing } from './observing.ts';
import { manyInvoices } from './sandbox.ts';
import { strangers } from './strangers.ts';

await hiding();
await findings();
await strangers();
await lock();
await manyInvoices();
await observing();
manyClients();
