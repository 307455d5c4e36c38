import { DIALECT_FORMAT, type DialectFile, type DialectPoint } from '../dialect-file/dialect-file.ts';
import { VERSION } from '../version.ts';
import { POINTS, type Verdict, type Verdicts } from './verdict.ts';
import type { Point } from './words.ts';

// A dialect file is built from verdicts alone: words of the tables, counts and path templates.

/** A point whose value differs from that of the file. */
export interface Difference {
  readonly point: Point;
  readonly before: string | number;
  readonly now: string | number;
}

/**
 * Adds what is known now to a file. What is not seen this time stays, a value comes before a mask, and a value that
 * differs replaces the old one.
 */
export function withVerdicts(before: DialectFile | null, verdicts: Verdicts): DialectFile {
  const points = POINTS.flatMap((name): [string, DialectPoint][] => {
    const point = merged(before?.points[name], verdicts[name]);
    return point === undefined ? [] : [[name, point]];
  });
  return { merchantInvoicingDialect: DIALECT_FORMAT, package: VERSION, points: Object.fromEntries(points) };
}

function merged(old: DialectPoint | undefined, verdict: Verdict): DialectPoint | undefined {
  if (verdict.kind === 'unseen') return old;
  const { seen, at } = verdict;
  if (verdict.kind === 'masked') {
    return old?.value === undefined
      ? added(old, old?.maskedBy === verdict.by, { maskedBy: verdict.by, seen, at })
      : old;
  }
  return added(old, old?.value === verdict.value, { value: verdict.value, seen, at });
}

function added(old: DialectPoint | undefined, isSame: boolean, now: DialectPoint): DialectPoint {
  if (old === undefined || !isSame) return now;
  return { ...now, seen: old.seen + now.seen, at: [...new Set([...old.at, ...now.at])].sort() };
}

/** The points that a file and a service answer differently. A point that is not seen now does not count. */
export function differencesFrom(file: DialectFile, verdicts: Verdicts): readonly Difference[] {
  return POINTS.flatMap((point) => {
    const before = file.points[point]?.value;
    const verdict = verdicts[point];
    if (before === undefined || verdict.kind !== 'known' || verdict.value === before) return [];
    return [{ point, before, now: verdict.value }];
  });
}
