import type { Departure, DepartureReader } from '../../dialect-file/departure.ts';
import { type Dialect, dialectFrom } from '../../sandbox/dialect/dialects.ts';
import { sightingsIn } from '../verdict.ts';
import { contradiction } from './agreement.ts';
import { answersIn, type FileValues } from './questions.ts';
import { nameDepartures } from './withdrawal-names.ts';

// A client that has a dialect file compares its answers with it. It loads the rules of the probe with its first call.

/**
 * Returns the reader for the values of a dialect file.
 *
 * @throws ConfigurationError for a point or a value that this version does not know.
 */
export function departureReader(file: FileValues): DepartureReader {
  dialectFrom(file as Partial<Dialect>); // refuses what is not in the table
  return (seen) => {
    const { operation, path, status } = seen;
    if (status < 200 || (status >= 300 && status < 400)) return []; // a redirect is not of the service
    const query = new URL(path, 'http://service').searchParams;
    const [first, ...others] = answersIn(seen, query, file);
    const shown = [first, ...others].flatMap(sightingsIn).flatMap(({ point, clue }): readonly Departure[] => {
      const expected = file[point];
      if (expected === undefined || (point === 'withdrawalDefaultSize' && mayNameSize(query, file))) return [];
      const value = contradiction(point, expected, clue);
      return value === null ? [] : [{ point, expected, seen: value }];
    });
    const named = operation === 'withdrawals.list' ? nameDepartures(first, query, file) : [];
    return [...new Map([...shown, ...named].map((departure) => [departure.point, departure])).values()];
  };
}

/** The default size of a page shows only where no size is asked for. */
function mayNameSize(query: URLSearchParams, file: FileValues): boolean {
  return [...query.keys()].some((name) => name !== file['withdrawalStatus'] && name !== file['withdrawalPage']);
}
