import type { Page } from '../../src/contract/types.ts';
import { type Invoices, indexOf, STATUSES, type Status, uuidOf } from './invoices.ts';

/** How the lists of a service are sorted. */
export const LIST_ORDERS = [
  'created, newest first',
  'finished, newest first',
  'created, oldest first',
  'none',
] as const;
export type ListOrder = (typeof LIST_ORDERS)[number];

export interface ListServiceOptions {
  readonly invoices: Invoices;
  readonly order: ListOrder;
  /** The time at the beginning. */
  readonly now: number;
  /** Time that passes with each request, so that the lists move while they are read. */
  readonly latency?: number;
  /** The header `Date` of an answer at this time. Null leaves it out. */
  readonly date?: (now: number) => string | null;
  /** The `total_items` of an answer, from the true one. */
  readonly total?: (total: number) => number;
}

/**
 * The list of invoices and the single read of the interface, over sorted arrays. It is written by hand from the interface
 * and shares no code with the sandbox, which could not hold a million invoices.
 */
export class ListService {
  now: number;
  /** Requests since the beginning. */
  requests = 0;
  readonly #invoices: Invoices;
  readonly #order: ListOrder;
  readonly #options: ListServiceOptions;
  /** Indexes of the invoices of each status, in ascending order of their key. */
  readonly #lists = new Map<Status, number[]>(STATUSES.map((status) => [status, []]));
  /** Indexes in the order in which they end. */
  readonly #endings: Uint32Array;
  #created = 0;
  #ended = 0;
  /** Final statuses that were changed afterwards, and invoices whose amount a dispute has corrected. */
  readonly #changed = new Map<number, Status>();
  readonly #adjusted = new Set<number>();

