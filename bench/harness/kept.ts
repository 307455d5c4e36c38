import { gzippedBundle } from './bundle.ts';
import type { HeapRow, SizeRow } from '../rows/row.ts';
import { Runner, startServer } from './process.ts';
import type { Entry } from './ratios.ts';

const KILO = 1_000;
const plain = (name: string, value: number): Entry => ({
  name,
  figure: { low: value, median: value, high: value },
  each: value,
});

/** kB of a bundle with one import, gzipped. */
export async function measureSize({ bundles }: SizeRow): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const { name, statement, folder } of bundles) {
    entries.push(plain(name, (await gzippedBundle({ statement }, folder)) / KILO));
  }
  return entries;
}

/** kB that stay in use after many calls, beyond what was in use after the first ones. */
export async function measureHeap({ subject, baseline, ours, first, calls, inFlight }: HeapRow): Promise<Entry[]> {
  const server = await startServer(0);
  const entries: Entry[] = [];
  for (const name of [ours, baseline]) {
    const runner = await Runner.start(subject, name, server.address);
    const before = await runner.run({ calls: first, inFlight, heap: true });
    const after = await runner.run({ calls, inFlight, heap: true });
    entries.push(plain(name, ((after.heap ?? Number.NaN) - (before.heap ?? Number.NaN)) / KILO));
    runner.stop();
  }
  server.stop();
  return entries;
}
