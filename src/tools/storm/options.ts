import { isLoopback } from '../../contract/values/scalars.ts';
import {
  type Callback,
  callback,
  checkCallbacks,
  checkOptions,
  configurationFail,
  count,
  duration,
  kindOf,
  type OptionTable,
  quoted,
  readOptions,
  signal,
} from '../../errors/checks.ts';
import type { ReconcileOrder } from '../../reconcile/types.ts';
import type { SandboxServer } from '../sandbox/http/server.ts';
import type { SandboxFetch } from '../sandbox/sandbox.ts';

// What goes into a storm: the merchant's shop, and how often each kind of customer and failure is drawn.

/** The service that a storm plays for a shop. */
export interface StormService {
  /** The base URL for a client that has {@link StormService.fetch}. Any other client needs the one of `listen()`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** The service as the `fetch` of the shop's client, without a port. */
  readonly fetch: SandboxFetch;
  /** The origin for the shop's own addresses, such as its `callback_url`, where `receive` is a function. */
  readonly origin: string;
  /**
   * The time of the service in milliseconds. The storm moves it by days, so give it to the handler and the store where
   * `receive` is a function. Webhooks to an address are stamped by the clock of the machine.
   */
  readonly now: () => number;
  /**
   * Serves the service over HTTP, for a shop in another process, as `sandbox.listen()` does. It ends with the storm.
   */
  listen(): Promise<SandboxServer>;
}

/** An order that a customer places. */
export interface StormOrder {
  /** The id of the order. */
  readonly id: string;
  /** The customer. A few of them place two orders. */
  readonly customer_id: string;
  /** Decimal text. */
  readonly amount: string;
  readonly currency: string;
}

/**
 * One row for each time that a customer got something for an order: goods, credit, the money back, or a person's
 * decision.
 */
export interface StormFulfilment {
  /** The id of the order in `orders()`, or of its invoice. Give this or {@link StormFulfilment.order}. */
  readonly external_id?: string | null | undefined;
  /** The id of the order, where the table names it so. */
  readonly order?: string | null | undefined;
  /**
   * What was given. `review`: a person decides about the payment. `bonus`: an addition that pays for nothing, such as a
   * loyalty credit, a replacement or a receipt. `fee`: what the market place keeps of the payment.
   * @defaultValue 'goods'
   */
  readonly kind?: 'goods' | 'credit' | 'refund' | 'review' | 'bonus' | 'fee' | null | undefined;
  /** The parcel, if the order has several. Each may be given once. Default: the whole order. */
  readonly item?: string | number | null | undefined;
  /** The USDT of a credit or a refund. Default: a whole payment. Absent for goods. */
  readonly credited_usdt?: string | { toFixed(): string } | null | undefined;
}

/** The merchant's own code: its checkout, its webhook endpoint, and the rows of its database. */
export interface StormShop {
  /**
   * Runs the shop's code behind its pay button, which creates the invoice. Resolves to what the customer gets: the
   * `payment_url`, the invoice, the result of `createOrRenew`, another page of the shop, null if nothing is left to pay,
   * or `{ refused: 'sold out' }`. If it rejects, the customer sees an error, and comes back later.
   */
  readonly checkout: (order: StormOrder) => Promise<StormCheckout>;
  /** The webhook endpoint: an address on this machine, or a function. Absent in a shop that only asks the service. */
  readonly receive?: string | ((request: Request) => Response | Promise<Response>) | undefined;
  /**
   * The orders of the shop's database, as for `reconcile`. `external_id` is the id of the order, or that with which the
   * shop created its invoice. An unpaid order may be deleted.
   */
  readonly orders: () => Rows<ReconcileOrder>;
  /** One row for each time that something was given. Without it, a double fulfilment is not seen. */
  readonly fulfilments?: (() => Rows<StormFulfilment>) | undefined;
  /** Follows the customer back to the shop, to the `success_url` of the invoice. */
  readonly visit?: ((url: string) => unknown) | undefined;
  /**
   * Runs `handler.catchUp`, if the shop does. It is called every ten minutes of the day, over an address once an hour.
   */
  readonly catchUp?: (() => unknown) | undefined;
  /** Kills the shop's process and starts it again, or throws away what it has in memory. */
  readonly restart?: (() => unknown) | undefined;
  /**
   * Resolves when the shop's workers and timers have nothing to do. It is awaited after each moment. Without it, the
   * storm waits for 50 ms before each run of the job and before it judges. It then reads orders that look wrong again,
   * for two seconds at most.
   */
  readonly idle?: (() => unknown) | undefined;
  /** The shop's written terms, in the currency of the orders. Within them nothing is lost and nothing is owed. */
  readonly accepts?: StormTerms | undefined;
  /** Called at the end. If it fails, the storm rejects, unless there is a finding or another error. */
  readonly close?: (() => unknown) | undefined;
}

/** What a customer gets at the pay button. */
export type StormCheckout =
  | string
  | { readonly payment_url: string }
  | { readonly invoice: { readonly payment_url: string } }
  | { readonly refused: string }
  | null;

