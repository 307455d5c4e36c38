// The process of one contender: `child.mjs SUBJECT NAME ADDRESS`. It does one order at a time: calls, some of them at once.
import { CONTENDERS } from './contenders.mjs';

const [subject, name, address] = process.argv.slice(2);
const task = await CONTENDERS[subject][name](address);

async function execute({ calls, inFlight, heap }) {
  const lane = async () => {
    for (let call = 0; call < calls / inFlight; call += 1) await task();
  };
  const before = process.threadCpuUsage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: inFlight }, lane));
  const wall = performance.now() - startedAt;
  const { user, system } = process.threadCpuUsage(before);
  if (heap) for (let round = 0; round < 4; round += 1) globalThis.gc();
  return { cpu: (user + system) / 1_000 / calls, wall: wall / calls, heap: process.memoryUsage().heapUsed };
}

process.on('message', (order) => execute(order).then((cost) => process.send(cost)));
process.on('disconnect', () => process.exit());
process.send('ready');
