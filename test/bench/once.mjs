// A new process that does a task once: `once.mjs SUBJECT NAME ADDRESS`. Prints the CPU of its main thread and the wall time.
// Node's own start and this module are the same for all, and would hide a part of a difference.
import { CONTENDERS } from './contenders.mjs';

const [subject, name, address] = process.argv.slice(2);
const before = process.threadCpuUsage();
const startedAt = performance.now();
await (await CONTENDERS[subject][name](address))();
const wall = performance.now() - startedAt;
const { user, system } = process.threadCpuUsage(before);
console.log(JSON.stringify({ cpu: (user + system) / 1_000, wall, heap: 0 }));
process.exit();
