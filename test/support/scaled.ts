// The quick run makes a part of the repetitions (vitest.config.ts sets TEST_SHARE), every other run makes all.
const SHARE = Number(process.env['TEST_SHARE'] ?? 1);

/** How many runs, rows or bytes a random or bulk test takes, given the number of a full run. */
export function scaled(full: number): number {
  return Math.max(1, Math.ceil(full * SHARE));
}
