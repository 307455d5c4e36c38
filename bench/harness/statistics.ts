/** A quartile, a median or the other quartile of samples. */
export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

function quantile(sorted: readonly number[], part: number): number {
  const at = (sorted.length - 1) * part;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

export function spreadOf(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b);
  return { low: quantile(sorted, 0.25), median: quantile(sorted, 0.5), high: quantile(sorted, 0.75) };
}

/** The sample below which a tenth of them lie. */
export function lowestTenth(samples: readonly number[]): number {
  return quantile(
    [...samples].sort((a, b) => a - b),
    0.1,
  );
}

/** Half of the samples lie further apart than a fifth of the median: the machine was busy. */
export function isWide({ low, median, high }: Spread): boolean {
  return high - low > median / 5;
}
