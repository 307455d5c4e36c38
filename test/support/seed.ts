import { randomInt } from 'node:crypto';

/**
 * What random tests draw from. A failure names it, and `TEST_SEED` repeats it. `.ci/run` sets it, because a landing must not
 * depend on a draw.
 */
export const SEED = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31));

/** How to repeat the run, for the name of a test. */
export const AGAIN = `TEST_SEED=${SEED}`;
