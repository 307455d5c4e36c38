import type { InvoiceRow, OrderRow, Row } from '../rows/rows.ts';

/** Everything that one `external_id` has in a partition. */
export interface Entry {
  readonly id: string;
  /** The first order. */
  order: OrderRow | null;
  /** The number of orders. */
  orders: number;
  /** Where the first ten orders stood. */
  readonly places: string[];
  /** One row for each uuid. */
  invoices: InvoiceRow[];
}

const PLACES_MAX = 10;

/** Groups rows by id. Of several copies of an invoice, the final one is kept, or the latest. */
export async function entriesOf(groups: AsyncIterable<readonly Row[]>): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const rows of groups) for (const row of rows) addRow(entries, row);
  return entries;
}

function addRow(entries: Map<string, Entry>, row: Row): void {
  const entry = entries.get(row.id) ?? { id: row.id, order: null, orders: 0, places: [], invoices: [] };
  entries.set(row.id, entry);
  if (row.side === 'o') addOrders(entry, [row]);
  else addInvoice(entry, row);
}

/** Adds orders to those of an entry. */
export function addOrders(entry: Entry, orders: readonly OrderRow[]): void {
  entry.order ??= orders[0] ?? null;
  entry.orders += orders.length;
  for (const { place } of orders) if (entry.places.length < PLACES_MAX) entry.places.push(place);
}

function addInvoice(entry: Entry, row: InvoiceRow): void {
  const known = entry.invoices.find(({ uuid }) => uuid === row.uuid);
  if (known === undefined) entry.invoices.push(row);
  else if (known.ended === null || row.ended !== null) {
    entry.invoices = entry.invoices.map((each) => (each === known ? row : each));
  }
}
