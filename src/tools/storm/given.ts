import { kindOf } from '../../errors/checks.ts';
import type { CustomerRecord, Records } from './customer-record.ts';
import type { StormFulfilment, StormShop } from './options.ts';
import { type GivenBy, PLACES, type Story } from './story.ts';

// The rows of `fulfilments()`: which of them are new after a moment, and whose work they are.

/**
 * The rows of `fulfilments()` up to which they are read after each moment. Of more, around the job alone.
 */
const ROWS_READ_ALWAYS = 3_000;

/** An act while it lasts, by which a new row is explained. */
export interface Work {
  readonly by: GivenBy;
  /** Null for the job, which is about all orders. */
  readonly record: CustomerRecord | null;
  /** Whether the shop refused it for its signature. Then it gave nothing. */
  isRefused?: boolean;
}

export class GivenRows {
  readonly #members: StormShop;
  readonly #records: Records;
  readonly #story: Story;
  #rows: readonly StormFulfilment[];
  #looking: Promise<void> = Promise.resolve();
  #moments = 0;

  /** @param rows Those that the shop had before the first customer. */
  constructor(members: StormShop, rows: readonly StormFulfilment[], records: Records, story: Story) {
    this.#members = members;
    this.#rows = rows;
    this.#records = records;
    this.#story = story;
  }

  /** All rows of the shop as a text that changes with them. A read that fails shows no change. */
  async text(): Promise<string> {
    const { orders, fulfilments } = this.#members;
    try {
      const given = fulfilments === undefined ? [] : await listOf<StormFulfilment>('fulfilments', fulfilments());
      return JSON.stringify([given, await listOf('orders', orders())]);
    } catch {
      return '';
    }
  }

  /**
   * Notes what was given since the last look, as the work of these acts. One look at a time: webhooks may come together.
   * Rows are added and not taken away, so the same number of rows shows the same ones. If a read fails, the next one
   * shows its rows too.
   */
  look(works: readonly Work[]): Promise<void> {
    const { fulfilments } = this.#members;
    const isAroundJob = works.length === 0 || works.some(({ by }) => by === 'catch_up');
    if (fulfilments === undefined || (this.#rows.length > ROWS_READ_ALWAYS && !isAroundJob)) return this.#looking;
    this.#looking = this.#looking.then(async () => {
      let rows: StormFulfilment[];
      try {
        rows = await listOf<StormFulfilment>('fulfilments', fulfilments());
      } catch {
        return;
      }
      if (rows.length === this.#rows.length) return;
      this.#moments += 1;
      const giving = works.filter(({ isRefused }) => isRefused !== true);
      for (const row of newRows(rows, this.#rows)) this.#note(row, giving);
      this.#rows = rows;
    });
    return this.#looking;
  }

  #note(row: StormFulfilment, works: readonly Work[]): void {
    const id = idOf(row);
    const record = id === null ? undefined : this.#records.of(id);
    if (record === undefined) return;
    const by = this.#giversOf(record, works);
    const part = (row.item ?? null) === null ? '' : ` (${row.item})`;
    const credit = (row.credited_usdt ?? null) === null ? '' : `${row.credited_usdt} USDT`;
    const who = by.map((each) => GIVEN_BY[each]).join(' or ');
    const text = [credit, by.length > 1 ? `by one of: ${who}` : who].filter((each) => each !== '').join(', ');
    const kind = row.kind ?? 'goods';
    const what = GIVEN[kind] ?? GIVEN.goods;
    this.#story.note(record.plan.order.id, 'shop', `${what}${part}`, text, {
      place: PLACES.given,
      given: { by, jobs: works.filter((work) => work.by === 'catch_up').length, moment: this.#moments, kind },
    });
  }

  /** The acts of the moment about this order with its job, else the job, else a webhook of another order, else a worker. */
  #giversOf(record: CustomerRecord, works: readonly Work[]): readonly GivenBy[] {
    const own = works.filter((each) => each.record === record || (each.record === null && each.by === 'catch_up'));
    if (own.length > 0) return [...new Set(own.map(({ by }) => by))];
    // Where nobody says when the workers are idle, a row may come from any time before.
    const isOther = this.#members.idle !== undefined && works.some(({ by }) => by === 'webhook');
    return [isOther ? 'other_webhook' : 'worker'];
  }
}

/** The id of a row, or null if it has none. */
export function idOf(row: StormFulfilment): string | null {
  const id = row?.external_id ?? row?.order;
  return typeof id === 'string' ? id : null;
}

/** The kinds of rows in `fulfilments()`, as a story tells them. */
export const GIVEN = {
  goods: 'gives the order',
  credit: 'gives credit',
  refund: 'gives the money back',
  review: 'asks a person',
  bonus: 'gives a bonus',
  fee: 'keeps a fee',
} as const;

/** What gives, in words: behind a gift, and in a cause. */
export const GIVEN_BY: { readonly [By in GivenBy]: string } = {
  checkout: 'the checkout',
  webhook: 'its webhook',
  other_webhook: 'the webhook of another order',
  catch_up: 'catchUp',
  visit: 'the success_url',
  forgery: 'a forged webhook',
  worker: 'a worker of the shop',
};

/** The rows that were not there before. The same order may have several equal ones. */
export function newRows(
  rows: readonly StormFulfilment[],
  before: readonly StormFulfilment[],
): readonly StormFulfilment[] {
  const left = new Map<string, number>();
  for (const row of before) left.set(keyOf(row), (left.get(keyOf(row)) ?? 0) + 1);
  return rows.filter((row) => {
    const count = left.get(keyOf(row)) ?? 0;
    left.set(keyOf(row), count - 1);
    return count <= 0;
  });
}

function keyOf(row: StormFulfilment): string {
  return `${row?.kind ?? 'goods'} ${row?.item ?? ''} ${idOf(row)}`;
}

function isIterable(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

/** The rows that a function of the shop gives. */
export async function listOf<Row>(name: 'orders' | 'fulfilments', given: unknown): Promise<Row[]> {
  const list: Row[] = [];
  const rows = await given;
  if (!isIterable(rows))
    throw new TypeError(
      `${name}() of the shop must give rows, not ${kindOf(rows)}: with pg, give the rows of the result`,
    );
  for await (const row of rows) list.push(row as Row); // the rows of this function of the shop
  return list;
}
