import { isObject } from '../json.ts';
import { dateFrom, decimalFrom, integerFrom, Problem } from './scalars.ts';
import { type Member, pathTo, type RecordStructure, type Structure } from './structure.ts';

/** How an answer deviates from the interface in a way that the client accepts. */
export type DriftKind =
  | 'unknown_field'
  | 'unknown_word'
  | 'number_for_decimal'
  | 'text_for_number'
  | 'list_for_object'
  | 'null_for_list'
  | 'no_envelope'
  | 'unreadable_member';

/** One deviation. The same deviation in several items of a list is one: `items.*.amount`. */
export interface Drift {
  /** Names of members joined with dots. Empty for the payload as a whole. */
  readonly path: string;
  readonly kind: DriftKind;
}

/** Limits for one answer, because a list of a million rows must not block the process. */
const VALUES_MAX = 20_000;
const DRIFTS_MAX = 1_000;
const NAME_MAX = 100;

/**
 * Returns the deviations of a decoded payload from its structure. Members that the structure does not name are reported
 * and not entered. At most 1,000 deviations in the first 20,000 values are found.
 */
export function driftsIn(structure: Structure, payload: unknown): Drift[] {
  const comparison = new Comparison();
  comparison.compare(structure, payload, '');
  return [...comparison.found.values()];
}

class Comparison {
  readonly found = new Map<string, Drift>();
  #values = VALUES_MAX;

  compare(structure: Structure, value: unknown, path: string): void {
    if (this.#isDone()) return;
    const kind = deviationOf(structure, value);
    if (kind !== null) this.#note(path, kind);
    if (structure.kind === 'either') this.compare(structure.structures[0], value, path);
    if (structure.kind === 'list' && Array.isArray(value)) {
      for (const item of value) {
        if (this.#isDone()) return;
        this.compare(structure.item, item, pathTo(path, '*'));
      }
    }
    if (structure.kind === 'record' && isObject(value)) this.#compareMembers(structure, value, path);
  }

  #compareMembers(structure: RecordStructure, value: object, path: string): void {
    for (const name of Object.keys(value)) {
      if (this.#isDone()) return;
      const known: Member | undefined = Object.hasOwn(structure.members, name) ? structure.members[name] : undefined;
      const member: unknown = Reflect.get(value, name);
      if (known === undefined) {
        if (!structure.hasChosenNames) this.#note(pathTo(path, name.slice(0, NAME_MAX)), 'unknown_field');
      } else if (known.isOptional && known.structure.kind === 'record' && Array.isArray(member)) {
        this.#note(pathTo(path, name), 'list_for_object');
      } else if (!structure.hasChosenNames || member !== null)
        this.compare(known.structure, member, pathTo(path, name));
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

/** Returns the deviation of the value itself, without its members. */
function deviationOf(structure: Structure, value: unknown): DriftKind | null {
  switch (structure.kind) {
    case 'decimal':
    case 'timestamp':
      if (structure.orNull && isLost(structure.kind === 'decimal' ? decimalFrom(value) : dateFrom(value), value)) {
        return 'unreadable_member';
      }
      return structure.kind === 'decimal' && typeof value === 'number' ? 'number_for_decimal' : null;
    case 'text':
      if (typeof value === 'string') return structure.words?.includes(value) === false ? 'unknown_word' : null;
      return structure.orNull && (value ?? null) !== null ? 'unreadable_member' : null;
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
