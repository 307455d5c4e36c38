import type { DialectFile } from '../../dialect-file/dialect-file.ts';
import { type PlanStep, planFor } from '../../probe/plan.ts';
import type { ProbeEvent } from '../../probe/run.ts';
import type { Step } from '../../probe/steps.ts';
import { POINTS, type Verdict, type Verdicts } from '../../probe/verdict.ts';
import { NEEDS, OTHER_MASKS } from '../../probe/words.ts';
import type { Style } from '../report.ts';

/** A line for each step, while the probe runs. */
export function eventText(event: ProbeEvent, style: Style): string {
  switch (event.kind) {
    case 'asks':
      return `  ${String(event.number).padStart(3)}  ${event.method.padEnd(4)} ${event.template}`;
    case 'answered':
      return style.soft(`  → ${event.status}\n`);
    case 'unanswered':
      return style.warn('  → no answer\n');
    case 'waits': {
      const why = event.isLimited ? 'the service limits the rate' : 'the service fails';
      return style.warn(`       ${why}: the next request is made in ${Math.ceil(event.milliseconds / 1000)} s\n`);
    }
  }
}

/** The requests of a probe that makes none. */
export function dryRunText(steps: readonly Step[]): string {
  const lines = steps.map(({ method, template }) => `  ${method.padEnd(4)} ${template}\n`);
  return `${lines.join('')}  ${steps.length} requests at most. None was made.\n`;
}

/** Why a point is hidden, in words. */
function maskText(mask: string): string {
  return Object.hasOwn(OTHER_MASKS, mask) ? OTHER_MASKS[mask as keyof typeof OTHER_MASKS] : `${mask} hides it`;
}

function verdictLine(point: string, verdict: Verdict, style: Style): string {
  const name = point.padEnd(23);
  if (verdict.kind === 'known') {
    const value = verdict.value === '' ? '(empty)' : String(verdict.value);
    return `  ${style.good('✓')} ${name} ${value.padEnd(20)} ${style.soft(`seen ${verdict.seen} ${verdict.seen === 1 ? 'time' : 'times'}`)}\n`;
  }
  if (verdict.kind === 'masked')
    return `  ${style.warn('~')} ${name} ${style.soft(`seen, but masked: ${maskText(verdict.by)}`)}\n`;
  return `  ${style.soft('?')} ${name} ${style.soft(`not seen: ${NEEDS[verdict.need].because}`)}\n`;
}

/** One line for each of the points. */
export function verdictsText(verdicts: Verdicts, points: readonly (keyof Verdicts)[], style: Style): string {
  return points.map((point) => verdictLine(point, verdicts[point], style)).join('');
}

/** The verdicts that include what a file already knows. */
export function together(verdicts: Verdicts, { points }: DialectFile): Verdicts {
  const all = POINTS.map((point): [string, Verdict] => {
    const known = points[point];
    if (known?.value === undefined || verdicts[point].kind === 'known') return [point, verdicts[point]];
    return [point, { kind: 'known', value: known.value, seen: known.seen, at: known.at }];
  });
  return Object.fromEntries(all) as Verdicts; // one member for each point
}

/** How many points are known, hidden and not seen. */
export function countText(verdicts: Verdicts): string {
  const count = (kind: Verdict['kind']): number => POINTS.filter((point) => verdicts[point].kind === kind).length;
  return `${POINTS.length} points: ${count('known')} known, ${count('masked')} masked, ${count('unseen')} not seen`;
}

/** The steps that would show what is missing. */
export function planText(verdicts: Verdicts, style: Style): string {
  const plan: readonly PlanStep[] = planFor(verdicts);
  if (plan.length === 0) return '';
  const lines = plan.map(
    ({ shows, points }, index) => `  ${index + 1}. ${shows}\n     ${style.soft(`shows ${points.join(', ')}`)}\n`,
  );
  return `\n${style.strong('What would show the rest')}\n${lines.join('')}  Then run the probe again: it adds to the file.\n`;
}
