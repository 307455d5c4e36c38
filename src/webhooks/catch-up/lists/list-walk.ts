import { isObject } from '../../../contract/json.ts';
import type { FinalInvoiceStatus } from '../../../contract/statuses.ts';
import { dateFrom, Problem } from '../../../contract/values/scalars.ts';
import type { InvalidItem } from '../../../resources/list-options.ts';
import { readMember } from '../../event/event.ts';
import type { CatchUpClient, CatchUpInvoice, CatchUpList, CatchUpPage } from '../catch-up-client.ts';
import { uuidOf } from '../catch-up-count.ts';
import { NewestFirst } from './newest-first.ts';
import { OwedRows } from './owed-rows.ts';
import { RowsBefore, type TimedRow } from './rows-before.ts';

/** The times by which a list may be sorted. */
export const ORDERS = ['created', 'finished'] as const;
export type Order = (typeof ORDERS)[number];
/** A time for each order. */
export type Bounds = Readonly<Record<Order, number>>;

/** No row is older. */
export const BEGINNING: Bounds = { created: Number.NEGATIVE_INFINITY, finished: Number.NEGATIVE_INFINITY };

const PAGE_SIZE = 100;

/** Counts of the rows of a list that are older than the bounds, in each order that the list may have. */
class Counts {
  readonly #counters: Readonly<Record<Order, RowsBefore>>;

  constructor(bounds: Bounds, tolerance: number) {
    this.#counters = {
      created: new RowsBefore(bounds.created, tolerance),
      finished: new RowsBefore(bounds.finished, tolerance),
    };
  }

  get(order: Order): RowsBefore {
    return this.#counters[order];
  }
}

/** The settings of a walk. */
export interface WalkSettings {
  readonly isPinned: boolean;
  readonly prefetch: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** The rows older than these are counted, to compare them with the count of the last run. */
  readonly old: Bounds;
  /** The same for the next run. */
  readonly next: Bounds;
  readonly onPage: (page: CatchUpPage) => void;
  readonly onInvalid: (item: InvalidItem) => void;
}

type Rows = { readonly items: readonly CatchUpInvoice[]; readonly page?: number | undefined };

/** Walks one list page by page, and observes its order and its counts. It can be interrupted, and continued later. */
export class ListWalk {
  readonly orders: Readonly<Record<Order, NewestFirst>>;
  readonly old: Counts;
  readonly next: Counts;
  readonly #owed = new OwedRows();
  readonly #list: CatchUpList;
  readonly #onPage: WalkSettings['onPage'];
  readonly #onInvalid: WalkSettings['onInvalid'];
  readonly #isPinned: boolean;
  #pages: AsyncIterator<Rows> | null = null;
  /** Items that cannot be decoded, by page: pages are read ahead. */
  readonly #invalid = new Map<number, InvalidItem[]>();
  #size = 0;
  #front = 0;
  /** The last page whose rows were returned. Pages ahead may have been requested. */
  #furthest = 0;
  #isRegular = true;
  #hasEnded = false;

  constructor(
    merchant: CatchUpClient,
    status: 'pending' | FinalInvoiceStatus,
    { isPinned, prefetch, signal, old, next, onPage, onInvalid }: WalkSettings,
  ) {
    this.#isPinned = isPinned;
    this.orders = { created: new NewestFirst(isPinned), finished: new NewestFirst(false) };
    this.old = new Counts(old, this.orders.created.tolerance);
    this.next = new Counts(next, this.orders.created.tolerance);
    this.#onPage = onPage;
    this.#onInvalid = onInvalid;
    this.#list = merchant.invoices.list(
      { status, per_page: PAGE_SIZE },
      { signal, prefetch, onPage: (page) => this.#observe(page), onInvalidItem: (item) => this.#keep(item) },
    );
  }

