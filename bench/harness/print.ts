import type { Measured } from './results.ts';
import { isWide } from './statistics.ts';

const UNITS = { cpu: 'ms CPU', wall: 'ms', size: 'kB', heap: 'kB' } as const;

/** Prints a row: median ratio, quartiles, own cost, and the ratio of the quiet moments. A wide spread is marked. */
export function printRow({ title, measure, goal, stretch, ours, entries }: Measured): void {
  const aims = goal === null ? '' : `   goal ${goal}, stretch ${stretch}`;
  console.log(`\n${title} (${UNITS[measure]})${aims}`);
  for (const { name, figure, each, quiet } of entries) {
    const quartiles = `${figure.low.toFixed(2)}–${figure.high.toFixed(2)}`;
    const mark = isWide(figure) ? '   wide: the machine was busy' : '';
    const who = `${name === ours ? '*' : ' '} ${name}`.padEnd(40);
    const best = quiet === undefined ? '' : `   quiet ${quiet.toFixed(2)}`;
    console.log(
      `${who} ${figure.median.toFixed(2).padStart(6)}  ${quartiles.padEnd(12)} ${each.toFixed(4).padStart(10)}${best}${mark}`,
    );
  }
}
