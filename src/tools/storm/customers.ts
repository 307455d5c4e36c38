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
  half: (amount: Decimal) => amount.div(2).toDecimalPlaces(2, Decimal.ROUND_UP),
  less: (amount: Decimal, draw: number) => amount.times(0.04 + Math.floor(draw * 80) / 100),
  more: (amount: Decimal, draw: number) => amount.times(1.1 + Math.floor(draw * 100) / 100),
};
export type Share = keyof typeof SHARES;

/**
 * A kill of the shop. It waits for work of this kind, and strikes at the first change of the rows (`change`), after the
 * commit with the answer lost (`lost`), or right after the answer (`after`).
 */
export interface Kill {
  readonly in: 'delivery' | 'job' | 'press';
  readonly when: 'change' | 'lost' | 'after';
}

type Both = 'last_first' | 'old_first' | 'part_first' | 'together';

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
  /** The kill that begins to wait with this customer, or null. */
  readonly kill: Kill | null;
  /**
   * True if the webhook of the expiry arrives and the webhook of the payment is lost. Only a catch-up over canceled
   * orders and all their invoices finds this payment.
   */
  readonly isLostAlone: boolean;
  /** True if the outage stops the webhooks of all orders until this order's webhook is delivered. */
  readonly isOutageOfAll: boolean;
  /** When the customer presses again after the end of an invoice. */
  readonly renews: readonly number[];
  /** How both invoices are paid: which one comes first, the last one in part before the first, or both at once. */
  readonly paysBoth: Both | null;
  /** How long the event of the end is held, where it comes out of order. */
  readonly heldFor: number;
  /**
   * What begins together with the payment: the return of the customer, a turn of the shop's job, a press in another tab,
   * or the webhook of the first invoice's end.
   */
  readonly paysWith: 'return' | 'job' | 'press' | 'end' | null;
  /** The order whose first press, or whose payment, begins together with this one. */
  readonly twin: { readonly order: string; readonly does: 'press' | 'pay' } | null;
}

/**
 * Minutes from the arrival, or from the renewal, to the end of the payment: the fewest, and how many more at most.
 * Other kinds: 2 and 20.
 */
const STAYS: Readonly<Partial<Record<StormCustomer, readonly [fewest: number, more: number]>>> = {
  come_back: [12, 10],
  pay_late: [45, 180],
  renew: [5, 20],
  pay_both: [5, 20],
  old_tab: [5, 20],
};

/** What the guides promise that a storm of 200 plays, and how often: it is in each plan that has both at all. */
const PAIRS: readonly (readonly [StormCustomer, StormWebhook, times: number])[] = [
  ['pay_late', 'lost', 2],
  ['renew', 'lost', 2],
  ['pay_late', 'out_of_order', 3],
  ['pay_late', 'out_of_order', 2],
  ['pay_late', 'delivered', 1],
  ['come_back', 'delivered', 2],
  ['renew', 'delivered', 2],
  ['renew', 'out_of_order', 3],
  ['renew', 'out_of_order', 3],
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
  ['pay_both', 'delivered', 2],
  ['pay_both', 'lost', 1],
  ['old_tab', 'delivered', 2],
  ['pay_rest', 'delivered', 1],
  ['dispute', 'delivered', 1],
];

/** The kills in turn, each with the webhook of the customer with whom it begins to wait. */
const KILLS: readonly (readonly [StormWebhook, Kill])[] = [
  ['delivered', { in: 'delivery', when: 'after' }],
  ['ack_lost', { in: 'delivery', when: 'change' }],
  ['lost', { in: 'job', when: 'change' }],
  ['delivered', { in: 'delivery', when: 'change' }],
  ['delivered', { in: 'press', when: 'change' }],
  ['ack_lost', { in: 'delivery', when: 'after' }],
  ['delivered', { in: 'delivery', when: 'lost' }],
  ['lost', { in: 'job', when: 'after' }],
  ['delivered', { in: 'press', when: 'lost' }],
  ['delivered', { in: 'delivery', when: 'change' }],
];

const RENEWING: ReadonlySet<StormCustomer> = new Set(['renew', 'pay_both', 'old_tab']);
const FIVE_HOURS = 300 * MINUTE;
const seconds = (draw: number): number => 1_000 + Math.floor(draw * 89_000);
const minutes = (draw: number): number => Math.floor((2 + draw * 28) * MINUTE);

/** Held until the payment, late or of the renewal, with which it is sent. */
const UNTIL_PAYMENT = FIVE_HOURS + MINUTE;
const untilPayment = (): number => UNTIL_PAYMENT;
const aMinute = (draw: number): number => 30_000 + Math.floor(draw * 60_000);

/**
 * How long the event of an end is held, in turn: for seconds, minutes and hours. A late payment comes before most of
 * these ends, and a renewal is pressed before all of them.
 */
