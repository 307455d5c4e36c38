/**
 * How much a run takes: `npm run test:soak` sets SOAK and makes the long runs, `npm run test:all` the same files in short.
 * TEST_SEED repeats a run.
 */
export function soaked(short: number, long: number): number {
  return process.env['SOAK'] === undefined ? short : long;
}