/** How far a payment may be from the order, where the shop says so to its customers. Decimal text. */
export interface StormTerms {
  /** The order is given for this much less. */
  readonly less?: string | undefined;
  /** The shop keeps this much more. */
  readonly surplus?: string | undefined;
}

type Rows<Row> = Iterable<Row> | AsyncIterable<Row> | Promise<Iterable<Row>>;

/** How often each kind is drawn by default, relative to the others. A storm has the kinds of this table. */
export const DEFAULT_WEIGHTS = {
  customers: {
    pay: 40,
    pay_less: 8,
    pay_more: 5,
    pay_late: 8,
    cancel: 6,
    fail: 5,
    expire: 6,
    come_back: 6,
    renew: 6,
    click_twice: 8,
    two_tabs: 8,
    second_order: 5,
    pay_both: 4,
    old_tab: 4,
    pay_rest: 4,
    dispute: 2,
  },
  network: {
    calm: 60,
    response_lost: 8,
    request_lost: 6,
    server_error: 6,
    server_error_after: 6,
    rate_limit: 4,
    slow: 5,
    truncated: 5,
  },
  webhooks: {
    delivered: 45,
    duplicate: 9,
    at_once: 6,
    ack_lost: 10,
    out_of_order: 10,
    late_timestamp: 5,
    wrong_signature: 5,
    outage: 6,
    lost: 4,
    forged: 5,
  },
} as const;

/**
 * What a customer does. `renew`: presses pay again after 45 minutes, when the invoice has expired, and pays then.
 * `second_order`: pays another order of a customer who has one, half of them over the same amount, most of them both at
 * the same moment. `pay_both`: as `renew`, and pays the first invoice too, which is still open in an old tab: some at
 * the same moment, some after a payment in part. `old_tab`: pays that one alone. `pay_rest`: pays less, presses again,
 * and pays the rest if the shop asks for it. `dispute`: the service corrects the payment days later.
 * @useDeclaredType
 */
export type StormCustomer = keyof typeof DEFAULT_WEIGHTS.customers;
/**
 * What goes wrong around a creation.
 * @useDeclaredType
 */
export type StormNetwork = keyof typeof DEFAULT_WEIGHTS.network;
/**
 * What goes wrong around a webhook. `at_once`: two deliveries of it at the same moment.
 * @useDeclaredType
 */
export type StormWebhook = keyof typeof DEFAULT_WEIGHTS.webhooks;

/** How often each kind is drawn, relative to the others. Zero switches it off. */
export interface StormWeights {
  readonly customers?: Readonly<Partial<Record<StormCustomer, number>>> | undefined;
  readonly network?: Readonly<Partial<Record<StormNetwork, number>>> | undefined;
  readonly webhooks?: Readonly<Partial<Record<StormWebhook, number>>> | undefined;
}

/** The settings of a storm. */
export interface StormSettings {
  /**
   * The same seed repeats the storm exactly in one process. Over HTTP with kills it repeats the plan. @defaultValue 1
   */
  readonly seed?: number | string | undefined;
  /** Customers of the day. @defaultValue 200 */
  readonly customers?: number | undefined;
  /** Plays these customers alone, such as `['order-10']`. Each does what it does in the whole storm. */
  readonly only?: readonly string[] | undefined;
  /** The amounts of the orders, where the shop has its own prices: `['12.50', '25.00']`. Default: 25.00 to 200.00. */
  readonly amounts?: readonly string[] | undefined;
  /** The currencies of the orders. @defaultValue ['EUR'] */
  readonly currencies?: readonly string[] | undefined;
  /** How often each kind of customer, network and webhook is drawn. */
  readonly weights?: StormWeights | undefined;
  /** The number of customers for one kill, where the shop has `restart`. @defaultValue 20 */
  readonly restartEvery?: number | undefined;
  /**
   * Milliseconds of real time that `idle` may take after a kill: a job of the dead worker waits for its lease. All these
   * waits of a storm end after three minutes. @defaultValue 60_000
   */
  readonly idleLimit?: number | undefined;
  /**
   * Milliseconds of real time, after which the storm ends with the finding `not_finished`. A function of the shop that
   * does not resolve is left at twice the limit. If `shop` does not resolve by then, the storm rejects.
   * @defaultValue 300_000
   */
  readonly timeLimit?: number | undefined;
  /** Ends the storm, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each step. Errors thrown here are printed on the console and change nothing. */
  readonly onProgress?: Callback<[progress: { readonly done: number; readonly total: number }]> | undefined;
}

/** Options of {@link storm}. */
export interface StormOptions extends StormSettings {
  /** Opens the shop over the service of the storm. */
  readonly shop: (service: StormService) => StormShop | Promise<StormShop>;
}

export const fail = configurationFail('storm');

type Weights = { readonly [Name in keyof typeof DEFAULT_WEIGHTS]: Readonly<Record<string, number>> };

