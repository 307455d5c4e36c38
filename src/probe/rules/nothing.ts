import type { JsonObject } from '../../contract/json.ts';
import { memberOf } from '../answer.ts';
import { type Clue, type Inference, maskIn, type Tally } from '../rule.ts';

// How a member without a value is written. One such member in a row cannot show whether null and absent alternate.

/** The clue of a row with a single member without a value, which is null. */
export const NULL_ONCE = 'one null';
const MIXED_FORMS = 'several';

/** The clue of one row, from the members that may have no value. */
export function nothingClues(row: JsonObject, names: readonly string[]): readonly Clue[] {
  const values = names.map((name) => memberOf(row, name));
  const nulls = values.filter((value) => value === null).length;
  const absent = values.filter((value) => value === undefined).length;
  const empty = values.filter((value) => value === '').length;
  if (empty > 0) return [nulls + absent > 0 ? MIXED_FORMS : 'empty'];
  if (nulls > 0 && absent > 0) return ['mixed'];
  if (nulls > 0) return [nulls > 1 ? 'null' : NULL_ONCE];
  return absent > 0 ? ['absent'] : [];
}

/** The form of all rows. */
export function nothingForm(tally: Tally): Inference {
  const forms = ['null', 'absent', 'mixed', 'empty', MIXED_FORMS].filter((clue) => tally.has(clue));
  const [only] = forms;
  const isOneNull = tally.has(NULL_ONCE);
  if (only === undefined) {
    const maskedBy = isOneNull ? 'one_member' : maskIn(tally);
    return maskedBy === null ? null : { maskedBy };
  }
  // A row with one null agrees with `null`, and with `mixed`, whose first is null.
  const agrees = !isOneNull || only === 'null' || only === 'mixed';
  return forms.length === 1 && only !== MIXED_FORMS && agrees ? { value: only } : { maskedBy: 'several_forms' };
}
