import { isMerchantError } from '../../errors/guards.ts';
import type { Finding, NotCompared } from '../findings.ts';
import type { Settings } from '../options.ts';
import { LOOKUP_SIZE, lookUp } from '../read/lookup.ts';
import type { InvoiceRow, OrderRow, Row } from '../rows/rows.ts';
import type { Tally } from '../summary.ts';
import { addOrders, type Entry, entriesOf } from './entries.ts';
import { type Judgement, judge, type Pair } from './judge.ts';
import { mapLimited } from './map-limited.ts';
import { currencyOf, duplicateOf, findingsOf, notComparedOf, undeliveredOf } from './results.ts';
import type { SecondReading } from './second-reading.ts';

/** An entry that a run yields. */
export type Result = Finding | NotCompared;

/** Pairs that are read a second time together. */
const BATCH = 100;
/** Orders whose invoice is looked for in a second walk of the list. */
const UNREAD_MAX = 10_000;

const SEVERAL = {
  ending: 'not_compared',
  reason: 'several_invoices',
  problem: 'several invoices have this external_id',
} as const;
const MALFORMED = {
  ending: 'not_compared',
  reason: 'invoice_malformed',
  problem: 'the invoice is not as the interface says',
} as const;
const NOT_READ = {
  ending: 'not_compared',
  reason: 'invoice_not_read',
  problem: 'the service could not say whether the invoice exists',
} as const;
const GONE = {
  ending: 'not_compared',
  reason: 'invoice_not_read',
  problem: 'the invoice was listed, and could not be read again',
} as const;

/** Compares orders and invoices, one group of rows after the other. */
export class Comparison {
  readonly #settings: Settings;
  readonly #tally: Tally;
  readonly #reading: SecondReading;
  readonly #signal: AbortSignal;
  #deliveryRequests = 0;
  /** Orders whose invoice the service could neither show nor deny. */
  readonly unread = new Map<string, OrderRow>();

  constructor(settings: Settings, tally: Tally, reading: SecondReading, signal: AbortSignal) {
    this.#settings = settings;
    this.#tally = tally;
    this.#reading = reading;
    this.#signal = signal;
  }

  /** Compares rows. Whatever differs is read a second time before it is reported. */
  async *compare(rows: AsyncIterable<readonly Row[]>): AsyncGenerator<Result, void, undefined> {
    const entries = await entriesOf(rows);
    if (this.#settings.orders === undefined) yield* this.#lookUpAll([...entries.values()]);
    let suspects: Entry[] = [];
    for (const entry of entries.values()) {
      this.#tally.invoices += entry.invoices.length;
      const results = this.#firstLook(entry);
      if (results === 'suspect') suspects.push(entry);
      else yield* results;
      if (suspects.length < BATCH) continue;
      yield* this.#secondLook(suspects);
      suspects = [];
    }
    yield* this.#secondLook(suspects);
  }

  /** Compares an order with the result of a second walk. */
  async *afterWalk(order: OrderRow, invoice: InvoiceRow | 'malformed' | null): AsyncGenerator<Result, void, undefined> {
    const pair = { id: order.id, order, invoice: invoice === 'malformed' ? null : invoice };
    const judgement = invoice === 'malformed' ? MALFORMED : judge(pair, this.#settings);
    yield* await this.#resultsOf(pair, judgement, this.#settings.lookup !== undefined);
  }

  /** Orders whose invoice cannot be looked for. */
  async *giveUp(order: OrderRow): AsyncGenerator<Result, void, undefined> {
    yield notComparedOf({ id: order.id, order, invoice: null }, NOT_READ);
  }

  async *#lookUpAll(entries: readonly Entry[]): AsyncGenerator<Result, void, undefined> {
    const { lookup } = this.#settings;
    for (let at = 0; lookup !== undefined && at < entries.length; at += LOOKUP_SIZE) {
      const asked = entries.slice(at, at + LOOKUP_SIZE);
      const { orders, others } = await lookUp(
        lookup,
        asked.map(({ id }) => id),
      );
      yield* others;
      for (const entry of asked) addOrders(entry, orders.get(entry.id) ?? []);
      this.#tally.orders += asked.reduce((sum, { orders: found }) => sum + found, 0);
    }
  }

  #firstLook(entry: Entry): Result[] | 'suspect' {
    const [invoice = null, another] = entry.invoices;
    const pair = { id: entry.id, order: entry.order, invoice };
    if (another !== undefined) return [notComparedOf(pair, SEVERAL)];
    if (entry.orders > 1) return 'suspect';
    const judgement = judge(pair, this.#settings);
    return judgement.ending === 'differs' ? 'suspect' : this.#settled(pair, judgement);
  }

  /** Reads orders first, then invoices, so that a payment is read after everything that the shop did because of it. */
  async *#secondLook(entries: readonly Entry[]): AsyncGenerator<Result, void, undefined> {
    if (entries.length === 0) return;
    const { lookup, orders, prefetch } = this.#settings;
    const found =
      lookup === undefined
        ? null
        : await lookUp(
            lookup,
            entries.map(({ id }) => id),
          );
    if (found !== null && orders !== undefined) yield* found.others;
    const results = await mapLimited(entries, prefetch, async (entry) => {
      if (found === null) return this.#confirm(entry, false);
      const again: Entry = { id: entry.id, order: null, orders: 0, places: [], invoices: entry.invoices };
      addOrders(again, found.orders.get(entry.id) ?? []);
      return this.#confirm(again, true);
    });
    for (const each of results) yield* each;
  }