function readWeights(given: unknown): Weights {
  const weights = (given ?? {}) as StormWeights; // its members are checked here
  checkOptions('weights', weights, new Set(Object.keys(DEFAULT_WEIGHTS)), fail);
  const merged = Object.entries(DEFAULT_WEIGHTS).map(([name, byDefault]) => {
    const changed = weights[name as keyof StormWeights] ?? {}; // the names of the table
    checkOptions(`weights.${name}`, changed, new Set(Object.keys(byDefault)), fail);
    for (const [kind, weight] of Object.entries(changed)) {
      if (typeof weight !== 'number' || !(weight >= 0 && weight < Number.POSITIVE_INFINITY))
        fail(`weights.${name}.${kind} must be a number from 0, not ${kindOf(weight)}`);
    }
    const row: Readonly<Record<string, number>> = { ...byDefault, ...changed };
    if (Object.values(row).every((weight) => weight === 0)) fail(`weights.${name} switches every kind off`);
    return [name, row] as const;
  });
  return Object.fromEntries(merged) as unknown as Weights; // the names of the table
}

/** A list of texts of one form, or undefined. */
function texts(form: RegExp, shown: string) {
  return (value: unknown, name: string): readonly string[] | undefined => {
    if (value === undefined) return undefined;
    const isFine = Array.isArray(value) && value.every((each) => typeof each === 'string' && form.test(each));
    return isFine && value.length > 0 ? value : fail(`${name} must be a list of ${shown}`);
  };
}

const OPTIONS = {
  seed(value: unknown = 1): number | string {
    if (typeof value === 'string' || Number.isFinite(value)) return value as number | string; // just checked
    return fail(`seed must be a number or text, not ${kindOf(value)}`);
  },
  customers: count({ default: 200, min: 1, max: 100_000 }),
  only: texts(/^order-[1-9]\d*$/, 'ids such as "order-10"'),
  amounts: texts(/^(?=.*[1-9])\d{1,12}(?:\.\d{1,2})?$/, 'decimal text such as "12.50"'),
  currencies: texts(/^[A-Z\d]{2,16}$/, 'codes such as "EUR"'),
  weights: readWeights,
  restartEvery: count({ default: 20, min: 1 }),
  idleLimit: duration({ default: 60_000 }),
  timeLimit: duration({ default: 300_000 }),
  signal: signal(),
  onProgress: callback<StormSettings['onProgress']>(),
  shop(value: unknown): StormOptions['shop'] {
    if (typeof value === 'function') return value as StormOptions['shop']; // checkShop checks what it returns
    return fail('needs shop, a function that opens the shop over the service it is given');
  },
} satisfies OptionTable<StormOptions>;

/** The options after their check, with the defaults. */
export type CheckedSettings = ReturnType<typeof readSettings>;

/**
 * Checks the options and fills in the defaults.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) that names the option
 */
export function readSettings(options: StormOptions) {
  const settings = readOptions('options', options, OPTIONS, fail);
  const strange = settings.only?.find((id) => Number(id.slice('order-'.length)) > settings.customers);
  if (strange !== undefined) fail(`only has ${strange}, and there are ${settings.customers} customers`);
  const { amounts, currencies, weights, restartEvery, idleLimit } = options;
  const changed = Object.entries({ amounts, currencies, weights, restartEvery, idleLimit });
  /** The options that change the play beside seed, customers and only, as they were given. */
  const others = changed.filter(([, value]) => value !== undefined);
  return { ...settings, others };
}

/**
 * The shop after its check.
 * @throws ConfigurationError for a missing member, or an address of another machine
 */
export function checkShop(shop: StormShop): StormShop {
  if (typeof shop !== 'object' || shop === null)
    fail(`shop must return { checkout, receive, orders }, not ${kindOf(shop)}`);
  const { checkout, receive, orders, fulfilments, visit, catchUp, restart, idle, close, accepts = {} } = shop;
  if (typeof checkout !== 'function' || typeof orders !== 'function') fail('needs the functions checkout and orders');
  checkCallbacks({ fulfilments, visit, catchUp, restart, idle, close }, fail);
  if (typeof receive === 'string') refuseStrangeHost('receive', receive);
  else if (receive !== undefined && typeof receive !== 'function')
    fail(`receive must be an address or a function, not ${kindOf(receive)}`);
  checkOptions('accepts', accepts, new Set(['less', 'surplus']), fail);
  for (const [name, amount] of Object.entries(accepts))
    if (amount !== undefined && !(typeof amount === 'string' && AMOUNT.test(amount)))
      fail(`accepts.${name} must be decimal text such as "0.50", not ${quoted(amount)}`);
  return shop;
}

const AMOUNT = /^\d{1,12}(?:\.\d{1,2})?$/;

/** A storm cancels and fulfils orders in the database that it is given, so it stays on this machine. */
export function refuseStrangeHost(what: string, address: string): void {
  const url = URL.canParse(address) ? new URL(address) : fail(`${what} is not an address`);
  if (isLoopback(url.hostname)) return;
  fail(
    `${what} is on ${url.hostname}. A storm cancels and fulfils orders, so it only plays with a shop on this machine`,
  );
}
