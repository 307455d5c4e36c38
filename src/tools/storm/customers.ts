import { createRandom } from '../sandbox/state/random.ts';
import type { CheckedSettings, StormCustomer, StormNetwork, StormOrder, StormWebhook } from './options.ts';

// The plan of a storm, drawn from its seed alone: who comes when, what each of them does, and what goes wrong around it.

const MINUTE = 60_000;
const OPENING_HOURS = 12 * 60 * MINUTE;

/** One customer of the day. Times are milliseconds after the start. */
export interface PlannedCustomer {
  readonly order: StormOrder;
  readonly kind: StormCustomer;
  readonly network: StormNetwork;
  readonly webhook: StormWebhook;
  readonly arrives: number;
  /** When the customer ends the payment. */
  readonly ends: number;
  /** What is paid of the invoice: 1 is all of it. */
  readonly share: number;
  /** Whether the shop is killed while it handles this payment. */
  readonly isKilled: boolean;
}

/** Minutes from the arrival to the end of the payment: the fewest, and how many more at most. Other kinds: 2 and 20. */
const STAYS: Readonly<Partial<Record<StormCustomer, readonly [fewest: number, more: number]>>> = {
  come_back: [12, 10],
  pay_late: [45, 180],
  renew: [50, 20],
};

/** Draws the customers of a day, in the order in which they arrive. */
export function planCustomers({ seed, customers, weights, restartEvery }: CheckedSettings): PlannedCustomer[] {
  const kinds = deckOf<StormCustomer>(weights.customers, customers, `${seed} customers`);
  const networks = deckOf<StormNetwork>(weights.network, customers, `${seed} network`);
  const webhooks = deckOf<StormWebhook>(weights.webhooks, customers, `${seed} webhooks`);
  return kinds.map((kind, index) => {
    const number = index + 1;
    // Each draw depends on seed, customer and question alone, so another option does not change the other draws.
    const draw = (question: string): number => createRandom(`${seed} ${number} ${question}`).next();
    const cents = 2_500 + Math.floor(draw('amount') * 17_500);
    const share = kind === 'pay_less' ? 0.04 + draw('share') * 0.8 : kind === 'pay_more' ? 1.1 + draw('share') : 1;
    const arrives = Math.floor((index * OPENING_HOURS) / customers);
    const [fewest, more] = STAYS[kind] ?? [2, 20];
    return {
      order: { id: `order-${number}`, customer_id: `customer-${number}`, amount: textOf(cents), currency: 'EUR' },
      kind,
      network: networks[index] ?? 'calm', // a deck has as many as there are customers
      webhook: webhooks[index] ?? 'delivered',
      arrives,
      ends: arrives + Math.floor((fewest + draw('end') * more) * MINUTE),
      share,
      isKilled: number % restartEvery === 0,
    };
  });
}

function textOf(cents: number): string {
  return (cents / 100).toFixed(2);
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
