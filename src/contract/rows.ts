import type { Check, Checked, Issue } from './codecs.ts';
import { isObject } from './envelope.ts';
import type { Form } from './forms.ts';

/** How a list is read whose rows stand alone. */
export interface RowsReading {
  /** Called with each row that cannot be read. */
  readonly onInvalid?: ((index: number, issue: Issue, raw: unknown) => void) | undefined;
  /** Whether every row may be unreadable; else such an answer is refused. */
  readonly mayAllBeInvalid?: boolean | undefined;
  /** True for a row that the service should have left out: no row, and not an invalid one. */
  readonly isOmitted?: ((raw: unknown) => boolean) | undefined;
}

const ISSUES_MAX = 20;
/** So many are no exception any more, and reading them takes time that a hostile service should not have. */
const INVALID_MAX = 1_000;

/**
 * A list whose rows are read one by one, without those that cannot be: one odd row must not stop a checkout. A list
 * none of whose rows can be read is refused, because an empty list would say that nothing can be charged.
 */
export function rowsOf<T>(
  item: Check<T>,
  { onInvalid, mayAllBeInvalid = false, isOmitted }: RowsReading = {},
): Check<T[]> {
  const read = (payload: unknown): Checked<T[]> => {
    if (!Array.isArray(payload)) {
      return refused([{ path: '', message: payload === undefined ? 'is required' : 'must be an array' }]);
    }
    const readRow = reading(item);
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
      if (issues.length < ISSUES_MAX) issues.push({ ...issue, path: below(index, issue.path) });
      if (invalid > INVALID_MAX) return refused(issues, true);
    }
    const noneIsReadable = rows.length === 0 && issues.length > 0;
    return noneIsReadable ? refused(issues, invalid > issues.length) : { ok: true, value: rows };
  };
  return Object.assign(read, { form: (): Form => ({ kind: 'list', item: item.form?.() ?? { kind: 'anything' } }) });
}

/**
 * Reads a row. One that plainly lacks a member is refused without its schema, which would take a hundred times as long
 * to say so.
 */
function reading<T>(item: Check<T>): Check<T> {
  const form = item.form?.();
  const members = form?.kind === 'record' ? Object.entries(form.members) : [];
  const required = members.filter(([, { optional }]) => !optional).map(([name]) => name);
  return (raw) => {
    if (!isObject(raw)) return refused([{ path: '', message: 'must be an object' }]);
    const missing = required.find((name) => raw[name] === undefined);
    return missing === undefined ? item(raw) : refused([{ path: missing, message: 'is required' }]);
  };
}

function refused(issues: readonly Issue[], isMore = false): Extract<Checked<never>, { readonly ok: false }> {
  return { ok: false, issues, ...(isMore && { isMore }) };
}

function below(index: number, path: string): string {
  return path === '' ? String(index) : `${index}.${path}`;
}
