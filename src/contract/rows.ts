import { isObject } from './json.ts';
import { type Check, type Checked, ISSUES_MAX, type Issue } from './values/codecs.ts';
import { decimalFrom, integerFrom, Problem } from './values/scalars.ts';
import { pathTo, type Structure } from './values/structure.ts';

/** Options for a list whose rows are read one by one. */
export interface RowsOptions {
  /** Called with each row that cannot be read. */
  readonly onInvalid?: ((index: number, issue: Issue, raw: unknown) => void) | undefined;
  /** Accepts a list whose rows are all unreadable. Such a list is refused by default. */
  readonly mayAllBeInvalid?: boolean | undefined;
  /** Returns true for a row that the service should have left out. It is skipped and does not count as invalid. */
  readonly isOmitted?: ((raw: unknown) => boolean) | undefined;
}

/** The unreadable rows after which a list is refused, because reading them costs time. */
const INVALID_MAX = 1_000;

/**
 * Returns the reader of a list that leaves unreadable rows out: one odd row must not stop a checkout. A list without any
 * readable row is refused, because an empty list would say that nothing can be charged.
 */
export function rowsOf<T>(
  item: Check<T>,
  { onInvalid, mayAllBeInvalid = false, isOmitted }: RowsOptions = {},
): Check<T[]> {
  const read = (payload: unknown): Checked<T[]> => {
    if (!Array.isArray(payload)) {
      return refused([{ path: '', message: payload === undefined ? 'is required' : 'must be an array' }]);
    }
    const readRow = rowReader(item);
    const rows: T[] = [];
    const issues: Issue[] = [];
    let invalid = 0;
    for (const [index, raw] of payload.entries()) {
      if (isOmitted?.(raw)) continue;
      const found = readRow(raw);
      if (found.ok) {
        rows.push(found.value);
        continue;
      }
      invalid += 1;
      const [issue = { path: '', message: 'is not as the interface says' }] = found.issues;
      onInvalid?.(index, issue, raw);
      if (mayAllBeInvalid) continue;
      if (issues.length < ISSUES_MAX)
        issues.push({ ...issue, path: issue.path === '' ? String(index) : pathTo(String(index), issue.path) });
      if (invalid > INVALID_MAX) return refused(issues, true);
    }
    const noneIsReadable = rows.length === 0 && issues.length > 0;
    return noneIsReadable ? refused(issues, invalid > issues.length) : { ok: true, value: rows };
  };
  return Object.assign(read, { structure: (): Structure => ({ kind: 'list', item: rowStructure(item) }) });
}

function rowStructure(item: Check<unknown>): Structure {
  return item.structure?.() ?? { kind: 'anything' };
}

/** Returns the reader of a row. It stops at the first wrong member, because a schema that collects all takes twenty times as long. */
function rowReader<T>(item: Check<T>): Check<T> {
  const structure = rowStructure(item);
  return (raw) => {
    const issue = wrongIn(structure, raw, '');
    return issue === null ? item(raw) : refused([issue]);
  };
}

/** Returns the first mistake that the structure shows. Null leaves the decision to the schema. */
function wrongIn(structure: Structure, value: unknown, path: string): Issue | null {
  const problem = problemOf(structure, value);
  if (problem !== null) return { path, message: problem };
  if (structure.kind !== 'record' || !isObject(value)) return null;
  for (const name in structure.members) {
    const member = structure.members[name];
    const given = value[name];
    if (member === undefined || (member.isOptional && (given ?? null) === null)) continue;
    const at = pathTo(path, name);
    const issue = given === undefined ? { path: at, message: 'is required' } : wrongIn(member.structure, given, at);
    if (issue !== null) return issue;
  }
  return null;
}

function problemOf(structure: Structure, value: unknown): string | null {
  switch (structure.kind) {
    case 'text':
      return typeof value === 'string' ? null : 'must be a string';
    case 'decimal':
      return messageOf(decimalFrom(value));
    case 'integer':
      return messageOf(integerFrom(value));
    case 'record':
      return isObject(value) ? null : 'must be an object';
    default:
      return null;
  }
}

function messageOf(read: unknown): string | null {
  return read instanceof Problem ? read.message : null;
}

function refused(issues: readonly Issue[], isMore = false): Extract<Checked<never>, { readonly ok: false }> {
  return { ok: false, issues, ...(isMore && { isMore }) };
}
