// A reconciliation in a heap of 96 MB, with findings of every kind planted, and invoices that move while it reads:
// `npm run bench -- reconcile`. The service is a function in the same process, so decoding counts and the network does not.
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { MUST_FIND } from './shop.ts';

const HEAP = 96;
const SIZES = (process.env['SIZES'] ?? '10000 100000 1000000').split(' ').map(Number);

interface Measured {
  readonly seconds: number;
  readonly cpu: number;
  readonly heap: number;
  readonly rss: number;
  readonly requests: number;
  readonly matched: number;
  readonly notCompared: number;
  readonly found: Readonly<Record<string, number>>;
}

const once = fileURLToPath(new URL('once.ts', import.meta.url));
const mb = (bytes: number): string => (bytes / 1_048_576).toFixed(0);
const wanted = Object.entries(MUST_FIND);

console.log(
  '| Orders and invoices | Requests | Seconds | CPU seconds | Heap, MB | Process, MB | Planted | Found | Invented | Load |',
);
console.log('|---|---|---|---|---|---|---|---|---|---|');
for (const size of SIZES) {
  const [load = 0] = loadavg();
  const text = execFileSync(process.execPath, [`--max-old-space-size=${HEAP}`, once, String(size)], {
    encoding: 'utf8',
  });
  const { seconds, cpu, heap, rss, requests, found } = JSON.parse(text) as Measured; // printed by once.ts
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  const hits = sum(wanted.map(([kind, count]) => Math.min(count, found[kind] ?? 0)));
  const planted = sum(wanted.map(([, count]) => count));
  const row = [
    size,
    requests,
    seconds.toFixed(0),
    cpu.toFixed(1),
    mb(heap),
    mb(rss),
    planted,
    hits,
    sum(Object.values(found)) - hits,
  ];
  console.log(`| ${row.map((cell) => cell.toLocaleString('en')).join(' | ')} | ${load.toFixed(1)} |`);
  if (hits < planted || sum(Object.values(found)) > planted) process.exitCode = 1;
}
