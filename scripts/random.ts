/** Numbers from 0 up to 1, the same for the same seed. */
export type Random = () => number;

/** A whole number from 0, below `limit`. */
export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

export function oneOf<T>(random: Random, list: readonly [T, ...T[]]): T {
  return list[below(random, list.length)] ?? list[0];
}
