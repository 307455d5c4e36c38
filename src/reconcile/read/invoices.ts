import { isObject } from '../../contract/json.ts';
import type { Page } from '../../contract/types.ts';
import type { InvalidItem } from '../../resources/list-options.ts';
import type { NotCompared } from '../findings.ts';
import type { Settings } from '../options.ts';
import type { InvoiceRow } from '../rows/rows.ts';
import { invoiceRow, type ReconcileInvoice } from './invoice-row.ts';
import { PAGE_SIZE, readPages } from './list-pages.ts';

/** The rows of one page, and what could not be read. */
export interface InvoicePage {
  readonly rows: readonly InvoiceRow[];
  readonly unread: readonly NotCompared[];
  readonly page: Pick<Page<unknown>, 'page' | 'total_pages' | 'total_items'>;
}

type ReadPage = (page: number) => PromiseLike<Page<ReconcileInvoice>>;

/** Rows that cannot be decoded are reported once. Beyond this number a page that is read again may repeat them. */
const REMEMBERED = 10_000;

/**
 * Reads the invoices of one status, or of all, that were created in the period. Ends at its beginning where the list is
 * newest first.
 */
export async function* readInvoices(
  { merchant, since, until, order, prefetch }: Pick<Settings, 'merchant' | 'since' | 'until' | 'order' | 'prefetch'>,
  status: Settings['statuses'][number],
  signal: AbortSignal,
): AsyncGenerator<InvoicePage, void, undefined> {
  const reported = new Set<string>();
  let unread: NotCompared[] = [];
  const onInvalidItem = (item: InvalidItem): void => {
    const entry = unreadInvoice(item);
    const name = idOf(item.raw, 'uuid') ?? entry.place;
    if (reported.has(name)) return;
    if (reported.size < REMEMBERED) reported.add(name);
    unread.push(entry);
  };
  const read: ReadPage = (page) =>
    merchant.invoices.list({ status, page, per_page: PAGE_SIZE }, { signal, onInvalidItem });
  const newest = new NewestFirst(order);
  for await (const page of readPages({ prefetch, read })) {
    const rows = page.items.map(invoiceRow);
    const found = unread;
    unread = [];
    yield { rows: rows.filter(({ created }) => created >= since && created < until), unread: found, page };
    if (newest.endsAt(page, rows, since) && (await newest.holdsAtEnd(page, read))) return;
  }
}

/** Decides whether the pages behind one that is older than the period must be read. */
class NewestFirst {
  readonly #order: Settings['order'];
  #front = 0;
  #total = 0;
  #newest = Number.POSITIVE_INFINITY;
  #oldest = Number.POSITIVE_INFINITY;
  #isHeld = true;

  constructor(order: Settings['order']) {
    this.#order = order;
  }

  /** Takes the next page. True if it is older than the period, in a list that was newest first and has lost no rows so far. */
  endsAt({ page, total_items }: Page<unknown>, rows: readonly InvoiceRow[], since: number): boolean {
    const hasLost = total_items < this.#total;
    this.#total = total_items;
    const times = rows.map(({ created }) => created);
    const newest = Math.max(...times);
    const isSorted = times.every((time, at) => at === 0 || time <= (times[at - 1] ?? time));
    // A list that has grown repeats rows, so a page may begin with any time of the page before it.
    this.#isHeld &&= isSorted && (page <= this.#front || newest <= this.#newest);
    this.#oldest = Math.min(this.#oldest, ...times);
    if (page <= this.#front || times.length === 0) return false;
    this.#front = page;
    this.#newest = newest;
    return newest < since && !hasLost && (this.#order === 'newest' || (this.#order === 'detect' && this.#isHeld));
  }

  /** Compares the last page before the rest is left out, unless the order is known. */
  async holdsAtEnd({ has_next, total_pages }: Page<unknown>, read: ReadPage): Promise<boolean> {
    if (this.#order === 'newest' || !has_next) return true;
    const { items } = await read(total_pages);
    this.#isHeld = items.every(({ created_at }) => created_at.getTime() <= this.#oldest);
    return this.#isHeld;
  }
}

function unreadInvoice({ page, index, path, raw }: InvalidItem): NotCompared {
  const where = path === '' ? '' : ` at ${path}`;
  return {
    kind: 'not_compared',
    external_id: idOf(raw, 'external_id'),
    currency: null,
    reason: 'invoice_malformed',
    problem: `The invoice is not as the interface says${where}.`,
    place: `page ${page}, place ${index + 1}`,
  };
}

function idOf(raw: unknown, name: string): string | null {
  const id = isObject(raw) ? raw[name] : undefined;
  return typeof id === 'string' ? id.slice(0, 512) : null;
}
