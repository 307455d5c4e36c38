import { Decimal } from '../../contract/values/decimal.ts';
import { createRandom } from '../sandbox/state/random.ts';
import type { CheckedSettings, StormCustomer, StormNetwork, StormOrder, StormWebhook } from './options.ts';

// The plan of a storm, drawn from its seed alone: who comes when, what each of them does, and what goes wrong around it.

const MINUTE = 60_000;
const OPENING_HOURS = 12 * 60 * MINUTE;

/** What is paid of the order. */
export type Share = 'whole' | 'cent_less' | 'little_less' | 'less' | 'more';

/**
 * When the shop is killed: while its function handles the webhook, whose response is lost, or right after it has answered.
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
  /** The earlier order of the same customer, or null. */
  readonly earlier: string | null;
}

/** Minutes from the arrival to the end of the payment: the fewest, and how many more at most. Other kinds: 2 and 20. */
const STAYS: Readonly<Partial<Record<StormCustomer, readonly [fewest: number, more: number]>>> = {
  come_back: [12, 10],
  pay_late: [45, 180],
  renew: [50, 20],
};

/** What the guides promise that a storm of 200 plays: it is in each plan that has both at all. */
const PAIRS: readonly (readonly [StormCustomer, StormWebhook])[] = [
  ['pay_late', 'lost'],
  ['pay_late', 'lost'],
  ['renew', 'lost'],
  ['renew', 'lost'],
  ['pay_late', 'out_of_order'],
  ['pay_late', 'out_of_order'],
  ['pay_late', 'out_of_order'],
  ['pay_late', 'delivered'],
  ['renew', 'delivered'],
  ['expire', 'forged'],
  ['cancel', 'forged'],
  ['fail', 'forged'],
  ['pay', 'lost'],
  ['pay', 'at_once'],
  ['pay', 'at_once'],
  ['pay', 'at_once'],
  ['pay', 'duplicate'],
  ['pay', 'ack_lost'],
  ['pay', 'late_timestamp'],
  ['pay_less', 'delivered'],
  ['pay_less', 'duplicate'],
  ['pay_more', 'delivered'],
  ['second_order', 'delivered'],
];

/** The webhooks of the killed customers, in turns, and when the kill comes. */
const KILLS: readonly (readonly [StormWebhook, Kill])[] = [
  ['delivered', 'after'],
  ['ack_lost', 'inside'],
  ['delivered', 'inside'],
  ['ack_lost', 'after'],
];

/** What the customers of a kind that pays less pay, in turns: each is in a storm of 200. */
const LESS: readonly Share[] = ['cent_less', 'little_less', 'less', 'less'];

/** Draws the customers of a day, in the order in which they arrive. */
export function planCustomers(settings: CheckedSettings): PlannedCustomer[] {
  const { seed, customers, weights, amounts, currencies, only } = settings;
  const kinds = deckOf<StormCustomer>(weights.customers, customers, `${seed} customers`);
  const networks = deckOf<StormNetwork>(weights.network, customers, `${seed} network`);
  const webhooks = deckOf<StormWebhook>(weights.webhooks, customers, `${seed} webhooks`);
  const fixed = pair(kinds, webhooks);
  const kills = planKills(kinds, webhooks, fixed, settings);
  const plans: PlannedCustomer[] = [];
  let [less, again] = [0, 0];
  for (const [index, kind] of kinds.entries()) {
    const number = index + 1;
    // Each draw depends on seed, customer and question alone, so another option does not change the other draws.
    const draw = (question: string): number => createRandom(`${seed} ${number} ${question}`).next();
    const cents = 2_500 + Math.floor(draw('amount') * 17_500);
    const drawn = amounts?.[Math.floor(draw('amount') * amounts.length)] ?? (cents / 100).toFixed(2);
    const share: Share =
      kind === 'pay_less' ? (LESS[less++ % LESS.length] ?? 'less') : kind === 'pay_more' ? 'more' : 'whole';
    const earlier = kind === 'second_order' ? earlierOf(plans) : undefined;
    const isSame = earlier !== undefined && again++ % 2 === 0; // the same charge once more, in turns
    const amount = isSame ? earlier.order.amount : drawn;
    const arrives = Math.floor((index * OPENING_HOURS) / customers);
    const [fewest, more] = STAYS[kind] ?? [2, 20];
    const webhook = webhooks[index] ?? 'delivered'; // a deck has as many as there are customers
    const stays = Math.floor((fewest + draw('end') * more) * MINUTE);
    plans.push({
      order: {
        id: `order-${number}`,
        customer_id: earlier?.order.customer_id ?? `customer-${number}`,
        amount,
        currency: isSame
          ? earlier.order.currency
          : (currencies[Math.floor(draw('currency') * currencies.length)] ?? 'EUR'),
      },
      kind,
      network: networks[index] ?? 'calm',
      webhook,
      arrives,
      ends: kind === 'pay_late' && webhook === 'out_of_order' ? rightAfterTheEnd(arrives) : arrives + stays,
      share,
      pays: paid(amount, share, draw('share')),
      kill: kills.get(index) ?? null,
      earlier: earlier?.order.id ?? null,
    });
  }
  return only === undefined ? plans : plans.filter(({ order }) => only.includes(order.id));
}

