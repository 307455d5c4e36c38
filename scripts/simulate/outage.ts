import { createRandom } from '../../src/sandbox/state/random.ts';
import type { CatchUpCursor } from '../../src/webhooks/index.ts';
import { type Invoices, makeInvoices, STATUSES } from '../catch-up/invoices.ts';
import { LIST_ORDERS, ListService } from '../catch-up/list-service.ts';
import { pageClient } from '../catch-up/page-client.ts';
import { below, type Random } from '../random.ts';
import { countOne } from '../runs.ts';
import { Sender } from './delivery.ts';
import { EventClock } from './event-clock.ts';
import { type Life, Server } from './life.ts';
import type { Costs, Fault } from './process-store.ts';
import { Receiver, type Shop } from './receiver.ts';
import { openShopStore, type StoreName } from './shop-store.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 1_440 * MINUTE;
const START = Date.UTC(2026, 0, 1);
/** Live traffic before the outage, and after the last order of the outage was fulfilled. */
const LEAD = 30 * MINUTE;
const TAIL = 10 * MINUTE;
/** The fleet starts again after the outage, each process dies once more within this time, and is back after a restart. */
const UNREST = 30 * MINUTE;
const RESTART = 30 * SECOND;
/** The time of one request to the service, on average. Requests overtake each other. */
const LATENCY = 200;
/** Between two runs of `catchUp`. */
const EVERY = 5 * MINUTE;

export interface Outage {
  readonly store: StoreName;
  readonly ordersPerDay: number;
  /** Milliseconds. */
  readonly outage: number;
  readonly receivers: number;
  /** Connections of each process. */
  readonly pool: number;
  /** Invoices that `catchUp` plays at once after the outage. 0: there is no `catchUp`. */
  readonly catchUp: number;
  /** Milliseconds of the merchant's function for most orders. */
  readonly work: number;
  /** The same for a share of them, long enough to outlast the lease, which is then renewed. */
  readonly slowWork: number;
  readonly slowShare: number;
  readonly costs: Costs;
  readonly seed: number;
  readonly fault: Fault;
}

export interface OutageResult {
  /** Orders that ended, and those of them that ended during the outage. */
  readonly orders: number;
  readonly missed: number;
  readonly attempts: { readonly reached: number; readonly refused: number; readonly failed: number };
  /** The most deliveries a second, over ten seconds. */
  readonly peak: number;
  /** Milliseconds from the end of the outage until its last order was fulfilled. Infinity if one never was. */
  readonly drained: number;
  /** Milliseconds from the end of an invoice until its order was fulfilled: the longest. */
  readonly longestWait: number;
  /** The most connections of a process. Null without a pool. */
  readonly connections: number | null;
  /** The share of its busiest minute that the engine worked. */
  readonly engine: number;
  /** How often each thing happened. */
  readonly counts: Readonly<Record<string, number>>;
  /** Statements for each delivery or invoice that reached the store. Null in memory. */
  readonly statements: number | null;
  readonly twice: readonly string[];
  readonly lost: readonly string[];
}

