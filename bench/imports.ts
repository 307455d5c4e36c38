import { execFileSync } from 'node:child_process';
import { median, report } from './measure.ts';

const ROUNDS = 9;

/** Milliseconds to import an entry in a fresh process, and what that adds to its memory. */
function importCost(specifier: string): { milliseconds: number; kilobytes: number } {
  const script = `const before = process.memoryUsage().heapUsed; const at = performance.now(); await import(${JSON.stringify(specifier)});
    console.log(JSON.stringify([performance.now() - at, (process.memoryUsage().heapUsed - before) / 1024]));`;
  const samples = Array.from(
    { length: ROUNDS },
    () =>
      JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })) as [
        number,
        number,
      ],
  );
  return {
    milliseconds: median(samples.map(([time]) => time)),
    kilobytes: median(samples.map(([, memory]) => memory)),
  };
}

export function imports(): void {
  const rows = ['ky', 'zod', 'merchant-invoicing', 'merchant-invoicing/webhooks', 'merchant-invoicing/sandbox'].map(
    (specifier) => {
      const { milliseconds, kilobytes } = importCost(specifier);
      return { name: `${specifier} (heap +${Math.round(kilobytes)} kB)`, milliseconds };
    },
  );
  report('Import in a fresh process', rows);
}
