import { WITHDRAWAL_STATUSES } from '../contract/statuses.ts';
import { type Answer, isSuccess, pageIn, rowsIn, type Trial } from './answer.ts';
import type { QueryPoint } from './words.ts';

// How the names of the withdrawals query are found: by what a parameter changes in the list. Where the account holds too
// little for that, by an invalid value, which a known name refuses. Where unknown names are refused, by a valid value.

export const QUERY_POINTS: readonly QueryPoint[] = ['withdrawalStatus', 'withdrawalPage', 'withdrawalPageSize'];

/** The value that would change the list, by point. A point is absent where the account holds too little. */
export type Changes = Partial<Record<QueryPoint, string>>;

const VALID = { withdrawalStatus: 'approved', withdrawalPage: '1', withdrawalPageSize: '1' } as const;
const INVALID = { withdrawalStatus: 'no-such-status', withdrawalPage: '0', withdrawalPageSize: '0' } as const;

/** Returns the values that would change the list of withdrawals without a query. */
export function changesOf(answer: Answer): Changes {
  const rows = rowsIn(answer);
  const found = new Set(rows.map((row) => row['status']));
  const status = WITHDRAWAL_STATUSES.find((word) => found.has(word));
  const { per_page: size, total_pages: pages } = pageIn(answer) ?? {};
  return {
    ...(status !== undefined && found.size > 1 && { withdrawalStatus: status }),
    ...(rows.length > 1 && size !== 1 && { withdrawalPageSize: '1' }),
    ...(typeof pages === 'number' && pages > 1 && { withdrawalPage: '2' }),
  };
}

/** Returns the value to try for a point, and what it shows. Null where nothing could be concluded. */
export function trialOf(
  point: QueryPoint,
  changes: Changes,
  refusesUnknown: boolean | null,
): { readonly value: string; readonly trial: Trial } | null {
  const value = changes[point];
  if (value !== undefined) return { value, trial: 'effect' };
  if (refusesUnknown === null) return null;
  return refusesUnknown ? { value: VALID[point], trial: 'accepted' } : { value: INVALID[point], trial: 'refused' };
}

/** True for an answer which shows that the service knows the name that was tried. */
export function showsName(answer: Answer): boolean {
  const { asked, question, status } = answer;
  if (question !== 'query name' || asked.point === undefined || asked.value === undefined) return false;
  switch (asked.trial) {
    case 'effect':
      return isObeyed(asked.point, asked.value, answer);
    case 'accepted':
      return isSuccess(answer);
    default:
      return status === 422;
  }
}

/** Whether a page agrees with a parameter. Without the name, it would have rows of other statuses, or another number. */
export function isObeyed(point: QueryPoint, value: string, answer: Answer): boolean {
  const page = pageIn(answer);
  if (page === null) return false;
  if (point === 'withdrawalPage') return page['page'] === Number(value);
  const rows = rowsIn(answer);
  if (point === 'withdrawalPageSize') return page['per_page'] === Number(value) && rows.length <= Number(value);
  return rows.length > 0 && rows.every((row) => String(row['status']).toLowerCase() === value.toLowerCase());
}
