import { isObject } from './envelope.ts';
import type { Form, Member } from './forms.ts';
import { dateFrom, decimalFrom, integerFrom, Problem } from './scalars.ts';

/** How an answer departs from the interface in a way that was forgiven. */
export type DriftKind =
  | 'unknown_field'
  | 'unknown_word'
  | 'number_for_decimal'
  | 'text_for_number'
  | 'list_for_object'
  | 'null_for_list'
  | 'no_envelope'
  | 'unreadable_member';

/** One departure. The same in every item of a list is one: `items.*.amount`. */
export interface Drift {
  /** Members joined with dots; empty for the payload as a whole. */
  readonly path: string;
  readonly kind: DriftKind;
}

/** Where a payload that was decoded departs from its form. Follows the form, so what it does not name is not entered. */
export function driftsIn(form: Form, payload: unknown): Drift[] {
  const found = new Map<string, Drift>();
  const note = (path: string, kind: DriftKind): unknown => found.set(`${kind} ${path}`, { path, kind });
  compare(form, payload, '', note);
  return [...found.values()];
}

type Note = (path: string, kind: DriftKind) => unknown;

function compare(form: Form, value: unknown, path: string, note: Note): void {
  const kind = departureOf(form, value);
  if (kind !== null) note(path, kind);
  if (form.kind === 'either') compare(form.forms[0], value, path, note);
  if (form.kind === 'list' && Array.isArray(value)) {
    for (const item of value) compare(form.item, item, below(path, '*'), note);
  }
  if (form.kind === 'record' && isObject(value)) compareMembers(form, value, path, note);
}

/** What the value itself departs in, whatever it holds. */
function departureOf(form: Form, value: unknown): DriftKind | null {
  switch (form.kind) {
    case 'decimal':
    case 'timestamp':
      if (form.orNull && isLost(form.kind === 'decimal' ? decimalFrom(value) : dateFrom(value), value)) {
        return 'unreadable_member';
      }
      return form.kind === 'decimal' && typeof value === 'number' ? 'number_for_decimal' : null;
    case 'text':
      if (typeof value === 'string') return form.words?.includes(value) === false ? 'unknown_word' : null;
      return form.orNull && (value ?? null) !== null ? 'unreadable_member' : null;
    case 'integer':
      return typeof value === 'string' && !(integerFrom(value) instanceof Problem) ? 'text_for_number' : null;
    case 'list':
      return value === null ? 'null_for_list' : null;
    default:
      return null;
  }
}

function isLost(read: unknown, value: unknown): boolean {
  return read instanceof Problem && (value ?? null) !== null && value !== '';
}

function compareMembers(form: Extract<Form, { kind: 'record' }>, value: object, path: string, note: Note): void {
  for (const [name, member] of Object.entries(value)) {
    const known: Member | undefined = Object.hasOwn(form.members, name) ? form.members[name] : undefined;
    if (known === undefined) {
      if (!form.namesUnsaid) note(below(path, name), 'unknown_field');
    } else if (known.nullable && known.form.kind === 'record' && Array.isArray(member)) {
      note(below(path, name), 'list_for_object');
    } else if (!form.namesUnsaid || member !== null) compare(known.form, member, below(path, name), note);
  }
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
