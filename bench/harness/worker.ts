// The process of one contender: `worker.ts <module> <name> <address>`. It does one order at a time.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Contenders, Cost, Order, Task } from './contender.ts';

const [file = '', name = '', address = ''] = process.argv.slice(2);
const { contenders } = (await import(file)) as { readonly contenders: Contenders }; // each module of a subject exports this
const start = contenders[name];
if (start === undefined) throw new Error(`${file} has no contender ${name}`);
const task = await start(address);

async function lane(work: Task, calls: number): Promise<void> {
  for (let call = 0; call < calls; call += 1) await work();
}

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let round = 0; round < 4; round += 1) collect();
  return process.memoryUsage().heapUsed;
}

async function execute({ calls, inFlight, heap = false }: Order): Promise<Cost> {
  const before = process.threadCpuUsage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: inFlight }, () => lane(task, Math.ceil(calls / inFlight))));
  const wall = performance.now() - startedAt;
  const { user, system } = process.threadCpuUsage(before);
  const done = Math.ceil(calls / inFlight) * inFlight;
  return { cpu: (user + system) / 1_000 / done, wall: wall / done, ...(heap && { heap: heapInUse() }) };
}

process.on('message', (order: Order) => {
  execute(order).then(
    (cost) => process.send?.(cost),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