  constructor(options: ListServiceOptions) {
    const { invoices, order, now } = options;
    this.#options = options;
    this.#invoices = invoices;
    this.#order = order;
    this.#endings = Uint32Array.from(invoices.created.keys()).sort(
      (a, b) => at(invoices.finished, a) - at(invoices.finished, b),
    );
    this.now = now;
    this.#build();
  }

  /** Lets time pass. */
  advanceTo(time: number): void {
    const { created, finished, ends } = this.#invoices;
    this.now = Math.max(this.now, time);
    while (this.#created < created.length && at(created, this.#created) <= this.now) {
      this.#insert('pending', this.#created);
      this.#created += 1;
    }
    for (; this.#ended < this.#endings.length; this.#ended += 1) {
      const index = at(this.#endings, this.#ended);
      if (at(finished, index) > this.now) break;
      this.#remove('pending', index);
      this.#insert(STATUSES[at(ends, index)] ?? 'success', index);
    }
  }

  /** Corrects the amount of a paid invoice. */
  adjust(index: number): void {
    this.#adjusted.add(index);
  }

  /** Gives an ended invoice another final status. */
  change(index: number, status: Status): void {
    this.#remove(this.statusOf(index), index);
    this.#changed.set(index, status);
    this.#insert(status, index);
  }

  statusOf(index: number): Status {
    if (at(this.#invoices.finished, index) > this.now) return 'pending';
    return this.#changed.get(index) ?? STATUSES[at(this.#invoices.ends, index)] ?? 'success';
  }

  /** Counts a request, and lets its time pass. */
  arrive(): void {
    this.requests += 1;
    this.advanceTo(this.now + (this.#options.latency ?? 0));
  }

  /** The header `Date` of an answer that is sent now. */
  get date(): string | null {
    return this.#options.date === undefined ? new Date(this.now).toUTCString() : this.#options.date(this.now);
  }

  /** A page of a list as indexes of invoices, or null for a status that has no list. */
  pageOf(status: string, page: number, size: number): Page<number> | null {
    const list = this.#lists.get(status as Status); // no other value has a list
    if (list === undefined) return null;
    const total = this.#options.total?.(list.length) ?? list.length;
    const pages = Math.ceil(total / size);
    const from = (page - 1) * size;
    const isDescending = this.#order !== 'created, oldest first';
    const items = isDescending
      ? list.slice(Math.max(0, list.length - from - size), Math.max(0, list.length - from)).reverse()
      : list.slice(from, from + size);
    const counts = { page, per_page: size, total_items: total, total_pages: pages };
    return { items, ...counts, has_next: page < pages, has_prev: page > 1 };
  }

  readonly fetch = async (url: string): Promise<Response> => {
    this.arrive();
    const { pathname, searchParams } = new URL(url);
    const ident = decodeURIComponent(pathname.split('/invoices/')[1] ?? '');
    return ident === '' ? this.#list(searchParams) : this.#single(ident);
  };

  #list(query: URLSearchParams): Response {
    const found = this.pageOf(
      query.get('status') ?? '',
      Number(query.get('page') ?? 1),
      Number(query.get('per_page') ?? 20),
    );
    if (found === null)
      return this.#answer(422, '{"success":false,"error":{"code":"VALIDATION_ERROR","message":"status"}}');
    const { items, ...counts } = found;
    const rows = items.map((index) => this.#wire(index)).join(',');
    return this.#answer(200, `{"success":true,"data":{"items":[${rows}],${JSON.stringify(counts).slice(1)}}`);
  }

  #single(ident: string): Response {
    const index = ident.startsWith('order-') ? Number(ident.slice(6)) : indexOf(ident);
    if (!(index < this.#created))
      return this.#answer(404, '{"success":false,"error":{"code":"NOT_FOUND","message":"no"}}');
    return this.#answer(200, `{"success":true,"data":${this.#wire(index)}}`);
  }

  #answer(status: number, body: string): Response {
    const { date } = this;
    return new Response(body, {
      status,
      headers: { 'content-type': 'application/json', ...(date === null ? {} : { date }) },
    });
  }

  #wire(index: number): string {
    const status = this.statusOf(index);
    const created = new Date(at(this.#invoices.created, index)).toISOString();
    const finished = status === 'pending' ? 'null' : `"${new Date(at(this.#invoices.finished, index)).toISOString()}"`;
    const isAdjusted = status === 'success' && this.#adjusted.has(index);
    const settled = status === 'success' ? (isAdjusted ? '"18.30"' : '"26.91"') : 'null';
    const adjustment = isAdjusted
      ? '{"expected_amount_fiat":"25.00","actual_amount_fiat":"17.00","expected_amount_usdt":"26.91","actual_amount_usdt":"18.30"}'
      : 'null';
    return `{"uuid":"${uuidOf(index)}","external_id":"order-${index}","customer_id":"c-7","purpose":null,"amount":"25.00","amount_to_send":null,"currency":{"id":1,"code":"EUR","name":"Euro","symbol":"€"},"status":"${status}","callback_url":null,"success_url":null,"fail_url":null,"payment_url":"https://pay.example.com/p/${index}","created_at":"${created}","expires_at":"${created}","finished_at":${finished},"payment_method":null,"rate":null,"settled_amount_usdt":${settled},"is_adjusted":${isAdjusted},"adjustment":${adjustment}}`;
  }

  #key(status: Status, index: number): number {
    if (this.#order === 'none') return Math.imul(index + 1, 2_654_435_761) >>> 0;
    if (this.#order === 'finished, newest first' && status !== 'pending') return at(this.#invoices.finished, index);
    return at(this.#invoices.created, index);
  }

  /** The place of an invoice in a list: rows of one key are sorted by their index. */
  #placeOf(status: Status, list: readonly number[], index: number): number {
    const key = this.#key(status, index);
    let low = 0;
    for (let high = list.length; low < high; ) {
      const middle = (low + high) >>> 1;
      const other = list[middle] ?? 0;
      const otherKey = this.#key(status, other);
      if (otherKey < key || (otherKey === key && other < index)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #insert(status: Status, index: number): void {
    const list = this.#lists.get(status) ?? [];
    list.splice(this.#placeOf(status, list, index), 0, index);
  }

  #remove(status: Status, index: number): void {
    const list = this.#lists.get(status) ?? [];
    const place = this.#placeOf(status, list, index);
    if (list[place] === index) list.splice(place, 1);
  }

  /** Builds the lists of what has happened before the beginning, sorted once. */
  #build(): void {
    const { created, finished, ends } = this.#invoices;
    for (; this.#created < created.length && at(created, this.#created) <= this.now; this.#created += 1) {
      const index = this.#created;
      const status = at(finished, index) <= this.now ? (STATUSES[at(ends, index)] ?? 'success') : 'pending';
      this.#lists.get(status)?.push(index);
    }
    while (this.#ended < this.#endings.length && at(finished, at(this.#endings, this.#ended)) <= this.now)
      this.#ended += 1;
    for (const [status, list] of this.#lists) list.sort((a, b) => this.#key(status, a) - this.#key(status, b) || a - b);
  }
}

function at(column: Float64Array | Uint8Array | Uint32Array, index: number): number {
  return column[index] ?? 0;
}
