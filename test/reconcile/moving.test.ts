import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/index.ts';
import type { ReconcileInvoice, ReconcileOrder } from '../../src/reconcile/index.ts';
import { createRandom } from '../../src/sandbox/state/random.ts';
import { scaled } from '../support/scaled.ts';
import { SEED } from '../support/seed.ts';
import { corrected, DAY, found, HOUR, invoice, NOW, notFound, order, pending, serviceOf } from './shop.ts';

// A shop at work while it is reconciled: with each request and each order that is read, time passes, customers order and
// pay, invoices expire, and webhooks arrive late. Nothing is wrong there, so nothing may be found beside what is planted.

const LATEST_WEBHOOK = 20 * HOUR;

interface Due {
  readonly at: number;
  readonly work: () => void;
}

function liveShop(seed: number) {
  const random = createRandom(seed).next;
  const invoices: ReconcileInvoice[] = [];
  const orders = new Map<string, ReconcileOrder>();
  let due: Due[] = [];
  let time = NOW - 10 * DAY;
  let count = 0;

  const replace = (id: string, changes: Partial<ReconcileInvoice>): void => {
    const at = invoices.findIndex(({ external_id }) => external_id === id);
    invoices[at] = { ...invoice(id), ...invoices[at], ...changes };
  };
  const book = (id: string, changes: Partial<ReconcileOrder>): void => {
    orders.set(id, { ...order(id), ...orders.get(id), ...changes });
  };
  /** A customer orders, and pays, or does not. The webhook comes up to twenty hours later. */
  const sell = (): void => {
    count += 1;
    const id = `order-${count}`;
    const end = time + HOUR / 2 + random() * 2 * HOUR;
    orders.set(id, order(id, { state: 'open', credited_usdt: null }));
    const expires_at = new Date(time + 3 * HOUR);
    const created = time + (random() * HOUR) / 2; // the customer enters an address first
    due.push({
      at: created,
      work: () => invoices.unshift({ ...invoice(id), ...pending, created_at: new Date(created), expires_at }),
    });
    const isPaid = random() < 0.7;
    due.push({
      at: end,
      work: () =>
        replace(id, {
          status: isPaid ? 'success' : 'expired',
          finished_at: new Date(time),
          settled_amount_usdt: isPaid ? new Decimal('26.861298') : null,
        }),
    });
    const webhook = end + random() * (random() < 0.5 ? HOUR / 60 : LATEST_WEBHOOK);
    const change = isPaid
      ? ({ state: 'fulfilled', credited_usdt: '26.861298' } as const)
      : ({ state: 'canceled' } as const);
    due.push({ at: webhook, work: () => book(id, change) });
  };
  /** Lets time pass. */
  const pass = (longest: number): void => {
    time += (longest * (1 + random())) / 2;
    const now = due.filter(({ at }) => at <= time).sort((a, b) => a.at - b.at);
    due = due.filter(({ at }) => at > time);
    for (const { work } of now) work();
    if (random() < 0.7) sell();
  };
  while (time < NOW) pass(HOUR);
  return { random, invoices, orders, pass, now: () => time };
}

/** The live service and the live shop, whose every answer takes time. */
function reconciled(
  seed: number,
  mode: 'orders' | 'lookup' | 'both',
  plant: (shop: ReturnType<typeof liveShop>) => void,
) {
  const shop = liveShop(seed);
  plant(shop);
  const { client } = serviceOf(shop.invoices);
  const slow = <Arguments extends unknown[], T>(work: (...given: Arguments) => Promise<T>) => {
    return async (...given: Arguments): Promise<T> => {
      shop.pass(HOUR / 2);
      const answer = await work(...given);
      shop.pass(HOUR / 2);
      return answer;
    };
  };
  const merchant = {
    ...client,
    invoices: {
      list: slow(async (...given: Parameters<typeof client.invoices.list>) => client.invoices.list(...given)),
      get: slow(async (ident: string) => client.invoices.get(ident, {})),
    },
  };
  const options = {
    async *orders() {
      const keys = [...shop.orders.keys()];
      for (const id of keys.sort(() => shop.random() - 0.5)) {
        shop.pass(HOUR / 60);
        yield shop.orders.get(id) ?? order(id);
      }
      yield* [...shop.orders.values()].slice(-3).filter(({ external_id }) => !keys.includes(external_id)); // just made
    },
    async lookup(ids: readonly string[]) {
      shop.pass(HOUR / 4);
      return ids.flatMap((id) => shop.orders.get(id) ?? []);
    },
  };
  return found({
    merchant,
    now: shop.now,
    ...(mode === 'lookup' ? {} : { orders: options.orders() }),
    ...(mode === 'orders' ? {} : { lookup: options.lookup }),
  });
}

describe.each(['orders', 'lookup', 'both'] as const)('with %s, a shop at work', (mode) => {
  it('has no finding while nothing is wrong', async () => {
    for (let run = 0; run < scaled(40); run += 1) {
      const seed = SEED + run;
      const { kinds, summary } = await reconciled(seed, mode, () => {});
      expect({ seed, kinds }).toEqual({ seed, kinds: [] });
      expect(summary.matched).toBeGreaterThan(50);
    }
  });

  it('has the planted findings, and no others', async () => {
    for (let run = 0; run < scaled(20); run += 1) {
      const seed = SEED + run;
      const { kinds } = await reconciled(seed, mode, ({ invoices, orders }) => {
        const old = { created_at: new Date(NOW - 9 * DAY), finished_at: new Date(NOW - 8 * DAY) };
        invoices.push(
          invoice('lost', old),
          invoice('stranger', old),
          invoice('less', { ...old, ...corrected('20', '21.49') }),
        );
        orders.set('lost', order('lost', { state: 'open' }));
        orders.set('less', order('less', { credited_usdt: '21.49' }));
      });
      const planted = ['less underpaid', 'lost paid_not_fulfilled', 'stranger invoice_without_order'];
      expect({ seed, kinds: kinds.sort() }).toEqual({ seed, kinds: planted });
    }
  });
});

it('the simulation is as hard as it should be: one reading of each side would invent findings', async () => {
  const shop = liveShop(1);
  const { client } = serviceOf(shop.invoices);
  const { kinds } = await found({
    merchant: {
      ...client,
      invoices: {
        ...client.invoices,
        get: async () => {
          throw notFound();
        },
      },
    },
    orders: [...shop.orders.values()],
    grace: 0,
    now: () => shop.now() + 3 * HOUR,
  });
  expect(kinds.some((line) => line.endsWith('paid_not_fulfilled'))).toBe(true);
});
