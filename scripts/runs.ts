import { parseArgs } from 'node:util';

/** Reads `--seed` and the number of things to do, and prints the command that repeats the run. */
export function readRun(script: string, countFlag: string, byDefault: number): { seed: number; count: number } {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, [countFlag]: { type: 'string', default: String(byDefault) } },
  });
  const seed = Number(values['seed'] ?? Math.floor(Math.random() * 1e9));
  const count = Number(values[countFlag]);
  if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count) || count < 1) {
    throw new Error(`--seed and --${countFlag} take whole numbers`);
  }
  console.log(`${script}: ${count} ${countFlag}, seed ${seed} (repeat with --seed ${seed} --${countFlag} ${count})`);
  return { seed, count };
}

/** Adds one to the count of a name. */
export function countOne(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