const HELD = {
  any: [seconds, minutes, () => FIVE_HOURS],
  late: [() => FIVE_HOURS, untilPayment, minutes, untilPayment, seconds],
  renewed: [aMinute, untilPayment, () => 18 * MINUTE, untilPayment, () => FIVE_HOURS, untilPayment],
  old: [aMinute, () => 18 * MINUTE, () => FIVE_HOURS],
} as const;
/** How long after the end of the first invoice its customer presses again. Before an end that is held for seconds, or until the payment, it is at once. */
const UNTIL_RENEWAL = 15 * MINUTE;
const AT_ONCE = 5_000;

/** Pairs of payments of one customer at the same moment. */
const PAIRS_OF_PAYMENTS = 6;
/** Pairs of first presses of two customers at the same moment. */
const PAIRS_OF_PRESSES = 8;
/** Payments that begin with a turn of the job: more turns would cost a large storm too much. */
const WITH_JOB_MAX = 24;

/** What the customers of a kind that pays less pay, in turns: each is in a storm of 200. */
const LESS: readonly Share[] = ['cent_less', 'little_less', 'less', 'half'];

/**
 * The hours from which an outage of the whole shop may begin. More than three would leave a large storm nothing else.
 */
const OUTAGES_FROM = [2, 6, 10].map((hour) => hour * 60 * MINUTE);
/** The other webhooks of these minutes come late, and nothing can happen together with them. */
export const OUTAGE_LASTS = 40 * MINUTE;
/** In the last quarter of the customers nothing is killed: there a restart heals nothing. */
const KILLED_PART = 0.75;

/** Hours without an outage of the whole shop. */
const QUIET_HOURS = [0, 4, 8];
/** For how many hours from there a payment still fits. */
const QUIET_LASTS = 1.3;

/** Draws the customers of a day, in the order in which they are numbered. */
export function planCustomers(settings: CheckedSettings): PlannedCustomer[] {
  const { seed, customers, weights, amounts, currencies, only } = settings;
  const kinds = deckOf<StormCustomer>(weights.customers, customers, `${seed} customers`);
  const networks = deckOf<StormNetwork>(weights.network, customers, `${seed} network`);
  const webhooks = deckOf<StormWebhook>(weights.webhooks, customers, `${seed} webhooks`);
  const { kills, couples } = pairAndKill(kinds, webhooks, settings);
  const pressing = pairsOfPresses(kinds, networks, kills);
  const plans: PlannedCustomer[] = [];
  const outages = [...OUTAGES_FROM];
  const turns = { less: 0, again: 0, with: 0, withJob: 0, any: 0, late: 0, renewed: 0, old: 0, both: 0, atOnce: 0 };
  let outageEnds = 0;
  for (const [index, kind] of kinds.entries()) {
    const number = index + 1;
    // Each draw depends on seed, customer and question alone, so another option does not change the other draws.
    const draw = (question: string): number => createRandom(`${seed} ${number} ${question}`).next();
    const oneOf = <Value>(question: string, values: readonly Value[]): Value | undefined =>
      values[Math.floor(draw(question) * values.length)];
    const partner = plans[couples.get(index) ?? -1];
    const earlier =
      partner ?? (kind === 'second_order' ? plans.filter((plan) => plan.kind === 'pay').at(-1) : undefined);
    const same = earlier !== undefined && turns.again++ % 2 === 0 ? earlier.order : undefined; // the same charge once more, in turns
    const cents = 2_500 + Math.floor(draw('amount') * 17_500);
    const amount = same?.amount ?? oneOf('amount', amounts ?? []) ?? (cents / 100).toFixed(2);
    const beside = plans[pressing.get(index) ?? -1];
    const webhook = webhooks[index] ?? 'delivered'; // a deck has as many as there are customers
    // An invoice ends after a turn, never with it.
    const usual = Math.floor((index * OPENING_HOURS) / customers) + 1;
    const times = timesOf({ kind, webhook, usual, partner, beside, turns, draw });
    const { arrives, ends } = times;
    const isAtOnce = webhook === 'delivered' && ends > outageEnds;
    const paysBoth = kind === 'pay_both' ? bothOf(turns, webhook, isAtOnce) : null;
    const isLess = kind === 'pay_less' || kind === 'pay_rest' || paysBoth === 'part_first';
    const share = isLess ? (LESS[turns.less++ % LESS.length] ?? 'less') : kind === 'pay_more' ? 'more' : 'whole';
    const pays = Decimal.max(SHARES[share](new Decimal(amount), draw('share')), '0.01').toFixed(2);
    const isOutage = webhook === 'outage';
    const isLostAlone = (kind === 'pay_late' || kind === 'renew') && (webhook === 'lost' || isOutage);
    const hours = [arrives, arrives + OUTAGE_LASTS].map((at) => at / (60 * MINUTE));
    const isQuietNow =
      hours.some(isQuiet) || plans.some((each) => each.paysBoth === 'together' && each.ends >= arrives);
    const isOutageOfAll =
      isOutage && !isLostAlone && arrives >= Math.max(outageEnds, outages[0] ?? OPENING_HOURS) && !isQuietNow; // there the pairs are
    if (isOutageOfAll) {
      outages.shift();
      outageEnds = ends + OUTAGE_LASTS;
    }
    const customer_id = earlier?.order.customer_id ?? `customer-${number}`;
    const currency = same?.currency ?? oneOf('currency', currencies ?? []) ?? 'EUR';
    const order = { id: `order-${number}`, customer_id, amount, currency };
    const kill = kills.get(index) ?? null;
    const isCoupled = partner !== undefined || [...couples.values()].includes(index);
    const isFree = !isCoupled && kill === null;
    const isOfEnd = isFree && times.heldFor === UNTIL_PAYMENT;
    const paysWith = isOfEnd ? 'end' : isFree && PAYING.has(kind) ? beginsWith(turns, kind, webhook) : null;
    const twin = partner ?? beside;
    const together =
      twin === undefined ? null : { order: twin.order.id, does: partner ? ('pay' as const) : ('press' as const) };
    const faults = { network: networks[index] ?? 'calm', webhook, kill, isLostAlone, isOutageOfAll, paysBoth };
    plans.push({ order, kind, ...times, share, pays, ...faults, paysWith, twin: together });
    if (partner !== undefined) plans[plans.indexOf(partner)] = { ...partner, ends }; // both at the same time
  }
  return only === undefined ? plans : plans.filter(({ order }) => only.includes(order.id));
}

