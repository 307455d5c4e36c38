import { isObject } from '../json.ts';
import type { Form, Member } from '../openapi/forms.ts';
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

/** Values looked at and departures named in one answer: a list of a million rows must not hold the process up. */
const VALUES_MAX = 20_000;
const DRIFTS_MAX = 1_000;
const NAME_MAX = 100;

/**
 * Where a payload that was decoded departs from its form. Follows the form, so what it does not name is not entered.
 * Bounded: at most 1,000 departures, in the first 20,000 values.
 */
export function driftsIn(form: Form, payload: unknown): Drift[] {
  const comparison = new Comparison();
  comparison.compare(form, payload, '');
  return [...comparison.found.values()];
}

class Comparison {
  readonly found = new Map<string, Drift>();
  #values = VALUES_MAX;

  compare(form: Form, value: unknown, path: string): void {
    if (this.#isDone()) return;
    const kind = departureOf(form, value);
    if (kind !== null) this.#note(path, kind);
    if (form.kind === 'either') this.compare(form.forms[0], value, path);
    if (form.kind === 'list' && Array.isArray(value)) {
      for (const item of value) {
        if (this.#isDone()) return;
        this.compare(form.item, item, below(path, '*'));
      }
    }
    if (form.kind === 'record' && isObject(value)) this.#compareMembers(form, value, path);
  }

  #compareMembers(form: Extract<Form, { kind: 'record' }>, value: object, path: string): void {
    for (const name in value) {
      if (this.#isDone()) return;
      if (!Object.hasOwn(value, name)) continue;
      const known: Member | undefined = Object.hasOwn(form.members, name) ? form.members[name] : undefined;
      const member: unknown = Reflect.get(value, name);
      if (known === undefined) {
        if (!form.namesUnsaid) this.#note(below(path, name.slice(0, NAME_MAX)), 'unknown_field');
      } else if (known.nullable && known.form.kind === 'record' && Array.isArray(member)) {
        this.#note(below(path, name), 'list_for_object');
      } else if (!form.namesUnsaid || member !== null) this.compare(known.form, member, below(path, name));
      this.#values -= 1;
    }
  }

  #note(path: string, kind: DriftKind): void {
    this.found.set(`${kind} ${path}`, { path, kind });
  }

  #isDone(): boolean {
    return this.#values <= 0 || this.found.size >= DRIFTS_MAX;
  }
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

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