/** Plays an outage of the whole fleet, and what follows it, until every delivery has ended. */
export async function playOutage(options: Outage): Promise<OutageResult> {
  const { store: name, ordersPerDay, outage, receivers, pool, catchUp, work, slowWork, slowShare } = options;
  const { costs, seed, fault } = options;
  const random = createRandom(seed).next;
  const clock = new EventClock(START);
  const [begins, ends] = [START + LEAD, START + LEAD + outage];
  // Live traffic until the last order of the outage is certain to be fulfilled: its last attempt comes after 20.6 hours.
  const until = ends + DAY;
  const invoices = makeInvoices(Math.round((ordersPerDay * (until - START)) / DAY), START, until, random);
  const engine = new Server(clock);
  const store = await openShopStore(name, clock, (receivers + 1) * pool + 2);
  const fulfilledAt = new Float64Array(invoices.finished.length);
  const counts: Record<string, number> = {};
  const isSlow = Uint8Array.from(fulfilledAt, () => (random() < slowShare ? 1 : 0));
  const missed = { open: 0, all: 0, drainedAt: ends };
  const shop: Shop = {
    clock,
    opened: START,
    engine,
    costs,
    fault,
    store,
    pool: name === 'postgres' ? pool : Number.POSITIVE_INFINITY,
    isPaid: (order) => invoices.ends[indexOfOrder(order)] === STATUSES.indexOf('success'),
    workOf: (order) => (isSlow[indexOfOrder(order)] === 1 ? slowWork : work),
    credited(order) {
      const index = indexOfOrder(order);
      if (fulfilledAt[index] !== 0) return;
      fulfilledAt[index] = clock.now();
      if (!wasMissed(invoices, index, begins, ends)) return;
      missed.open -= 1;
      missed.drainedAt = clock.now();
    },
    counted: (reason) => countOne(counts, reason),
  };
  try {
    const fleet = Array.from({ length: receivers }, () => new Receiver(shop));
    const sender = new Sender(clock, invoices, fleet);
    const ended = endingsOf(invoices, until);
    for (const index of ended) if (wasMissed(invoices, index, begins, ends)) missed.open += 1;
    missed.all = missed.open;
    let last = 0;
    const isOver = (): boolean => clock.now() >= until || (missed.open === 0 && clock.now() > missed.drainedAt + TAIL);
    const deliverFrom = (place: number): void => {
      const index = ended[place];
      if (index === undefined || isOver()) return;
      clock.at(invoices.finished[index] ?? 0, () => {
        last = place + 1;
        deliverFrom(place + 1);
        return sender.attempt(index);
      });
    };
    deliverFrom(0);
    for (const receiver of fleet) breakDown(clock, receiver, begins, ends, random);
    const job = new Receiver(shop);
    job.kill();
    if (catchUp > 0) {
      const service = new ListService({ invoices, order: LIST_ORDERS[0], now: START });
      runCatchUp({ clock, job, service, invoices, concurrency: catchUp, begins, ends, isOver, random });
    }
    await clock.run();

    const due = ended.subarray(0, last);
    const credits = await store.credits();
    const creditsOf = (index: number): number => credits.get(`order-${index}`) ?? 0;
    const reached = sender.reached + (counts['by catchUp'] ?? 0) + (counts['done before catchUp'] ?? 0);
    return {
      orders: due.length,
      missed: missed.all,
      attempts: { reached: sender.reached, refused: sender.refused, failed: sender.failed },
      peak: sender.peak,
      drained: missed.open === 0 ? missed.drainedAt - ends : Number.POSITIVE_INFINITY,
      longestWait: due.reduce((most, i) => Math.max(most, (fulfilledAt[i] ?? 0) - (invoices.finished[i] ?? 0)), 0),
      connections: name === 'postgres' ? Math.max(...[...fleet, job].map(({ connections }) => connections)) : null,
      engine: engine.busiest,
      counts,
      statements: store.counts === null ? null : store.counts.statements / reached,
      twice: [...credits].filter(([, count]) => count > 1).map(([order]) => order),
      lost: [...due].filter((index) => creditsOf(index) === 0).map((index) => `order-${index}`),
    };
  } finally {
    await store.close();
  }
}

function indexOfOrder(order: string): number {
  return Number(order.slice('order-'.length));
}

function wasMissed({ finished }: Invoices, index: number, begins: number, ends: number): boolean {
  const at = finished[index] ?? 0;
  return at >= begins && at < ends;
}

/** Indexes of the invoices that end before a time, in this order. */
function endingsOf({ finished }: Invoices, until: number): Uint32Array {
  const at = (index: number): number => finished[index] ?? 0;
  return Uint32Array.from(finished.keys())
    .filter((index) => at(index) < until)
    .sort((a, b) => at(a) - at(b));
}

/** A process dies when the outage begins, with everything that it is doing, and once more soon after it. */
function breakDown(clock: EventClock, receiver: Receiver, begins: number, ends: number, random: Random): void {
  const again = ends + MINUTE + below(random, UNREST);
  for (const [died, back] of [
    [begins, ends],
    [again, again + RESTART],
  ] as const) {
    clock.at(died, () => {
      receiver.kill();
      return true;
    });
    clock.at(back, () => receiver.start());
  }
}

interface CatchUpJob {
  readonly clock: EventClock;
  readonly job: Receiver;
  readonly service: ListService;
  readonly invoices: Invoices;
  readonly concurrency: number;
  readonly begins: number;
  readonly ends: number;
  readonly isOver: () => boolean;
  readonly random: Random;
}

/** The job with `catchUp`: once before the outage, then from its end on every five minutes. It dies once in its work. */
function runCatchUp({ clock, job, service, invoices, concurrency, begins, ends, isOver, random }: CatchUpJob): void {
  let cursor: CatchUpCursor | undefined;
  const clientFor = (life: Life) =>
    pageClient(service, invoices, async () => {
      await life.sleep(2 * LATENCY * random());
      service.advanceTo(clock.now());
    });
  const run = async (): Promise<void> => {
    const isLast = isOver();
    job.start();
    cursor = (await job.catchUp(clientFor, cursor, concurrency)) ?? cursor;
    if (clock.now() >= ends && !isLast) clock.at(clock.now() + EVERY, run);
  };
  const die = (): true => {
    job.kill();
    return true;
  };
  clock.at(begins - LEAD / 2, run);
  clock.at(begins, die);
  clock.at(ends, run);
  clock.at(ends + SECOND + below(random, MINUTE), die);
}
