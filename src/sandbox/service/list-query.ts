import type { Page } from '../../contract/types.ts';
import type { Dialect } from '../dialects.ts';
import { type FieldProblem, InvalidRequest, notFound } from './respond.ts';

/** Reads query parameters. Of several with one name the last counts. */
export class QueryReader {
  readonly #query: URLSearchParams;
  readonly #problems: FieldProblem[] = [];
  readonly #known = new Set<string>();

  constructor(query: URLSearchParams) {
    this.#query = query;
  }

  text(name: string): string | null {
    this.#known.add(name);
    return this.#query.getAll(name).at(-1) ?? null;
  }

  word<Word extends string>(name: string, words: readonly Word[]): Word | null {
    const value = this.text(name);
    if (value === null) return null;
    const found = words.find((word) => word === value);
    if (found === undefined) this.#add(name, `must be one of ${words.join(', ')}`, 'enum');
    return found ?? null;
  }

  #integer(name: string, min: number, max: number, byDefault: number): number {
    const value = this.text(name);
    if (value === null) return byDefault;
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (Number.isNaN(number)) this.#add(name, 'must be an integer', 'int_parsing');
    else if (number < min) this.#add(name, `must be at least ${min}`, 'greater_than_equal');
    else if (number > max) this.#add(name, `must be at most ${max}`, 'less_than_equal');
    return number;
  }

  page(name: string, sizeName: string, defaultSize: number): PageQuery {
    const page = this.#integer(name, 1, Number.POSITIVE_INFINITY, 1);
    return { page, size: this.#integer(sizeName, 1, 100, defaultSize), name };
  }

  /** Throws an InvalidRequest if a parameter read so far is wrong. */
  check({ withdrawalQuery }: Dialect): void {
    for (const name of withdrawalQuery === 'strict' ? new Set(this.#query.keys()) : []) {
      if (!this.#known.has(name)) this.#add(name, 'is not a parameter of this list', 'extra_forbidden');
    }
    if (this.#problems.length > 0) throw new InvalidRequest(this.#problems);
  }

  #add(field: string, message: string, type: string): void {
    this.#problems.push({ where: 'query', field, message, type });
  }
}

/** The page that a list query asks for. */
export interface PageQuery {
  readonly page: number;
  readonly size: number;
  /** The query name of the page. */
  readonly name: string;
}

/**
 * Cuts a page out of all rows. The dialect decides the answer to a page beyond the last.
 * @see [Response envelope](../../../docs/service-interface.md#response-envelope)
 */
export function pageOf<Row, Item>(
  dialect: Dialect,
  rows: { readonly length: number; slice(start: number, end: number): readonly Row[] },
  asked: PageQuery,
  form: (row: Row) => Item,
): Page<Item> {
  const { size } = asked;
  const page = answeredPage(dialect, asked, Math.max(1, Math.ceil(rows.length / size)));
  const pages = Math.ceil(rows.length / size);
  return {
    items: rows.slice((page - 1) * size, page * size).map(form),
    page,
    per_page: size,
    total_items: rows.length,
    total_pages: pages,
    has_next: page < pages,
    has_prev: page > 1,
    ...(dialect.laterVersion === 'some' && { next_cursor: null }),
  };
}

function answeredPage(dialect: Dialect, { page, name }: PageQuery, last: number): number {
  if (page <= last || dialect.pastEnd === 'empty') return page;
  if (dialect.pastEnd === 'last') return last;
  if (dialect.pastEnd === 'not_found') notFound(dialect, 'PAGE', `There is no page ${page}.`);
  throw new InvalidRequest([
    { where: 'query', field: name, message: `must be at most ${last}`, type: 'less_than_equal' },
  ]);
}
