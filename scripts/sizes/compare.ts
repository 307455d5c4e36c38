import type { Sizes } from './measure.ts';

/** How much an entry may grow before the recorded size must be changed on purpose. */
export const GROWTH_MAX = 0.03;

/** Returns one line for each entry that is larger, or loads more, than recorded. */
export function problems(recorded: Sizes, measured: Sizes): string[] {
  const names = new Set([...Object.keys(recorded), ...Object.keys(measured)]);
  return [...names].flatMap((name) => {
    const [before, after] = [recorded[name], measured[name]];
    if (before === undefined) return [`${name} is not recorded`];
    if (after === undefined) return [`${name} is recorded, and not measured`];
    const loads = after.loads.filter((load) => !before.loads.includes(load));
    return [
      ...(after.gzip > before.gzip * (1 + GROWTH_MAX)
        ? [`${name} has grown by ${percent(before.gzip, after.gzip)}, from ${before.gzip} to ${after.gzip} bytes`]
        : []),
      ...loads.map((load) => `${name} loads ${load} at import`),
    ];
  });
}

/** The table that the script prints: bytes after gzip, recorded and measured. */
export function table(recorded: Sizes, measured: Sizes): string {
  const lines = Object.entries(measured).map(([name, { gzip, loads }]) => {
    const before = recorded[name]?.gzip;
    const change = before === undefined ? 'new' : percent(before, gzip);
    const columns = [String(before ?? '-').padStart(9), String(gzip).padStart(9), change.padStart(8)];
    return `${name.padEnd(14)}${columns.join('')}${String(loads.length).padStart(7)}`;
  });
  return [`${'gzipped'.padEnd(14)} recorded      now  change  loads`, ...lines].join('\n');
}

function percent(before: number, after: number): string {
  const change = (after / before - 1) * 100;
  return `${change < 0 ? '' : '+'}${change.toFixed(1)} %`;
}
