import { isObject } from './envelope.ts';
import type { Form, Member } from './forms.ts';

/** How an answer departs from the interface in a way that was forgiven. */
export type DriftKind = 'unknown_field' | 'unknown_word' | 'number_for_decimal' | 'no_envelope';

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
    if (form.kind === 'decimal' && typeof value === 'number') this.#note(path, 'number_for_decimal');
    if (form.kind === 'text' && typeof value === 'string' && form.words?.includes(value) === false) {
      this.#note(path, 'unknown_word');
    }
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
      if (known !== undefined) this.compare(known.form, Reflect.get(value, name), below(path, name));
      else if (!form.namesUnsaid) this.#note(below(path, name.slice(0, NAME_MAX)), 'unknown_field');
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

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
