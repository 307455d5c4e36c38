import { expect, it } from 'vitest';
import { below } from '../../scripts/random.ts';
import { EventClock } from '../../scripts/simulate/event-clock.ts';
import { Life } from '../../scripts/simulate/life.ts';
import type { ReconcileClient, ReconcileOptions } from '../../src/reconcile/index.ts';
import { createRandom } from '../../src/sandbox/state/random.ts';
import { scaled } from '../support/scaled.ts';
import { SEED } from '../support/seed.ts';
import { DAY, found, invoice, NOW, serviceOf } from './shop.ts';

const RUNS = scaled(300);
const COUNT = 800;
const SECOND = 1_000;

/** Reads a list at whose top rows join, while requests take different times. Returns the earlier rows that it missed. */
async function missed(seed: number): Promise<readonly string[]> {
  const random = createRandom(seed).next;
  const clock = new EventClock(NOW);
  const life = new Life(clock, Number.POSITIVE_INFINITY);
  const { client } = serviceOf([]);
  const rows = Array.from({ length: COUNT }, (_, at) =>
    invoice(`order-${at}`, { created_at: new Date(NOW - DAY - at * SECOND) }),
  );
  const list: ReconcileClient['invoices']['list'] = async ({ page, per_page }) => {
    await life.sleep(random() * 10 * SECOND);
    const total_pages = Math.ceil(rows.length / per_page);
    const items = rows.slice((page - 1) * per_page, page * per_page);
    const counts = { page, per_page, total_items: rows.length, total_pages };
    return { ...counts, items, has_next: page < total_pages, has_prev: page > 1 };
  };
  const every = 2 * SECOND + below(random, 20 * SECOND);
  const isPeriod = below(random, 2) === 0;
  const most = isPeriod ? below(random, COUNT) : COUNT;
  const options: ReconcileOptions = {
    merchant: { ...client, invoices: { ...client.invoices, list } },
    orders: [],
    grace: 0,
    prefetch: 1 + below(random, 8),
    ...(isPeriod && { since: NOW - DAY - (most - 0.5) * SECOND, order: 'newest' }),
  };
  const shown = new Set<string>();
  const failures: string[] = [];
  let isOver = false;
  clock.at(NOW, () => {
    found(options)
      .then(
        ({ entries }) => entries.forEach(({ external_id }) => void shown.add(external_id ?? '')),
        (error: unknown) => failures.push(`seed ${seed}: ${error}`),
      )
      .finally(() => {
        isOver = true;
      });
    return true;
  });
  const join = (): void => {
    if (isOver) return;
    rows.unshift(invoice(`joined-${rows.length}`, { created_at: new Date(clock.now() - DAY) }));
    clock.at(clock.now() + random() * every, join);
  };
  clock.at(NOW, join);
  await clock.run();
  const due = Array.from({ length: most }, (_, at) => `order-${at}`);
  return [...failures, ...due.filter((id) => !shown.has(id)).map((id) => `seed ${seed}: ${id}`)];
}

it(`reconcile misses nothing where requests overtake each other, in ${RUNS} runs`, async () => {
  const lost: string[] = [];
  for (let seed = SEED; seed < SEED + RUNS; seed += 1) lost.push(...(await missed(seed)));
  expect(lost).toEqual([]);
});
