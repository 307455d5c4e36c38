import { type Clue, valueClues } from '../rule.ts';
import { DECIMAL_CLUES } from '../rules/forms.ts';
import { NULL_ONCE } from '../rules/nothing.ts';
import { IDENT_CLUES } from '../rules/reads.ts';
import type { Point } from '../words.ts';

// Whether one answer contradicts a known value. The probe concludes from all answers of a service. A single answer shows
// less: a list without a new word does not prove that the service has no new words.

/** The value that a clue shows in place of the known one, or null where it agrees with that or shows nothing. */
type Contradiction = (value: string, clue: Clue) => string | null;

const byDefault =
  (point: Point): Contradiction =>
  (value, clue) =>
    clue !== value && valueClues(point).includes(clue) ? clue : null;

/** One row of `mixed` can look like `null` or like `absent`. Empty text next to the others may be what the merchant sent. */
const nothing: Contradiction = (value, clue) => {
  const form = clue === NULL_ONCE ? 'null' : clue;
  if (value === 'mixed' && (form === 'null' || form === 'absent')) return null;
  return form !== value && ['null', 'absent', 'mixed', 'empty'].includes(form) ? form : null;
};

/** Some clues are the absence of something that another answer may have. */
const onlyBy =
  (point: Point, shown: (clue: Clue) => boolean): Contradiction =>
  (value, clue) =>
    shown(clue) ? byDefault(point)(value, clue) : null;

const { ENDS_IN_ZERO, NO_POINT, FRACTION, ECHO_CHANGED, ECHO_SAME, ECHO_PADDED } = DECIMAL_CLUES;

/** The forms that each clue excludes. Of a form with as many digits as there are, only an echo is certain. */
const DECIMALS: Readonly<Record<string, { readonly not: readonly Clue[]; readonly shows: string }>> = {
  [NO_POINT]: { not: ['padded'], shows: 'as_given' },
  [FRACTION]: { not: ['padded'], shows: 'as_given' },
  [ENDS_IN_ZERO]: { not: ['padded', 'trimmed'], shows: 'as_given' },
  [ECHO_SAME]: { not: ['padded', 'trimmed'], shows: 'as_given' },
  [ECHO_CHANGED]: { not: ['as_given', 'padded'], shows: 'trimmed' },
  [ECHO_PADDED]: { not: ['as_given', 'trimmed'], shows: 'padded' },
  padded: { not: ['trimmed'], shows: 'padded' },
};

const { BY_UUID, BY_EXTERNAL_ID, NOT_BY_UUID, NOT_BY_EXTERNAL_ID } = IDENT_CLUES;

/** The forms of {ident} that each clue excludes. */
const IDENT_FORMS: typeof DECIMALS = {
  [BY_UUID]: { not: ['external_id'], shows: 'uuid' },
  [BY_EXTERNAL_ID]: { not: ['uuid'], shows: 'external_id' },
  [NOT_BY_UUID]: { not: ['both', 'uuid'], shows: 'external_id' },
  [NOT_BY_EXTERNAL_ID]: { not: ['both', 'external_id'], shows: 'uuid' },
};

const excluding =
  (table: typeof DECIMALS): Contradiction =>
  (value, clue) => {
    const row = table[clue];
    return row?.not.includes(value) ? row.shows : null;
  };

const SPECIAL: Partial<Record<Point, Contradiction>> = {
  deliveryNulls: nothing,
  attemptNulls: nothing,
  withdrawalNulls: nothing,
  invoiceNulls: nothing,
  decimalForm: excluding(DECIMALS),
  invoiceReadIdent: excluding(IDENT_FORMS),
  extraMembers: onlyBy('extraMembers', (clue) => clue === 'some'),
  newWords: onlyBy('newWords', (clue) => clue === 'some'),
  staleRates: onlyBy('staleRates', (clue) => clue !== 'omitted'),
  withoutCallback: onlyBy('withoutCallback', (clue) => clue === 'failed_delivery'),
};

/** Returns the value that a clue shows in place of the value in a file, or null. */
export function contradiction(point: Point, value: string | number, clue: Clue): string | number | null {
  const shown = (SPECIAL[point] ?? byDefault(point))(String(value), clue);
  return shown !== null && typeof value === 'number' ? Number(shown) : shown;
}
