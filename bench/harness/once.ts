// A cold process: `once.ts <module> <name> <address>` does a task once and prints its cost. Wall time is from the start of
// the process.
import type { Contenders } from './contender.ts';

const [file = '', name = '', address = ''] = process.argv.slice(2);
const { contenders } = (await import(file)) as { readonly contenders: Contenders }; // each module of a subject exports this
const task = await contenders[name]?.(address);
if (task === undefined) throw new Error(`${file} has no contender ${name}`);
const before = process.threadCpuUsage();
await task();
const { user, system } = process.threadCpuUsage(before);
process.send?.({ cpu: (user + system) / 1_000, wall: performance.now() });
process.disconnect?.();
process.exit();
