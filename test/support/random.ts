/** Numbers from 0 up to 1, the same for the same seed. */
export type Random = () => number;

/** A 32-bit generator (mulberry32). */
export function randomOf(...seed: readonly (string | number)[]): Random {
  let state = 0x811c9dc5;
  for (const character of seed.join(':')) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A whole number from 0, below `limit`. */
export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

export function oneOf<T>(random: Random, list: readonly T[]): T {
  const chosen = list[below(random, list.length)];
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
}
