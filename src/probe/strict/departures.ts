import type { Departure, DepartureReader, SeenAnswer } from '../../dialect-file/departure.ts';
import { type Dialect, dialectFrom } from '../../sandbox/dialect/dialects.ts';
import { sightingsIn } from '../verdict.ts';
import type { Point } from '../words.ts';
import { contradiction } from './agreement.ts';
import { answersIn, type FileValues } from './questions.ts';
import { queryDepartures } from './withdrawal-names.ts';

// A client that has a dialect file compares its answers with it. The client loads this file with its first call.

/**
 * Returns the reader for the values of a dialect file.
 *
 * @throws ConfigurationError for a point or a value that this version does not know.
 */
export function departureReader(file: FileValues): DepartureReader {
  dialectFrom(file as Partial<Dialect>); // refuses what is not in the table
  return (seen) => {
    if (seen.status < 200 || (seen.status >= 300 && seen.status < 400)) return []; // a redirect is not of the service
    const found = new Map<string, Departure>();
    for (const departure of [...departuresIn(seen, file), ...queryDepartures(seen, file)]) {
      if (!found.has(departure.point)) found.set(departure.point, departure);
    }
    return [...found.values()];
  };
}

function departuresIn(seen: SeenAnswer, file: FileValues): readonly Departure[] {
  return answersIn(seen, file)
    .flatMap(sightingsIn)
    .flatMap(({ point, clue }) => departureOf(point, clue, seen, file));
}

function departureOf(point: Point, clue: string, seen: SeenAnswer, file: FileValues): readonly Departure[] {
  const expected = file[point];
  if (expected === undefined || isAsked(point, seen, file)) return [];
  const shown = contradiction(point, expected, clue);
  return shown === null ? [] : [{ point, expected, seen: shown }];
}

/** The default size of a page cannot be seen where a size was asked for. */
function isAsked(point: Point, { path }: SeenAnswer, file: FileValues): boolean {
  if (point !== 'withdrawalDefaultSize') return false;
  const names = [...new URL(path, 'http://service').searchParams.keys()];
  return names.some((name) => name !== file['withdrawalStatus'] && name !== file['withdrawalPage']);
}
