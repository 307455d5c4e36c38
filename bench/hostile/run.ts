// What texts, bodies and senders cost at their worst, and what a sandbox with many invoices costs: `npm run bench -- hostile`.
import { findings } from './findings.ts';
import { hiding } from './hiding.ts';
import { lock } from './lock.ts';
import { manyInvoices } from './sandbox.ts';
import { strangers } from './strangers.ts';

await hiding();
await findings();
await strangers();
await lock();
await manyInvoices();
