import { Decimal } from '../../contract/values/decimal.ts';
import { createRandom } from '../sandbox/state/random.ts';
import type { CheckedSettings, StormCustomer, StormNetwork, StormOrder, StormWebhook } from './options.ts';

// The plan of a storm, drawn from its seed alone: who comes when, what each of them does, and what goes wrong around
// it.

export const MINUTE = 60_000;
const OPENING_HOURS = 12 * 60 * MINUTE;
const LIFETIME = 30 * MINUTE;
/** How often the shop's own job runs. */
export const TURN = 10 * MINUTE;

/** What is paid of an order, by a draw from 0 to 1. */
const SHARES = {
  whole: (amount: Decimal) => amount,
  cent_less: (amount: Decimal) => amount.minus('0.01'),
  little_less: (amount: Decimal) => amount.times('0.95'),
  less: (amount: Decimal, draw: number) => amount.times(0.04 + Math.floor(draw * 80) / 100),
  more: (amount: Decimal, draw: number) => amount.times(1.1 + Math.floor(draw * 100) / 100),
};
export type Share = keyof typeof SHARES;

/**
 * When the shop is killed: while its function handles the webhook, whose response is lost, or right after its response.
 */
export type Kill = 'inside' | 'after';

/** One customer of the day. Times are milliseconds after the start. */
export interface PlannedCustomer {
  readonly order: StormOrder;
  readonly kind: StormCustomer;
  readonly network: StormNetwork;
  readonly webhook: StormWebhook;
  readonly arrives: number;
  /** When the customer ends the payment. */
  readonly ends: number;
  readonly share: Share;
  /** What is paid of this order. */
  readonly pays: string;
  /** The kill while the shop hears of this payment, or null. */
  readonly kill: Kill | null;
  /**
   * True if the webhook of the expiry arrives and the webhook of the payment is lost. Only a catch-up over canceled
   * orders and all their invoices finds this payment.
   */
  readonly isLostAlone: boolean;
  /** True if the outage stops the webhooks of all orders until this order's webhook is delivered. */
  readonly isOutageOfAll: boolean;
}

/** Minutes from the arrival to the end of the payment: the fewest, and how many more at most. Other kinds: 2 and 20. */
const STAYS: Readonly<Partial<Record<StormCustomer, readonly [fewest: number, more: number]>>> = {
  come_back: [12, 10],
  pay_late: [45, 180],
  renew: [50, 20],
};

/** What the guides promise that a storm of 200 plays, and how often: it is in each plan that has both at all. */
const PAIRS: readonly (readonly [StormCustomer, StormWebhook, times: number])[] = [
  ['pay_late', 'lost', 2],
  ['renew', 'lost', 2],
  ['pay_late', 'out_of_order', 3],
  ['pay_late', 'delivered', 1],
  ['renew', 'delivered', 1],
  ['expire', 'forged', 1],
  ['cancel', 'forged', 1],
  ['fail', 'forged', 1],
  ['pay', 'lost', 1],
  ['pay', 'at_once', 3],
  ['pay', 'duplicate', 1],
  ['pay', 'ack_lost', 1],
  ['pay', 'late_timestamp', 1],
  ['pay_less', 'delivered', 1],
  ['pay_less', 'duplicate', 1],
  ['pay_more', 'delivered', 1],
  ['second_order', 'delivered', 1],
];

/** The webhook during which the shop is killed, and when, in turn. */
const KILLS: readonly (readonly [StormWebhook, Kill])[] = [
  ['delivered', 'after'],
  ['ack_lost', 'inside'],
  ['delivered', 'inside'],
  ['ack_lost', 'after'],
];

/** What the customers of a kind that pays less pay, in turns: each is in a storm of 200. */
const LESS: readonly Share[] = ['cent_less', 'little_less', 'less', 'less'];

/**
 * The hours from which an outage of the whole shop may begin. More than three would leave a large storm nothing else.
 */
const OUTAGES_FROM = [2, 6, 10].map((hour) => hour * 60 * MINUTE);
const OUTAGE_LASTS = 120 * MINUTE;
/** Hours without an outage of the whole shop. */
const QUIET_HOURS = [0, 4, 8];
/** For how many hours from there a payment still fits. */
const QUIET_LASTS = 1.3;

