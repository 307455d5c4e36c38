// `npm run test:soak` makes the long runs, `npm run test:all` the same files in short. SOAK multiplies the sizes: 50 is a
// million forged deliveries. TEST_SEED repeats a run.
const TIMES = Number(process.env['SOAK'] ?? 1);

/** How much a run takes, given what the short one takes. */
export function soaked(short: number): number {
  return Math.ceil(short * TIMES);
}