/** When a customer comes, presses again after the end, and pays, and how long the event of the end is held. */
function timesOf({ kind, webhook, usual, partner, beside, turns, draw }: TimesFrom) {
  const arrives = beside?.arrives ?? Math.min(usual, partner === undefined ? usual : partner.arrives + TURN);
  const holds = kind === 'pay_late' ? 'late' : kind === 'renew' ? 'renewed' : RENEWING.has(kind) ? 'old' : 'any';
  const heldFor =
    webhook === 'out_of_order' ? (HELD[holds][turns[holds]++ % HELD[holds].length]?.(draw('held')) ?? 0) : 0;
  const isPressedAtOnce = (heldFor > 0 && heldFor < 2 * MINUTE) || heldFor === UNTIL_PAYMENT;
  const untilRenewal = isPressedAtOnce ? AT_ONCE : UNTIL_RENEWAL;
  const again = arrives + LIFETIME + untilRenewal;
  const isTwice = kind === 'renew' && webhook === 'delivered';
  const renews = !RENEWING.has(kind) ? [] : isTwice ? [again, again + LIFETIME + UNTIL_RENEWAL] : [again];
  const [fewest, more] = STAYS[kind] ?? [2, 20];
  const stays = Math.floor((fewest + draw('end') * more) * MINUTE);
  const alone =
    kind === 'pay_late' && webhook === 'out_of_order' ? rightAfterTheEnd(arrives) : (renews.at(-1) ?? arrives) + stays;
  // Two payments of one customer: both invoices are open then.
  const ends = partner === undefined ? alone : Math.max(partner.ends, arrives + 2 * MINUTE);
  return { arrives, ends, renews, heldFor };
}

interface TimesFrom {
  readonly kind: StormCustomer;
  readonly webhook: StormWebhook;
  /** When a customer with this number comes. */
  readonly usual: number;
  /** The customer whose payment begins together with this one's. */
  readonly partner: PlannedCustomer | undefined;
  /** The customer whose press begins together with this one's. */
  readonly beside: PlannedCustomer | undefined;
  readonly turns: { any: number; late: number; renewed: number; old: number };
  readonly draw: (question: string) => number;
}

/** Kinds whose last act is a payment of a pending invoice. */
const PAYING: ReadonlySet<StormCustomer> = new Set([
  'pay',
  'pay_less',
  'pay_more',
  'come_back',
  'click_twice',
  'two_tabs',
  'second_order',
  'renew',
  'dispute',
]);

const NEVER_AT_ONCE: ReadonlySet<StormWebhook> = new Set(['lost', 'outage', 'out_of_order']);

/**
 * Half of the payments begin with the return. Of those whose webhook comes at once, a third begins with a turn of the
 * job. The others stay single.
 */
