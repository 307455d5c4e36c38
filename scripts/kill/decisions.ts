import { createRandom } from '../../src/sandbox/state/random.ts';
import { below } from '../random.ts';

/** Where a receiver can die. The last one is while the answer is being sent. */
export const POINTS = ['before_claim', 'after_claim', 'in_handler', 'after_write', 'before_answer'] as const;
export type Point = (typeof POINTS)[number];

/** The faults of one delivery, or of a copy of it. */
export interface Fate {
  /** Which receiver gets it. */
  readonly receiver: number;
  /** Where that receiver kills itself, or null. */
  readonly dieAt: Point | null;
  /** Whether the receiver is killed from outside while it works, at any moment. */
  readonly killed: boolean;
  /** Whether the handler waits until its lease has expired, so that another one takes the event over. */
  readonly stalls: boolean;
}

/** The first receiver handles the delivery without a fault. */
export const UNHARMED: Fate = { receiver: 0, dieAt: null, killed: false, stalls: false };

/** An unrequested repeat. */
export interface Copy extends Fate {
  /** Whether it comes with another X-Webhook-Id, as a replay can. */
  readonly changedId: boolean;
  /** At the same moment as the delivery, otherwise after the lease has expired. */
  readonly atOnce: boolean;
}

/** Everything that is decided about one attempt of the service. */
export interface Decision extends Fate {
  readonly copies: readonly Copy[];
}

/** From this attempt on nothing is killed, so that the service's seven attempts suffice. */
const FIRST_QUIET_ATTEMPT = 5;

/** The same seed, invoice and attempt always give the same decision. */
export function decide(seed: string, externalId: string, attempt: number, receivers: number): Decision {
  const { next } = createRandom(`${seed}:${externalId}:${attempt}`);
  const chance = (probability: number): boolean => next() < probability;
  const quiet = attempt >= FIRST_QUIET_ATTEMPT;
  const fate = (): Fate => {
    const [receiver, point] = [below(next, receivers), POINTS[below(next, POINTS.length)]];
    const [dies, killed, stalls] = [chance(0.4), chance(0.04), chance(0.1)];
    return {
      receiver,
      dieAt: dies && !quiet ? (point ?? null) : null,
      killed: killed && !quiet,
      stalls: stalls && !quiet,
    };
  };
  const main = fate();
  const count = chance(0.35) ? 1 + below(next, 2) : 0;
  const copies: Copy[] = Array.from({ length: count }, () => ({
    ...fate(),
    changedId: chance(0.5),
    atOnce: chance(0.6),
  }));
  // Another delivery must come while it waits. Otherwise no receiver takes the event over.
  if (main.stalls) copies.push({ ...UNHARMED, receiver: main.receiver + 1, changedId: true, atOnce: false });
  return { ...main, copies };
}
