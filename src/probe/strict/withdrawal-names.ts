import type { Departure, SeenAnswer } from '../../dialect-file/departure.ts';
import { memberOf, parsed } from '../answer.ts';
import type { Point } from '../words.ts';
import type { FileValues } from './questions.ts';

// The client sends the names of the withdrawals query that the file knows. An answer that does not obey one departs.

/** The effect of a parameter that is obeyed, over the page that was answered. */
const OBEYS = {
  withdrawalStatus: (value, page) =>
    rowsOf(page).every((row) => String(memberOf(row, 'status')).toLowerCase() === value.toLowerCase()),
  withdrawalPageSize: (value, page) => memberOf(page, 'per_page') === Number(value),
  withdrawalPage: (value, page) => {
    const last = memberOf(page, 'total_pages');
    const isPastEnd = typeof last !== 'number' || Number(value) > last;
    return isPastEnd || memberOf(page, 'page') === Number(value);
  },
} satisfies Partial<Record<Point, (value: string, page: unknown) => boolean>>;

function rowsOf(page: unknown): readonly unknown[] {
  const rows = memberOf(page, 'items');
  return Array.isArray(rows) ? rows : [];
}

/** The names of the file that an answer ignores, or refuses as the only one. */
export function queryDepartures({ operation, path, status, raw }: SeenAnswer, file: FileValues): readonly Departure[] {
  if (operation !== 'withdrawals.list') return [];
  const query = new URL(path, 'http://service').searchParams;
  const sent = Object.entries(OBEYS).flatMap(([point, isObeyed]) => {
    const expected = file[point];
    const value = expected === undefined ? null : query.get(String(expected));
    return expected === undefined || value === null ? [] : [{ point, expected, value, isObeyed }];
  });
  if (status === 422) {
    // A page may also be refused because it is past the end.
    const refused = [...query.keys()].length === 1 ? sent.filter(({ point }) => point !== 'withdrawalPage') : [];
    return refused.map(({ point, expected }) => ({ point, expected, seen: 'refused' }));
  }
  const page = memberOf(parsed(raw), 'data');
  if (!Array.isArray(memberOf(page, 'items'))) return [];
  return sent
    .filter(({ value, isObeyed }) => !isObeyed(value, page))
    .map(({ point, expected }) => ({ point, expected, seen: 'ignored' }));
}