function beginsWith(
  turns: { with: number; withJob: number },
  kind: StormCustomer,
  webhook: StormWebhook,
): 'return' | 'job' | 'press' | null {
  if (kind === 'come_back' && webhook === 'delivered') return 'press';
  if (NEVER_AT_ONCE.has(webhook)) return null;
  if (webhook !== 'delivered') return turns.with++ % 4 === 1 ? null : 'return';
  const turn = turns.withJob++ % 3;
  if (turn === 1) return 'return';
  return turn === 0 && turns.withJob <= 3 * WITH_JOB_MAX ? 'job' : null;
}

function bothOf(turns: { both: number; atOnce: number }, webhook: StormWebhook, isAtOnce: boolean): Both {
  // Where no webhook tells of it, the job has booked the renewal before the first invoice is paid too.
  if (webhook === 'lost') return 'last_first';
  if (isAtOnce && turns.atOnce++ % 3 !== 1) return 'together';
  return turns.both++ % 2 === 0 ? 'part_first' : 'old_first';
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

/** Pairs of neighbours whose first presses begin together: the later index, and the earlier one. */
function pairsOfPresses(
  kinds: readonly StormCustomer[],
  networks: readonly StormNetwork[],
  kills: ReadonlyMap<number, Kill>,
): Map<number, number> {
  const pairs = new Map<number, number>();
  const isFree = (index: number): boolean =>
    kinds[index] !== 'second_order' && kinds[index] !== 'two_tabs' && networks[index] === 'calm' && !kills.has(index);
  const apart = Math.ceil(kinds.length / PAIRS_OF_PRESSES);
  for (let from = 0; from < kinds.length; from += apart) {
    for (let index = from + 1; index < Math.min(from + apart, kinds.length); index += 1) {
      if (!isFree(index) || !isFree(index - 1)) continue;
      pairs.set(index, index - 1);
      break;
    }
  }
  return pairs;
}

/**
 * Swaps webhooks between customers until each of the pairs is played. In each `restartEvery` customers it picks one
 * with whom a kill begins to wait, and it puts second orders behind the orders that are paid together with them.
 */
function pairAndKill(
  kinds: StormCustomer[],
  webhooks: StormWebhook[],
  { customers, restartEvery }: CheckedSettings,
): { readonly kills: Map<number, Kill>; readonly couples: Map<number, number> } {
  const fixed = new Set<number>();
  /** Gives the webhook to a customer of a kind, from an index on, in quiet hours where it can be. */
  const give = (kind: StormCustomer, webhook: StormWebhook, from: number): number | null => {
    const all = kinds.flatMap((each, index) => (each === kind && !fixed.has(index) ? [index] : []));
    const later = all.filter((index) => index >= from);
    const near = later.filter((index) => isQuiet((index * 12) / customers) && index < from + customers / 3);
    const free = [near, later, all].find((each) => each.length > 0) ?? [];
    const taken = free.find((index) => webhooks[index] === webhook);
    return giveTo(taken ?? free[0], webhook);
  };
  const giveTo = (one: number | undefined, webhook: StormWebhook): number | null => {
    if (one === undefined) return null; // switched off
    const other =
      webhooks[one] === webhook ? one : webhooks.findIndex((each, index) => each === webhook && !fixed.has(index));
    if (other === -1) return null; // switched off, or all of them are part of a pair
    [webhooks[one], webhooks[other]] = [webhook, webhooks[one] ?? webhook];
    fixed.add(one);
    return one;
  };
  const couples = new Map<number, number>();
  for (let pair = 0; pair < PAIRS_OF_PAYMENTS; pair += 1) {
    const second = kinds.findIndex((kind, index) => kind === 'second_order' && !fixed.has(index));
    const hour = (QUIET_HOURS[pair % QUIET_HOURS.length] ?? 0) + (pair >= QUIET_HOURS.length ? QUIET_LASTS / 2 : 0);
    const from = Math.floor((hour * customers) / 12);
    const first = kinds.findIndex(
      (kind, index) => index >= from && kind === 'pay' && !fixed.has(index) && !fixed.has(index + 1),
    );
    const next = first + 1;
    if (second === -1 || first === -1 || next >= kinds.length) break;
    [kinds[next], kinds[second]] = ['second_order', kinds[next] ?? 'pay'];
    if (giveTo(first, 'delivered') === null || giveTo(next, 'delivered') === null) break;
    couples.set(next, first);
  }
  for (const [kind, webhook, times] of PAIRS) {
    for (const hour of QUIET_HOURS.slice(0, times)) give(kind, webhook, Math.floor((hour * customers) / 12));
  }
  const kills = new Map<number, Kill>();
  for (let number = restartEvery; number <= customers; number += restartEvery) {
    const [webhook, kill] = KILLS[kills.size % KILLS.length] ?? ['delivered', { in: 'delivery', when: 'after' }];
    const from = Math.floor((number - restartEvery) * KILLED_PART);
    kills.set(give('pay', webhook, from) ?? give('pay', 'delivered', from) ?? from, kill);
  }
  return { kills, couples };
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
