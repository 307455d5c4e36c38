import { MerchantClient } from '../../src/client.ts';
import { below, oneOf, type Random } from './random.ts';

// A service whose invoices change while its lists are read: rows move between pages, replicas lag, requests fail and
// overtake each other. The rows are typed from the interface, and a real client reads them.

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const START = Date.UTC(2026, 0, 1);

type Status = 'pending' | 'success' | 'fail' | 'expired' | 'canceled';

/** An invoice with its whole life. */
export interface Life {
  readonly uuid: string;
  readonly external_id: string;
  readonly amount: string;
  readonly currency: string;
  readonly created: number;
  /** Each later status, and when it came. */
  readonly states: readonly (readonly [at: number, status: Exclude<Status, 'pending'>])[];
}

/** How the lists are ordered. `random` is another order in each response. */
export const ORDERS = ['newest', 'oldest', 'finished', 'by currency', 'random'] as const;

export interface Habits {
  readonly order: (typeof ORDERS)[number];
  /** A response shows the state of up to this many milliseconds ago. */
  readonly lag: number;
  /** The share of requests that fail. */
  readonly failures: number;
  /** The most rows on a page. */
  readonly perPage: number;
  /** Reads of one invoice have the creation form. */
  readonly isShort: boolean;
  /** The clock moves by up to this many milliseconds with each request. */
  readonly takes: number;
}

export const STILL: Habits = { order: 'newest', lag: 0, failures: 0, perPage: 100, isShort: false, takes: 0 };

export class MovingService {
  now = START;
  requests = 0;
  habits: Habits;
  readonly lives: readonly Life[];
  readonly merchant: MerchantClient;
  readonly #byIdent = new Map<string, Life>();
  readonly #random: Random;

  constructor(lives: readonly Life[], habits: Partial<Habits>, random: Random) {
    this.lives = lives;
    this.habits = { ...STILL, ...habits };
    this.#random = random;
    for (const life of lives) this.#byIdent.set(life.uuid, life).set(life.external_id, life);
    this.merchant = new MerchantClient({
      baseUrl: 'https://pay.example',
      apiKey: 'key',
      retry: false,
      fetch: async (url) => await this.#answer(new URL(String(url))),
    });
  }

  async #answer(url: URL): Promise<Response> {
    this.requests += 1;
    // Before and after the look, so that an earlier request may see a later state.
    await this.#pass();
    const { failures, lag, takes } = this.habits;
    this.now += this.#random() * takes;
    const seen = this.now - this.#random() * lag;
    const response = this.#random() < failures ? refused(503) : this.#read(url, seen);
    await this.#pass();
    return response;
  }

  async #pass(): Promise<void> {
    for (let turns = below(this.#random, 8); turns > 0; turns -= 1) await null;
  }

  #read(url: URL, seen: number): Response {
    const [, ident] = /invoices\/(.+)$/.exec(url.pathname) ?? [];
    if (ident === undefined) return json(this.#page(url.searchParams, seen));
    const life = this.#byIdent.get(decodeURIComponent(ident));
    if (life === undefined || life.created > seen) return refused(404);
    return json(this.habits.isShort ? creationForm(life, seen) : fullForm(life, seen));
  }

  #page(query: URLSearchParams, seen: number): object {
    const status = query.get('status');
    const rows = this.#sorted(
      this.lives.filter((life) => life.created <= seen && (status === null || statusAt(life, seen) === status)),
      seen,
    );
    const page = Number(query.get('page') ?? 1);
    const per_page = Math.min(Number(query.get('per_page') ?? 20), this.habits.perPage);
    const total_pages = Math.ceil(rows.length / per_page);
    return {
      items: rows.slice((page - 1) * per_page, page * per_page).map((life) => fullForm(life, seen)),
      page,
      per_page,
      total_items: rows.length,
      total_pages,
      has_next: page < total_pages,
      has_prev: page > 1,
    };
  }

  /** Whole seconds, as many services store them: rows of one second have another order in each response. */
  #sorted(rows: readonly Life[], seen: number): Life[] {
    const { order } = this.habits;
    const keyOf = (life: Life): number => {
      if (order === 'random') return this.#random();
      const seconds = Math.floor(
        (order === 'finished' ? (finishedAt(life, seen) ?? life.created) : life.created) / 1_000,
      );
      const key = order === 'oldest' ? seconds : -seconds;
      return (order === 'by currency' ? life.currency.charCodeAt(0) * 1e11 : 0) + key + this.#random() / 2;
    };
    return rows
      .map((life) => [keyOf(life), life] as const)
      .sort(([a], [b]) => a - b)
      .map(([, life]) => life);
  }
}

export function statusAt({ states }: Life, at: number): Status {
  return states.filter(([since]) => since <= at).at(-1)?.[1] ?? 'pending';
}

function finishedAt({ states }: Life, at: number): number | null {
  return states.filter(([since]) => since <= at).at(-1)?.[0] ?? null;
}

/** Invoices of some hours: most are paid, some end unpaid, and some of these are paid a day later. */
export function livesOf(count: number, span: number, random: Random): Life[] {
  return Array.from({ length: count }, (_, n): Life => {
    const created = START + below(random, span);
    const ends = created + MINUTE + below(random, HOUR);
    const status = random() < 0.7 ? 'success' : oneOf(random, ['expired', 'canceled', 'fail'] as const);
    const isPaidLate = status === 'expired' && random() < 0.3;
    return {
      uuid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      external_id: `order-${n}`,
      amount: `${10 + below(random, 90)}.00`,
      currency: oneOf(random, ['EUR', 'USD', 'PLN']),
      created,
      states: [[ends, status], ...(isPaidLate ? ([[ends + below(random, DAY), 'success']] as const) : [])],
    };
  });
}

function creationForm(life: Life, at: number): object {
  return {
    uuid: life.uuid,
    external_id: life.external_id,
    customer_id: 'customer-7',
    amount: life.amount,
    currency: { id: 2, code: life.currency, name: life.currency, symbol: life.currency },
    status: statusAt(life, at),
    created_at: new Date(Math.floor(life.created / 1_000) * 1_000).toISOString(),
    expires_at: new Date(life.created + HOUR).toISOString(),
    purpose: null,
    amount_to_send: null,
    callback_url: null,
    success_url: null,
    fail_url: null,
    payment_url: `https://pay.example/i/${life.uuid}`,
  };
}

function fullForm(life: Life, at: number): object {
  const finished = finishedAt(life, at);
  return {
    ...creationForm(life, at),
    finished_at: finished === null ? null : new Date(finished).toISOString(),
    payment_method: null,
    rate: null,
    settled_amount_usdt: statusAt(life, at) === 'success' ? life.amount : null,
    is_adjusted: false,
    adjustment: null,
  };
}

function json(data: object): Response {
  return Response.json({ success: true, data });
}

function refused(status: number): Response {
  return Response.json({ success: false, error: { code: `E_${status}`, message: 'refused' } }, { status });
}
