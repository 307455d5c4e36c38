import { isObject } from '../json.ts';
import type { Structure } from './check.ts';
import { pathTo } from './codecs.ts';
import { dateFrom, decimalFrom, integerFrom, Problem } from './scalars.ts';

/** How a response differs from the interface in a way that the client accepts. */
export type DriftKind =
  | 'unknown_field'
  | 'unknown_word'
  | 'number_for_decimal'
  | 'text_for_number'
  | 'list_for_object'
  | 'null_for_list'
  | 'no_envelope'
  | 'unreadable_member';

/** One drift. The same difference in several items of a list counts as one, with the path `items.*.amount`. */
export interface Drift {
  /** Names of members joined with dots. Empty for the payload as a whole. */
  readonly path: string;
  readonly kind: DriftKind;
}

/** Limits for one response, because a list of a million rows must not block the process. */
const VALUES_MAX = 20_000;
const DRIFTS_MAX = 1_000;
const NAME_MAX = 100;

/**
 * Returns the differences of a payload from its structure. A member that the interface does not name is reported, and
 * its own members are not. The search ends after 1,000 drifts or 20,000 values.
 */
export function driftsIn(root: Structure, payload: unknown): Drift[] {
  const found = new Map<string, Drift>();
  let left = VALUES_MAX;
  const isDone = (): boolean => left <= 0 || found.size >= DRIFTS_MAX;
  const note = (path: string, kind: DriftKind): void => void found.set(`${kind} ${path}`, { path, kind });

  const compare = (structure: Structure, value: unknown, path: string): void => {
    if (isDone()) return;
    const kind = driftOf(structure, value);
    if (kind !== null) note(path, kind);
    if (structure.item !== undefined && Array.isArray(value)) {
      for (const item of value) {
        if (isDone()) return;
        compare(structure.item, item, pathTo(path, '*'));
      }
    }
    if (structure.members !== undefined && isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (isDone()) return;
        const known = Object.hasOwn(structure.members, name) ? structure.members[name] : undefined;
        if (known === undefined && !structure.hasChosenNames)
          note(pathTo(path, name.slice(0, NAME_MAX)), 'unknown_field');
        if (known !== undefined && !(structure.hasChosenNames && member === null))
          compare(known, member, pathTo(path, name));
        left -= 1;
      }
    }
  };
  compare(root, payload, '');
  return [...found.values()];
}

/** Returns the drift of the value itself, or null. Its members are not looked at. */
function driftOf({ kind, words, isOptional, isLenient }: Structure, value: unknown): DriftKind | null {
  const isPresent = (value ?? null) !== null;
  switch (kind) {
    case 'decimal':
    case 'timestamp': {
      const isReadable = !((kind === 'decimal' ? decimalFrom : dateFrom)(value) instanceof Problem);
      const isTolerated = isLenient ? value !== '' : isOptional && value === '';
      if (isPresent && isTolerated && !isReadable) return 'unreadable_member';
      return kind === 'decimal' && typeof value === 'number' ? 'number_for_decimal' : null;
    }
    case 'text':
      if (typeof value === 'string') return words?.includes(value) === false ? 'unknown_word' : null;
      return isLenient && isPresent ? 'unreadable_member' : null;
    case 'integer':
      return typeof value === 'string' && !(integerFrom(value) instanceof Problem) ? 'text_for_number' : null;
    case 'list':
      return value === null ? 'null_for_list' : null;
    case 'record':
      if (!isOptional || !isPresent || isObject(value)) return null;
      if (Array.isArray(value) && value.length === 0) return 'list_for_object';
      return isLenient || value === '' ? 'unreadable_member' : null;
    default:
      return null;
  }
}