  /** The time of the service in its first answer, in milliseconds since 1970, or null if it is not known. */
  async serviceTime(): Promise<number | null> {
    if (typeof this.#list.withResponse !== 'function') return null;
    const { response } = await this.#list.withResponse();
    const time = Date.parse(response.headers.get('date') ?? '');
    return Number.isNaN(time) ? null : time;
  }

  /** The rows of the next page that no earlier page had, or null at the end. */
  async read(): Promise<readonly CatchUpInvoice[] | null> {
    if (this.#hasEnded) return null;
    this.#pages ??= pagesOf(this.#list);
    const { done, value } = await this.#pages.next();
    if (done === true) {
      this.#hasEnded = true;
      this.#pages = null; // it holds the uuids of the list
      for (const page of [...this.#invalid.keys()]) this.#flush(page);
      return null;
    }
    const { items, page = this.#furthest + 1 } = value;
    // Rows of a page that is read again have moved there from later pages, so they contradict no order.
    if (page <= this.#furthest) return items;
    this.#furthest = page;
    for (const row of items) {
      this.orders.created.observe(timeOf(row.created_at));
      this.orders.finished.observe(timeOf(row.finished_at));
    }
    return items;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The pages read, without those that were read again. */
  get pages(): number {
    return this.#front;
  }

  /** False if the rows of a page do not fit the counts of the service, or a page does not say them. */
  get isRegular(): boolean {
    return this.#isRegular;
  }

  /** The order to rely on, or null if the list may have none. */
  get order(): Order | null {
    if (!this.#isRegular || this.#front === 0) return null;
    return ORDERS.find((order) => this.orders[order].holds) ?? null;
  }

  /** True when no row behind this page is of these times or newer. Each order that the list may have must allow that. */
  isPast(bounds: Bounds): boolean {
    if (this.order === null || this.#owed.areOwed) return false;
    const possible = this.#isPinned ? (['created'] as const) : ORDERS.filter((order) => this.orders[order].mayHold);
    return possible.every((order) => this.orders[order].isPast(bounds[order]));
  }

  /** Ends the requests in flight. */
  async close(): Promise<void> {
    await this.#pages?.return?.();
  }

  #keep(item: InvalidItem): void {
    this.#invalid.set(item.page, [...(this.#invalid.get(item.page) ?? []), item]);
  }

  #flush(page: number): readonly InvalidItem[] {
    const items = this.#invalid.get(page) ?? [];
    this.#invalid.delete(page);
    for (const item of items) this.#onInvalid(item);
    return items;
  }

  #observe(page: CatchUpPage): void {
    const invalid = this.#flush(page.page);
    this.#owed.observe(page);
    if (page.page > this.#front) this.#measure(page, invalid);
    this.#onPage(page);
  }

  #measure({ page, per_page = 0, total_items, items }: CatchUpPage, invalid: readonly InvalidItem[]): void {
    this.#front = page;
    if (page === 1) this.#size = per_page;
    if (total_items === undefined || items === undefined) {
      this.#isRegular = false;
      return;
    }
    const before = (page - 1) * this.#size;
    const isWhole = items.length + invalid.length === Math.min(this.#size, Math.max(0, total_items - before));
    if (!isWhole) this.#isRegular = false;
    for (const order of ORDERS) {
      const rows = isWhole ? timedRows(items, invalid, order) : null;
      for (const counts of [this.old, this.next]) counts.get(order).observe({ before, total: total_items, rows });
    }
  }
}

const MEMBER = { created: 'created_at', finished: 'finished_at' } as const;

function timedRows(
  items: readonly CatchUpInvoice[],
  invalid: readonly InvalidItem[],
  order: Order,
): readonly TimedRow[] | null {
  const rows: TimedRow[] = items.map((item) => ({ uuid: item.uuid, time: timeOf(item[MEMBER[order]]) }));
  for (const { raw } of invalid) {
    const date = dateFrom(isObject(raw) ? readMember(raw, MEMBER[order]) : undefined);
    if (date instanceof Problem) return null;
    rows.push({ uuid: uuidOf(raw) ?? '', time: date.getTime() });
  }
  return rows;
}

/** Milliseconds since 1970, or null. */
export function timeOf(time: unknown): number | null {
  return time instanceof Date && !Number.isNaN(time.getTime()) ? time.getTime() : null;
}

function pagesOf(list: CatchUpList): AsyncIterator<Rows> {
  return typeof list.pages === 'function' ? list.pages()[Symbol.asyncIterator]() : singly(list);
}

async function* singly(list: AsyncIterable<CatchUpInvoice>): AsyncGenerator<Rows, void, undefined> {
  for await (const item of list) yield { items: [item] };
}
