import { DIALECTS, type DialectEntry } from '../sandbox/dialect/dialects.ts';
import type { Answer } from './answer.ts';
import type { Captured } from './captured.ts';
import { type Clue, type Inference, onlyValue, type Rule, type Tally } from './rule.ts';
import { isIncident } from './rules/failures.ts';
import { ANSWER_RULES, CAPTURE_RULES, RULES } from './rules/rules.ts';
import type { Mask, Need, Point } from './words.ts';

/** One clue, and the request that gave it. The log of a probe is a list of these: it holds no value of the service. */
export interface Sighting {
  readonly point: Point;
  readonly clue: Clue;
  /** Method and path template. */
  readonly at: string;
}

/** The conclusion about one point. */
export type Verdict =
  | { readonly kind: 'known'; readonly value: string | number; readonly seen: number; readonly at: readonly string[] }
  | { readonly kind: 'masked'; readonly by: Mask; readonly seen: number; readonly at: readonly string[] }
  | { readonly kind: 'unseen'; readonly need: Need };

export type Verdicts = Readonly<Record<Point, Verdict>>;

export const POINTS = Object.keys(DIALECTS) as readonly Point[]; // the keys of the table

/** The points that an incident can show. An incident is not about its request. */
const SHOWN_BY_INCIDENTS: ReadonlySet<string> = new Set([
  'rateLimitStatus',
  'rateLimitCode',
  'rateLimitBody',
  'retryAfterForm',
  'serverStatus',
  'serverCode',
  'serverBody',
  'dateHeader',
]);

/** The clues of one answer. */
export function sightingsIn(answer: Answer): readonly Sighting[] {
  const isInIncident = isIncident(answer);
  return cluesOf(ANSWER_RULES, answer).filter(({ point }) => !isInIncident || SHOWN_BY_INCIDENTS.has(point));
}

/** The clues of one captured webhook. */
export function sightingsOf(captured: Captured): readonly Sighting[] {
  return cluesOf(CAPTURE_RULES, captured);
}

function cluesOf<Input extends { readonly at: string }>(
  rules: Readonly<Record<string, Rule<Input>>>,
  input: Input,
): readonly Sighting[] {
  return Object.entries(rules).flatMap(
    ([point, { clues }]) => clues(input).map((clue) => ({ point: point as Point, clue, at: input.at })), // the keys of the rules are points
  );
}

/** Concludes from the log, point by point. */
export function verdictsOf(log: readonly Sighting[]): Verdicts {
  const verdicts = POINTS.map((point) => [
    point,
    verdictOf(
      point,
      log.filter((sighting) => sighting.point === point),
    ),
  ]);
  return Object.fromEntries(verdicts) as Verdicts; // one member for each point
}

function verdictOf(point: Point, log: readonly Sighting[]): Verdict {
  const { infer, need } = RULES[point];
  const tally = new Map<Clue, number>();
  for (const { clue } of log) tally.set(clue, (tally.get(clue) ?? 0) + 1);
  const inference = infer === undefined ? onlyValue(point, tally) : infer(tally);
  if (inference === null) return { kind: 'unseen', need };
  const at = [...new Set(log.map((sighting) => sighting.at))].sort();
  if ('maskedBy' in inference) return { kind: 'masked', by: inference.maskedBy, seen: log.length, at };
  return { kind: 'known', value: tableValue(point, inference), seen: countOf(tally, inference), at };
}

function countOf(tally: Tally, { value, by = [value] }: Exclude<Inference, null | { maskedBy: Mask }>): number {
  return by.reduce((sum, clue) => sum + (tally.get(clue) ?? 0), 0);
}

/** The value of the table. A rule that concludes anything else is a mistake of this package. */
function tableValue(point: Point, { value }: { readonly value: Clue }): string | number {
  const { values }: DialectEntry = DIALECTS[point];
  const found = values.find((each) => String(each) === value);
  if (found === undefined) throw new Error(`the rule of ${point} concludes ${value}, which is not a value of it`);
  return found;
}
