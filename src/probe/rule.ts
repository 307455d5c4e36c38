import { DIALECTS, type DialectEntry } from '../sandbox/dialect/dialects.ts';
import { type Mask, type Need, OTHER_MASKS, type Point } from './words.ts';

/**
 * A fact about a point that one answer shows: a value of its dialect as text, a word of the rule, or {@link hiddenBy}. Never a
 * text of the service.
 */
export type Clue = string;

/** How often each clue was seen. */
export type Tally = ReadonlyMap<Clue, number>;

/** The conclusion from all clues. Null if they show nothing. */
export type Inference =
  /** `by`: the clues that were counted, where they are not the value itself. */
  { readonly value: Clue; readonly by?: readonly Clue[] } | { readonly maskedBy: Mask } | null;

/** How the value of one point follows from what was seen. */
export interface Rule<Input> {
  /** Where it is seen, for the docs. */
  readonly from: string;
  /** The thing that is missing while nothing is seen. */
  readonly need: Need;
  readonly clues: (input: Input) => readonly Clue[];
  /** The conclusion. Default: the only value that was seen. */
  readonly infer?: (tally: Tally) => Inference;
  /** The masks that can hide the value, for the docs. */
  readonly masks?: readonly Mask[];
}

/** One rule for each point of a table. */
export type Rules<Points extends Point, Input> = { readonly [Name in Points]: Rule<Input> };

const HIDDEN = 'by:';

/** The clue that something was seen whose value is hidden. */
export function hiddenBy(mask: Mask): Clue {
  return `${HIDDEN}${mask}`;
}

/** The mask that was seen most often, or null. */
export function maskIn(tally: Tally): Mask | null {
  const masks = [...tally].filter(([clue]) => clue.startsWith(HIDDEN)).sort(([, first], [, second]) => second - first);
  const word = masks[0]?.[0].slice(HIDDEN.length) ?? '';
  return isMask(word) ? word : null;
}

function isMask(word: string): word is Mask {
  return Object.hasOwn(OTHER_MASKS, word) || Object.hasOwn(DIALECTS, word);
}

/** The values of a point, as clues. */
export function valueClues(point: Point): readonly Clue[] {
  const { values }: DialectEntry = DIALECTS[point];
  return values.map(String);
}

/** The only value that was seen, the mask if no value was seen, or `several_forms`. */
export function onlyValue(point: Point, tally: Tally): Inference {
  const seen = valueClues(point).filter((clue) => tally.has(clue));
  const [first] = seen;
  if (seen.length > 1) return { maskedBy: 'several_forms' };
  if (first !== undefined) return { value: first };
  const maskedBy = maskIn(tally);
  return maskedBy === null ? null : { maskedBy };
}

/** The clue itself if it is a value of the point, otherwise the clue of another form. */
export function valueClue(point: Point, seen: string | number | null): Clue {
  const clue = String(seen);
  return valueClues(point).includes(clue) ? clue : hiddenBy('other_form');
}