  async #confirm(entry: Entry, isOrderFresh: boolean): Promise<Result[]> {
    const { id, order } = entry;
    const [listed = null] = entry.invoices;
    if (entry.orders > 1) return [duplicateOf(entry, { id, order, invoice: listed }, isOrderFresh)];
    if (listed !== null) {
      const invoice = await this.#reading.again(listed);
      if (invoice === null && listed.ended === null) return [notComparedOf({ id, order, invoice: listed }, GONE)];
      const pair = { id, order, invoice: invoice ?? listed };
      return this.#resultsOf(pair, judge(pair, this.#settings), isOrderFresh && invoice !== null);
    }
    const reading = order === null ? 'absent' : await this.#reading.search(id);
    if (reading === 'unread' && order !== null && this.unread.size < UNREAD_MAX) {
      this.unread.set(id, order);
      return [];
    }
    const pair = { id, order, invoice: typeof reading === 'string' ? null : reading };
    if (reading === 'unread') return [notComparedOf(pair, NOT_READ)];
    return this.#resultsOf(pair, reading === 'malformed' ? MALFORMED : judge(pair, this.#settings), isOrderFresh);
  }

  async #resultsOf(pair: Pair, judgement: Judgement, confirmed: boolean): Promise<Result[]> {
    if (judgement.ending !== 'differs') return this.#settled(pair, judgement);
    const findings = findingsOf(pair, judgement.differences, confirmed);
    const isUnfulfilled = findings.some(({ kind }) => kind === 'paid_not_fulfilled');
    return isUnfulfilled ? [...findings, ...(await this.#undelivered(pair, confirmed))] : findings;
  }

  #settled(pair: Pair, judgement: Exclude<Judgement, { ending: 'differs' }>): Result[] {
    if (judgement.ending === 'not_compared') return [notComparedOf(pair, judgement)];
    const currency = currencyOf(pair);
    if (judgement.ending === 'matched') this.#tally.match(currency);
    else this.#tally.leaveOut({ currency, reason: 'within_grace' });
    return [];
  }

  async #undelivered(pair: Pair, confirmed: boolean): Promise<Finding[]> {
    const { merchant, maxDeliveryRequests } = this.#settings;
    const { invoice } = pair;
    if (invoice === null) return [];
    if (this.#deliveryRequests >= maxDeliveryRequests) {
      this.#tally.deliveriesNotRead += 1;
      return [];
    }
    this.#deliveryRequests += 1;
    try {
      const deliveries = await merchant.webhooks.deliveries(invoice.uuid, { signal: this.#signal });
      const [latest] = deliveries;
      if (latest === undefined || deliveries.some(({ status }) => status === 'delivered')) return [];
      return [undeliveredOf(pair, confirmed, latest, async () => merchant.webhooks.resend(invoice.uuid))];
    } catch (error) {
      if (!isMerchantError(error) || error.kind === 'aborted') throw error;
      this.#tally.deliveriesNotRead += 1; // the payment is reported in any case
      return [];
    }
  }
}