const LIFETIME = 30 * MINUTE;
/** How often the shop's own job runs. */
export const TURN = 10 * MINUTE;

/** A payment before the shop's job tells it that the invoice has expired: the held event then comes after the payment. */
function rightAfterTheEnd(arrives: number): number {
  const end = arrives + LIFETIME;
  const untilTurn = TURN - (end % TURN);
  return end + Math.ceil(Math.min(MINUTE / 2, untilTurn / 2));
}

/** The last customer who only pays. */
function earlierOf(plans: readonly PlannedCustomer[]): PlannedCustomer | undefined {
  return plans.filter(({ kind, earlier }) => kind === 'pay' && earlier === null).at(-1);
}

function paid(amount: string, share: Share, draw: number): string {
  const whole = new Decimal(amount);
  const least = new Decimal('0.01');
  const part =
    share === 'cent_less'
      ? whole.minus(least)
      : share === 'little_less'
        ? whole.times('0.95')
        : share === 'less'
          ? whole.times(0.04 + Math.floor(draw * 80) / 100)
          : share === 'more'
            ? whole.times(1.1 + Math.floor(draw * 100) / 100)
            : whole;
  return Decimal.max(part, least).toFixed(2);
}

/** The hours of the day without an outage of the whole shop, from their first minute to the last that a payment has time for. */
const QUIET_HOURS = [0, 4, 8];
const QUIET_LASTS = 1.3;
/** The hours from which an outage of the whole shop may begin. It takes two hours. */
export const OUTAGES_FROM: readonly number[] = [2, 6, 10].map((hour) => hour * 60 * MINUTE);

/** Changes webhooks with one another until each of the pairs is played. Returns the customers that are part of one. */
function pair(kinds: readonly StormCustomer[], webhooks: StormWebhook[]): Set<number> {
  const fixed = new Set<number>();
  const times = new Map<string, number>();
  for (const [kind, webhook] of PAIRS) {
    const time = times.get(`${kind} ${webhook}`) ?? 0;
    times.set(`${kind} ${webhook}`, time + 1);
    const from = Math.floor(((QUIET_HOURS[time % QUIET_HOURS.length] ?? 0) * kinds.length) / 12);
    give(kinds, webhooks, fixed, from, kind, webhook);
  }
  return fixed;
}

/** Gives the webhook to a customer of a kind, from an index on, in quiet hours where it can be. Returns the customer, or null. */
function give(
  kinds: readonly StormCustomer[],
  webhooks: StormWebhook[],
  fixed: Set<number>,
  from: number,
  kind: StormCustomer,
  webhook: StormWebhook,
): number | null {
  const all = kinds.flatMap((each, index) => (each === kind && !fixed.has(index) ? [index] : []));
  const later = all.filter((index) => index >= from);
  const near = later.filter((index) => isQuiet(index, kinds.length) && index < from + kinds.length / 3);
  const free = [near, later, all].find((each) => each.length > 0) ?? [];
  const taken = free.find((index) => webhooks[index] === webhook);
  const one = taken ?? free[0];
  if (one === undefined) return null;
  const other = taken ?? webhooks.findIndex((each, index) => each === webhook && !fixed.has(index));
  if (other === -1) return null; // switched off, or all of them are part of a pair
  [webhooks[one], webhooks[other]] = [webhook, webhooks[one] ?? webhook];
  fixed.add(one);
  return one;
}

function isQuiet(index: number, customers: number): boolean {
  const hour = (index * 12) / customers;
  return QUIET_HOURS.some((from) => hour >= from && hour < from + QUIET_LASTS);
}

/** One kill for each `restartEvery` customers, each while a whole payment is told. */
function planKills(
  kinds: readonly StormCustomer[],
  webhooks: StormWebhook[],
  fixed: Set<number>,
  { customers, restartEvery }: CheckedSettings,
): Map<number, Kill> {
  const kills = new Map<number, Kill>();
  for (let number = restartEvery; number <= customers; number += restartEvery) {
    const [webhook, kill] = KILLS[kills.size % KILLS.length] ?? ['delivered', 'after'];
    const from = number - restartEvery;
    const at =
      give(kinds, webhooks, fixed, from, 'pay', webhook) ?? give(kinds, webhooks, fixed, from, 'pay', 'delivered');
    kills.set(at ?? number - 1, kill);
  }
  return kills;
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