/** Draws the customers of a day, in the order in which they arrive. */
export function planCustomers(settings: CheckedSettings): PlannedCustomer[] {
  const { seed, customers, weights, amounts, currencies, only } = settings;
  const kinds = deckOf<StormCustomer>(weights.customers, customers, `${seed} customers`);
  const networks = deckOf<StormNetwork>(weights.network, customers, `${seed} network`);
  const webhooks = deckOf<StormWebhook>(weights.webhooks, customers, `${seed} webhooks`);
  const kills = pairAndKill(kinds, webhooks, settings);
  const plans: PlannedCustomer[] = [];
  const outages = [...OUTAGES_FROM];
  let [less, again, outageEnds] = [0, 0, 0];
  for (const [index, kind] of kinds.entries()) {
    const number = index + 1;
    // Each draw depends on seed, customer and question alone, so another option does not change the other draws.
    const draw = (question: string): number => createRandom(`${seed} ${number} ${question}`).next();
    const oneOf = <Value>(question: string, values: readonly Value[]): Value | undefined =>
      values[Math.floor(draw(question) * values.length)];
    const earlier = kind === 'second_order' ? plans.filter((plan) => plan.kind === 'pay').at(-1) : undefined;
    const same = earlier !== undefined && again++ % 2 === 0 ? earlier.order : undefined; // the same charge once more, in turns
    const cents = 2_500 + Math.floor(draw('amount') * 17_500);
    const amount = same?.amount ?? oneOf('amount', amounts ?? []) ?? (cents / 100).toFixed(2);
    const share = kind === 'pay_less' ? (LESS[less++ % LESS.length] ?? 'less') : kind === 'pay_more' ? 'more' : 'whole';
    const pays = Decimal.max(SHARES[share](new Decimal(amount), draw('share')), '0.01').toFixed(2);
    const arrives = Math.floor((index * OPENING_HOURS) / customers) + 1; // an invoice ends after a turn, never with it
    const [fewest, more] = STAYS[kind] ?? [2, 20];
    const webhook = webhooks[index] ?? 'delivered'; // a deck has as many as there are customers
    const isOutage = webhook === 'outage';
    const isLostAlone = (kind === 'pay_late' || kind === 'renew') && (webhook === 'lost' || isOutage);
    const isOutageOfAll = isOutage && !isLostAlone && arrives >= Math.max(outageEnds, outages[0] ?? OPENING_HOURS);
    const ends =
      kind === 'pay_late' && webhook === 'out_of_order'
        ? rightAfterTheEnd(arrives)
        : arrives + Math.floor((fewest + draw('end') * more) * MINUTE);
    if (isOutageOfAll) {
      outages.shift();
      outageEnds = ends + OUTAGE_LASTS;
    }
    const customer_id = earlier?.order.customer_id ?? `customer-${number}`;
    const currency = same?.currency ?? oneOf('currency', currencies ?? []) ?? 'EUR';
    const order = { id: `order-${number}`, customer_id, amount, currency };
    const kill = kills.get(index) ?? null;
    const faults = { network: networks[index] ?? 'calm', webhook, kill, isLostAlone, isOutageOfAll };
    plans.push({ order, kind, arrives, ends, share, pays, ...faults });
  }
  return only === undefined ? plans : plans.filter(({ order }) => only.includes(order.id));
}

/**
 * The time of a late payment that comes before the next catch-up, so that the held event of the expiry arrives after
 * it.
 */
function rightAfterTheEnd(arrives: number): number {
  const end = arrives + LIFETIME;
  const untilTurn = TURN - (end % TURN);
  return end + Math.ceil(Math.min(MINUTE / 2, untilTurn / 2));
}

/**
 * Swaps webhooks between customers until each of the pairs is played. In each `restartEvery` customers it picks one
 * during whose webhook the shop is killed. Returns these kills by the index of the customer.
 */
function pairAndKill(
  kinds: readonly StormCustomer[],
  webhooks: StormWebhook[],
  { customers, restartEvery }: CheckedSettings,
): Map<number, Kill> {
  const fixed = new Set<number>();
  /** Gives the webhook to a customer of a kind, from an index on, in quiet hours where it can be. */
  const give = (kind: StormCustomer, webhook: StormWebhook, from: number): number | null => {
    const all = kinds.flatMap((each, index) => (each === kind && !fixed.has(index) ? [index] : []));
    const later = all.filter((index) => index >= from);
    const near = later.filter((index) => isQuiet((index * 12) / customers) && index < from + customers / 3);
    const free = [near, later, all].find((each) => each.length > 0) ?? [];
    const taken = free.find((index) => webhooks[index] === webhook);
    const one = taken ?? free[0];
    const other = taken ?? webhooks.findIndex((each, index) => each === webhook && !fixed.has(index));
    if (one === undefined || other === -1) return null; // switched off, or all of them are part of a pair
    [webhooks[one], webhooks[other]] = [webhook, webhooks[one] ?? webhook];
    fixed.add(one);
    return one;
  };
  for (const [kind, webhook, times] of PAIRS) {
    for (const hour of QUIET_HOURS.slice(0, times)) give(kind, webhook, Math.floor((hour * customers) / 12));
  }
  const kills = new Map<number, Kill>();
  for (let number = restartEvery; number <= customers; number += restartEvery) {
    const [webhook, kill] = KILLS[kills.size % KILLS.length] ?? ['delivered', 'after'];
    const from = number - restartEvery;
    kills.set(give('pay', webhook, from) ?? give('pay', 'delivered', from) ?? number - 1, kill);
  }
  return kills;
}

function isQuiet(hour: number): boolean {
  return QUIET_HOURS.some((from) => hour >= from && hour < from + QUIET_LASTS);
}

/** As many of each kind as its weight says, shuffled. Among few customers, single draws could miss a kind. */
function deckOf<Kind extends string>(weights: Readonly<Record<string, number>>, size: number, seed: string): Kind[] {
  const random = createRandom(seed);
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  const deck = Object.entries(weights).flatMap(
    ([kind, weight]) => Array.from({ length: Math.ceil((weight * size) / total) }, () => kind as Kind), // the names of the weights
  );
  for (let at = deck.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random.next() * (at + 1));
    [deck[at], deck[other]] = [deck[other] as Kind, deck[at] as Kind]; // both are within the deck
  }
  return deck.slice(0, size);
}
