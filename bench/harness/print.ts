import type { Measured } from './results.ts';
import { isWide } from './statistics.ts';

const UNITS = { cpu: 'ms CPU', wall: 'ms', size: 'kB', heap: 'kB' } as const;

/** Prints a row as it was measured. A wide spread is marked, because its median says little. */
export function printRow({ title, measure, goal, stretch, ours, entries }: Measured): void {
  const aims = goal === null ? '' : `   goal ${goal}, stretch ${stretch}`;
  console.log(`\n${title} (${UNITS[measure]})${aims}`);
  for (const { name, figure, each } of entries) {
    const quartiles = `${figure.low.toFixed(2)}–${figure.high.toFixed(2)}`;
    const mark = isWide(figure) ? '   wide: the machine was busy' : '';
    const who = `${name === ours ? '*' : ' '} ${name}`;
    console.log(
      `${who.padEnd(40)} ${figure.median.toFixed(2).padStart(6)}  ${quartiles.padEnd(12)} ${each.toFixed(4).padStart(10)}${mark}`,
    );
  }
}
