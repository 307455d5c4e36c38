/** A page of results; all members are required. @see service interface, "Response envelope" */
export interface WirePage<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly per_page: number;
  readonly total_items: number;
  readonly total_pages: number;
  readonly has_next: boolean;
  readonly has_prev: boolean;
}

/** Cuts a page out of the whole list. Beyond the end it is empty. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  page: number,
  size: number,
  form: (row: Row) => Item,
): WirePage<Item> {
  const total = rows.length;
  const pages = Math.ceil(total / size);
  return {
    items: rows.slice((page - 1) * size, page * size).map(form),
    page,
    per_page: size,
    total_items: total,
    total_pages: pages,
    has_next: page < pages,
    has_prev: page > 1,
  };
}
