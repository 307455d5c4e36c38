import { createRandom } from '../../src/sandbox/random.ts';
import { below } from '../random.ts';

/** Where a receiver can die. The last one is while the answer is on its way out. */
export const POINTS = ['before_claim', 'after_claim', 'in_handler', 'after_write', 'before_answer'] as const;
export type Point = (typeof POINTS)[number];

/** What happens to one delivery, or to a copy of it. */
export interface Fate {
  /** Which receiver gets it. */
  readonly receiver: number;
  /** Where that receiver kills itself; null: it lives. */
  readonly dieAt: Point | null;
  /** Whether the receiver is killed from outside while it is at work, at a moment that is nobody's choice. */
  readonly killed: boolean;
  /** Whether the handler sits still until its lease is over, so that another one takes the event over. */
  readonly stalls: boolean;
}

/** A repeat that nobody asked for. */
export interface Copy extends Fate {
  /** Whether it comes with another X-Webhook-Id, as a replay can. */
  readonly changedId: boolean;
  /** At the same moment as the delivery; else when the lease is over. */
  readonly atOnce: boolean;
}

/** Everything that is decided about one attempt of the service. */
export interface Decision extends Fate {
  readonly copies: readonly Copy[];
}

/** From this attempt on nothing is killed, so that the service's seven attempts suffice. */
const FIRST_QUIET_ATTEMPT = 5;

/** The same seed, invoice and attempt always give the same decision, whatever else goes on. */
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
  // Somebody must come while it sits still, or nobody takes the event over.
  const usurper = { receiver: main.receiver + 1, dieAt: null, killed: false, stalls: false };
  if (main.stalls) copies.push({ ...usurper, changedId: true, atOnce: false });
  return { ...main, copies };
}
