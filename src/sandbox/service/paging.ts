import type { Dialect } from '../dialect/dialects.ts';
import { notFound } from './not-found.ts';
import { InvalidRequest } from './respond.ts';

/**
 * A page of results; all members are required.
 * @see [Response envelope](../../../docs/service-interface.md#response-envelope)
 */
export interface WirePage<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly per_page: number;
  readonly total_items: number;
  readonly total_pages: number;
  readonly has_next: boolean;
  readonly has_prev: boolean;
}

/** The page that is answered for the one that was asked for. Throws where the dialect refuses one beyond the last. */
export function answeredPage(dialect: Dialect, asked: number, total: number, size: number, name = 'page'): number {
  const last = Math.max(1, Math.ceil(total / size));
  if (asked <= last || dialect.pastEnd === 'empty') return asked;
  if (dialect.pastEnd === 'last') return last;
  if (dialect.pastEnd === 'not_found') notFound(dialect, 'PAGE', `There is no page ${asked}.`);
  const finding = { where: 'query', field: name, message: `must be at most ${last}`, type: 'less_than_equal' } as const;
  throw new InvalidRequest([finding]);
}

/** Cuts a page out of the whole list. Beyond the end it is empty. */
export function pageOf<Row, Item>(
  dialect: Dialect,
  rows: readonly Row[],
  page: number,
  size: number,
  form: (row: Row) => Item,
): WirePage<Item> {
  return pageFrom(dialect, rows.slice((page - 1) * size, page * size), rows.length, page, size, form);
}

/** The page around rows that were cut out already, of so many in all. */
export function pageFrom<Row, Item>(
  dialect: Dialect,
  part: readonly Row[],
  total: number,
  page: number,
  size: number,
  form: (row: Row) => Item,
): WirePage<Item> {
  const pages = total === 0 ? dialect.emptyPages : Math.ceil(total / size);
  return {
    items: part.map(form),
    page,
    per_page: size,
    total_items: total,
    total_pages: pages,
    has_next: page < pages,
    has_prev: page > 1,
    ...(dialect.extraMembers === 'some' && { next_cursor: null }),
  };
}
