import { createRandom } from '../../../src/sandbox/state/random.ts';
import { below } from '../../random.ts';

/** Where a worker can kill itself: before the credit is written, and after it. */
const WORK_POINTS = ['job_begun', 'job_written'] as const;
export type WorkPoint = (typeof WORK_POINTS)[number];

/** The fate of one attempt at a job. */
export interface WorkFate {
  readonly dieAt: WorkPoint | null;
  /** After how many milliseconds the worker is killed from outside, or null. */
  readonly killIn: number | null;
  /** Whether the job blocks its process until another worker has the job as well. */
  readonly blocks: boolean;
}

/** From this attempt on nothing is killed, so that every job ends. */
const FIRST_QUIET_ATTEMPT = 4;

/** The same seed, invoice and attempt always give the same fate. */
export function workFate(seed: string, externalId: string, attempt: number): WorkFate {
  const { next } = createRandom(`${seed}:work:${externalId}:${attempt}`);
  const [point, killIn] = [WORK_POINTS[below(next, WORK_POINTS.length)], below(next, 30)];
  const [dies, killed, blocks] = [next() < 0.15, next() < 0.08, next() < 0.04];
  const quiet = attempt >= FIRST_QUIET_ATTEMPT;
  return {
    dieAt: dies && !quiet ? (point ?? null) : null,
    killIn: killed && !quiet ? killIn : null,
    blocks: blocks && !quiet,
  };
}
