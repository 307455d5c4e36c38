import { POINTS, type Verdicts } from './verdict.ts';
import { type Mask, NEEDS, type Need, type Point } from './words.ts';

/** One step of the go-live plan, and the points that it would show. */
export interface PlanStep {
  readonly because: string;
  readonly shows: string;
  readonly points: readonly Point[];
}

/** The need behind a mask that the merchant can remove. */
const BEHIND: Partial<Record<Mask, Need>> = {
  one_member: 'failure',
  few_amounts: 'create',
  same_alphabet: 'webhook',
  same_moment: 'repeat',
};

/** The steps that would show what is missing, the easiest first. Points that other points hide are left out. */
export function planFor(verdicts: Verdicts): readonly PlanStep[] {
  const needs = new Map<Need, Point[]>();
  for (const point of POINTS) {
    const verdict = verdicts[point];
    const need = verdict.kind === 'unseen' ? verdict.need : verdict.kind === 'masked' ? BEHIND[verdict.by] : undefined;
    if (need !== undefined) needs.set(need, [...(needs.get(need) ?? []), point]);
  }
  const ordered = Object.keys(NEEDS) as readonly Need[]; // the keys of the table
  return ordered.flatMap((need) => {
    const points = needs.get(need);
    return points === undefined ? [] : [{ ...NEEDS[need], points }];
  });
}
