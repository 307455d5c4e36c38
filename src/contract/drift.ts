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

/** Where a payload that was decoded departs from its form. Follows the form, so what it does not name is not entered. */
export function driftsIn(form: Form, payload: unknown): Drift[] {
  const found = new Map<string, Drift>();
  const note = (path: string, kind: DriftKind): unknown => found.set(`${kind} ${path}`, { path, kind });
  compare(form, payload, '', note);
  return [...found.values()];
}

type Note = (path: string, kind: DriftKind) => unknown;

function compare(form: Form, value: unknown, path: string, note: Note): void {
  if (form.kind === 'decimal' && typeof value === 'number') note(path, 'number_for_decimal');
  if (form.kind === 'text' && typeof value === 'string' && form.words?.includes(value) === false) {
    note(path, 'unknown_word');
  }
  if (form.kind === 'list' && Array.isArray(value)) {
    for (const item of value) compare(form.item, item, below(path, '*'), note);
  }
  if (form.kind === 'record' && isObject(value)) compareMembers(form, value, path, note);
}

function compareMembers(form: Extract<Form, { kind: 'record' }>, value: object, path: string, note: Note): void {
  for (const [name, member] of Object.entries(value)) {
    const known: Member | undefined = Object.hasOwn(form.members, name) ? form.members[name] : undefined;
    if (known !== undefined) compare(known.form, member, below(path, name), note);
    else if (!form.namesUnsaid) note(below(path, name), 'unknown_field');
  }
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
