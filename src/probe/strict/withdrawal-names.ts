import type { Departure } from '../../dialect-file/departure.ts';
import { type Answer, pageIn, rowsIn } from '../answer.ts';
import { isObeyed, QUERY_POINTS } from '../query-names.ts';
import type { QueryPoint } from '../words.ts';
import type { FileValues } from './questions.ts';

// The client sends the names of the withdrawals query that the file knows. An answer that does not obey one has another name.

/** Returns the names of the file that an answer ignores, or refuses as the only one. */
export function nameDepartures(answer: Answer, query: URLSearchParams, file: FileValues): readonly Departure[] {
  return QUERY_POINTS.flatMap((point) => {
    const expected = file[point];
    const value = expected === undefined ? null : query.get(String(expected));
    if (expected === undefined || value === null) return [];
    if (answer.status === 422) return isRefused(point, query) ? [{ point, expected, seen: 'refused' }] : [];
    return isIgnored(point, value, answer) ? [{ point, expected, seen: 'ignored' }] : [];
  });
}

/** The client checks the values. A page may also be refused because it is past the end. */
function isRefused(point: QueryPoint, query: URLSearchParams): boolean {
  return point !== 'withdrawalPage' && [...query.keys()].length === 1;
}

function isIgnored(point: QueryPoint, value: string, answer: Answer): boolean {
  const last = pageIn(answer)?.['total_pages'];
  const isVisible = {
    withdrawalStatus: rowsIn(answer).length > 0,
    withdrawalPage: typeof last === 'number' && Number(value) <= last,
    withdrawalPageSize: pageIn(answer) !== null,
  };
  return isVisible[point] && !isObeyed(point, value, answer);
}
