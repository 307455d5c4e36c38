// Ratios beside peers in one run: `npm run bench`. No test depends on them, because machines are shared and noisy.
import { call } from './call.ts';
import { decode } from './decode.ts';
import { findings } from './findings.ts';
import { hiding } from './hiding.ts';
import { imports } from './imports.ts';
import { lock } from './lock.ts';
import { manyInvoices } from './sandbox.ts';
import { strangers } from './strangers.ts';
import { webhook } from './webhook.ts';

await decode();
await call();
await webhook();
await hiding();
await findings();
await strangers();
await lock();
await manyInvoices();
imports();
